"""Normalisation of whitespace before hashing (CCR 4.4)."""

import re

_SPACES = re.compile(rb"[ \t]+")


def normalize_whitespace(data: bytes) -> bytes:
    """Make runs of spaces and tabs one space, remove CR and LF, trim the ends."""
    return _SPACES.sub(b" ", data.translate(None, b"\r\n")).strip(b" ")
