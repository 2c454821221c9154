"""Pages of JSON lines: an object a line with `text` or `html`, and `url` or `id`."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from hpcreuse.crawl.containers import Readable, clean_url, page_url, read_piece, too_large
from hpcreuse.crawl.pages import Ledger, Limits, Page

_SLACK = 1 << 20
_ARRAY = "a JSON array is not supported: write JSON lines, one object a line"


class _Line(NamedTuple):
    number: int
    """From 1."""
    offset: int
    content: bytes
    length: int
    """Longer than the content when the line was too long to keep."""


def read_jsonl(source: Readable, archive: str, url_prefix: str, ledger: Ledger, limits: Limits) -> Iterator[Page]:
    """Give the pages of JSON lines; offsets are those of lines in the decompressed file."""
    # A character outside ASCII may be escaped: six bytes of JSON for two or three of UTF-8. The rest of the
    # object (metadata) is the slack.
    longest = 3 * limits.max_payload + _SLACK
    for line in _lines(source, longest, archive, ledger):
        content = line.content.removeprefix(b"\xef\xbb\xbf") if line.offset == 0 else line.content
        if not content or content.isspace():
            continue
        if line.length > len(line.content):
            ledger.quarantine(archive, line.offset, "", f"line of {line.length} bytes is over the limit of {longest}")
            continue
        if line.number == 1 and content.lstrip().startswith(b"["):
            ledger.quarantine(archive, line.offset, "", _ARRAY)
            return
        page = _page(content, line, archive, url_prefix)
        if isinstance(page, str):
            ledger.quarantine(archive, line.offset, "", page)
        elif len(page.payload) > limits.max_payload:
            reason = too_large(len(page.payload), limits.max_payload)
            ledger.quarantine(archive, line.offset, page.url, reason)
        else:
            yield page


def _page(content: bytes, line: _Line, archive: str, url_prefix: str) -> Page | str:
    """Make a page of a line, or say why it is none."""
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        return f"invalid JSON in line {line.number}: {error}"
    if not isinstance(record, dict):
        return f"line {line.number} is not a JSON object"

    # A record that has both keeps its markup; an empty or null field does not count when the other is there.
    fields = [field for field in ("html", "text") if isinstance(record.get(field), str)]
    if not fields:
        wrong = [field for field in ("html", "text") if record.get(field) is not None]
        if wrong:
            return f"line {line.number}: `{wrong[0]}` must be a string, not {type(record[wrong[0]]).__name__}"
        return f"line {line.number} has neither `text` nor `html`"
    field = next((field for field in fields if record[field]), fields[0])
    payload = record[field].encode("utf-8", "surrogatepass")
    url = _url(record, line.number, archive, url_prefix)
    content_type = f"text/{'html' if field == 'html' else 'plain'}; charset=utf-8"
    return Page(url, payload, content_type, archive, line.offset, plain=field == "text")


def _url(record: dict[str, Any], number: int, archive: str, url_prefix: str) -> str:
    """Give the URL of a record; what is no http URL becomes a path under the name of the file."""
    metadata = record.get("metadata")
    inner = metadata.get("url") if isinstance(metadata, dict) else None
    for candidate in (record.get("url"), inner, record.get("id")):
        if isinstance(candidate, int | float) and not isinstance(candidate, bool):
            candidate = str(candidate)
        if isinstance(candidate, str) and candidate.strip():
            if candidate.strip()[:8].lower().startswith(("http://", "https://")):
                return clean_url(candidate)
            return page_url(archive, candidate, url_prefix)
    return page_url(archive, str(number), url_prefix)


def _lines(source: Readable, longest: int, archive: str, ledger: Ledger) -> Iterator[_Line]:
    """Cut a stream at its newlines; of a line that is too long only the length is kept."""
    number, offset = 1, 0
    held: list[bytes] = []
    length = 0
    while piece := read_piece(source, archive, offset, ledger):
        *whole, rest = piece.split(b"\n")
        for part in whole:
            length += len(part)
            yield _Line(number, offset, b"".join([*held, part]) if length <= longest else b"?", length)
            number, offset, length = number + 1, offset + length + 1, 0
            held.clear()
        length += len(rest)
        if length <= longest:
            held.append(rest)
        else:
            held.clear()
    # What is left where a file breaks off is no whole line
    if length and piece is not None:
        yield _Line(number, offset, b"".join(held) if length <= longest else b"?", length)
