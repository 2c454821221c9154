"""Evidence of phish: a page with the chunks that it has of an original, and what they are."""

from pathlib import Path

from hpcreuse.errors import StoreError
from hpcreuse.judge.evidence import Evidence, Panel, panel_of_chunks
from hpcreuse.judge.marking import Segment, mark_chunks
from hpcreuse.judge.of_reuse import only_chunk
from hpcreuse.judge.of_words import read_pages
from hpcreuse.judge.pages import RunPages
from hpcreuse.judge.sampling import Item, describe_label
from hpcreuse.store.labels import Labels


class PhishGatherer:
    """Looks up pages in the run, and their chunks among the labels if those are still there."""

    def __init__(self, pages: RunPages, result: Path, labels: str):
        self.pages = pages
        self.sources: dict[bytes, str] = {}
        for path in (Path(labels), result.resolve().parent / labels):
            if path.is_file() and not self.sources:
                self.sources = sources_of(path)

    def gather(self, item: Item) -> Evidence:
        """Give a page, the chunks of the original marked."""
        row = item.row
        (page,) = read_pages(self.pages, [row["url"]])
        found = [position for position, digest in enumerate(page.digests) if digest in self.sources]
        numbers = {digest: n for n, digest in enumerate(dict.fromkeys(page.digests[p] for p in found), 1)}
        marks = {position: numbers[page.digests[position]] for position in found}
        facts = [("matched", f"{row['matched']:,} of {row['chunks']:,} chunks"), ("copied from", row["source"])]
        left = panel_of_chunks(page, marks, "")
        text: list[Segment] = []
        source: list[Segment] = []
        for digest, number in numbers.items():
            only = only_chunk(page, page.digests.index(digest))
            for segments, as_source in ((text, False), (source, True)):
                segments.append(Segment(f"taken from {self.sources[digest] or 'a list'}\n"))
                segments += [*mark_chunks(only, {0: number}, as_source), Segment("\n")]
        right = [Panel("What is copied", f"{len(numbers):,} chunks", None, text, source)] if numbers else []
        return Evidence(item.key, facts, [left], right)


def sources_of(path: Path) -> dict[bytes, str]:
    """Read which page each label was taken from; a list of digests in another format tells nothing."""
    try:
        with Labels.open(path) as labels:
            rows = (describe_label(labels, number) for number in range(len(labels)))
            return {bytes.fromhex(row["digest"]): row["source"] for row in rows}
    except StoreError:
        return {}
