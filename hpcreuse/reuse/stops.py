"""Stop chunks and stop files: content so common that it says nothing (METHODS.md step 3; CCR 4.4)."""

import importlib.resources
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.errors import StoreError
from hpcreuse.kernels import digests as dg
from hpcreuse.page.digest import digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.store.labels import Labels
from hpcreuse.store.tables import HDF5_MAGIC

# Lists shipped with hpcreuse, by name
PUBLISHED = {"isi-geocities-benign": "isi-geocities-benign.tsv"}

# A digest at the start of a line, or as the first field of an exported JSON line
_DIGEST_LINE = re.compile(rb'\s*(?:\{"digest": ")?([0-9a-fA-F]{40}|[0-9a-fA-F]{64})(?:[\s,;"]|$)')


@dataclass(frozen=True)
class StopRule:
    """What to leave out: digests on a list, and objects shorter than a length."""

    digests: dg.Digests
    min_length: int = 0

    def stops(self, digests: dg.Digests, lengths: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Tell which of these objects are stopped."""
        return (lengths < self.min_length) | self.listed(digests)

    def listed(self, digests: dg.Digests) -> NDArray[np.bool_]:
        """Tell which of these digests are on the list."""
        return dg.find(self.digests, digests) >= 0


def load_stops(names: Sequence[str], objects: str, options: DigestOptions, min_length: int) -> StopRule:
    """Read stop lists: files of digests, labels, files of content, or the names of published lists."""
    parts = [dg.empty(options.width)] + [_load(name, objects, options) for name in names]
    digests = np.concatenate(parts)
    order, starts = dg.group(digests)
    return StopRule(digests[order[starts]], min_length)


def _load(name: str, objects: str, options: DigestOptions) -> dg.Digests:
    path = Path(name)
    if name in PUBLISHED and not path.exists():
        content = (importlib.resources.files("hpcreuse.configs") / PUBLISHED[name]).read_bytes()
        return _digest_list(name, content, options)
    try:
        content = path.read_bytes()
    except OSError as error:
        known = ", ".join(PUBLISHED)
        raise StoreError(
            f"the stop list {name} cannot be read ({error.strerror}); lists known by name: {known}"
        ) from error
    if content.startswith(HDF5_MAGIC):
        return _from_labels(path, objects, options)
    if any(_DIGEST_LINE.match(line) for line in _lines(content)[:1]):
        return _digest_list(name, content, options)
    if not content.strip():
        raise StoreError(f"the stop list {name} is empty")
    return _from_content(content, path.name, objects, options)


def _lines(content: bytes) -> list[bytes]:
    """Give the entries of a list; the header of an exported CSV is none."""
    lines = [line for line in content.splitlines() if line.strip() and not line.startswith(b"#")]
    return lines[1:] if lines and lines[0].split(b",")[0] == b"digest" else lines


def _digest_list(name: str, content: bytes, options: DigestOptions) -> dg.Digests:
    """Read a list with a digest at the start of each line; what follows it is not looked at."""
    digests = bytearray()
    for number, line in enumerate(_lines(content), 1):
        match = _DIGEST_LINE.match(line)
        if not match or len(match[1]) != 2 * options.width:
            text = line[:60].decode("utf-8", "replace")
            raise StoreError(
                f"stop list {name}, entry {number}: '{text}' does not begin with a {options.digest} digest "
                f"({2 * options.width} hex digits)"
            )
        digests += bytes.fromhex(match[1].decode())
    return dg.from_bytes(digests, options.width)


def _from_labels(path: Path, objects: str, options: DigestOptions) -> dg.Digests:
    with Labels.open(path) as labels:
        if difference := labels.options.differences(options):
            raise StoreError(f"stop list {path} was made with other digest options ({difference})")
        if labels.objects != objects:
            raise StoreError(f"stop list {path} holds {labels.objects} labels, here {objects} ones are needed")
        return labels.digests()


def _from_content(content: bytes, name: str, objects: str, options: DigestOptions) -> dg.Digests:
    """Take the chunks of a file, or the file itself, as content to stop."""
    mime = decide_type("", content, name)
    found = digest_page(content, mime, is_textual(mime), mime == "text/plain", options)
    return dg.from_bytes(found.file if objects == "file" else found.chunks, options.width)
