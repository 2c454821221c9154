"""Pages of a folder: every regular file is one, or the mail in it."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from hpcreuse.crawl.containers import is_archive_name, is_plain_name, page_url, read_up_to, too_large
from hpcreuse.crawl.mail import HEAD_BYTES, MailFile, is_mail, read_mail
from hpcreuse.crawl.pages import Ledger, Limits, Page

CANNOT_OPEN = "cannot be opened"


def read_tree(folder: str, names: Iterable[str], url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of the named files of a folder; what is no regular file is counted by kind."""
    root = folder.rstrip("/")
    inside = os.path.realpath(folder).rstrip("/") + "/"
    for name in names:
        path = f"{root}/{name}"
        url = page_url(folder, name, url_prefix)
        try:
            kind = file_kind(os.lstat(path).st_mode)
            if kind == "link" and _leads_to_a_page(path, inside):
                kind = "file"
        except OSError as error:
            ledger.quarantine(path, 0, url, cannot_open(error))
            continue
        if kind != "file":
            ledger.skip(kind)
        else:
            yield from read_file(path, url, ledger, limits)


def read_file(path: str, url: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give a whole file as one page; one that is mail as its messages."""
    try:
        with open(path, "rb") as file:
            if is_mail(file.read(HEAD_BYTES), path):
                file.seek(0)
                yield from read_mail(file, MailFile(path, url, url + "/"), ledger, limits)
                return
            file.seek(0)
            size = os.fstat(file.fileno()).st_size
            payload = b"" if size > limits.max_payload else read_up_to(file, limits.max_payload + 1)
    except OSError as error:
        ledger.quarantine(path, 0, url, cannot_open(error))
        return
    # Files of /proc and files that grow have more in them than their size says.
    size = max(size, len(payload))
    if size > limits.max_payload:
        ledger.quarantine(path, 0, url, too_large(size, limits.max_payload))
    else:
        yield Page(url, payload, "", path, 0, plain=is_plain_name(path))


def cannot_open(error: OSError) -> str:
    """Word the reason for a file that the system does not give us."""
    return f"{CANNOT_OPEN}: {error.strerror or error}"


def file_kind(mode: int) -> str:
    """Name what stands in a folder; only a `file` can be a page."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "directory"
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _leads_to_a_page(link: str, inside: str) -> bool:
    """Tell whether a link is followed: to a regular file of the same folder.

    A link to an archive is not: the archive is read under its own name already.
    """
    target = os.path.realpath(link)
    if not target.startswith(inside) or is_archive_name(link) or is_archive_name(target):
        return False
    return Path(target).is_file()
