"""Compressed members one after the other: where each begins, what it holds, and what is damaged.

A member is what stands on its own in a compressed file: a gzip member, a bz2 stream, a zstd or lz4 frame.
Damage ends a member; reading goes on at the next one that inflates.
"""

import bz2
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

import lz4.frame
import zstandard
from isal import igzip_lib

from hpcreuse.crawl import zstd_frames

# igzip allocates `max_length` at once: larger pieces cost page faults, smaller ones more joins (measured).
PIECE = 1 << 18
# What a decoder leaves unused is copied: feeding more than a typical member is slower, not faster.
FEED = 1 << 15
READ = 1 << 18
# Its stub declares an instance where there is a class.
ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)
_AHEAD = 1 << 18
# No longer than the shortest checksum: what comes before it must be out when it fails.
_SALVAGE_STEP = 4
_PADDING = re.compile(rb"[\0\r\n]*")


class Damage(NamedTuple):
    """Why the stream breaks off here; what follows, if anything, comes from another place in the file."""

    offset: int
    """In the compressed file."""
    reason: str
    spoiled: bool = False
    """The bytes before are all there but a checksum says that some of them are wrong."""


class Piece(NamedTuple):
    """Some bytes of one member, or (with `damage`) a break in the stream."""

    data: bytes
    member: int
    """Offset of the member in the compressed file."""
    begins: bool
    ends: bool
    damage: Damage | None = None


class Decoder(Protocol):
    """What `bz2`, `igzip_lib` and `lz4.frame` decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: Any, max_length: int = -1) -> bytes: ...


@dataclass(frozen=True)
class Codec:
    """One compressed format."""

    name: str
    magic: re.Pattern[bytes]
    new: Callable[[bytes], Decoder]
    """A decoder for the member whose first bytes are given."""
    errors: tuple[type[Exception], ...]


class Broken(Exception):
    """The decoder refuses the bytes of a member."""


class Input:
    """The compressed file, read ahead, with the absolute offset of what comes next."""

    def __init__(self, raw: BinaryIO, base: int) -> None:
        self._raw = raw
        self._data = b""
        self._view = memoryview(b"")
        self._at = 0
        self._end_offset = base
        self._exhausted = False

    @property
    def offset(self) -> int:
        """Where in the file the next byte stands."""
        return self._end_offset - len(self._data) + self._at

    def view(self, size: int = FEED) -> memoryview:
        """The next `size` bytes without taking them; fewer only at the end of the file."""
        at = self._at
        if len(self._data) - at < size and not self._exhausted:
            self._refill(size)
            at = self._at
        return self._view[at : at + size]

    def advance(self, size: int) -> None:
        """Move on (or back, within what was viewed last) by `size` bytes."""
        self._at += size

    def seek(self, offset: int) -> bool:
        """Go to an absolute offset; False where the file cannot."""
        if not self._raw.seekable():
            return False
        self._raw.seek(offset)
        self._data, self._view, self._at = b"", memoryview(b""), 0
        self._end_offset, self._exhausted = offset, False
        return True

    def skip_padding(self) -> None:
        """Pass zeros and newlines."""
        while self.view(1):
            match = _PADDING.match(self._data, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._data):
                return

    def find(self, pattern: re.Pattern[bytes], overlap: int = 16) -> bool:
        """Go to the next match of a short pattern, else to the end."""
        while self.view(overlap):
            match = pattern.search(self._data, self._at)
            if match is not None:
                self._at = match.start()
                return True
            if self._exhausted:
                self._at = len(self._data)
                return False
            self._at = max(self._at, len(self._data) - overlap + 1)
        return False

    def _refill(self, size: int) -> None:
        parts = [self._data[self._at :]]
        have = len(parts[0])
        while have < size:
            part = self._raw.read(max(READ, size - have))
            if not part:
                self._exhausted = True
                break
            parts.append(part)
            have += len(part)
            self._end_offset += len(part)
        self._data = b"".join(parts)
        self._view, self._at = memoryview(self._data), 0


def gzip_codec() -> Codec:
    """Gzip, inflated by ISA-L."""
    return Codec(
        "gzip",
        re.compile(rb"\x1f\x8b\x08"),
        lambda head: igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP),
        (ISAL_ERROR,),
    )


def bz2_codec() -> Codec:
    """Bzip2 streams (an empty stream has the second magic number)."""
    magic = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
    return Codec("bz2", magic, lambda head: bz2.BZ2Decompressor(), (OSError, ValueError))


def zstd_codec(dictionary: zstandard.ZstdCompressionDict | None) -> Codec:
    """Zstandard frames, with the dictionary of the file if it has one."""

    def new(head: bytes) -> Decoder:
        if head.startswith(zstd_frames.MAGIC):
            return zstd_frames.ZstdFrame(dictionary)
        return zstd_frames.SkippableFrame()

    magic = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
    return Codec("zstd", magic, new, (zstandard.ZstdError,))


def lz4_codec() -> Codec:
    """LZ4 frames."""

    def new(head: bytes) -> Decoder:
        if head.startswith(b"\x04\x22\x4d\x18"):
            return lz4.frame.LZ4FrameDecompressor()
        return zstd_frames.SkippableFrame()

    magic = re.compile(rb"\x04\x22\x4d\x18|[\x50-\x5f]\x2a\x4d\x18")
    return Codec("lz4", magic, new, (RuntimeError, ValueError))


def plain_pieces(raw: BinaryIO, base: int) -> Iterator[Piece]:
    """A file that is not compressed."""
    begins = True
    while data := raw.read(READ):
        yield Piece(data, base, begins, False)
        begins = False


def member_pieces(source: Input, codec: Codec) -> Iterator[Piece]:
    """Every member of a compressed file in order, in pieces of bounded size.

    Small members are inflated some at a time: inflating and parsing by turns throws each other's tables out
    of the nearest cache (a tenth of the time on a crawl of small pages).
    """
    ahead: list[Piece] = []
    size = 0
    for piece in _pieces(source, codec):
        ahead.append(piece)
        size += len(piece.data)
        if size >= _AHEAD:
            yield from ahead
            ahead, size = [], 0
    yield from ahead


def _pieces(source: Input, codec: Codec) -> Iterator[Piece]:
    while head := bytes(source.view(16)):
        if codec.magic.match(head):
            yield from _member(source, codec, head)
        else:
            yield from _garbage(source, codec)


def _member(source: Input, codec: Codec, head: bytes) -> Iterator[Piece]:
    member, begins, given = source.offset, True, 0
    decoder = codec.new(head)
    while True:
        view: bytes | memoryview = b""
        if decoder.needs_input:
            view = source.view()
            if not view:
                yield Piece(b"", member, False, False, Damage(member, f"{codec.name} member ends early"))
                return
            source.advance(len(view))
        try:
            data = _inflate(codec, decoder, view)
        except Broken as error:
            yield from _salvage(source, codec, member, given)
            spoiled = "checksum" in str(error).lower()
            reason = f"{codec.name} member is damaged: {error}"
            yield Piece(b"", member, False, False, Damage(member, reason, spoiled))
            source.seek(member + 1)
            _next_sound(source, codec)
            return
        if decoder.eof:
            source.advance(-len(decoder.unused_data or b""))
            yield Piece(data, member, begins, True)
            return
        if data:
            yield Piece(data, member, begins, False)
            begins = False
            given += len(data)


def _inflate(codec: Codec, decoder: Decoder, view: bytes | memoryview, size: int = PIECE) -> bytes:
    try:
        return decoder.decompress(view, size)
    except codec.errors as error:
        raise Broken(str(error)) from None


def _salvage(source: Input, codec: Codec, member: int, given: int) -> Iterator[Piece]:
    """Inflate a damaged member again in tiny steps: a call that fails takes all its output with it."""
    failed = source.offset
    if not source.seek(member):
        return
    decoder = codec.new(bytes(source.view(16)))
    made = 0
    while True:
        view: bytes | memoryview = b""
        near = source.offset > failed - 3 * FEED
        if decoder.needs_input:
            view = source.view(_SALVAGE_STEP if near else FEED)
            if not view:
                return
            source.advance(len(view))
        try:
            data = _inflate(codec, decoder, view, FEED if near else PIECE)
        except Broken:
            return
        fresh = data[max(0, given - made) :]
        made += len(data)
        if fresh:
            yield Piece(fresh, member, made == len(fresh), False)
        if decoder.eof:
            return


def _garbage(source: Input, codec: Codec) -> Iterator[Piece]:
    """Pass what stands between members: padding silently, anything else as damage."""
    source.skip_padding()
    start = source.offset
    head = bytes(source.view(16))
    if not head or codec.magic.match(head):
        return
    _next_sound(source, codec)
    reason = f"{source.offset - start} bytes between {codec.name} members are not {codec.name}"
    yield Piece(b"", start, False, False, Damage(start, reason))


def _next_sound(source: Input, codec: Codec) -> None:
    """Go to the next place that looks like a member and inflates to something, else to the end."""
    while source.find(codec.magic):
        view = source.view()
        try:
            if _inflate(codec, codec.new(bytes(view[:16])), view, 1 << 16):
                return
        except Broken:
            pass
        source.advance(1)
