"""Digest lists as labels: read once, then they are labels like all others."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.errors import StoreError
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import digest_lists as lists
from hpcreuse.store import published
from hpcreuse.store.counts import Histogram
from hpcreuse.store.labels import Labels, create_labels
from hpcreuse.store.shard import Counted
from hpcreuse.store.sourced import UNKNOWN, Sourced
from hpcreuse.store.tables import HDF5_MAGIC


@dataclass(frozen=True)
class Imported:
    """What a list of digests gives: labels in order, and the pages they come from in order."""

    options: DigestOptions
    labels: Sourced
    pages: Ragged

    def write(self, path: Path, objects: str, name: str) -> None:
        """Write them as labels of the list of this name."""
        header: dict[str, Any] = {
            "digest_options": self.options.record(),
            "objects": objects,
            "method": "imported",
            "inputs": [name],
        }
        histogram = Histogram.of(self.labels.counts)
        size = (len(self.labels), self.options.width, histogram, len(self.pages), len(self.pages.values))
        with create_labels(path, header, *size) as writer:
            stored = Counted(self.labels.digests, self.labels.counts, self.labels.known_lengths)
            writer.append(stored, self.labels.source_numbers)
            writer.append_sources(self.pages)


def take_labels(name: str, out: Path, options: DigestOptions) -> None:
    """Copy labels to `out`; a list of digests, made with these options if it does not say, becomes labels there."""
    path = published.resolve(name)
    if path.is_file() and lists.read_head(path).startswith(HDF5_MAGIC):
        with Labels.open(path):
            shutil.copyfile(path, out)
    elif path.is_file():
        import_list(path, options).write(out, "chunk", name)
    elif path.exists():
        raise StoreError(f"{name} is a folder: labels are a file made by `hpcreuse discover` or `hpcreuse label`")
    else:
        known = ", ".join(published.PUBLISHED)
        raise StoreError(f"the labels {name} do not exist; lists known by name: {known}")


def import_list(path: Path, options: DigestOptions) -> Imported:
    """Read a list of digests, or a plugin's JSON, which has digest options of its own.

    Raises StoreError when it is neither.
    """
    try:
        head = lists.read_head(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    if lists.is_plugin(head):
        return _collect(lists.read_plugin(path), lists.PLUGIN_OPTIONS)
    if lists.is_list(head):
        return _collect(lists.read_list(path, options), options)
    raise StoreError(
        f"{path} is neither labels of hpcreuse nor a list of digests: make labels of content with "
        f"`hpcreuse label {path} --out LABELS`"
    )


def _collect(entries: Iterable[lists.Entry], options: DigestOptions) -> Imported:
    digests, counts, lengths, sources = bytearray(), [], [], []
    for entry in entries:
        digests += entry.digest
        counts.append(entry.count)
        lengths.append(entry.length)
        sources.append(entry.source.encode("utf-8", "surrogateescape"))
    pages = sorted(set(sources) - {b""})
    number_of = {page: number for number, page in enumerate(pages)}
    counted = Counted(dg.from_bytes(digests, options.width), np.array(counts, np.int64), np.array(lengths, np.int64))
    numbers = np.array([number_of.get(source, UNKNOWN) for source in sources], np.int64)
    return Imported(options, Sourced.combine([Sourced.of(counted, numbers)]), Ragged.from_strings(pages))
