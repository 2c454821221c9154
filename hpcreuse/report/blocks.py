"""What a section is made of; how a block looks is the template's affair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class FigureBlock:
    """A figure, drawn into the page."""

    block: ClassVar[str] = "figure"
    name: str
    caption: str
    svg: str
    """Markup made by figures/inline.py: the only one that is not escaped."""
    files: dict[str, str]
    """Where it lies as SVG, PNG and PDF."""
    wide: bool = False
    alone: bool = False
    """Whether it stands beside no other: set when the page is laid out."""


@dataclass(frozen=True)
class Head:
    """The head of a column."""

    title: str
    kind: str = "text"
    """text, url, number, bar, lines (several, one below the other) or below (such lines, in a row of their own)."""


@dataclass(frozen=True)
class TableBlock:
    """A table of few rows; all of them, or more, are in a file beside the page."""

    block: ClassVar[str] = "table"
    title: str
    heads: tuple[Head, ...]
    rows: Sequence[Sequence[Any]]
    file: str = ""
    note: str = ""

    @property
    def across(self) -> list[Head]:
        """The columns side by side; they come first."""
        return [head for head in self.heads if head.kind != "below"]

    @property
    def below(self) -> list[Head]:
        """Those that stand below each row."""
        return [head for head in self.heads if head.kind == "below"]


@dataclass(frozen=True)
class FactsBlock:
    """Names and values in two columns."""

    block: ClassVar[str] = "facts"
    pairs: Sequence[tuple[str, Any]]
    title: str = ""
    folded: bool = False


@dataclass(frozen=True)
class TilesBlock:
    """The few numbers to see first."""

    block: ClassVar[str] = "tiles"
    tiles: Sequence[tuple[str, str, str]]
    """Number, what it counts, and a remark."""


@dataclass(frozen=True)
class Sample:
    """Content of the crawl, with what is known of it."""

    title: str
    facts: Sequence[tuple[str, str]]
    text: str
    problem: str = ""


@dataclass(frozen=True)
class Quilted:
    """A quilt: its sources, and its words by source where they are known."""

    url: str
    patchfrac: float
    sources: Sequence[tuple[str, float]]
    patches: Sequence[tuple[int | None, str]]
    more: int = 0
    """Sources that are not listed."""


@dataclass(frozen=True)
class ExamplesBlock:
    """A few of many: content of the crawl, or quilts beside their sources in the same colours."""

    block: str
    """samples or quilts."""
    title: str
    examples: Sequence[Sample] | Sequence[Quilted]
    file: str = ""
    note: str = ""


@dataclass(frozen=True)
class NoteBlock:
    """A paragraph."""

    block: ClassVar[str] = "note"
    text: str
    code: str = ""


Block = FigureBlock | TableBlock | FactsBlock | TilesBlock | ExamplesBlock | NoteBlock


@dataclass
class Section:
    """A section of the page."""

    key: str
    title: str
    lead: str
    blocks: list[Block] = field(default_factory=list)
