"""Whether fewer ranks would do: those without a partition wait, and each takes its time to start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hpcreuse.planning.sizes import Sizes
from hpcreuse.planning.stages import Stage

# So much longer may fewer ranks take, and so many times fewer must they be for a word about it
LONGER, FEWER = 1.1, 4


@dataclass(frozen=True)
class Outlook:
    """A job on some number of ranks."""

    ranks: int
    sizes: Sizes
    stages: list[Stage]

    @property
    def seconds(self) -> float:
        """How long all stages take."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def starting(self) -> float:
        """The share of it that ranks take to start."""
        return sum(stage.parts["start"] for stage in self.stages) / self.seconds


def fewer_ranks(planned: Outlook, on: Callable[[int], Outlook]) -> dict[str, Any] | None:
    """Tell how few ranks take about as long as those planned; None when these are not far too many.

    Args:
        on: gives the job on so many ranks.
    """
    fewest = planned
    while fewest.ranks > 1 and (half := on(fewest.ranks // 2)).seconds <= LONGER * planned.seconds:
        fewest = half
    if planned.ranks < FEWER * fewest.ranks:
        return None
    return {
        "ranks": fewest.ranks,
        "seconds": fewest.seconds,
        "partitions": round(planned.sizes.partitions),
        "starting": planned.starting,
    }
