"""What the methods that go by words must find: near duplicates, quilts and spun articles of a newspaper."""

from dataclasses import dataclass

from hpcreuse.demo.pages import Capture, page, paragraphs
from hpcreuse.demo.synonyms import spin
from hpcreuse.demo.words import Prose

NEWSPAPER, PATCHWORK, SPINNER = "morning-herald.example/", "daily-digest.example/", "fresh-articles.example/"
WIRES = ("newswire.example/", "pressroom.example/")

# Stories that are sent out, pages stitched together of so many stories each, and stories that are spun
SENT, QUILTS, PATCHES, SPUN = 8, 6, 5, 8


@dataclass(frozen=True)
class Texts:
    """Pages of and around a newspaper, and which of them must be found by whom."""

    captures: list[Capture]
    near: list[set[str]]
    """Sets of pages that are near duplicates of each other."""
    quilts: set[str]
    spun: set[tuple[str, str]]
    """Pairs of an article and what a spinner made of it, the smaller URL first."""

    @property
    def sites(self) -> tuple[str, ...]:
        """The hosts of all of it."""
        return (NEWSPAPER, *WIRES, PATCHWORK, SPINNER)


@dataclass(frozen=True)
class Story:
    """An article of the newspaper."""

    number: int
    title: str
    paragraphs: list[str]

    def shown(self, root: str, paragraphs: list[str] | None = None, dateline: str = "") -> Capture:
        """Show it on a host, maybe with other paragraphs, without a frame around it."""
        body = "".join(self.paragraphs if paragraphs is None else paragraphs)
        return Capture(f"http://{root}2019/{self.number:03d}.html", page(self.title, "News", dateline, body, ""))


def plant_texts(prose: Prose) -> Texts:
    """Write a newspaper, and let others copy it in three ways."""
    count = SENT + QUILTS * PATCHES + SPUN
    stories = [Story(n, prose.title("press"), paragraphs(prose, "press", 6)) for n in range(count)]
    sent, patched, retold = stories[:SENT], stories[SENT:-SPUN], stories[-SPUN:]
    # What was sent out has a date and an hour of its own: the same for readers, another file
    copies = [
        [
            story.shown(root, dateline=f"<p>{1 + story.number} May 2019, {hour}:40</p>\n")
            for hour, root in enumerate(WIRES, 7)
        ]
        for story in sent
    ]
    quilts = [stitched(patched[first : first + PATCHES], prose) for first in range(0, len(patched), PATCHES)]
    spun = [story.shown(SPINNER, [spin(text, prose.rng) for text in story.paragraphs]) for story in retold]
    printed = [story.shown(NEWSPAPER) for story in stories]
    return Texts(
        captures=[*printed, *(copy for pair in copies for copy in pair), *quilts, *spun],
        near=[{printed[n].url, *(copy.url for copy in pair)} for n, pair in enumerate(copies)],
        quilts={quilt.url for quilt in quilts},
        spun={(made.url, original.url) for made, original in zip(spun, printed[-SPUN:], strict=True)},
    )


def stitched(sources: list[Story], prose: Prose) -> Capture:
    """Stitch a page together of two paragraphs of each of several stories."""
    patches = [text for story in sources for text in story.paragraphs[2:4]]
    return Story(sources[0].number, prose.title("press"), patches).shown(PATCHWORK)
