"""Studies: their figures, and what came out."""

import shutil
from typing import Any

from hpcreuse.report.blocks import FactsBlock, NoteBlock, Section
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.wording import plainly

# Longer values are tables of their own, in the study's folder
LONGEST = 160


def section(given: Given, book: Book) -> Section:
    """Show a study."""
    study = given.record["study"]
    part = Section(
        f"study-{study}{given.suffix}",
        f"Study: {study}{given.of}",
        f"What `hpcreuse study {study}` found; all of its tables are in {given.path}.",
    )
    part.blocks += [figure(given, book, name) for name in figures_of(given)]
    if not part.blocks:
        part.blocks.append(NoteBlock("It was made without figures."))
    part.blocks.append(FactsBlock(flat(given.summary), "What came out"))
    part.blocks.append(FactsBlock(flat(given.record["options"]), "Options", folded=True))
    return part


def figures_of(given: Given) -> list[str]:
    """List the figures of a study by name."""
    return sorted(path.stem for path in given.path.glob("*.svg"))


def figure(given: Given, book: Book, name: str) -> Any:
    """Take a figure over."""
    folder = book.folder / "figures"
    folder.mkdir(exist_ok=True)
    paths = []
    for suffix in (".svg", ".png", ".pdf"):
        if (given.path / f"{name}{suffix}").is_file():
            target = folder / f"study-{name}{given.suffix}{suffix}"
            shutil.copyfile(given.path / f"{name}{suffix}", target)
            paths.append(target)
    caption = f"The figure of `study {given.record['study']}`, as docs/studies.md describes it."
    return book.shown(f"study-{name}{given.suffix}", paths, caption, wide=True)


def flat(values: dict[str, Any], before: str = "") -> list[tuple[str, str]]:
    """List values of a record by name, those inside others too, as far as they fit on a line."""
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        full = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            pairs += flat(value, f"{full}: ")
        elif len(written := plainly(round(value, 6) if isinstance(value, float) else value)) <= LONGEST:
            pairs.append((full, written))
    return pairs
