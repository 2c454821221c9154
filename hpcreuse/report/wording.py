"""How values are written on the page, and how text of the crawl is made harmless to look at."""

import re
import unicodedata
from typing import Any

# Marks that turn the direction of what follows, and controls: they draw outside of where they stand
_UNSEEN = {"Cc", "Cf", "Co", "Cs", "Cn"}
_LINE_ENDS = re.compile(r"\r\n|[\r\n\t]")
_SEEN = {"\r\n": "\\r\\n\n", "\n": "\\n\n", "\r": "\\r\n", "\t": "\\t"}

LONGEST_EXCERPT = 300


def number(value: float) -> str:
    """Write a count with its thousands apart."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def percent(part: float, whole: float) -> str:
    """Write a share of a whole."""
    return f"{100 * part / whole:.2f} %" if whole else "-"


def seconds(value: float) -> str:
    """Write a time span."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def plainly(value: Any) -> str:
    """Write a setting."""
    if value in (None, "", [], ()):
        return "-"
    if isinstance(value, dict):
        return ", ".join(f"{key} {plainly(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plainly, value))
    return str(value)


def harmless(text: str) -> str:
    """Take out characters that are not seen but move or turn others; lines stay."""
    return "".join(
        character
        if character == "\n" or unicodedata.category(character) not in _UNSEEN
        else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def excerpt(content: bytes, most: int = LONGEST_EXCERPT) -> str:
    """Give the beginning of a piece of content as text, whatever its encoding; line ends and tabs are seen.

    Chunks may differ in nothing else.
    """
    head = content[: 4 * most]
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may be cut in two at the end; else it is one of the old encodings
        cut = error.start >= len(head) - 3
        text = head[: error.start].decode("utf-8") if cut else head.decode("cp1252", "replace")
    text = harmless(_LINE_ENDS.sub(lambda match: _SEEN[match[0]], text)).rstrip("\n")
    return f"{text[:most]} …" if len(text) > most or len(content) > len(head) else text
