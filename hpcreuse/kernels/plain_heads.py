"""The kernels that take heads apart in plain Python: see `_heads.pyx`."""

import re

_CODING = re.compile(rb"content-encoding|transfer-encoding", re.IGNORECASE)
_TYPE = re.compile(rb"content-type[ \t]*:[ \t]*(.*)", re.IGNORECASE | re.DOTALL)


def _lines(buf: bytes, start: int, reach: int) -> list[bytes] | None:
    """Give the lines of a head up to its empty one; None where there is none, or a CR or LF inside a line."""
    end = buf.find(b"\r\n\r\n", start, reach)
    head = buf[start:end]
    lines = head.split(b"\r\n")
    if end < 0 or head.count(b"\r") != len(lines) - 1 or head.count(b"\n") != len(lines) - 1:
        return None
    return lines


def warc_head(buf: bytes, start: int, near: int) -> tuple[int, int, bytes, bytes, bytes] | None:
    """Give size, Content-Length, target, type and IP of a response; None for anything that needs a closer look.

    A field counts where it stands first; it has exactly one blank behind its colon.
    """
    lines = _lines(buf, start, start + near)
    if lines is None or not lines[0].startswith(b"WARC/1."):
        return None
    fields: dict[bytes, bytes] = {}
    for line in lines[:0:-1]:
        name, _, value = line.partition(b":")
        if name < b"!" or value[:1] != b" ":
            return None
        fields[name] = value[1:]
    length, url = fields.get(b"Content-Length", b""), fields.get(b"WARC-Target-URI", b"")
    if fields.get(b"WARC-Type") != b"response" or not length.isdigit() or len(length) > 18:
        return None
    if not url.startswith((b"http://", b"https://")):
        return None
    size = sum(map(len, lines)) + 2 * len(lines) + 2
    return size, int(length), url, fields.get(b"Content-Type", b""), fields.get(b"WARC-IP-Address", b"")


def http_head(buf: bytes, start: int, end: int, near: int) -> tuple[int, bytes] | None:
    """Give where the body begins and the Content-Type of a response without codings; None for anything else."""
    lines = _lines(buf, start, min(end, start + near))
    if lines is None or not lines[0].startswith(b"HTTP/"):
        return None
    media = b""
    for line in lines[1:]:
        if line[0] in b" \t" or _CODING.match(line):
            return None
        if not media and (declared := _TYPE.match(line)):
            media = declared[1]
    return start + sum(map(len, lines)) + 2 * len(lines) + 2, media
