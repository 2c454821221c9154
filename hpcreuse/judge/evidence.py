"""What is laid before a judge: a finding and, beside it, what it was made of, shared parts marked alike."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from hpcreuse.judge.marking import Owners, Segment, mark_chunks, mark_words
from hpcreuse.judge.pages import CrawledPage
from hpcreuse.judge.rendering import render_chunks, render_words
from hpcreuse.judge.sampling import Item


@dataclass(frozen=True)
class Panel:
    """A page, or a part of one, as text, as source and as drawn; or why it cannot be shown."""

    title: str
    detail: str = ""
    mark: int | None = None
    text: list[Segment] = field(default_factory=list)
    source: list[Segment] = field(default_factory=list)
    drawing: str | None = None
    problem: str = ""

    def record(self) -> dict[str, Any]:
        """Give what is sent at once; a drawing is asked for on its own."""
        said = asdict(self)
        return said | {"drawing": self.drawing is not None}


@dataclass(frozen=True)
class Evidence:
    """A finding beside its sources."""

    title: str
    facts: list[tuple[str, str]]
    pages: list[Panel]
    sources: list[Panel]
    paired: bool = False
    """Whether page n is to be seen beside source n."""

    def record(self) -> dict[str, Any]:
        """Give it as JSON can hold it."""
        sides = {"pages": self.pages, "sources": self.sources}
        shown = {name: [panel.record() for panel in panels] for name, panels in sides.items()}
        return {"title": self.title, "facts": self.facts, "paired": self.paired, **shown}


class Gatherer(Protocol):
    """Finds the evidence of items of one method."""

    def gather(self, item: Item) -> Evidence:
        """Give the evidence of an item; what cannot be read is said in its panel."""
        ...


def panel_of_chunks(page: CrawledPage, marks: dict[int, int], detail: str, mark: int | None = None) -> Panel:
    """Show a page with some of its chunks marked, by position."""
    return Panel(
        page.url,
        detail,
        mark,
        mark_chunks(page, marks, as_source=False),
        mark_chunks(page, marks, as_source=True),
        render_chunks(page, marks),
        page.problem,
    )


def panel_of_words(page: CrawledPage, owners: Owners, detail: str, mark: int | None = None) -> Panel:
    """Show a page with some of its words marked."""
    drawing = render_words(page, owners) if page.chunked else None
    return Panel(page.url, detail, mark, mark_words(page, owners), [], drawing, page.problem)
