"""Where the records of a WARC or ARC are, whatever their headers claim.

A declared length is believed when a record, the end of a member or the end of the file follows. Otherwise
the next real record start decides: inside the block the length was too long (ClueWeb09 turned CRLF into LF
after counting), behind it too short.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from hpcreuse.crawl.encodings import over_limit
from hpcreuse.crawl.header_text import clean_url
from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.streams import Mark, Stream

_BLANK = re.compile(rb"[\r\n \t]*")
# A record start that is cut off by the end of the window is found again within this many bytes.
_OVERLAP = 1 << 15
# As much of a record's head as shows that it is one.
_GLANCE = 1 << 14
_BY_MEMBER = ("gzip", "zstd")


class Head(NamedTuple):
    """A record's header, as far as readers care."""

    size: int
    """Bytes of the header itself, its closing empty line included."""
    length: int
    url: bytes
    content_type: bytes
    ip: bytes
    skip: str
    """The kind to count when the record is no page by definition; empty for a page."""
    http: bool
    """The block is an HTTP message (or should be one)."""
    shrunk: bool
    """Lengths of this version are not to be trusted: blocks may be cut or extended to the next record."""
    newline: bytes
    problem: str = ""
    """Why the record cannot be read at all."""


class Record(NamedTuple):
    """A record that should be a page; its block is `stream.buf[start:end]` until the next is asked for."""

    head: Head
    offset: int
    start: int
    end: int


class Format(Protocol):
    """What WARC and ARC differ in."""

    name: str
    separators: int
    """Newlines that a writer puts behind a block."""

    def parse(self, stream: Stream) -> Head | None:
        """The header at `stream.pos`; None when no record starts there."""

    def starts(self, buf: bytes, at: int) -> bool:
        """Whether a record starts at a place where one is expected."""

    def find(self, buf: bytes, start: int, end: int) -> int:
        """The next place in a window that may be a record start, newline before it; -1 if none."""

    def looks_real(self, buf: bytes, at: int) -> bool:
        """Whether a place found in arbitrary bytes is a record start beyond doubt."""


class Records:
    """Walks over an archive; all that is no page goes to the ledger, each record once."""

    def __init__(self, stream: Stream, form: Format, archive: str, ledger: Ledger, limits: Limits) -> None:
        self.stream = stream
        self.form = form
        self.archive = archive
        self.ledger = ledger
        self.limits = limits
        self._by_member: bool | None = None if stream.codec in _BY_MEMBER else False
        if stream.base and stream.codec in _BY_MEMBER:
            # Only an archive compressed record by record can be entered in the middle.
            self._by_member = True
        self._seen = 0
        self._listed = 0
        self._blank_from = 0
        self._total = -1
        self._damage_listed = False

    def __iter__(self) -> Iterator[Record]:
        stream, parse = self.stream, self.form.parse
        for damage in stream.passed:
            self._quarantine(damage.offset, b"", damage.reason)
        while self._to_data() or self._pass_stop():
            if stream.pos == len(stream.buf):
                continue
            head = parse(stream)
            if head is None:
                self._skip_garbage()
                continue
            self._seen += 1
            if head.problem:
                self._refuse(head, head.problem)
            elif head.length > self.limits.max_payload:
                self._skip_oversize(head)
            else:
                end = self._block_end(head)
                if end >= 0:
                    record = self._settle(head, end)
                    if record is not None:
                        yield record
                    stream.pos += end
        if not self._seen and not self._listed:
            empty = stream.tell() == stream.base
            self._quarantine(stream.base, b"", "empty file" if empty else self._nothing_found())

    def _settle(self, head: Head, end: int) -> Record | None:
        """Account for a record that was found whole, or give it as a page to be."""
        stream = self.stream
        offset = self._decided_offset(end) if self._by_member is None else self._offset()
        if stream.damage is not None and self._is_spoiled(end):
            self._quarantine(offset, head.url, stream.damage.reason)
            self._damage_listed = True
        elif head.skip:
            self.ledger.skip(head.skip)
        else:
            return Record(head, offset, stream.pos + head.size, stream.pos + end)
        return None

    # Moving on

    def _to_data(self) -> bool:
        """Pass blank lines; False when reading stopped."""
        stream = self.stream
        self._blank_from = stream.start + stream.pos
        if stream.pos == len(stream.buf) and not stream.fill():
            return False
        if stream.pos < len(stream.buf) and stream.buf[stream.pos] > 32:
            return True
        while True:
            match = _BLANK.match(stream.buf, stream.pos)
            assert match is not None
            stream.pos = match.end()
            if stream.pos < len(stream.buf):
                return True
            if not stream.fill():
                return False

    def _pass_stop(self) -> bool:
        """List the damage at which reading stopped and go on behind it; False at the end of the file."""
        damage = self.stream.damage
        if damage is None:
            return False
        if not self._damage_listed:
            offset = self.stream.tell() if self._by_member is False else damage.offset
            self._quarantine(offset, b"", damage.reason)
        self._damage_listed = False
        self.stream.resume()
        return True

    def _skip_garbage(self) -> None:
        offset, begin = self._offset(), self.stream.tell()
        self._resync()
        stream = self.stream
        length = len(stream.buf[: stream.pos].rstrip(b"\r\n")) + stream.start - begin
        at_end = stream.pos == len(stream.buf) and stream.stopped and stream.damage is None
        if at_end and not self._seen:
            self._quarantine(offset, b"", self._nothing_found())
        else:
            reason = f"{length} bytes between records are not a record"
            self._quarantine(offset, b"", reason + self._damage_here())

    def _refuse(self, head: Head, reason: str) -> None:
        """List a record that cannot be read; what follows up to the next record start belongs to it."""
        offset = self._offset()
        self._resync()
        self._quarantine(offset, head.url, reason + self._damage_here())

    def _damage_here(self) -> str:
        """The damage at which reading stands, to go with the entry it belongs to; empty when there is none."""
        stream = self.stream
        if stream.damage is None or stream.pos < len(stream.buf):
            return ""
        self._damage_listed = True
        return f" ({stream.damage.reason})"

    def _resync(self) -> None:
        """Go to the next real record start, else to where reading stops."""
        stream = self.stream
        low = 1
        while True:
            found = self._find(low, stream.buffered())
            if found >= 0:
                stream.pos += found
                return
            low = max(1, stream.buffered() - _OVERLAP)
            stream.pos += low - 1
            low = 1
            if not stream.fill():
                stream.pos = len(stream.buf)
                return

    # Where a block ends; places are relative to the record's start, `stream.pos`

    def _block_end(self, head: Head) -> int:
        """The end of the block; -1 when the record was listed instead."""
        stream = self.stream
        want = head.size + head.length
        end = stream.pos + want
        if stream.at_member_end and end + 4 == len(stream.buf) and stream.buf.endswith(b"\r\n\r\n"):
            return want
        joint = self._joint(head.size, want)
        if joint >= 0:
            return self._cut(head, joint)
        have = stream.need(want)
        if have >= want and self._ends_well(want):
            return want
        if have >= want and self._has_separator(head, want):
            return want
        inner = self._find(head.size, min(have, want))
        if inner >= 0:
            return self._cut(head, inner)
        if have < want:
            return self._short(head, have, want)
        if head.shrunk:
            return self._cut(head, self._next_start(want))
        return want

    def _joint(self, low: int, high: int) -> int:
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

    def _ends_well(self, end: int) -> bool:
        """Whether blank lines and then a record, the end of a member or the end of all follow."""
        stream = self.stream
        while True:
            match = _BLANK.match(stream.buf, stream.pos + end)
            assert match is not None
            at = match.end()
            if at < len(stream.buf):
                if len(stream.buf) - at < _GLANCE and not stream.stopped:
                    end = at - stream.pos
                    stream.need(end + _GLANCE)
                    at = stream.pos + end
                return self.form.starts(stream.buf, at) or self._is_joint(at)
            if stream.at_member_end or not stream.fill():
                return True

    def _is_joint(self, at: int) -> bool:
        place = self.stream.start + at
        return self.stream.codec != "" and any(mark.start == place for mark in self.stream.marks)

    def _has_separator(self, head: Head, end: int) -> bool:
        """Whether the separator stands exactly behind the block: then what follows is garbage, not a cut."""
        at = self.stream.pos + end
        return head.newline == b"\r\n" and self.stream.buf.startswith(b"\r\n\r\n", at)

    def _cut(self, head: Head, end: int) -> int:
        """End the block before the separator that leads to `end`."""
        stream = self.stream
        for _ in range(self.form.separators):
            block_end = stream.pos + end
            if head.newline == b"\r\n" and stream.buf.endswith(b"\r\n", stream.pos, block_end):
                end -= 2
            elif stream.buf.endswith(b"\n", stream.pos, block_end):
                end -= 1
        return max(end, head.size)

    def _short(self, head: Head, have: int, want: int) -> int:
        """The stream ends inside the block: cut off, or only counted wrong?"""
        stream = self.stream
        if stream.codec:
            sound = stream.at_member_end
            if sound and self._begins_member() and self._by_member is not False:
                return self._cut(head, have)
        else:
            sound = stream.damage is None
        if sound and (head.shrunk or head.newline == b"\n") and self._shrank(head, want - have):
            return self._cut(head, have)
        offset = self._offset()
        stream.pos += have
        reason = f"record cut short: {have - head.size} of {head.length} bytes"
        self._quarantine(offset, head.url, reason + self._damage_here())
        return -1

    def _shrank(self, head: Head, missing: int) -> bool:
        """Whether CRLF turned into LF after counting, in the HTTP header or everywhere, explains the gap."""
        buf, start = self.stream.buf, self.stream.pos + head.size
        header_end = buf.find(b"\n\n", start)
        in_header = buf.count(b"\n", start, header_end + 2 if header_end >= 0 else len(buf))
        return missing <= in_header + 4 or abs(missing - buf.count(b"\n", start)) <= 4

    def _next_start(self, low: int) -> int:
        """The next record start at or behind `low`, else where reading stops or the limit is reached."""
        stream = self.stream
        while True:
            have = stream.buffered()
            found = self._find(low, have)
            if found >= 0:
                return found
            if have > self.limits.max_payload or stream.need(2 * have + _OVERLAP) == have:
                return have
            low = max(low, have - _OVERLAP)

    def _find(self, low: int, high: int) -> int:
        """The first real record start in [low, high), behind a newline or at a member's head; else -1."""
        stream = self.stream
        starts = [mark.start - stream.tell() for mark in stream.marks]
        while low < high:
            found = self.form.find(stream.buf, stream.pos + low, stream.pos + high) - stream.pos
            at = min((start for start in starts if low <= start < high), default=high)
            at = min(at, found) if found >= 0 else at
            if at >= high:
                return -1
            stream.need(at + _GLANCE)
            if self.form.looks_real(stream.buf, stream.pos + at):
                return at
            low = at + 1
        return -1

    def _is_spoiled(self, end: int) -> bool:
        """Whether a failed checksum covers this record and no other behind it."""
        stream = self.stream
        match = _BLANK.match(stream.buf, stream.pos + end)
        at_end = match is not None and match.end() == len(stream.buf)
        return at_end and stream.damage is not None and stream.damage.spoiled

    # Too large to hold

    def _skip_oversize(self, head: Head) -> None:
        """Pass a block over the limit in pieces, going back if its length turns out wrong."""
        stream = self.stream
        offset, begin, mark = self._offset(), stream.tell(), stream.member()
        stop = begin + head.size + head.length
        if 0 <= self._total < stop:
            self._refuse(head, f"Content-Length {head.length} is beyond the end of the archive")
            return
        inner = self._pass_block(stop)
        good = stream.tell() == stop and self._ends_well(0)
        if good and head.skip:
            self.ledger.skip(head.skip)
        elif good or (inner < 0 and stream.tell() == stop):
            self._quarantine(offset, head.url, over_limit(self.limits.max_payload))
        elif inner >= 0 and stream.rewind(mark, inner):
            self._quarantine(offset, head.url, f"Content-Length {head.length} runs past the next record")
        else:
            there = stream.tell() - begin - head.size
            reason = f"record cut short: {there} of {head.length} bytes"
            self._quarantine(offset, head.url, reason + self._damage_here())

    def _pass_block(self, stop: int) -> int:
        """Go to `stop` or as far as there is; returns where the first record start inside is, else -1."""
        stream = self.stream
        inner = -1
        while True:
            left = stop - stream.tell()
            if inner < 0:
                found = self._find(1, min(stream.buffered(), left))
                inner = stream.tell() + found if found >= 0 else -1
                if inner >= 0 and self._by_member and self._is_joint(stream.pos + found):
                    return inner
            if left <= stream.buffered():
                stream.pos += left
                return inner
            stream.pos += max(0, stream.buffered() - _OVERLAP)
            if not stream.fill():
                stream.pos = len(stream.buf)
                if stream.damage is None:
                    self._total = stream.tell()
                return inner

    # Places in the archive

    def _begins_member(self) -> bool:
        """Whether nothing but blank lines stands before the record in its member."""
        return self.stream.member().start >= self._blank_from

    def _offset(self) -> int:
        """The record's offset as pages give it (see `warc.py`)."""
        if self._by_member is None and not self._begins_member():
            self._by_member = False
        return self.stream.tell() if self._by_member is False else self.stream.member().member

    def _decided_offset(self, end: int) -> int:
        """The offset of the first record that was read, which settles how this archive is compressed."""
        self._by_member = self._begins_member() and self._fills_member(end)
        return self._offset()

    def _fills_member(self, end: int) -> bool:
        stream = self.stream
        ended = self._ends_well(end)
        match = _BLANK.match(stream.buf, stream.pos + end)
        assert match is not None
        at = match.end()
        first: Mark | None = next((mark for mark in stream.marks if mark.start > stream.tell()), None)
        if first is not None:
            return stream.pos + end <= first.start - stream.start <= at
        return ended and at == len(stream.buf)

    def _nothing_found(self) -> str:
        return f"no {self.form.name} record found"

    def _quarantine(self, offset: int, url: bytes, reason: str) -> None:
        self._listed += 1
        self.ledger.quarantine(self.archive, offset, clean_url(url), reason)
