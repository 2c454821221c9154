"""Pages of mail: a message is one, of its subject and body; an mbox has many, each after a line `From `.

A file that holds one message is a page of its own name. Messages of an mbox are named by their message id, or by their
number where they have none.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from typing import NamedTuple

from hpcreuse.crawl.containers import Readable, component, is_plain_name, read_piece, too_large
from hpcreuse.crawl.mime import Unreadable, read_message
from hpcreuse.crawl.pages import Ledger, Limits, Page

HEAD_BYTES = 1 << 14
"""How much of a file is looked at to tell whether it is mail."""
_LONGEST_ID = 250
_SLACK = 1 << 20

MBOX_NAME = re.compile(r"\.mbox(?:\.(?:gz|bz2|zst|lz4|xz))?\Z", re.IGNORECASE)
_FIELD = rb"[!-9;-~]+[ \t]*:"
# The line before a message: sender and time; the header follows at once
_FROM = rb"From [^\r\n]{0,1000}\d:\d\d[^\r\n]{0,1000}\r?\n(?=>?From |" + _FIELD + rb")"
_FIRST = re.compile(_FROM)
_NEXT = re.compile(rb"\n\r?\n(?=" + _FROM + rb")")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_LOOK_BACK = 4096
"""No `From ` line with what must stand around it is longer."""

_NAME = re.compile(rb"([!-9;-~]+)[ \t]*:")
_SENT = frozenset(b"received return-path message-id delivered-to from x-mailer mime-version".split())
_WRITTEN = frozenset(b"date subject to sender reply-to newsgroups cc".split())
_LEAST_NAMES = 3


class Message(NamedTuple):
    """A message as it stands in its file."""

    offset: int
    content: bytes
    length: int
    """Longer than the content when that was too long to keep."""


def is_mail(head: bytes, name: str = "") -> bool:
    """Tell whether a file begins as a message does: with a header that says who sent what, and nothing else."""
    head = head[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    if begins_mbox(head):
        return True
    names: set[bytes] = set()
    lines = head.split(b"\n")
    # The last line may be cut
    for line in lines[: len(lines) - (len(head) == HEAD_BYTES)]:
        if not line.strip():
            break
        if line[:1] in (b" ", b"\t") and names:
            continue
        found = _NAME.match(line)
        if found is None:
            return False
        names.add(found[1].lower())
    if name[-4:].lower() == ".eml":
        return bool(names & (_SENT | _WRITTEN))
    return bool(names & _SENT) and len(names & (_SENT | _WRITTEN)) >= _LEAST_NAMES


def begins_mbox(head: bytes | bytearray) -> bool:
    """Tell whether a file begins with a line `From ` and a header."""
    return head.startswith(b"From ") and _FIRST.match(head) is not None


class MailFile(NamedTuple):
    """Where messages stand, and what their pages are called."""

    archive: str
    alone: str
    """URL of a message that is the only one of the file; empty when that one too is named by its id."""
    inside: str
    """What stands before the name of one message among several."""
    offset: int | None = None
    """Of all messages; else each has its own, in the decompressed file."""


def read_mail(source: Readable, file: MailFile, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the messages of a file as pages."""
    messages = enumerate(_messages(source, _longest(limits), file.archive, ledger), 1)
    # The first waits until it is known whether it is the only one
    first, second = next(messages, None), next(messages, None)
    if first and not second and file.alone:
        pages = [_page(first[1], "", file, ledger, limits)]
        yield from filter(None, pages)
        return
    for number, message in chain(filter(None, (first, second)), messages):
        if page := _page(message, str(number), file, ledger, limits):
            yield page


def file_pages(
    payload: bytes, path: str, url: str, archive: str, offset: int, ledger: Ledger, limits: Limits
) -> Iterator[Page]:
    """Give a file of a tar or zip as a page; one that is mail as its messages."""
    if is_mail(payload, path):
        yield from read_mail(BytesIO(payload), MailFile(archive, url, url + "/", offset), ledger, limits)
    else:
        yield Page(url, payload, "", archive, offset, plain=is_plain_name(path))


def _longest(limits: Limits) -> int:
    """Give the length of a message that is read: attachments, and encodings, come on top of the text."""
    return 2 * limits.max_payload + _SLACK


def _page(message: Message, number: str, file: MailFile, ledger: Ledger, limits: Limits) -> Page | None:
    """Make a page of a message; without a number it is the only one of its file."""
    offset = message.offset if file.offset is None else file.offset
    url = file.inside + number if number else file.alone
    reason = ""
    if message.length > len(message.content):
        reason = too_large(message.length, _longest(limits))
    else:
        try:
            mail = read_message(_unquoted(message.content))
        except Unreadable as error:
            reason = str(error)
        else:
            if number and 0 < len(mail.message_id) <= _LONGEST_ID:
                url = file.inside + component(mail.message_id)
            if len(mail.payload) <= limits.max_payload:
                return Page(url, mail.payload, mail.content_type, file.archive, offset, plain=mail.plain)
            reason = too_large(len(mail.payload), limits.max_payload)
    ledger.quarantine(file.archive, offset, url, reason)
    return None


def _unquoted(content: bytes) -> bytes:
    """Take the line `From ` off, and what an mbox puts before such lines in a message."""
    first = _FIRST.match(content)
    return _QUOTED.sub(rb"\1", content[first.end() :]) if first else content


def _messages(source: Readable, longest: int, archive: str, ledger: Ledger) -> Iterator[Message]:
    """Cut a file before each line `From ` that begins a message; a file without such lines is one message."""
    held = bytearray()
    searched = offset = dropped = 0
    several: bool | None = None
    while True:
        piece = read_piece(source, archive, offset, ledger)
        if piece is None:
            # What is left of the message in hand is no whole message any more
            return
        held += piece
        if several is None and (len(held) > _LOOK_BACK or not piece):
            several = begins_mbox(held)
        begin = 0
        while several and (found := _NEXT.search(held, searched)):
            length = found.end() - begin + dropped
            yield Message(offset, b"" if dropped else bytes(held[begin : found.end()]), length)
            begin = searched = found.end()
            offset, dropped = offset + length, 0
        if not piece:
            break
        # A line that goes on in the next piece is looked at again with it
        searched = max(searched, len(held) - _LOOK_BACK)
        if len(held) - begin > longest or dropped:
            keep = max(begin, len(held) - 2 * _LOOK_BACK)
            dropped, begin = dropped + keep - begin, keep
        del held[:begin]
        searched = max(0, searched - begin)
    if len(held) > begin or dropped:
        yield Message(offset, b"" if dropped else bytes(held[begin:]), len(held) - begin + dropped)
