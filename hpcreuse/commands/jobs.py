"""From options to what jobs take."""

from pathlib import Path

from hpcreuse.commands.shared import ReadFields, SharedOptions
from hpcreuse.crawl.pages import Limits
from hpcreuse.digest_fields import digest_options
from hpcreuse.parallel.memory import default_budget
from hpcreuse.parallel.world import World

__all__ = ["digest_options", "memory_budget", "read_limits", "start_over"]


def memory_budget(world: World, shared: SharedOptions) -> int:
    """Collective. Give the bytes a rank may use."""
    return default_budget(world) if shared.memory is None else shared.memory


def start_over(world: World, verb: str, out: Path, shared: SharedOptions) -> None:
    """Collective. With --fresh, make room where a damaged result of the same verb stands."""
    if shared.fresh:
        from hpcreuse.store.findings import TABLES
        from hpcreuse.store.result_record import throw_away_damaged

        world.on_root(throw_away_damaged, out, verb, TABLES.get(verb, ("files", "neighborhoods")))


def read_limits(options: ReadFields) -> Limits:
    """Give the limits of a command line."""
    return Limits(options.max_payload, options.max_components, options.max_repeats, options.max_run_repeats)
