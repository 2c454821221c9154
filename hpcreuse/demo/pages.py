"""Pages as the demo's sites make them, and as a crawler gets them."""

from dataclasses import dataclass

from hpcreuse.demo.words import Prose


@dataclass(frozen=True)
class Capture:
    """A page as a crawler got it."""

    url: str
    payload: bytes
    content_type: str = "text/html; charset=utf-8"


def page(title: str, name: str, header: str, body: str, footer: str) -> bytes:
    """Put a page together; its chunks are the head, the header, those of the body, and the footer."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title} - {name}</title>\n'
        f'<meta name="description" content="{title}, a page of {name}">\n</head>\n<body>\n'
        f"{header}{body}{footer}</body>\n</html>\n"
    ).encode()


def frame(name: str, prose: Prose, theme: str) -> tuple[str, str]:
    """Make the header and footer that all pages of a site have."""
    links = " | ".join(f'<a href="/{word}.html">{word.title()}</a>' for word in ("home", "about", "contact"))
    header = f'<div class="header"><b>{name}</b> {prose.sentence(theme)} {links}</div>\n'
    footer = f'<div class="footer">Copyright {name}. {prose.paragraph(theme, 2, 2)} {links}</div>\n'
    return header, footer


def paragraphs(prose: Prose, theme: str, count: int) -> list[str]:
    """Write paragraphs that occur nowhere else."""
    return [f"<p>{prose.paragraph(theme)}</p>\n" for _ in range(count)]
