"""The page as a browser's parser sees it (CCR 8.2): parsed, serialised, whitespace normalised."""

from hpcreuse.kernels import normalize_whitespace
from hpcreuse.page.parsing import parse


def serialize_dom(payload: bytes) -> bytes:
    """Parse HTML with an HTML5 parser and write it out again, whitespace normalised.

    A page made to keep the parser busy stands for itself.
    """
    if not payload:
        return b""
    tree = parse(payload)
    if tree is None:
        return normalize_whitespace(payload)
    return normalize_whitespace((tree.html or "").encode("utf-8", "surrogatepass"))
