"""From options to what jobs take."""

from hpcreuse.commands.shared import ReadFields, SharedOptions
from hpcreuse.crawl.pages import Limits
from hpcreuse.digest_fields import digest_options
from hpcreuse.parallel.memory import default_budget
from hpcreuse.parallel.world import World

__all__ = ["digest_options", "memory_budget", "read_limits"]


def memory_budget(world: World, shared: SharedOptions) -> int:
    """Collective. Give the bytes a rank may use."""
    return default_budget(world) if shared.memory is None else shared.memory


def read_limits(options: ReadFields) -> Limits:
    """Give the limits of a command line."""
    return Limits(options.max_payload, options.max_components, options.max_repeats, options.max_run_repeats)
