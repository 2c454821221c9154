"""Text cut into segments by whose it is: chunks by label, words by source."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from hpcreuse.judge.pages import CrawledPage
from hpcreuse.kernels.plain import word_pattern
from hpcreuse.page.text import visible_text

# What an eye can take in; the rest is told to be there
MOST_CHARACTERS = 60_000
MOST_SEGMENTS = 4_000
MOST_ALIGNED = 4_000


@dataclass(frozen=True)
class Segment:
    """A stretch of text; the mark is the number of its source, from 1, None when it is the page's own."""

    text: str
    mark: int | None = None


Owners = Sequence[int | None]


def mark_words(page: CrawledPage, owners: Owners) -> list[Segment]:
    """Cut the text of a page by the owners of its words; without its archive the bare words."""
    text, spans = page.visible, [match.span() for match in word_pattern().finditer(page.visible)]
    if len(spans) != len(owners):
        # The archive is gone or has changed, or the words were told apart after lower-casing
        words = page.words or ()
        text, spans, at = " ".join(words), [], 0
        for word in words:
            spans.append((at, at + len(word)))
            at += len(word) + 1
    cuts: list[tuple[int, int | None]] = []
    last: int | None = None
    for (begin, _), (_, before), owner in zip(spans, [(0, 0), *spans], owners, strict=False):
        if owner != last:
            # What stands between words belongs to neither
            cuts += ([] if last is None else [(before, None)]) + ([] if owner is None else [(begin, owner)])
            last = owner
    if last is not None:
        cuts.append((spans[-1][1], None))
    return cut_text(text, cuts)


def cut_text(text: str, cuts: Sequence[tuple[int, int | None]]) -> list[Segment]:
    """Cut a text at places, each with the mark that begins there."""
    bounds = [(0, None), *cuts, (len(text), None)]
    pieces = [Segment(text[a:b], mark) for (a, mark), (b, _) in pairwise(bounds) if b > a]
    return shorten(pieces)


def shorten(segments: list[Segment]) -> list[Segment]:
    """Keep what an eye can take in, and say how much there is besides."""
    kept: list[Segment] = []
    room = MOST_CHARACTERS
    for number, segment in enumerate(segments):
        if len(segment.text) > room:
            left = sum(len(s.text) for s in segments[number:]) - room
            return [*kept, Segment(segment.text[:room], segment.mark), Segment(f"\n… {left:,} more characters")]
        kept.append(segment)
        room -= len(segment.text)
    return kept


def mark_chunks(page: CrawledPage, marks: dict[int, int], as_source: bool) -> list[Segment]:
    """Cut a page into its chunks, those at some positions marked, as its source or as what a reader sees of it."""
    segments: list[Segment] = []
    room = MOST_CHARACTERS
    for position, (offset, length) in enumerate(page.chunks):
        if room < 0 or len(segments) == MOST_SEGMENTS:
            # Chunks are parsed one by one: of a large page only those that are shown
            return [*shorten(segments), Segment(f"\n… {len(page.chunks) - position:,} more chunks")]
        content = page.chunked[offset : offset + length].decode(page.encoding, "replace")
        if not as_source and page.is_markup:
            seen = " ".join(visible_text(content).text.split())
            content = seen or (f"[{length:,} bytes without text]" if position in marks else "")
        if content:
            segments.append(Segment(content if as_source else content.strip() + "\n", marks.get(position)))
            room -= len(segments[-1].text)
    return shorten(segments)


def alike(one: Sequence[str], other: Sequence[str], mark: int) -> tuple[Owners, Owners]:
    """Mark the words that two pages have in common, in order."""
    marks: tuple[list[int | None], list[int | None]] = ([None] * len(one), [None] * len(other))
    matcher = SequenceMatcher(None, one[:MOST_ALIGNED], other[:MOST_ALIGNED], autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        marks[0][a : a + size] = [mark] * size
        marks[1][b : b + size] = [mark] * size
    return marks
