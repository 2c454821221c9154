"""The bytes of a compressed file, read ahead, with the absolute offset of what comes next."""

import re
from typing import BinaryIO

# What a decoder leaves unused is copied: feeding more than a typical member is slower, not faster.
FEED = 1 << 15
READ = 1 << 18
_PADDING = re.compile(rb"[\0\r\n]*")


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

    def window(self, size: int) -> tuple[bytes, int]:
        """The bytes read ahead, at least `size` of them unless the file ends, and where in them the next one stands."""
        if len(self._data) - self._at < size and not self._exhausted:
            self._refill(size)
        return self._data, self._at

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
