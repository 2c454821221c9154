"""Pages of a WACZ: a zip whose `archive/` folder holds WARC files."""

import copy
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO, cast

from hpcreuse.crawl.containers import DAMAGE
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.streams import open_stream
from hpcreuse.crawl.warc import read_warc
from hpcreuse.crawl.zipfiles import is_cut_off, member_kind, member_name, open_zip, refusal

_WARC = re.compile(r"archive/.*\.warc(?:\.\w+)?\Z", re.IGNORECASE | re.DOTALL)


def warc_members(container: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Give the WARC files of a WACZ in the order they stand in it; none when the zip is no WACZ."""
    members = [info for info in container.infolist() if member_kind(info) == "file" and is_warc(info)]
    return sorted(members, key=lambda info: info.header_offset)


def is_warc(info: zipfile.ZipInfo) -> bool:
    """Tell a WARC file of a WACZ from its indexes, page lists and logs."""
    return _WARC.match(member_name(info)) is not None


def open_warc(raw: BinaryIO, name: str) -> BinaryIO:
    """Open one WARC file of a WACZ by its name, which `read_wacz` gave."""
    container = open_zip(raw, "", Ledger())
    for info in warc_members(container) if container else ():
        if container and member_name(info) == name:
            return cast(BinaryIO, Member(container, info))
    raise zipfile.BadZipFile(f"no member {name}")


def read_wacz(container: zipfile.ZipFile, archive: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of all WARC files of a WACZ; their archive is `path.wacz!archive/data.warc.gz`."""
    members = warc_members(container)
    if not members:
        ledger.quarantine(archive, 0, "", "WACZ without a WARC file in archive/")
    for info in members:
        inner = f"{archive}!{member_name(info)}"
        if reason := refusal(info):
            ledger.quarantine(inner, 0, "", reason)
            continue
        try:
            with Member(container, info) as member:
                yield from read_warc(open_stream(cast(BinaryIO, member)), inner, ledger, limits)
                reason = member.damage
        except DAMAGE as error:
            reason = f"damaged zip member: {error or type(error).__name__}"
        if reason:
            ledger.quarantine(inner, 0, "", reason)


class Member:
    """A member of a zip that ends where its damage begins, so that the records before are not lost.

    `zipfile` raises in place of the last bytes when a checksum is wrong; here `damage` says so afterwards.
    """

    def __init__(self, container: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        unchecked = copy.copy(info)
        unchecked.CRC = None  # type: ignore[assignment]
        self._file: IO[bytes] = container.open(unchecked)
        self._info = info
        self._checksum = 0
        self._summed = 0
        self.damage = "zip ends inside this member" if is_cut_off(info) else ""

    def __enter__(self) -> "Member":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1, /) -> bytes:
        """Give up to `size` bytes; none at the end and at damage."""
        start = self._file.tell()
        try:
            data: bytes = self._file.read1(size)  # type: ignore[attr-defined]
        except DAMAGE as error:
            self.damage = self.damage or f"damaged zip member: {error or type(error).__name__}"
            return b""
        # Readers may go back: each byte is summed up once.
        if start <= self._summed < start + len(data):
            self._checksum = zlib.crc32(data[self._summed - start :], self._checksum)
            self._summed = start + len(data)
            if self._summed == self._info.file_size and self._checksum != self._info.CRC:
                self.damage = self.damage or "damaged zip member: CRC-32 is wrong"
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to an offset in the decompressed member."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Give the offset in the decompressed member."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Tell whether readers may go back."""
        return self._file.seekable()
