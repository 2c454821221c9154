"""The page as a browser's parser sees it (CCR 8.2): parsed, serialised, whitespace normalised."""

from hpcreuse.kernels import normalize_whitespace


def serialize_dom(payload: bytes) -> bytes:
    """Parse HTML with an HTML5 parser and write it out again, whitespace normalised."""
    from selectolax.lexbor import LexborHTMLParser

    if not payload:
        return b""
    html = LexborHTMLParser(payload).html or ""
    return normalize_whitespace(html.encode("utf-8", "surrogatepass"))
