"""The HTML5 parser, kept from pages made to keep it busy."""

from typing import TYPE_CHECKING

from hpcreuse.kernels import parsing_work

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# Over 25 times the work of the worst of 12,000 real pages; the parser does so much in a second or two
MOST_WORK = 100_000_000


def parse(html: bytes) -> "LexborHTMLParser | None":
    """Parse a page; None when that might take minutes, or fill the memory (`kernels/plain_nesting.py` says how)."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(html) if parsing_work(html, MOST_WORK) <= MOST_WORK else None
