"""Pages of a tar: read once from front to back, in bounded memory, damage passed over.

`tarfile` parses the headers; its archive class is not used, since it keeps every member in memory, takes
extended headers of any size, and ends at the first bad block.
"""

import tarfile
from collections.abc import Iterator

from hpcreuse.crawl.containers import (
    DAMAGE,
    PIECE,
    Readable,
    climbs_out,
    inside_path,
    page_url,
    read_up_to,
    too_large,
)
from hpcreuse.crawl.mail import file_pages
from hpcreuse.crawl.pages import Ledger, Limits, Page

_BLOCK = tarfile.BLOCKSIZE
_LONGEST_EXTENSION = 1 << 20
_KINDS = {
    tarfile.LNKTYPE: "link",
    tarfile.SYMTYPE: "link",
    tarfile.DIRTYPE: "directory",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
    tarfile.FIFOTYPE: "fifo",
}
_SPARSE = "sparse files in a tar are not supported"


def read_tar(source: Readable, archive: str, url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the regular files of a tar as pages; offsets are those of headers in the decompressed tar."""
    tar = _Tar(source)
    try:
        while member := tar.next_member(archive, ledger):
            yield from _pages(tar, member, archive, url_prefix, ledger, limits)
        # A wrong checksum of the compression shows only behind the last byte.
        while tar.read(PIECE):
            pass
    except DAMAGE as error:
        ledger.quarantine(archive, tar.position, "", f"tar breaks off: {error or type(error).__name__}")


def _pages(
    tar: "_Tar", member: tarfile.TarInfo, archive: str, url_prefix: str, ledger: Ledger, limits: Limits
) -> Iterator[Page]:
    """Read the member whose header has just been read, whole or past it."""
    path = inside_path(member.name)
    url = page_url(archive, path, url_prefix)
    if not member.isreg():
        ledger.skip(_KINDS.get(member.type, "special"))
        reason = ""
    elif climbs_out(path):
        reason = "name climbs out of the archive"
    elif member.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse") for key in member.pax_headers):
        reason = _SPARSE
    elif member.size > limits.max_payload:
        reason = too_large(member.size, limits.max_payload)
    else:
        payload = tar.read(member.size)
        if len(payload) == member.size:
            tar.skip(-member.size % _BLOCK)
            yield from file_pages(payload, path, url, archive, member.offset, ledger, limits)
        else:
            reason = f"truncated tar: {len(payload)} of {member.size} bytes"
            ledger.quarantine(archive, member.offset, url, reason)
        return

    if reason:
        ledger.quarantine(archive, member.offset, url, reason)
    # Links, devices and folders have no data, whatever size their header gives.
    if member.isreg() or member.type not in _KINDS:
        tar.skip(member.size + -member.size % _BLOCK)


class _Tar:
    """Headers of a tar, one after the other, with what extended headers say already applied."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self._defaults: dict[str, str] = {}
        self.position = 0

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes: fewer only at the end."""
        data = read_up_to(self._source, size)
        self.position += len(data)
        return data

    def skip(self, size: int) -> None:
        """Pass over `size` bytes, or to the end."""
        while size > 0 and (piece := self.read(min(size, PIECE))):
            size -= len(piece)

    def next_member(self, archive: str, ledger: Ledger) -> tarfile.TarInfo | None:
        """Give the next header of a file, folder or link; None at the end."""
        name, extra = "", dict(self._defaults)
        first = -1  # where the member starts: its own header or the first that extends it
        empty = 0
        damaged = False
        while block := self.read(_BLOCK):
            offset = self.position - len(block)
            if not block.strip(b"\0"):
                empty += 1
                if empty == 2:
                    return None
                continue
            # In damage only a block with the magic is worth a try: most blocks are content.
            header = None if damaged and block[257:262] != b"ustar" else _parse(block)
            if header is None:
                if not damaged:
                    ledger.quarantine(archive, offset, "", "damaged tar header, going on at the next sound one")
                damaged, name, extra, first = True, "", dict(self._defaults), -1
                continue
            empty, damaged = 0, False
            first = offset if first < 0 else first

            if header.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
                content = self._extension(header.size)
                if header.type == tarfile.GNUTYPE_LONGNAME:
                    name = content.partition(b"\0")[0].decode("utf-8", "surrogateescape")
            elif header.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
                extra.update(_records(self._extension(header.size)))
            elif header.type == tarfile.XGLTYPE:
                self._defaults.update(_records(self._extension(header.size)))
                extra = self._defaults | extra
            else:
                _apply(header, name, extra, first)
                if header.type == tarfile.GNUTYPE_SPARSE:
                    self._pass_sparse_map(block[482])
                return header
        return None

    def _extension(self, size: int) -> bytes:
        """Read an extended header; one that is too long for any name is passed over."""
        if size > _LONGEST_EXTENSION:
            self.skip(size + -size % _BLOCK)
            return b""
        return self.read(size + -size % _BLOCK)[:size]

    def _pass_sparse_map(self, more: int) -> None:
        while more and len(block := self.read(_BLOCK)) == _BLOCK:
            more = block[504]


def _parse(block: bytes) -> tarfile.TarInfo | None:
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return None
    return header if header.size >= 0 else None


def _apply(header: tarfile.TarInfo, name: str, extra: dict[str, str], first: int) -> None:
    """Let extended headers overrule what stands in the short one."""
    header.offset = first
    header.pax_headers = extra
    header.name = extra.get("path") or name or header.name
    size = extra.get("size", "")
    if size.isascii() and size.isdigit():
        header.size = int(size[:20])


def _records(content: bytes) -> dict[str, str]:
    """Parse the `LENGTH KEY=VALUE` lines of a pax header, as far as they are sound."""
    records = {}
    while content:
        digits, space, _ = content.partition(b" ")
        length = int(digits) if space and digits.isdigit() and len(digits) < 8 else 0
        key, equals, value = content[len(digits) + 1 : max(0, length - 1)].partition(b"=")
        if not equals:
            break
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        content = content[length:]
    return records
