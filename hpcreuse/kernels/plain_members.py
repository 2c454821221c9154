"""The kernel that inflates whole gzip members, with ISA-L: see `_members.pyx`."""

from typing import cast

from isal import igzip_lib

# What the decoder leaves unused is copied: feeding more than a typical member is slower, not faster
_FEED = 1 << 15
# A header of 10 bytes and a trailer of 8
_SMALLEST = 18
_RESERVED_FLAGS = 0xE0
_ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)


class MemberInflater:
    """Inflates members that are whole, sound and no larger than `room`."""

    def __init__(self, room: int):
        self.room = room

    def inflate(self, data: bytes, at: int, enough: int) -> list[tuple[bytes, int]]:
        """Inflate the members that stand at a place one after the other until their contents are `enough`.

        Gives for each its content and the place behind it; nothing where the first is not whole, is damaged or
        is too large: what to make of that is for a slower reader to say.
        """
        found: list[tuple[bytes, int]] = []
        total = 0
        while at < len(data) and total < enough:
            member = self._member(data, at)
            if member is None:
                break
            found.append(member)
            content, at = member
            total += len(content)
        return found

    def _member(self, data: bytes, at: int) -> tuple[bytes, int] | None:
        if len(data) - at < _SMALLEST or data[at + 3] & _RESERVED_FLAGS:
            return None
        decoder = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP)
        view, content = memoryview(data), b""
        while at < len(data) and len(content) <= self.room:
            feed = view[at : at + _FEED]
            try:
                content += decoder.decompress(feed, self.room + 1 - len(content))
            except _ISAL_ERROR:
                return None
            at += len(feed)
            if decoder.eof:
                return (content, at - len(decoder.unused_data)) if len(content) <= self.room else None
        return None
