"""From options to what jobs take."""

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.digest_fields import digest_options
from hpcreuse.parallel.memory import default_budget
from hpcreuse.parallel.world import World

__all__ = ["digest_options", "memory_budget"]


def memory_budget(world: World, shared: SharedOptions) -> int:
    """Collective. Give the bytes a rank may use."""
    return default_budget(world) if shared.memory is None else shared.memory
