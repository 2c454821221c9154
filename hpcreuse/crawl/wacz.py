"""Pages of a WACZ: a zip whose `archive/` folder holds WARC files."""

import re
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, cast

from hpcreuse.crawl.containers import DAMAGE
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.streams import open_stream
from hpcreuse.crawl.warc import read_warc
from hpcreuse.crawl.zipfiles import member_kind, member_name, refusal

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
    container = zipfile.ZipFile(raw)
    found = [info for info in warc_members(container) if member_name(info) == name]
    if not found:
        raise zipfile.BadZipFile(f"no member {name}")
    return cast(BinaryIO, container.open(found[0]))


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
            with container.open(info) as member:
                yield from read_warc(open_stream(cast(BinaryIO, member)), inner, ledger, limits)
        except DAMAGE as error:
            ledger.quarantine(inner, 0, "", f"damaged zip member: {error or type(error).__name__}")
