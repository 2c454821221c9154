"""The page as a browser's parser sees it (CCR 8.2): parsed, serialised, whitespace normalised."""

from hpcreuse.charsets import is_utf8
from hpcreuse.kernels import normalize_whitespace
from hpcreuse.page.charset import to_text
from hpcreuse.page.parsing import parse

MARK = b"\xef\xbb\xbf"


def serialize_dom(payload: bytes) -> bytes:
    """Parse HTML with an HTML5 parser and write it out again, whitespace normalised.

    A page made to keep the parser busy stands for itself.
    """
    if not payload:
        return b""
    html = in_utf8(payload)
    tree = parse(html)
    if tree is None:
        return normalize_whitespace(html)
    return normalize_whitespace((tree.html or "").encode("utf-8", "surrogatepass"))


def in_utf8(payload: bytes) -> bytes:
    """Give the characters of a page in UTF-8, without a byte order mark.

    The parser takes what is no UTF-8 for one and the same character: different texts would become equal chunks.
    """
    if is_utf8(payload):
        return payload.removeprefix(MARK)
    return to_text(payload, "", markup=True).encode("utf-8", "replace")
