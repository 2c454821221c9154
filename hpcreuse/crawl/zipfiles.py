"""Pages of a zip, by its directory or, when that was cut off, by the headers of its members."""

import io
import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from hpcreuse.crawl.containers import (
    DAMAGE,
    PIECE,
    climbs_out,
    inside_path,
    page_url,
    read_up_to,
    too_large,
)
from hpcreuse.crawl.mail import file_pages
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.tree import file_kind

_ENCRYPTED = 0x1
_UTF8 = 0x800
_DESCRIPTOR = 0x8
_DOS = 0
_HEADER = struct.Struct("<4s5H3L2H")
_EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
_IN_EXTRA = 0xFFFFFFFF


def open_zip(raw: BinaryIO, archive: str, ledger: Ledger) -> zipfile.ZipFile | None:
    """Open a zip; one that lost its directory is listed, and opened if there are members to be found."""
    try:
        return zipfile.ZipFile(raw)
    except DAMAGE as error:
        reason = f"damaged zip: {error or type(error).__name__}"
    members = list(_find_members(raw))
    ledger.quarantine(archive, 0, "", reason + (", read by the headers of its members" if members else ""))
    if not members:
        return None
    container = zipfile.ZipFile(io.BytesIO(_EMPTY_ZIP))
    container.fp = raw
    container.filelist = members
    return container


def read_zip(
    container: zipfile.ZipFile, archive: str, url_prefix: str, ledger: Ledger, limits: Limits
) -> Iterator[Page]:
    """Give the regular files of a zip as pages, in the order they stand in it.

    Members that share bytes are made to inflate to more than any disk holds (Fifield, A better zip bomb, 2019):
    only the first of them is read.
    """
    end = 0
    for info in sorted(container.infolist(), key=lambda info: info.header_offset):
        kind = member_kind(info)
        if kind != "file":
            ledger.skip(kind)
            continue
        path = inside_path(member_name(info))
        url = page_url(archive, path, url_prefix)
        payload, reason = b"", "name climbs out of the archive" if climbs_out(path) else refusal(info)
        if info.header_offset < end:
            reason = "overlaps the member before it"
        end = max(end, info.header_offset + info.compress_size)
        if not reason and info.file_size > limits.max_payload:
            reason = too_large(info.file_size, limits.max_payload)
        if not reason:
            payload, reason = _payload(container, info)
        if reason:
            ledger.quarantine(archive, info.header_offset, url, reason)
        else:
            yield from file_pages(payload, path, url, archive, info.header_offset, ledger, limits)


def member_kind(info: zipfile.ZipInfo) -> str:
    """Name what a member is; zips made on Unix keep the mode of the file."""
    if info.orig_filename.endswith("/"):
        return "directory"
    mode = info.external_attr >> 16
    return file_kind(mode) if stat.S_IFMT(mode) else "file"


def member_name(info: zipfile.ZipInfo) -> str:
    """Give a member's name as it was meant: zips of old take any encoding and say cp437."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        name = name.encode("cp437", "replace").decode("utf-8", "surrogateescape")
    # Some packers on Windows write the separator of Windows, against the specification.
    return name.replace("\\", "/") if info.create_system == _DOS else name


def refusal(info: zipfile.ZipInfo) -> str:
    """Say why a member cannot be read at all; an empty string when it can."""
    return "encrypted zip member" if info.flag_bits & _ENCRYPTED else ""


def is_cut_off(info: zipfile.ZipInfo) -> bool:
    """Tell whether the file ends inside this member: then its checksum is of no use."""
    return info.CRC is None


def _payload(container: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[bytes, str]:
    """Read a member; the size in the directory, checked before, bounds what comes out of it."""
    if is_cut_off(info):
        return b"", "zip ends inside this member"
    try:
        with container.open(info) as member:
            payload = read_up_to(member, info.file_size)
            # The check sum is compared when the end is reached.
            member.read(1)
    except DAMAGE as error:
        return b"", f"damaged zip member: {error or type(error).__name__}"
    if len(payload) < info.file_size:
        return b"", f"damaged zip member: {len(payload)} of {info.file_size} bytes"
    return payload, ""


def _find_members(raw: BinaryIO) -> Iterator[zipfile.ZipInfo]:
    """Walk over the members from the start of a zip, as far as they follow each other."""
    end = raw.seek(0, io.SEEK_END)
    offset = 0
    while offset + _HEADER.size <= end:
        raw.seek(offset)
        magic, _, flags, method, _, _, crc, packed, size, name_size, extra_size = _HEADER.unpack(raw.read(_HEADER.size))
        if magic != b"PK\x03\x04":
            return
        name = raw.read(name_size)
        if len(name) < name_size:
            return
        if size == _IN_EXTRA or packed == _IN_EXTRA:
            size, packed = _large_sizes(raw.read(extra_size), size, packed)
        start = offset + _HEADER.size + name_size + extra_size
        after = start + packed
        if flags & _DESCRIPTOR and not packed:
            crc, packed, size, after = _find_descriptor(raw, start, end)

        info = zipfile.ZipInfo(name.decode("utf-8" if flags & _UTF8 else "cp437", "replace"))
        info.header_offset, info.flag_bits, info.compress_type = offset, flags, method
        info.CRC, info.compress_size, info.file_size = crc, packed, size
        if after > end:
            # What is there of a stored member is still of use: the records of a WARC.
            info.CRC, info.compress_size = None, max(0, end - start)  # type: ignore[assignment]
            info.file_size = info.compress_size if method == zipfile.ZIP_STORED else size
        yield info
        offset = after


def _large_sizes(extra: bytes, size: int, packed: int) -> tuple[int, int]:
    """Take the sizes that do not fit the header from the zip64 field."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1 and length >= 16 and len(extra) >= 20:
            return struct.unpack_from("<2Q", extra, 4)
        extra = extra[4 + length :]
    return size, packed


def _find_descriptor(raw: BinaryIO, start: int, end: int) -> tuple[int, int, int, int]:
    """Find the sizes that a packer wrote behind the data, and the place behind them (past `end` if none)."""
    place = start
    while place < end:
        raw.seek(place)
        window = raw.read(PIECE + 24)
        found = window.find(b"PK\x07\x08")
        while 0 <= found < PIECE:
            for form in ("<4x3L", "<4xL2Q"):
                if found + struct.calcsize(form) <= len(window):
                    crc, packed, size = struct.unpack_from(form, window, found)
                    if packed == place + found - start:
                        return crc, packed, size, place + found + struct.calcsize(form)
            found = window.find(b"PK\x07\x08", found + 1)
        place += PIECE
    return 0, end - start, end - start, end + 1
