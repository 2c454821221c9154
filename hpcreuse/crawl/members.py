"""Compressed members one after the other: where each begins, what it holds, and what is damaged.

A member is what stands on its own in a compressed file: a gzip member, a bz2 stream, a zstd or lz4 frame.
Damage ends a member; reading goes on at the next one that inflates.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from hpcreuse.crawl.compression import Codec, Decoder, plain_words
from hpcreuse.crawl.rawfile import FEED, READ, Input
from hpcreuse.kernels import MemberInflater

# igzip allocates `max_length` at once: larger pieces cost page faults, smaller ones more joins (measured).
PIECE = 1 << 18
_AHEAD = 1 << 18
# Members whose compressed bytes are no more than this are always whole in what is read ahead.
_WINDOW = 1 << 17
# No longer than the shortest checksum: what comes before it must be out when it fails.
_SALVAGE_STEP = 4


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


class Broken(Exception):
    """The decoder refuses the bytes of a member."""


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
        if not codec.magic.match(head):
            yield from _garbage(source, codec)
        elif codec.whole and (pieces := _whole_members(source, codec.whole)):
            yield from pieces
        else:
            yield from _member(source, codec, head)


def _whole_members(source: Input, inflater: MemberInflater) -> list[Piece]:
    """Members that are whole, sound and small, as many as are wanted at a time; none if the next one is not."""
    data, at = source.window(_WINDOW)
    base = source.offset - at
    pieces: list[Piece] = []
    for content, end in inflater.inflate(data, at, _AHEAD):
        pieces.append(Piece(content, base + at, True, True))
        at = end
    source.advance(base + at - source.offset)
    return pieces


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
            data = inflate(codec, decoder, view)
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


def inflate(codec: Codec, decoder: Decoder, view: bytes | memoryview, size: int = PIECE) -> bytes:
    """Inflate some bytes to at most `size`; raises Broken when the decoder refuses them."""
    try:
        return decoder.decompress(view, size)
    except codec.errors as error:
        raise Broken(plain_words(str(error))) from None


def _salvage(source: Input, codec: Codec, member: int, given: int) -> Iterator[Piece]:
    """What a damaged member holds behind the `given` bytes, up to the damage."""
    fresh: list[bytes] = []
    made = size = 0
    for data in _inflate_slowly(source, codec, member):
        fresh.append(data[max(0, given - made) :])
        made += len(data)
        size += len(fresh[-1])
        if size >= PIECE:
            yield Piece(b"".join(fresh), member, made == size, False)
            fresh, size = [], 0
    if size:
        yield Piece(b"".join(fresh), member, made == size, False)


def _inflate_slowly(source: Input, codec: Codec, member: int) -> Iterator[bytes]:
    """Inflate a damaged member again, at last in tiny steps: a call that fails takes all its output with it."""
    failed = source.offset
    if not source.seek(member):
        return
    decoder = codec.new(bytes(source.view(16)))
    while not decoder.eof:
        view: bytes | memoryview = b""
        near = source.offset > failed - 3 * FEED
        if decoder.needs_input:
            view = source.view(_SALVAGE_STEP if near else FEED)
            if not view:
                return
            source.advance(len(view))
        try:
            yield inflate(codec, decoder, view, FEED if near else PIECE)
        except Broken:
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
            if inflate(codec, codec.new(bytes(view[:16])), view, 1 << 16):
                return
        except Broken:
            pass
        source.advance(1)
