"""Where the records of a WARC or ARC are, whatever their headers claim.

A declared length is believed when a record, the end of a member or the end of the file follows. Otherwise
the next real record start decides: inside the block the length was too long (ClueWeb09 turned CRLF into LF
after counting), behind it too short.
"""

from collections.abc import Iterator
from typing import NamedTuple

from hpcreuse.crawl.boundaries import BLANK, Boundaries
from hpcreuse.crawl.encodings import over_limit
from hpcreuse.crawl.formats import Format, Head
from hpcreuse.crawl.header_text import clean_url
from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.streams import Mark, Stream

# Only these are compressed record by record in practice.
_BY_MEMBER = ("gzip", "zstd")


# A block may be that much larger than its payload; the payload itself is judged when it is decoded
HTTP_HEADER = 1 << 20


class Record(NamedTuple):
    """A record that should be a page; its block is `stream.buf[start:end]` until the next is asked for."""

    head: Head
    offset: int
    start: int
    end: int


class Records:
    """Walks over an archive; all that is no page goes to the ledger, each record once."""

    def __init__(self, stream: Stream, form: Format, archive: str, ledger: Ledger, limits: Limits) -> None:
        self.stream = stream
        self.form = form
        self.places = Boundaries(stream, form)
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
            if stream.limit is not None and self._by_member and self._offset() >= stream.limit:
                stream.reached = self._offset()
                return
            head = parse(stream)
            if head is None:
                self._skip_garbage()
                continue
            self._seen += 1
            if head.problem:
                self._refuse(head, head.problem)
            elif head.length > self.limits.max_payload + (HTTP_HEADER if head.http else 0):
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
        if stream.at_member_end and stream.pos + 4 == len(stream.buf) and stream.buf.endswith(b"\r\n\r\n"):
            stream.pos += 4
        if stream.pos == len(stream.buf) and not stream.fill():
            return False
        if stream.pos < len(stream.buf) and stream.buf[stream.pos] > 32:
            return True
        while True:
            match = BLANK.match(stream.buf, stream.pos)
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
        self.places.resync()
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
        self.places.resync()
        self._quarantine(offset, head.url, reason + self._damage_here())

    def _damage_here(self) -> str:
        """The damage at which reading stands, to go with the entry it belongs to; empty when there is none."""
        stream = self.stream
        if stream.damage is None or stream.pos < len(stream.buf):
            return ""
        self._damage_listed = True
        return f" ({stream.damage.reason})"

    # Where a block ends; places are relative to the record's start, `stream.pos`

    def _block_end(self, head: Head) -> int:
        """The end of the block; -1 when the record was listed instead."""
        stream = self.stream
        want = head.size + head.length
        end = stream.pos + want
        if stream.at_member_end and end + 4 == len(stream.buf) and stream.buf.endswith(b"\r\n\r\n"):
            return want
        joint = self.places.joint(head.size, want)
        if joint >= 0:
            return self.places.cut(head, joint)
        have = stream.need(want)
        if have >= want and self.places.ends_well(want):
            return want
        if have >= want and self.places.has_separator(head, want):
            return want
        inner = self.places.find(head.size, min(have, want))
        if inner >= 0:
            return self.places.cut(head, inner)
        if have < want:
            return self._short(head, have, want)
        if head.shrunk:
            return self.places.cut(head, self.places.next_start(want, self.limits.max_payload))
        return want

    def _short(self, head: Head, have: int, want: int) -> int:
        """The stream ends inside the block: cut off, or only counted wrong?"""
        stream = self.stream
        if stream.codec:
            sound = stream.at_member_end
            if sound and self._begins_member() and self._by_member is not False:
                return self.places.cut(head, have)
        else:
            sound = stream.damage is None
        if sound and (head.shrunk or head.newline == b"\n") and self.places.shrank(head, want - have):
            return self.places.cut(head, have)
        offset = self._offset()
        stream.pos += have
        reason = f"record cut short: {have - head.size} of {head.length} bytes"
        self._quarantine(offset, head.url, reason + self._damage_here())
        return -1

    def _is_spoiled(self, end: int) -> bool:
        """Whether a failed checksum covers this record and no other behind it."""
        stream = self.stream
        match = BLANK.match(stream.buf, stream.pos + end)
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
        good = stream.tell() == stop and self.places.ends_well(0)
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
                found = self.places.find(1, min(stream.buffered(), left))
                inner = stream.tell() + found if found >= 0 else -1
                if inner >= 0 and self._by_member and self.places.is_joint(stream.pos + found):
                    return inner
            if left <= stream.buffered():
                stream.pos += left
                return inner
            if not self.places.slide():
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
        ended = self.places.ends_well(end)
        match = BLANK.match(stream.buf, stream.pos + end)
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
