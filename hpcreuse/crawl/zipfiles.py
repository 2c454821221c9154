"""Pages of a zip."""

import stat
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from hpcreuse.crawl.containers import (
    DAMAGE,
    climbs_out,
    inside_path,
    is_plain_name,
    page_url,
    read_up_to,
    too_large,
)
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.tree import file_kind

_ENCRYPTED = 0x1
_UTF8 = 0x800
_DOS = 0


def open_zip(raw: BinaryIO, archive: str, ledger: Ledger) -> zipfile.ZipFile | None:
    """Open a zip by its central directory; a zip without a sound one is quarantined whole."""
    try:
        return zipfile.ZipFile(raw)
    except DAMAGE as error:
        ledger.quarantine(archive, 0, "", f"damaged zip: {error or type(error).__name__}")
        return None


def read_zip(
    container: zipfile.ZipFile, archive: str, url_prefix: str, ledger: Ledger, limits: Limits
) -> Iterator[Page]:
    """Give the regular files of a zip as pages, in the order they stand in it."""
    for info in sorted(container.infolist(), key=lambda info: info.header_offset):
        kind = member_kind(info)
        if kind != "file":
            ledger.skip(kind)
            continue
        path = inside_path(member_name(info))
        url = page_url(archive, path, url_prefix)
        payload, reason = b"", "name climbs out of the archive" if climbs_out(path) else refusal(info)
        if not reason and info.file_size > limits.max_payload:
            reason = too_large(info.file_size, limits.max_payload)
        if not reason:
            payload, reason = _payload(container, info)
        if reason:
            ledger.quarantine(archive, info.header_offset, url, reason)
        else:
            yield Page(url, payload, "", archive, info.header_offset, plain=is_plain_name(path))


def member_kind(info: zipfile.ZipInfo) -> str:
    """Name what a member is; zips made on Unix keep the mode of the file."""
    if info.orig_filename.endswith("/") or info.is_dir():
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


def _payload(container: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[bytes, str]:
    """Read a member; the size in the directory, checked before, bounds what comes out of it."""
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
