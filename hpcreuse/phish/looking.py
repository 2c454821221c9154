"""The pages to judge: of a crawl read now, each rendered where asked for, or of a run hashed before."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hpcreuse.crawl.pages import Page
from hpcreuse.crawl.types import decide_type
from hpcreuse.page.digest import MARKUP_TYPES
from hpcreuse.page.dom import SERIALIZED, in_utf8
from hpcreuse.phish.chromium import Unrendered
from hpcreuse.phish.classes import SCRIPTS, SERVED, Originals
from hpcreuse.phish.judging import OWN, PHISH, Judged, OriginalLabels
from hpcreuse.store.shard import Shard

if TYPE_CHECKING:
    from hpcreuse.phish.rendered import RememberingRenderer

HTML = "text/html"


@dataclass
class Looked:
    """What was found in one part of the input."""

    pages: list[Judged] = field(default_factory=list)
    other_files: int = 0
    """Files that are no pages: images, style sheets."""
    unrendered: list[tuple[bytes, bytes, int, str]] = field(default_factory=list)
    """Pages that could not be rendered: URL, archive, offset, reason; they were judged as served."""
    rendered: int = 0


@dataclass(frozen=True)
class Eye:
    """Judges pages of a crawl."""

    labels: OriginalLabels
    originals: Originals | None
    renderer: "RememberingRenderer | None"

    def look(self, pages: Iterator[Page]) -> Looked:
        """Judge the pages of one part of the input."""
        found = Looked()
        for page in pages:
            mime = decide_type(page.content_type, page.payload, page.url)
            if mime in MARKUP_TYPES and not page.plain:
                found.pages.append(self._judge(page, mime, found))
            else:
                found.other_files += 1
        return found

    def _judge(self, page: Page, mime: str, found: Looked) -> Judged:
        chunks, matched = self.labels.match(page.payload, mime, page.content_type)
        verdict, source = self.labels.verdict(page.url, matched)
        how = ""
        if verdict == PHISH:
            how = self.originals.how(page.payload, mime) if self.originals else SERVED
        elif verdict != OWN and self.renderer is not None:
            # What is found as served needs no browser
            rendered = self._render(page, self.renderer, found)
            if rendered is not None:
                chunks, matched = self.labels.match(rendered, HTML, SERIALIZED)
                verdict, source = self.labels.verdict(page.url, matched)
                how = SCRIPTS if verdict == PHISH else ""
        return Judged(*place_of(page), chunks, len(matched), verdict, source, how)

    def _render(self, page: Page, renderer: "RememberingRenderer", found: Looked) -> bytes | None:
        try:
            rendered = renderer.dom(page.url, in_utf8(page.payload, page.content_type))
        except Unrendered as error:
            found.unrendered.append((*place_of(page), str(error)))
            return None
        found.rendered += 1
        return rendered


def place_of(page: Page) -> tuple[bytes, bytes, int]:
    """Give URL, archive and offset as tables have them."""
    return page.url.encode("utf-8", "surrogateescape"), page.archive.encode("utf-8", "surrogateescape"), page.offset


def look_at_shard(shard: Shard, labels: OriginalLabels) -> Looked:
    """Judge the pages of a shard by their digests."""
    label_of = labels.table.find(shard.distinct().digests)
    numbers, starts = shard.column("chunks/number"), shard.chunk_start
    long = shard.column("chunks/length") >= labels.min_length
    label = np.where(long, label_of[numbers], -1)
    counts, matched = (np.concatenate([[0], np.cumsum(marks)]) for marks in (long, label >= 0))
    mimes, archives = list(shard.strings("mimes")), list(shard.strings("archives"))
    markup = np.array([mime.decode() in MARKUP_TYPES for mime in mimes], np.bool_)
    is_page = markup[shard.column("files/mime")]
    urls, archive, offset = shard.strings("files/url"), shard.column("files/archive"), shard.column("files/offset")
    found = Looked(other_files=int((~is_page).sum()))
    for file in np.flatnonzero(is_page).tolist():
        first, last = int(starts[file]), int(starts[file + 1])
        hits = label[first:last][label[first:last] >= 0] if matched[last] > matched[first] else label[:0]
        url = urls[file]
        verdict, source = labels.verdict(url.decode("utf-8", "surrogateescape"), hits)
        place = (url, archives[int(archive[file])], int(offset[file]))
        how = SERVED if verdict == PHISH else ""
        found.pages.append(Judged(*place, int(counts[last] - counts[first]), len(hits), verdict, source, how))
    return found
