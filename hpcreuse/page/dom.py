"""The page as a browser's parser sees it (CCR 8.2): parsed, serialised, whitespace normalised."""

from hpcreuse.kernels import normalize_whitespace
from hpcreuse.page.charset import to_text
from hpcreuse.page.parsing import parse

SERIALIZED = "text/html; charset=utf-8"
"""The content type of a DOM that was written out."""


def serialize_dom(payload: bytes, content_type: str) -> bytes:
    """Parse HTML with an HTML5 parser and write it out again, whitespace normalised.

    A page made to keep the parser busy stands for itself.

    Args:
        content_type: as the server declared it: its charset comes before that of a meta tag, as in a browser.
    """
    if not payload:
        return b""
    html = in_utf8(payload, content_type)
    tree = parse(html)
    if tree is None:
        return normalize_whitespace(html)
    return normalize_whitespace((tree.html or "").encode("utf-8", "surrogatepass"))


def in_utf8(payload: bytes, content_type: str) -> bytes:
    """Give the characters of a page in UTF-8, without a byte order mark.

    The parser takes what is no UTF-8 for one and the same character: different texts would become equal chunks.
    """
    return to_text(payload, content_type, markup=True).encode("utf-8", "replace")
