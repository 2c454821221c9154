"""In which language a text is written: CLD2, if it is installed (extra `language`)."""

from functools import cache
from typing import Any

# Enough to tell, taken from all over a text; CLD2 takes longer for 2,000 characters than all else that becomes of a
# page of text. How often a sample and the whole disagree: docs/formats.md
SAMPLE, PIECES = 600, 4
UNKNOWN = "un"


@cache
def _detector() -> Any | None:
    try:
        import pycld2
    except ImportError:
        return None
    return pycld2


def can_detect() -> bool:
    """Tell whether there is a detector."""
    return _detector() is not None


def language(text: str) -> str:
    """Name the language of a text by its code, `en`; nothing when it cannot be told or there is no detector."""
    cld2 = _detector()
    if cld2 is None or not text:
        return ""
    some = sample(text)
    try:
        found = cld2.detect(some.encode("utf-8", "replace"))
    except cld2.error:
        # It takes characters that are not for printing for broken UTF-8
        printable = "".join(c if c.isprintable() else " " for c in some)
        found = cld2.detect(printable.encode("utf-8", "replace"))
    code: str = found[2][0][1]
    return "" if code == UNKNOWN else code


def sample(text: str) -> str:
    """Take SAMPLE characters of a text from its beginning, its end and between; whitespace counts as one character."""
    piece = SAMPLE // PIECES
    step = (len(text) - 2 * piece) // (PIECES - 1)
    if step <= 2 * piece:
        return " ".join(text.split())[:SAMPLE]
    # Looked at twice as long: what is left of markup is half whitespace
    pieces = [text[number * step : number * step + 2 * piece] for number in range(PIECES)]
    return " ".join([" ".join(each.split())[:piece] for each in pieces])
