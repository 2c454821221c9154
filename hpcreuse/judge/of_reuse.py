"""Evidence of detection: pages with their labelled chunks, beside pages of other sites that have the same."""

from hpcreuse.judge.evidence import Evidence, Panel, panel_of_chunks
from hpcreuse.judge.marking import Segment, mark_chunks
from hpcreuse.judge.pages import CrawledPage, RunPages
from hpcreuse.judge.result_files import MatchedFile, ResultFiles, site_of
from hpcreuse.judge.sampling import Item

PAGES, OTHERS, LABELS = 5, 4, 40


class ReuseGatherer:
    """Looks into a result of detection and the run that it was made of."""

    def __init__(self, kind: str, files: ResultFiles, pages: RunPages, seed: int):
        self.kind, self.files, self.pages, self.seed = kind, files, pages, seed

    def gather(self, item: Item) -> Evidence:
        """Give the evidence of a neighborhood, a file or a chunk."""
        if self.kind == "chunks":
            return self._chunk(item)
        row = item.row
        share = [("bad chunks", f"{row['bad']:,} of {row['chunks']:,}")]
        if self.kind == "neighborhoods":
            rows = self.files.below(item.key, PAGES, self.seed)
            facts = [("badness", f"{row['badness']:.3f}"), ("files", f"{row['files']:,}"), *share]
            if row["files"] > len(rows):
                facts.append(("shown", f"{len(rows)} of its files, drawn at random"))
        else:
            found = self.files.at(item.key)
            rows, facts = [found] if found else [], [("contains", f"{row['contains']:.3f}"), *share]
        return self._pages(item.key, facts, rows)

    def _pages(self, title: str, facts: list[tuple[str, str]], rows: list[MatchedFile]) -> Evidence:
        marks = number_labels(rows)
        shown = [(row, self._read(row)) for row in rows]
        left = [
            panel_of_chunks(page, self._marks(row, page, marks), f"{row.bad:,} of {row.chunks:,} chunks are copies")
            for row, page in shown
        ]
        others = self.files.with_labels(set(marks), site_of(title), OTHERS) if marks else []
        right = [self._labels(shown, marks)] if marks else []
        for row in others:
            shared = len(set(row.matches.values()) & set(marks))
            page = self._read(row)
            detail = f"has {shared:,} of the {len(marks):,} labelled chunks"
            right.append(panel_of_chunks(page, self._marks(row, page, marks), detail))
        if not left:
            left = [Panel(title, problem="none of its pages was found in the result under this address")]
        return Evidence(title, facts, left, right)

    def _labels(self, shown: list[tuple[MatchedFile, CrawledPage]], marks: dict[int, int]) -> Panel:
        """List what was copied, each label once, with its count and its source."""
        text: list[Segment] = []
        source: list[Segment] = []
        for label, mark in list(marks.items())[:LABELS]:
            known = self.files.label(label)
            head = f"occurs {known['count']:,} times" if known["count"] > 0 else "from a list"
            head += f", taken from {known['source']}" if known["source"] else ""
            content = next(((page, row) for row, page in shown if label in row.matches.values() and page.chunks), None)
            for segments, as_source in ((text, False), (source, True)):
                segments.append(Segment(f"{head}\n"))
                if content:
                    page, row = content
                    position = next(p for p, found in row.matches.items() if found == label)
                    only = only_chunk(page, position)
                    segments += mark_chunks(only, {0: mark}, as_source)
                segments.append(Segment("\n"))
        if len(marks) > LABELS:
            text.append(Segment(f"… and {len(marks) - LABELS:,} more"))
        return Panel("What is copied", f"{len(marks):,} labelled chunks", None, text, source)

    def _chunk(self, item: Item) -> Evidence:
        row, label = item.row, item.row["label"]
        facts = [
            ("occurs", f"{row['count']:,} times" if row["count"] > 0 else "not counted"),
            ("found", f"{row['copies']:,} times"),
            ("length", f"{row['length']:,} bytes"),
            *([("source", row["source"])] if row["source"] else []),
        ]
        places = self.files.with_labels({label}, "", OTHERS)
        left, right = [Panel(item.key, problem="it was found in none of the pages that were searched")], []
        for number, place in enumerate(places):
            page = self._read(place)
            marks = self._marks(place, page, {label: 1})
            if not number and marks:
                only = only_chunk(page, min(marks))
                left = [panel_of_chunks(only, {0: 1}, "the chunk", 1)]
            right.append(
                panel_of_chunks(page, marks, "has it once" if len(marks) == 1 else f"has it {len(marks):,} times", 1)
            )
        return Evidence(item.key, facts, left, right)

    def _marks(self, row: MatchedFile, page: CrawledPage, marks: dict[int, int]) -> dict[int, int]:
        """Give the marks of a page's chunks; where whole files are labelled, all of it is one."""
        found = {position: marks[label] for position, label in row.matches.items() if label in marks}
        if self.files.whole_files and found:
            return dict.fromkeys(range(len(page.chunks)), next(iter(found.values())))
        return found

    def _read(self, row: MatchedFile) -> CrawledPage:
        return self.pages.page(row.number)


def number_labels(rows: list[MatchedFile]) -> dict[int, int]:
    """Number the labels of some pages from 1, those on the most pages first."""
    counts: dict[int, int] = {}
    for row in rows:
        for label in dict.fromkeys(row.matches.values()):
            counts[label] = counts.get(label, 0) + 1
    ranked = sorted(counts, key=lambda label: -counts[label])
    return {label: number for number, label in enumerate(ranked, 1)}


def only_chunk(page: CrawledPage, position: int) -> CrawledPage:
    """Give a page that is one chunk of another; an empty one when the archive is gone."""
    if position >= len(page.chunks):
        return CrawledPage(page.url, page.problem)
    offset, length = page.chunks[position]
    content = page.chunked[offset : offset + length]
    return CrawledPage(page.url, page.problem, content, page.encoding, ((0, length),), page.is_markup)
