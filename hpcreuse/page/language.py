"""In which language a text is written: CLD2, if it is installed (extra `language`)."""

from functools import cache
from typing import Any

# Enough to tell; a page in several languages counts as what most of its beginning is
SAMPLE = 2000
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
    sample = " ".join(text[: 2 * SAMPLE].split())[:SAMPLE]
    try:
        found = cld2.detect(sample.encode("utf-8", "replace"))
    except cld2.error:
        # It takes characters that are not for printing for broken UTF-8
        printable = "".join(c if c.isprintable() else " " for c in sample)
        found = cld2.detect(printable.encode("utf-8", "replace"))
    code: str = found[2][0][1]
    return "" if code == UNKNOWN else code
