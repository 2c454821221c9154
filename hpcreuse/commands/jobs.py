"""From options to what jobs take."""

from hpcreuse.commands.shared import DigestFields, SharedOptions
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.memory import default_budget
from hpcreuse.parallel.world import World


def digest_options(options: DigestFields) -> DigestOptions:
    """Give the digest options of a command line."""
    return DigestOptions(options.tags, options.tag_ends, options.normalize, options.mode, options.digest, options.plain)


def memory_budget(world: World, shared: SharedOptions) -> int:
    """Collective. Give the bytes a rank may use."""
    return default_budget(world) if shared.memory is None else shared.memory
