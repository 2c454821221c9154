"""The compressed formats that archives come in, each with its decoder and its magic number.

Libraries of formats that are seldom met are imported when they are: on a cluster every rank loads what stands on top.
"""

import bz2
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from isal import igzip_lib

from hpcreuse.crawl import zstd_frames
from hpcreuse.kernels import MemberInflater

LARGEST_WHOLE = 1 << 20
"""Members with more content are inflated in pieces."""

if TYPE_CHECKING:
    import zstandard

# Its stub declares an instance where there is a class.
ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)


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
    whole: MemberInflater | None = None
    """Inflates members that are whole, sound and small: faster than by pieces."""


def gzip_codec() -> Codec:
    """Gzip: whole members as fast as can be, all others piece by piece by ISA-L."""
    return Codec(
        "gzip",
        re.compile(rb"\x1f\x8b\x08"),
        lambda head: igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP),
        (ISAL_ERROR,),
        MemberInflater(LARGEST_WHOLE),
    )


def bz2_codec() -> Codec:
    """Bzip2 streams (an empty stream has the second magic number)."""
    magic = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
    return Codec("bz2", magic, lambda head: bz2.BZ2Decompressor(), (OSError, ValueError))


def zstd_codec(dictionary: "zstandard.ZstdCompressionDict | None") -> Codec:
    """Zstandard frames, with the dictionary of the file if it has one."""
    import zstandard

    def new(head: bytes) -> Decoder:
        if head.startswith(zstd_frames.MAGIC):
            return zstd_frames.ZstdFrame(dictionary)
        return zstd_frames.SkippableFrame()

    magic = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
    return Codec("zstd", magic, new, (zstandard.ZstdError,))


def lz4_codec() -> Codec:
    """LZ4 frames."""
    import lz4.frame

    def new(head: bytes) -> Decoder:
        if head.startswith(b"\x04\x22\x4d\x18"):
            return lz4.frame.LZ4FrameDecompressor()
        return zstd_frames.SkippableFrame()

    magic = re.compile(rb"\x04\x22\x4d\x18|[\x50-\x5f]\x2a\x4d\x18")
    return Codec("lz4", magic, new, (RuntimeError, ValueError))


def plain_words(error: str) -> str:
    """`Error -6 Incorrect checksum found` -> `incorrect checksum found`."""
    words = re.sub(r"^Error -?\d+ ", "", error)
    return words[:1].lower() + words[1:]
