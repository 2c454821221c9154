"""An HTTP response as archives store it -> its payload, transfer and content encodings removed."""

import re
from typing import NamedTuple

from hpcreuse.crawl.encodings import Undecodable, decode, over_limit
from hpcreuse.crawl.header_text import empty_line
from hpcreuse.kernels import http_head

MAX_HEADER = 1 << 20
_NEAR = 1 << 14
_FIELD = re.compile(
    rb"\n(Content-Type|Content-Encoding|Transfer-Encoding)[ \t]*:[ \t]*([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)",
    re.IGNORECASE,
)
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\r\n]{0,4096})?(?:\r?\n)")
_NEWLINE = re.compile(rb"\r?\n")


class Response(NamedTuple):
    """A response taken apart."""

    payload: bytes
    content_type: bytes | None
    """None when there is no HTTP header at all."""


def read_response(block: bytes, start: int, end: int, limit: int) -> Response:
    """Take the response in `block[start:end]` apart; raises Undecodable when its payload cannot be had."""
    usual = http_head(block, start, end, _NEAR)
    if usual is not None and end - usual[0] <= limit:
        return Response(block[usual[0] : end], usual[1])
    if not block.startswith(b"HTTP/", start):
        if end - start > limit:
            raise Undecodable(over_limit(limit))
        return Response(block[start:end], None)
    body = body_start(block, start, end)
    content_type, codings = b"", []
    for name, value in _FIELD.findall(block, start, body):
        if len(name) == 12:
            content_type = content_type or value
        else:
            codings.append((name, value))
    payload = block[body:end]
    if codings:
        payload = _undo(codings, payload, limit)
    if len(payload) > limit:
        raise Undecodable(over_limit(limit))
    return Response(payload, content_type)


def body_start(block: bytes, start: int, end: int) -> int:
    """Where the body begins: behind the first empty line, `end` when there is none."""
    for near in (_NEAR, MAX_HEADER):
        reach = start + near if start + near < end else end
        size = empty_line(block, start, reach)
        if size:
            return start + size
    if end - start > MAX_HEADER:
        raise Undecodable("HTTP header over 1 MiB")
    return end


def _undo(codings: list[tuple[bytes, bytes]], body: bytes, limit: int) -> bytes:
    """Transfer codings first, then content codings, each list from its end."""
    transfer = _names(codings, 17)
    content = _names(codings, 16)
    for coding in reversed(transfer):
        body = dechunk(body) if coding == "chunked" else decode(coding, body, limit)
    for coding in reversed(content):
        body = decode(coding, body, limit)
    return body


def _names(codings: list[tuple[bytes, bytes]], name_length: int) -> list[str]:
    """The codings named in all headers of one name, in order (told apart by the length of the name)."""
    values = b",".join(value for name, value in codings if len(name) == name_length)
    return [word.strip(b" \t\r\n\"'").lower().decode("latin-1") for word in values.split(b",")]


def dechunk(body: bytes) -> bytes:
    """Join the chunks; a body that does not begin with a chunk size is taken as joined already."""
    line = _CHUNK.match(body)
    if line is None:
        return body
    chunks: list[bytes] = []
    while line is not None:
        size = int(line[1], 16)
        start = line.end()
        if size == 0:
            return b"".join(chunks)
        if start + size > len(body):
            raise Undecodable(f"chunked transfer encoding: chunk cut short, {len(body) - start} of {size}")
        chunks.append(body[start : start + size])
        newline = _NEWLINE.match(body, start + size)
        at = newline.end() if newline else start + size
        if len(body) - at < 8 and not body[at:].strip():
            return b"".join(chunks)
        line = _CHUNK.match(body, at) if newline else None
    raise Undecodable("chunked transfer encoding: no chunk size where one must stand")
