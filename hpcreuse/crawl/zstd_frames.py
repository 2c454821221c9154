"""Zstandard frames, inflated block by block so that a small input can never give a huge output.

A frame is walked by its block headers (RFC 8878, section 3.1): each block holds at most 128 KiB, and the end
of the frame in the file is known exactly, which the library's own streaming objects do not tell.
"""

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
MAX_DICTIONARY = 64 << 20

_DICTIONARY_ID_SIZE = (0, 1, 2, 4)
_CONTENT_SIZE_SIZE = (0, 2, 4, 8)
_RLE = 1


class SkippableFrame:
    """A frame that carries no content (zstd and lz4 share its form): it inflates to nothing."""

    def __init__(self) -> None:
        self.eof = False
        self.needs_input = True
        self.unused_data = b""
        self._left = -1
        self._head = b""

    def decompress(self, data: bytes | memoryview, max_length: int = -1) -> bytes:
        """Pass over `data` up to the end of the frame."""
        if self._left < 0:
            self._head += bytes(data[: 8 - len(self._head)])
            data = data[len(self._head) :]
            if len(self._head) < 8:
                return b""
            self._left = struct.unpack_from("<I", self._head, 4)[0]
        used = min(self._left, len(data))
        self._left -= used
        if self._left == 0:
            self.eof, self.needs_input = True, False
            self.unused_data = bytes(data[used:])
        return b""


class ZstdFrame:
    """One frame; the same manners as `bz2.BZ2Decompressor`, going over `max_length` by one block at most."""

    def __init__(self, dictionary: "zstandard.ZstdCompressionDict | None" = None) -> None:
        import zstandard

        self.eof = False
        self.needs_input = True
        self.unused_data = b""
        self._inflate = zstandard.ZstdDecompressor(dict_data=dictionary).decompressobj()
        self._pending = b""
        self._checksum = 0
        self._state = "header"

    def decompress(self, data: bytes | memoryview, max_length: int = -1) -> bytes:
        """Inflate whole blocks until `max_length` is reached or the input is used up."""
        pending = self._pending + bytes(data)
        at, made, out = 0, 0, []
        while not self.eof and (max_length < 0 or made < max_length):
            size = self._unit_size(pending, at)
            if size < 0 or at + size > len(pending):
                self.needs_input = True
                break
            piece = self._inflate.decompress(pending[at : at + size]) if size else b""
            out.append(piece)
            made += len(piece)
            self._advance(pending, at)
            at += size
        else:
            self.needs_input = False
        self._pending = pending[at:]
        if self.eof:
            self.unused_data = self._pending
        return out[0] if len(out) == 1 else b"".join(out)

    def _unit_size(self, data: bytes, at: int) -> int:
        """Length of the header, block or checksum at `at`; -1 while too little of it is there to tell."""
        if self._state == "header":
            return _header_size(data, at)
        if self._state == "checksum":
            return self._checksum
        if at + 3 > len(data):
            return -1
        word = int.from_bytes(data[at : at + 3], "little")
        return 3 + (1 if (word >> 1) & 3 == _RLE else word >> 3)

    def _advance(self, data: bytes, at: int) -> None:
        if self._state == "header":
            self._checksum = 4 if data[at + 4] & 4 else 0
            self._state = "block"
        elif self._state == "block":
            if data[at] & 1:
                self._state = "checksum"
                self.eof = self._checksum == 0
        else:
            self.eof = True


def _header_size(data: bytes, at: int) -> int:
    if at + 5 > len(data):
        return -1
    descriptor = data[at + 4]
    single_segment = descriptor >> 5 & 1
    content_size = _CONTENT_SIZE_SIZE[descriptor >> 6] or single_segment
    return 5 + (1 - single_segment) + _DICTIONARY_ID_SIZE[descriptor & 3] + content_size


def dictionary_size(head: bytes | memoryview) -> int:
    """Length of the whole dictionary frame that `head` begins, 0 when it begins none or an absurd one."""
    if len(head) < 8 or bytes(head[:4]) != DICTIONARY_MAGIC:
        return 0
    size = struct.unpack_from("<I", head, 4)[0]
    return 8 + size if size <= MAX_DICTIONARY else 0


def load_dictionary(frame: bytes) -> "zstandard.ZstdCompressionDict | None":
    """The dictionary inside its skippable frame (IIPC "WARC zstd"), itself compressed or not."""
    import zstandard

    content = frame[8:]
    if content.startswith(MAGIC):
        decoder = ZstdFrame()
        try:
            content = decoder.decompress(content, MAX_DICTIONARY)
        except zstandard.ZstdError:
            return None
        if not decoder.eof:
            return None
    return zstandard.ZstdCompressionDict(content)
