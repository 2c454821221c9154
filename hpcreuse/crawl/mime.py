"""The text of a mail message: its subject and what a reader sees of its body, transfer encodings and charsets removed.

Python's `email` is not used: it takes time and stack by the depth of nested parts, and a message may come from anybody.
"""

import binascii
import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from hpcreuse import charsets
from hpcreuse.charsets import guessed_codec, known_codec
from hpcreuse.crawl.types import decide_type

MOST_DEEP = 30
MOST_PARTS = 10_000
_LONGEST_VALUE = 4096

_END_OF_HEADER = re.compile(rb"\r?\n\r?\n|\A\r?\n")
_FIELD = re.compile(rb"^([!-9;-~]+)[ \t]*:((?:[^\n]*)(?:\n[ \t][^\n]*)*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]+|[\r\n]+")
_PARAMETER = re.compile(r';\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))')
_ENCODED_WORD = re.compile(r"=\?([^?*\s]{1,80})(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))


class Unreadable(Exception):
    """A message is made to keep a reader busy; the reason in words."""


class Header(NamedTuple):
    """What a header says, as far as it matters for the text."""

    fields: dict[str, str]
    """First value of each field by its lower-case name, unfolded."""

    def value(self, name: str) -> str:
        """Give the value of a field without parameters, in lower case."""
        return self.fields.get(name, "").partition(";")[0].strip().lower()

    def parameter(self, field: str, name: str) -> str:
        """Give a parameter of a field."""
        for found in _PARAMETER.finditer(self.fields.get(field, "")):
            if found[1].lower() == name:
                return found[3] if found[2] is None else re.sub(r"\\(.)", r"\1", found[2])
        return ""


class Text(NamedTuple):
    """Some text of a message."""

    content: str
    markup: bool


class Mail(NamedTuple):
    """The text of a message as one document."""

    message_id: str
    payload: bytes
    """In UTF-8."""
    content_type: str

    @property
    def plain(self) -> bool:
        """Whether there is no markup in it."""
        return self.content_type.startswith("text/plain")


def read_message(content: bytes) -> Mail:
    """Give the text of a message: HTML when a part of what is seen is, with the subject as its first paragraph.

    Raises Unreadable for a message with more nesting or parts than anybody would send.
    """
    header, body = split_header(content)
    texts = list(_Reader().texts(header, body, 0))
    subject = decode_words(header.fields.get("subject", ""))
    if any(text.markup for text in texts):
        parts = [f"<p>{html.escape(subject, quote=False)}</p>"] if subject else []
        parts += [t.content if t.markup else f"<pre>{html.escape(t.content, quote=False)}</pre>" for t in texts]
        kind = "text/html"
    else:
        parts = [part for part in (subject, *(text.content for text in texts)) if part]
        kind = "text/plain"
    payload = "\n".join(parts).encode("utf-8", "replace")
    return Mail(header.fields.get("message-id", "").strip(" <>\t"), payload, f"{kind}; charset=utf-8")


def split_header(content: bytes) -> tuple[Header, bytes]:
    """Divide a message or a part into its header and its body."""
    end = _END_OF_HEADER.search(content)
    head, body = (content[: end.start()], content[end.end() :]) if end else (content, b"")
    fields: dict[str, str] = {}
    for found in _FIELD.finditer(head):
        value = found[2][:_LONGEST_VALUE]
        text = value.decode(guessed_codec(value), "replace")
        fields.setdefault(found[1].decode().lower(), _FOLD.sub(" ", text).strip())
    return Header(fields), body


class _Reader:
    """Goes through the parts of a message."""

    def __init__(self) -> None:
        self._parts = 0

    def texts(self, header: Header, body: bytes, depth: int) -> Iterator[Text]:
        """Give what is seen of a part, and of the parts in it."""
        self._parts += 1
        if depth > MOST_DEEP:
            raise Unreadable(f"parts of the message are nested more than {MOST_DEEP} deep")
        if self._parts > MOST_PARTS:
            raise Unreadable(f"the message has more than {MOST_PARTS} parts")
        kind = header.value("content-type") or "text/plain"
        if depth and header.value("content-disposition") == "attachment":
            return
        boundary = header.parameter("content-type", "boundary")
        if kind.startswith("multipart/") and boundary and (parts := split_parts(body, boundary)):
            inner = (list(self.texts(*split_header(part), depth + 1)) for part in parts)
            seen = [texts for texts in inner if texts]
            # The last alternative is the richest (RFC 2046, 5.1.4)
            for texts in seen[-1:] if kind == "multipart/alternative" else seen:
                yield from texts
        elif kind == "message/rfc822":
            inner_header, inner_body = split_header(decode_transfer(header, body))
            yield Text(decode_words(inner_header.fields.get("subject", "")), False)
            yield from self.texts(inner_header, inner_body, depth + 1)
        elif kind.startswith("multipart/") or kind in ("text/plain", "text/html") or "/" not in kind:
            # A multipart whose boundary is missing is shown as it stands, like a type that is none
            content = decode_transfer(header, body)
            if content.strip():
                yield Text(decode(content, header.parameter("content-type", "charset")), is_markup(kind, content))


def is_markup(kind: str, content: bytes) -> bool:
    """Tell whether text is HTML: declared so, or plainly so whatever is declared."""
    return kind == "text/html" or decide_type("text/plain", content) == "text/html"


def split_parts(body: bytes, boundary: str) -> list[bytes]:
    """Cut a multipart body at its boundary; one that is not closed goes to the end."""
    line = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    parts: list[bytes] = []
    start = -1
    for found in line.finditer(body):
        if start >= 0:
            parts.append(body[start : found.start()])
        if found[1]:
            return parts
        start = body.find(b"\n", found.end()) + 1 or len(body)
        if len(parts) > MOST_PARTS:
            raise Unreadable(f"the message has more than {MOST_PARTS} parts")
    return [*parts, body[start:]] if start >= 0 else parts


def decode_transfer(header: Header, body: bytes) -> bytes:
    """Remove the transfer encoding, as far as it is sound."""
    encoding = header.value("content-transfer-encoding")
    if encoding == "base64":
        return decode_base64(body)
    return binascii.a2b_qp(body) if encoding == "quoted-printable" else body


def decode_base64(content: bytes) -> bytes:
    """Decode base64 whatever stands between its characters, and wherever it breaks off."""
    digits = content.translate(None, _NOT_BASE64)
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def decode(content: bytes, charset: str) -> str:
    """Decode text by the name of its charset; by its bytes when the name says nothing."""
    return charsets.decode(content, known_codec(charset.encode("ascii", "replace")) or guessed_codec(content))


def decode_words(value: str) -> str:
    """Decode the encoded words of a header (RFC 2047); blanks between two of them do not count."""
    parts: list[str] = []
    waiting, charset, end = b"", "", 0
    for found in _ENCODED_WORD.finditer(value):
        between = value[end : found.start()]
        # A character may be cut in two by the end of a word
        if waiting and (between.strip() or found[1].lower() != charset):
            parts.append(decode(waiting, charset))
            waiting = b""
        if between.strip():
            parts.append(between)
        charset, end = found[1].lower(), found.end()
        word = found[3].encode("utf-8", "replace")
        waiting += decode_base64(word) if found[2] in "bB" else binascii.a2b_qp(word, header=True)
    parts.append(decode(waiting, charset) if waiting else "")
    return "".join([*parts, value[end:]])
