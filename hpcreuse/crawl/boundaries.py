"""Where records begin and blocks end, found in the bytes themselves.

Places are relative to `stream.pos`, which stands at the start of a record.
"""

import re

from hpcreuse.crawl.formats import Format, Head
from hpcreuse.crawl.streams import Stream

BLANK = re.compile(rb"[\r\n \t]*")
# A record start that is cut off by the end of the window is found again within this many bytes.
_OVERLAP = 1 << 15
# As much of a record's head as shows that it is one.
_GLANCE = 1 << 14


class Boundaries:
    """Looks for record starts and block ends in the window of a stream."""

    def __init__(self, stream: Stream, form: Format) -> None:
        self.stream = stream
        self.form = form

    def find(self, low: int, high: int) -> int:
        """The first real record start in [low, high), behind a newline or at a member's head; else -1."""
        stream = self.stream
        stream.member()
        heads = iter([mark.start - stream.tell() for mark in stream.marks])
        head = found = -1
        while low < high:
            while head < low:
                head = next(heads, high)
            if found < low:
                found = self.form.find(stream.buf, stream.pos + low, stream.pos + high) - stream.pos
                found = found if found >= 0 else high
            at = min(head, found)
            if at >= high:
                return -1
            stream.need(at + _GLANCE)
            if self.form.looks_real(stream.buf, stream.pos + at):
                return at
            low = at + 1
        return -1

    def resync(self) -> None:
        """Go to the next real record start, else to where reading stops."""
        stream = self.stream
        while True:
            found = self.find(1, stream.buffered())
            if found >= 0:
                stream.pos += found
                return
            if not self.slide():
                return

    def slide(self) -> bool:
        """Let go of all but the end of the window and get as much again several times; False at a stop."""
        stream = self.stream
        stream.pos += max(0, stream.buffered() - _OVERLAP)
        have = stream.buffered()
        if stream.need(have + 8 * _OVERLAP) > have:
            return True
        stream.pos = len(stream.buf)
        return False

    def next_start(self, low: int, limit: int) -> int:
        """The next record start at or behind `low`, else where reading stops or the limit is reached."""
        stream = self.stream
        while True:
            have = stream.buffered()
            found = self.find(low, have)
            if found >= 0:
                return found
            if have > limit or stream.need(2 * have + _OVERLAP) == have:
                return have
            low = max(low, have - _OVERLAP)

    def joint(self, low: int, high: int) -> int:
        """The end of the member before `high`, if the next member starts with a record; else -1."""
        stream = self.stream
        stream.need(high, within_member=True)
        if stream.buffered() < high and stream.at_member_end:
            stream.need(stream.buffered() + _GLANCE, within_member=True)
        for mark in stream.marks:
            at = mark.start - stream.start
            if stream.pos + low <= at < stream.pos + high and self.form.starts(stream.buf, at):
                return at - stream.pos
        return -1

    def is_joint(self, at: int) -> bool:
        place = self.stream.start + at
        return self.stream.codec != "" and any(mark.start == place for mark in self.stream.marks)

    def ends_well(self, end: int) -> bool:
        """Whether blank lines and then a record, the end of a member or the end of all follow."""
        stream = self.stream
        while True:
            match = BLANK.match(stream.buf, stream.pos + end)
            assert match is not None
            at = match.end()
            if at < len(stream.buf):
                if len(stream.buf) - at < _GLANCE and not stream.stopped:
                    end = at - stream.pos
                    stream.need(end + _GLANCE)
                    at = stream.pos + end
                return self.form.starts(stream.buf, at) or self.is_joint(at)
            if stream.at_member_end or not stream.fill():
                return True

    def has_separator(self, head: Head, end: int) -> bool:
        """Whether the separator stands exactly behind the block: then what follows is garbage, not a cut."""
        at = self.stream.pos + end
        if self.form.separators == 1:
            return self.stream.buf.startswith((b"\n", b"\r\n"), at)
        return head.newline == b"\r\n" and self.stream.buf.startswith(b"\r\n\r\n", at)

    def cut(self, head: Head, end: int) -> int:
        """End the block before the separator that leads to `end`."""
        stream = self.stream
        for _ in range(self.form.separators):
            block_end = stream.pos + end
            if head.newline == b"\r\n" and stream.buf.endswith(b"\r\n", stream.pos, block_end):
                end -= 2
            elif stream.buf.endswith(b"\n", stream.pos, block_end):
                end -= 1
        return max(end, head.size)

    def shrank(self, head: Head, missing: int) -> bool:
        """Whether CRLF turned into LF after counting, in the HTTP header or everywhere, explains the gap."""
        buf, start = self.stream.buf, self.stream.pos + head.size
        header_end = buf.find(b"\n\n", start)
        in_header = buf.count(b"\n", start, header_end + 2 if header_end >= 0 else len(buf))
        return missing <= in_header + 4 or abs(missing - buf.count(b"\n", start)) <= 4
