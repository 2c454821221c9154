"""Lists of digests as others write them: text with a digest at the head of each line, or a browser plugin's JSON.

Text may be a TSV of digest and count as the content-reuse authors publish it, or what `hpcreuse export` writes of
labels, as CSV or JSON lines. The JSON is that of the authors' plugin (CCR 8.2): SHA-256 of chunks of the DOM.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.page.options import DIGEST_WIDTHS, DigestOptions
from hpcreuse.store.labels import UNKNOWN_LENGTH

# What the plugin hashes; it says so itself only in its source
PLUGIN_OPTIONS = DigestOptions(mode="dom", digest="sha256")

HEAD_BYTES = 4096
_HEX = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
# A digest at the start of a line, or as the first field of an exported JSON line
_DIGEST_LINE = re.compile(rb'\s*(?:\{"digest": ")?(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})(?:[\s,;"]|$)')
_PLUGIN = re.compile(rb'\s*[\[{][^\x00]*"hashes"\s*:\s*\[')


@dataclass(frozen=True)
class Entry:
    """A digest of a list, with what the list says about it."""

    digest: bytes
    count: int
    length: int
    source: str


def is_list(head: bytes) -> bool:
    """Tell by its first bytes whether a file is a list of digests with one at the head of each line."""
    return _DIGEST_LINE.match(next(_lines(head.splitlines()), b"")) is not None


def is_plugin(head: bytes) -> bool:
    """Tell by its first bytes whether a file is a plugin's JSON."""
    return _PLUGIN.match(head) is not None


def read_head(path: Path) -> bytes:
    """Read enough of a file to tell what it is."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def read_list(path: Path, options: DigestOptions) -> Iterator[Entry]:
    """Read a list of digests made with these options."""
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file), 1):
            yield _entry(line.decode("utf-8", "surrogateescape").strip(), options, f"{path}, entry {number}")


def read_plugin(path: Path) -> Iterator[Entry]:
    """Read a plugin's JSON: one site's digests, or a list of sites; the source of a digest is its site."""
    try:
        found = json.loads(path.read_bytes())
        for site in found if isinstance(found, list) else [found]:
            for text in site["hashes"]:
                digest = _digest(text, PLUGIN_OPTIONS, f"{path}, {site['domain']}")
                yield Entry(digest, 1, UNKNOWN_LENGTH, f"http://{site['domain']}/")
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} is not the JSON of a plugin, with `domain` and `hashes` ({error!r})") from error


def _lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Give the entries of a list; comments and the header of an exported CSV are none."""
    first = True
    for line in lines:
        if line.strip() and not line.startswith(b"#"):
            if not (first and line.split(b",")[0] == b"digest"):
                yield line
            first = False


def _entry(line: str, options: DigestOptions, place: str) -> Entry:
    """Read digest, count, length and source, as many as there are."""
    if line.startswith("{"):
        try:
            record: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise StoreError(f"{place}: '{line[:60]}' is not JSON ({error})") from error
        values: list[Any] = [record.get(name) for name in ("digest", "count", "length", "source")]
    else:
        values = list(*csv.reader([line])) if "," in line else re.split(r"[\s;]+", line)
    digest = _digest(values[0], options, place)
    count, length, source = [*values[1:4], None, None, None][:3]
    return Entry(digest, _number(count, 1), _number(length, UNKNOWN_LENGTH), str(source or ""))


def _digest(text: Any, options: DigestOptions, place: str) -> bytes:
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise StoreError(f"{place}: '{str(text)[:60]}' is not a digest in hex digits")
    if len(text) != 2 * options.width:
        other = next(name for name, width in DIGEST_WIDTHS.items() if 2 * width == len(text))
        raise StoreError(f"{place}: '{text}' is a {other} digest, here --digest {options.digest} ones are needed")
    return bytes.fromhex(text)


def _number(value: Any, default: int) -> int:
    """Read a number; what is none is a remark."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return default
