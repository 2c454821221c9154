"""From options to what jobs take."""

from hpcreuse.commands.shared import DigestFields, SharedOptions
from hpcreuse.errors import UsageError
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.memory import LEAST, default_budget, parse_size
from hpcreuse.parallel.world import World


def digest_options(options: DigestFields) -> DigestOptions:
    """Give the digest options of a command line."""
    return DigestOptions(
        options.tags, options.tag_ends, options.normalize, options.mode, options.digest, options.plain
    )


def memory_budget(world: World, shared: SharedOptions) -> int:
    """Collective. Give the bytes a rank may use."""
    if shared.memory is None:
        return default_budget(world)
    budget = parse_size(shared.memory)
    if budget < LEAST:
        raise UsageError(f"--memory {shared.memory} is too little: give at least 1M")
    return budget
