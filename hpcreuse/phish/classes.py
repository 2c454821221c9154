"""How copies are found, and how well (CCR 8.2, table 6): as they are, normalised, parsed, after their scripts ran."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from hpcreuse.corpus.reading import go_through
from hpcreuse.corpus.truth import Confusion, Truth
from hpcreuse.crawl.pages import Limits, Page
from hpcreuse.crawl.types import decide_type
from hpcreuse.kernels import digests as dg
from hpcreuse.page.digest import MARKUP_TYPES, digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.phish.judging import PHISH, Judged

DIRECT, WHITESPACE, DOM, SCRIPTS = "direct", "whitespace", "dom", "scripts"
SERVED = "served"
"""Found without running scripts, where the originals are not at hand to say more."""
MISSED, MISTAKEN = "missed", "mistaken"

# The rows of table 6 and their pages as published
PUBLISHED = {"pages": 1888, "other": 1803, "phish": 85, "found": 50, "direct": 35, "whitespace": 8, "scripts": 7}


@dataclass(frozen=True)
class Originals:
    """The chunks of the originals as they were served: as they are, and with their whitespace normalised."""

    options: DigestOptions
    min_length: int
    kinds: dict[str, dg.Digests]

    @classmethod
    def read(
        cls, world: World, inputs: Sequence[str], options: DigestOptions, min_length: int, limits: Limits
    ) -> "Originals":
        """Collective. Hash the originals, all ranks sharing them; every rank gets all."""
        kinds = as_served(options)

        def work(pages: Iterator[Page]) -> dict[str, bytes]:
            found = dict.fromkeys(kinds, b"")
            for page in pages:
                mime = decide_type(page.content_type, page.payload, page.url)
                if mime in MARKUP_TYPES:
                    for name, kind in kinds.items():
                        found[name] += long_chunks(page.payload, mime, kind, min_length).tobytes()
            return found

        mine, _ = go_through(world, inputs, None, limits, work, Progress("originals", "pages", 0, 0))
        everyones = list(chain.from_iterable(world.comm.allgather(mine)))

        def joined(name: str) -> dg.Digests:
            digests = dg.from_bytes(b"".join(found[name] for found in everyones), options.width)
            order, starts = dg.group(digests)
            return np.ascontiguousarray(digests[order[starts]])

        return cls(options, min_length, {name: joined(name) for name in kinds})

    def how(self, payload: bytes, mime: str) -> str:
        """Tell what it takes to find a copy whose DOM, as served, is known to match."""
        for name, kind in as_served(self.options).items():
            if (dg.find(self.kinds[name], long_chunks(payload, mime, kind, self.min_length)) >= 0).any():
                return name
        return DOM


def as_served(options: DigestOptions) -> dict[str, DigestOptions]:
    """Give the options under which originals and copies are compared as they were served."""
    direct = replace(options, mode="raw", normalize="none")
    return {DIRECT: direct, WHITESPACE: replace(direct, normalize="whitespace")}


def long_chunks(payload: bytes, mime: str, options: DigestOptions, min_length: int) -> dg.Digests:
    """Give the digests of the chunks that are long enough to count."""
    found = digest_page(payload, mime, True, False, options)
    return np.ascontiguousarray(dg.from_bytes(found.chunks, options.width)[found.lengths >= min_length])


def classify(page: Judged, truth: Truth) -> tuple[str, str]:
    """Give what a page is in truth, and the class of table 6 that it falls into."""
    is_phish = truth.is_copy(page.url.decode("utf-8", "surrogateescape"))
    if page.verdict == PHISH:
        return ("phish", page.how) if is_phish else ("benign", MISTAKEN)
    return ("phish", MISSED) if is_phish else ("benign", "")


@dataclass(frozen=True)
class Table6:
    """How many pages are what, in truth and as found."""

    counts: Counter[tuple[str, str]]
    """By truth and class."""

    def over_all(self, world: World) -> "Table6":
        """Collective. Add up what all ranks have."""
        total: Counter[tuple[str, str]] = Counter()
        for counts in world.comm.allgather(self.counts):
            total.update(counts)
        return Table6(total)

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix."""
        phish = sum(count for (truth, _), count in self.counts.items() if truth == "phish")
        benign = sum(self.counts.values()) - phish
        missed, mistaken = self.counts["phish", MISSED], self.counts["benign", MISTAKEN]
        return Confusion(phish - missed, missed, mistaken, benign - mistaken)

    def rows(self) -> list[tuple[str, int]]:
        """Give the rows of table 6 in its order; those that nothing can fall into are left out."""
        matrix = self.confusion
        how = [name for name in (DIRECT, WHITESPACE, DOM, SERVED, SCRIPTS) if self.counts["phish", name]]
        return [
            ("pages", sum(self.counts.values())),
            ("other", matrix.fp + matrix.tn),
            ("mistaken", matrix.fp),
            ("phish", matrix.tp + matrix.fn),
            ("found", matrix.tp),
            *((name, self.counts["phish", name]) for name in how),
            ("missed", matrix.fn),
        ]
