"""The decompressed bytes of an archive as a window that readers move over.

A reader works on `buf` from `pos` on, asks for more with `need`, and moves `pos`. The window grows as far as
it is asked to and no further, so memory is bounded by what the reader asks for.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from hpcreuse.crawl import compression, members, zstd_frames
from hpcreuse.crawl.compression import Codec
from hpcreuse.crawl.members import Damage, Piece
from hpcreuse.crawl.rawfile import Input

if TYPE_CHECKING:
    import zstandard

_ARC_LINE = re.compile(rb"[A-Za-z][\w+.-]*:[^\r\n]* \d{12,14} [^\r\n]*\d\r?\n")
_BOM = b"\xef\xbb\xbf"
_WARC_INSIDE = re.compile(rb"^WARC/\d+\.\d+[ \t]*\r?\n[A-Za-z-]+:", re.MULTILINE)


class Mark(NamedTuple):
    """Where a member begins: in the decompressed stream and in the file."""

    start: int
    member: int


class Stream:
    """Decompressed bytes, read forward, with the places of members and of damage.

    Reading stops (`stopped`) at the end of the file, and at damage until `resume` is called: bytes before and
    after damage never stand side by side in the window.
    """

    def __init__(self, raw: BinaryIO, base: int, codec: Codec | None) -> None:
        self._raw = raw
        self._codec = codec
        self.codec = codec.name if codec else ""
        self.base = base
        """Where in the file reading began."""
        self.buf = b""
        self.pos = 0
        self.start = 0 if codec else base
        """Decompressed offset of `buf[0]` (for a plain file: its own offset)."""
        self.marks: deque[Mark] = deque([Mark(self.start, base)])
        self.at_member_end = False
        """The window ends where a sound member ends."""
        self.stopped = False
        self.damage: Damage | None = None
        self.passed: list[Damage] = []
        """Damage before the first byte, passed by `peek`."""
        self.limit: int | None = None
        """Records that begin at or behind this offset of the file are left to another reader."""
        self.reached: int | None = None
        """Where the first record left to another reader begins."""
        self._pieces = self._open(base)

    def _open(self, offset: int) -> Iterator[Piece]:
        if self._codec is None:
            return members.plain_pieces(self._raw, offset)
        return members.member_pieces(Input(self._raw, offset), self._codec)

    def tell(self) -> int:
        """The decompressed offset of `pos`."""
        return self.start + self.pos

    def member(self) -> Mark:
        """The member in which `pos` stands."""
        marks, here = self.marks, self.start + self.pos
        while len(marks) > 1 and marks[1].start <= here:
            marks.popleft()
        return marks[0]

    def buffered(self) -> int:
        """How many bytes of the window are ahead."""
        return len(self.buf) - self.pos

    def fill(self) -> bool:
        """Make the window longer by one piece; False when reading stopped."""
        buf, pos = self.buf, self.pos
        data = self._pull(self.start + len(buf))
        if data is None:
            return False
        self.start += pos
        self.buf = data if pos == len(buf) else buf[pos:] + data
        self.pos = 0
        return True

    def need(self, size: int, within_member: bool = False) -> int:
        """Have `size` bytes ahead if the stream (or the member) holds them; returns how many there are."""
        have = len(self.buf) - self.pos
        if have >= size or self.stopped:
            return have
        parts = [self.buf[self.pos :]]
        self.start += self.pos
        while have < size and not (within_member and self.at_member_end and have):
            data = self._pull(self.start + have)
            if data is None:
                break
            parts.append(data)
            have += len(data)
        self.buf, self.pos = b"".join(parts), 0
        return have

    def discard(self, size: int) -> int:
        """Pass `size` bytes without keeping them; returns how many there were before reading stopped."""
        left = size
        while left > 0:
            step = min(left, self.buffered())
            self.pos += step
            left -= step
            if left and not self.fill():
                break
        return size - left

    def resume(self) -> None:
        """Go on behind damage."""
        if self.damage is not None:
            self.damage, self.stopped = None, False

    def peek(self, size: int) -> bytes:
        """The next bytes without taking them; damage before them is passed and kept in `passed`."""
        while not self.need(size) and self.damage is not None:
            self.passed.append(self.damage)
            self.resume()
        return self.buf[self.pos : self.pos + size]

    def rewind(self, mark: Mark, offset: int) -> bool:
        """Go back to a decompressed offset in or behind the member at `mark`; False where the file cannot."""
        if not self._raw.seekable():
            return False
        place = mark.member if self._codec else offset
        self._raw.seek(place)
        self._pieces = self._open(place)
        self.buf, self.pos = b"", 0
        self.start = mark.start if self._codec else offset
        self.marks = deque([Mark(self.start, place)])
        self.stopped, self.damage, self.at_member_end = False, None, False
        self.discard(offset - self.start)
        return True

    def _pull(self, end: int) -> bytes | None:
        """The next piece, which will stand at the decompressed offset `end`; None when reading stops."""
        if self.stopped:
            return None
        piece = next(self._pieces, None)
        if piece is None or piece.damage is not None:
            self.stopped = True
            self.damage = piece.damage if piece else None
            return None
        data, member, begins, self.at_member_end, _ = piece
        if begins:
            # A member that gave nothing leaves its mark where the next one begins: the later one holds.
            if self.marks[-1].start == end:
                self.marks.pop()
            self.marks.append(Mark(end, member))
        return data


class _Pipe:
    """A raw file that cannot seek, with its first bytes put back."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._head = b""

    def seekable(self) -> bool:
        return False

    def peek(self, size: int) -> bytes:
        while len(self._head) < size and (part := self._raw.read(size - len(self._head))):
            self._head += part
        return self._head[:size]

    def read(self, size: int) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._raw.read(size)


def open_stream(raw: BinaryIO) -> Stream:
    """Read an archive from where `raw` stands, compressed in whatever way its first bytes say."""
    if not raw.seekable():
        raw = cast(BinaryIO, _Pipe(raw))
    base = raw.tell() if raw.seekable() else 0
    head = _look(raw, base, 16)
    return Stream(raw, base, _codec_of(raw, head))


def _codec_of(raw: BinaryIO, head: bytes) -> Codec | None:
    if head.startswith(b"\x1f\x8b"):
        return compression.gzip_codec()
    if head.startswith(b"BZh"):
        return compression.bz2_codec()
    if head.startswith(b"\x04\x22\x4d\x18"):
        return compression.lz4_codec()
    if head.startswith(zstd_frames.MAGIC) or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5):
        return compression.zstd_codec(_dictionary(raw))
    return None


def _dictionary(raw: BinaryIO) -> "zstandard.ZstdCompressionDict | None":
    """The dictionary of a zstd archive stands at its very beginning, wherever reading starts."""
    size = zstd_frames.dictionary_size(_look(raw, 0, 8))
    return zstd_frames.load_dictionary(_look(raw, 0, size)) if size else None


def _look(raw: BinaryIO, offset: int, size: int) -> bytes:
    """Bytes at an offset, leaving the file where it stood."""
    if isinstance(raw, _Pipe):
        return raw.peek(size)
    here = raw.tell()
    raw.seek(offset)
    data = raw.read(size)
    raw.seek(here)
    return data


def sniff(stream: Stream) -> str:
    """What the stream holds by its first bytes: warc, arc, tar, zip, json, or nothing that is known."""
    head = stream.peek(4096)
    if form := record_form(head):
        return form
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if _is_tar(head):
        return "tar"
    if head.removeprefix(_BOM).lstrip().startswith(b"{"):
        return "json"
    return "warc" if _WARC_INSIDE.search(head) else ""


def record_form(head: bytes) -> str:
    """Tell whether bytes begin with a record of a WARC or of an ARC."""
    text = head.removeprefix(_BOM).lstrip()
    if text.startswith(b"WARC/"):
        return "warc"
    return "arc" if text.startswith(b"filedesc:") or _ARC_LINE.match(text) else ""


def _is_tar(head: bytes) -> bool:
    """A tar header carries the sum of its bytes, that field counted as blanks; old ones have no magic."""
    block = head[:512]
    if len(block) < 512 or not block[0]:
        return False
    field = block[148:156].strip(b" \0")
    if not field or field.strip(b"01234567"):
        return False
    return sum(block) - sum(block[148:156]) + 8 * 32 == int(field, 8)
