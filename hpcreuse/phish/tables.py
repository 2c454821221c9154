"""The tables of `phish` as they grow on one rank, and what they add up to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hpcreuse.corpus.ordering import TableSorter
from hpcreuse.corpus.truth import Truth
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.world import World
from hpcreuse.phish.classes import Table6, classify
from hpcreuse.phish.looking import Looked


@dataclass
class Account:
    """The tables as they grow on one rank, and what they add up to."""

    pages: TableSorter
    truths: TableSorter
    unrendered: TableSorter
    truth: Truth | None
    verdicts: Counter[str] = field(default_factory=Counter)
    table6: Table6 = field(default_factory=lambda: Table6(Counter()))
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def begin(cls, world: World, scratch: Path, truth: Truth | None, memory: int) -> "Account":
        """Begin tables in the folder `scratch`."""

        def table(name: str) -> TableSorter:
            return TableSorter(world, scratch, "phish", name, memory)

        return cls(table("pages"), table("truth"), table("unrendered"), truth)

    def take(self, found: Looked) -> None:
        """Enter what was found in one part of the input."""
        pages = found.pages
        keys = keys_of((page.url, page.archive, page.offset) for page in pages)
        self.pages.add(
            keys,
            {
                "url": Ragged.from_strings(page.url for page in pages),
                "chunks": np.array([page.chunks for page in pages], np.int64),
                "matched": np.array([page.matched for page in pages], np.int64),
                "verdict": Ragged.from_strings(page.verdict.encode() for page in pages),
                "source": Ragged.from_strings(page.source for page in pages),
            },
        )
        if self.truth is not None:
            classes = [classify(page, self.truth) for page in pages]
            self.table6.counts.update(classes)
            self.truths.add(
                keys,
                {
                    "url": Ragged.from_strings(page.url for page in pages),
                    "truth": Ragged.from_strings(truth.encode() for truth, _ in classes),
                    "verdict": Ragged.from_strings(page.verdict.encode() for page in pages),
                    "class": Ragged.from_strings(name.encode() for _, name in classes),
                },
            )
        self.unrendered.add(
            keys_of((url, archive, offset) for url, archive, offset, _ in found.unrendered),
            {
                "url": Ragged.from_strings(url for url, *_ in found.unrendered),
                "reason": Ragged.from_strings(reason.encode("utf-8", "replace") for *_, reason in found.unrendered),
            },
        )
        self.verdicts.update(page.verdict for page in pages)
        self.counts["other_files"] += found.other_files
        self.counts["rendered"] += found.rendered
        self.counts["unrendered"] += len(found.unrendered)


def keys_of(places: Iterable[tuple[bytes, bytes, int]]) -> Ragged:
    """Give the keys that decide the places of pages by URL, archive and offset: a URL may be captured twice."""
    return Ragged.from_strings(b"%b\0%b\0%b" % (url, archive, at.to_bytes(8, "big")) for url, archive, at in places)
