"""Evidence of phish: a page with the chunks that it has of an original, and what they are."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from hpcreuse.errors import StoreError
from hpcreuse.judge.evidence import Evidence, Panel, panel_of_chunks
from hpcreuse.judge.marking import Segment, mark_chunks
from hpcreuse.judge.of_reuse import only_chunk
from hpcreuse.judge.of_words import read_pages
from hpcreuse.judge.pages import CrawledPage, RunPages
from hpcreuse.judge.sampling import Item
from hpcreuse.kernels import digests as dg
from hpcreuse.store.label_table import LabelTable
from hpcreuse.store.tables import text as text_of


class PhishGatherer:
    """Looks up pages in the run, and their chunks among the labels if those are still there."""

    def __init__(self, pages: RunPages, result: Path, labels: str):
        self.pages = pages
        self.labels = open_labels([Path(labels), result.resolve().parent / labels])

    def gather(self, item: Item) -> Evidence:
        """Give a page, the chunks of the original marked."""
        row = item.row
        (page,) = read_pages(self.pages, [row["url"]])
        found = labels_of(page, self.labels)
        numbers = {label: number for number, label in enumerate(dict.fromkeys(found.values()), 1)}
        marks = {position: numbers[label] for position, label in found.items()}
        facts = [("matched", f"{row['matched']:,} of {row['chunks']:,} chunks"), ("copied from", row["source"])]
        left = panel_of_chunks(page, marks, "")
        text: list[Segment] = []
        source: list[Segment] = []
        for label, number in numbers.items():
            only = only_chunk(page, next(position for position in found if found[position] == label))
            for segments, as_source in ((text, False), (source, True)):
                segments.append(Segment(f"taken from {self._source(label)}\n"))
                segments += [*mark_chunks(only, {0: number}, as_source), Segment("\n")]
        right = [Panel("What is copied", f"{len(numbers):,} chunks", None, text, source)] if numbers else []
        return Evidence(item.key, facts, [left], right)

    def _source(self, label: int) -> str:
        sources = self.labels.sources(np.array([label])) if self.labels else []
        return text_of(sources[0]) if sources else "a list"


def open_labels(places: Sequence[Path]) -> LabelTable | None:
    """Map the labels at the first of some places; a list of digests in another format tells nothing."""
    for path in places:
        if path.is_file():
            with suppress(StoreError):
                return LabelTable.map(path)
    return None


def labels_of(page: CrawledPage, labels: LabelTable | None) -> dict[int, int]:
    """Give the labels of a page's chunks by their positions."""
    if labels is None or not page.digests:
        return {}
    found = labels.find(dg.from_bytes(b"".join(page.digests), len(page.digests[0])))
    return {position: int(found[position]) for position in np.flatnonzero(found >= 0).tolist()}
