"""The page as a browser's parser sees it (CCR 8.2): parsed, serialised, whitespace normalised."""

from hpcreuse.kernels import normalize_whitespace, parsing_work

# Over 30 times the work of the worst of 12,000 real pages; a parser does so much in a second or two
MOST_WORK = 100_000_000


def serialize_dom(payload: bytes) -> bytes:
    """Parse HTML with an HTML5 parser and write it out again, whitespace normalised.

    A page made to keep a parser busy for minutes, or to fill the memory, stands for itself.
    """
    from selectolax.lexbor import LexborHTMLParser

    if not payload:
        return b""
    if parsing_work(payload, MOST_WORK) > MOST_WORK:
        return normalize_whitespace(payload)
    html = LexborHTMLParser(payload).html or ""
    return normalize_whitespace(html.encode("utf-8", "surrogatepass"))
