"""A corpus held against L, page by page, all ranks sharing the corpus: the best match of every page."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.reading import go_through
from hpcreuse.crawl.pages import Limits, Page
from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.lsh.originals import EQUAL, FARTHEST, Hashing, Match, Originals
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World


class Closest(NamedTuple):
    """A page that comes close to L; the order is that of the table."""

    distance: int
    url: str
    archive: str
    offset: int
    copy: bool
    exact: bool
    source: str


@dataclass
class Scores:
    """How pages stand to L: counts by truth, exact match and best score, and the pages that come closest."""

    kept: int
    """How many of the closest pages are kept."""
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, 2, EQUAL - FARTHEST + 1), np.int64))
    closest: list[Closest] = field(default_factory=list)

    def add(self, page: Page, copy: bool, match: Match) -> None:
        """Count a page."""
        self.counts[int(copy), int(match.exact), match.score - FARTHEST] += 1
        place = (EQUAL - match.score, page.url, page.archive, page.offset)
        self.closest.append(Closest(*place, copy, match.exact, match.source))
        if len(self.closest) >= 2 * self.kept:
            self._shorten()

    def _shorten(self) -> None:
        self.closest = heapq.nsmallest(self.kept, self.closest)

    @classmethod
    def combine(cls, kept: int, parts: Iterable["Scores"]) -> "Scores":
        """Add up."""
        whole = cls(kept)
        for part in parts:
            whole.counts += part.counts
            whole.closest += part.closest
        whole._shorten()
        return whole

    def over_all(self, world: World) -> "Scores":
        """Collective. Add up what all ranks have; no more than the closest pages go to everyone."""
        self._shorten()
        return Scores.combine(self.kept, world.comm.allgather(self))


def match_corpus(
    world: World,
    inputs: Sequence[str],
    url_prefix: str | None,
    hashing: Hashing,
    originals: Originals,
    is_copy: Callable[[str], bool | None],
    kept: int,
    progress_seconds: float,
) -> tuple[Scores, int]:
    """Collective. Hold every page with text against L; give this rank's scores and the number of unreadable records.

    Args:
        is_copy: tells by its URL what a page is in truth; None for a page that takes no part.
    """

    def work(pages: Iterator[Page]) -> Scores:
        scores = Scores(kept)
        for page in pages:
            copy = is_copy(page.url)
            mime = decide_type(page.content_type, page.payload, page.url)
            if copy is not None and page.payload and is_textual(mime):
                plain = page.plain or mime == "text/plain"
                objects = hashing.objects_of(page.payload, mime, plain, page.content_type)
                scores.add(page, copy, originals.match(objects))
        return scores

    progress = Progress("match", "pages", 0, progress_seconds if world.root else 0)
    parts, unreadable = go_through(world, inputs, url_prefix, Limits(), work, progress)
    return Scores.combine(kept, parts), unreadable
