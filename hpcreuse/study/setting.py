"""What every study is told beside its own options."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World


@dataclass(frozen=True)
class Setting:
    """How to run: the shared options as far as they concern a study."""

    memory: int
    """Bytes a rank may use."""
    progress_seconds: float
    fresh: bool

    def must_hold(self, world: "World", need: int, what: str) -> None:
        """Collective. Refuse beforehand what a rank, this or another, cannot hold in its memory."""
        world.on_root(self._refuse_above, max(world.comm.allgather(need)), what)

    def _refuse_above(self, need: int, what: str) -> None:
        if need > self.memory:
            from hpcreuse.parallel.progress import size

            raise UsageError(
                f"this study holds {what} in memory, about {size(need)} on a rank, and may use {size(self.memory)}: "
                "give it more with --memory, more ranks, or a smaller run"
            )
