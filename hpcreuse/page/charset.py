"""Which characters the bytes of a page stand for: byte order mark, header, meta tag, then the bytes themselves."""

import codecs
import re

from hpcreuse.charsets import decode, guessed_codec, known_codec

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# How far browsers look for a meta tag
META_BYTES = 1024
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9._:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:+-]+)", re.IGNORECASE)


def to_text(payload: bytes, content_type: str, markup: bool) -> str:
    """Decode a page; what does not fit becomes the replacement character."""
    return decode(payload, charset(payload, content_type, markup))


def charset(payload: bytes, content_type: str, markup: bool) -> str:
    """Name the codec of a page."""
    for mark, name in MARKS:
        if payload.startswith(mark):
            return name
    declared = _CHARSET.search(content_type.encode("utf-8", "replace"))
    if declared and (codec := known_codec(declared[1])):
        return codec
    declared = _META.search(payload, 0, META_BYTES) if markup else None
    if declared and (codec := known_codec(declared[1])):
        return "utf-8" if codec.startswith("utf-16") else codec
    return guessed_codec(payload)
