"""Header bytes of any quality -> text that can be stored, compared and printed."""

import re
from functools import lru_cache

_FOLD = re.compile(rb"\r?\n[ \t]+")
_NOT_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WEB = re.compile(rb"[ \t]*<?\s*https?:", re.IGNORECASE)


def empty_line(buf: bytes, start: int, reach: int) -> int:
    """Bytes from `start` up to and with the first empty line before `reach`; 0 when there is none.

    Lines end in CRLF, in LF, or (text-mode copies of CRLF) in CR CR LF.
    """
    crlf = buf.find(b"\n\r\n", start, reach)
    bare = buf.find(b"\n\n", start, reach if crlf < 0 else crlf + 1)
    end = bare + 2 if bare >= 0 else crlf + 3 if crlf >= 0 else 0
    mangled = buf.find(b"\n\r\r\n", start, end or reach)
    if mangled >= 0:
        end = mangled + 4
    return end - start if end else 0


def is_web(target: bytes) -> bool:
    """Whether a record's target is an http or https URL."""
    return target.startswith((b"http://", b"https://")) or _WEB.match(target) is not None


def clean_url(raw: bytes) -> str:
    """A URL as valid text: stray bytes and control characters percent-encoded, all else left alone."""
    raw = raw.strip()
    if raw[:1] == b"<" and raw[-1:] == b">":
        raw = raw[1:-1].strip()
    url = raw.decode("utf-8", "surrogateescape")
    if url.isascii() and url.isprintable():
        return url
    return _NOT_TEXT.sub(_percent, url)


@lru_cache(maxsize=1024)
def clean_value(raw: bytes) -> str:
    """A header value as one line of valid text."""
    text = _FOLD.sub(b" ", raw).strip().decode("utf-8", "surrogateescape")
    if text.isascii() and text.isprintable():
        return text
    return _NOT_TEXT.sub("\ufffd", text)


def unfold(raw: bytes) -> bytes:
    """Join lines that were folded by a newline and blanks; a bare newline inside stays."""
    return _FOLD.sub(b" ", raw) if b"\n" in raw else raw


def first_line(raw: bytes) -> bytes:
    """A value without the stray lines that follow it."""
    return raw.partition(b"\n")[0].strip()


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogateescape"))
