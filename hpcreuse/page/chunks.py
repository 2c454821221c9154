"""Where the chunks of a page begin (METHODS.md steps 1-2; CCR 3.2)."""

import re
from functools import cache

from hpcreuse.page.options import DigestOptions

# The authors' matcher ends a tag name at space, tab, `>` or `/`; HTML allows three more
TAG_ENDS = {"authors": rb"[ \t>/]", "html": rb"[ \t>/\n\r\f]"}

# A line keeps its newline; a paragraph keeps the blank lines after it: nothing is lost between chunks
PLAIN_CUTS = {"line": re.compile(rb"\n"), "paragraph": re.compile(rb"\n[ \t\r\f\v]*\n(?:[ \t\r\f\v]*\n)*")}


@cache
def delimiter(tags: tuple[str, ...], tag_ends: str) -> re.Pattern[bytes]:
    """Compile the matcher of delimiter tags, in any case."""
    names = b"|".join(re.escape(tag.encode()) for tag in tags)
    return re.compile(rb"<(?:" + names + rb")" + rb"(?=" + TAG_ENDS[tag_ends] + rb")", re.IGNORECASE)


def starts_of_markup(payload: bytes, options: DigestOptions) -> list[int]:
    """Give the offsets where chunks start: 0 and every delimiter tag; none in an empty payload."""
    starts = [match.start() for match in delimiter(options.tags, options.tag_ends).finditer(payload)]
    if payload and (not starts or starts[0] > 0):
        starts.insert(0, 0)
    return starts


def starts_of_plain_text(payload: bytes, options: DigestOptions) -> list[int]:
    """Give the offsets where chunks of text without markup start, as `--plain` says."""
    if options.plain == "whole":
        return [0] if payload else []
    starts = [0] + [match.end() for match in PLAIN_CUTS[options.plain].finditer(payload)]
    if starts[-1] == len(payload):
        starts.pop()
    return starts
