"""Content codings of HTTP bodies, undone within a limit.

Many archives keep the Content-Encoding header though the body is stored decoded already (CC-NEWS, early
Common Crawl, wget): a body that does not begin as its coding does is taken as it is.
"""

import re
from collections.abc import Callable

from isal import igzip_lib

from hpcreuse.crawl.compression import ISAL_ERROR, plain_words
from hpcreuse.crawl.zstd_frames import MAGIC as ZSTD_MAGIC
from hpcreuse.crawl.zstd_frames import ZstdFrame

_PIECE = 1 << 18
_TAIL = 16
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class Undecodable(Exception):
    """The payload cannot be had from the record; the message is the reason to list."""


class _Coded(Exception):
    """A decoder's complaint, before it is known what to make of it."""


def decode(coding: str, body: bytes, limit: int) -> bytes:
    """Undo one content or transfer coding; names that stand for no coding leave the body alone."""
    decoder = _DECODERS.get(coding)
    if decoder is None or not body:
        return body
    return decoder(body, limit)


def over_limit(limit: int) -> str:
    """The reason given for what is too large, in every reader the same."""
    size = f"{limit >> 20} MiB" if limit >= 1 << 20 and limit % (1 << 20) == 0 else f"{limit} bytes"
    return f"payload over {size}"


def _gzip(body: bytes, limit: int) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        return _inflate(body, limit, igzip_lib.DECOMP_GZIP, b"\x1f\x8b\x08")
    except _Coded as error:
        raise Undecodable(f"gzip content encoding: {error}") from None


def _deflate(body: bytes, limit: int) -> bytes:
    """Servers send zlib or raw deflate under this name."""
    looks_zlib = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    forms = [igzip_lib.DECOMP_ZLIB, igzip_lib.DECOMP_DEFLATE] if looks_zlib else [igzip_lib.DECOMP_DEFLATE]
    reason = ""
    for form in forms:
        try:
            return _inflate(body, limit, form, b"")
        except _Coded as error:
            reason = reason or str(error)
    return _as_text(body, f"deflate content encoding: {reason}")


def _inflate(body: bytes, limit: int, form: int, next_member: bytes) -> bytes:
    """Inflate one member, and those that follow it where `next_member` says how they begin."""
    parts: list[bytes] = []
    made = 0
    decoder = igzip_lib.IgzipDecompressor(form)
    data = body
    while True:
        try:
            part = decoder.decompress(data, _PIECE)
        except ISAL_ERROR as error:
            raise _Coded(plain_words(str(error))) from None
        parts.append(part)
        made += len(part)
        if made > limit:
            raise Undecodable(over_limit(limit))
        data = b""
        if decoder.eof:
            data = decoder.unused_data
            if form == igzip_lib.DECOMP_DEFLATE and len(data) > _TAIL:
                # No checksum vouches for raw deflate, and text such as `{...` can look like a short one.
                raise _Coded("data goes on behind its end")
            if not next_member or not data.startswith(next_member):
                break
            decoder = igzip_lib.IgzipDecompressor(form)
        elif decoder.needs_input:
            raise _Coded("data ends early")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli

    decoder = brotli.Decompressor()
    parts: list[bytes] = []
    made = 0
    data = body
    try:
        while not decoder.is_finished():
            part = decoder.process(data, output_buffer_limit=_PIECE)
            parts.append(part)
            made += len(part)
            if made > limit:
                raise Undecodable(over_limit(limit))
            if not part and decoder.can_accept_more_data() and not decoder.is_finished():
                return _as_text(body, "br content encoding: data ends early")
            data = b""
    except brotli.error:
        return _as_text(body, "br content encoding: invalid data")
    return b"".join(parts)


def _zstd(body: bytes, limit: int) -> bytes:
    import zstandard

    parts: list[bytes] = []
    made = 0
    data = body
    while data.startswith(ZSTD_MAGIC):
        decoder = ZstdFrame()
        while not decoder.eof:
            try:
                part = decoder.decompress(data, _PIECE)
            except zstandard.ZstdError as error:
                raise Undecodable(f"zstd content encoding: {error}") from None
            parts.append(part)
            made += len(part)
            if made > limit:
                raise Undecodable(over_limit(limit))
            if decoder.needs_input:
                raise Undecodable("zstd content encoding: data ends early")
            data = b""
        data = decoder.unused_data
    return b"".join(parts) if parts else body


def _as_text(body: bytes, reason: str) -> bytes:
    """The body itself where it is plainly text; these codings have no magic to tell beforehand."""
    if _BINARY.search(body, 0, 1024):
        raise Undecodable(reason)
    return body


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
