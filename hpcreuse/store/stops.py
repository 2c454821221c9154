"""Stop chunks and stop files: content so common that it says nothing (METHODS.md step 3; CCR 4.4)."""

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
from hpcreuse.store import digest_lists as lists
from hpcreuse.store import published
from hpcreuse.store.labels import Labels
from hpcreuse.store.tables import HDF5_MAGIC


@dataclass(frozen=True)
class StopRule:
    """What to leave out: digests on a list, and objects shorter than a length."""

    digests: dg.Digests
    min_length: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether it stops nothing."""
        return not self.min_length and not len(self.digests)

    def stops(self, digests: dg.Digests, lengths: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Tell which of these objects are stopped."""
        return (lengths < self.min_length) | self.listed(digests)

    def listed(self, digests: dg.Digests) -> NDArray[np.bool_]:
        """Tell which of these digests are on the list."""
        return dg.find(self.digests, digests) >= 0 if len(self.digests) else np.zeros(len(digests), bool)


def load_stops(names: Sequence[str], objects: str, options: DigestOptions, min_length: int) -> StopRule:
    """Read stop lists: files of digests, labels, files of content, or the names of published lists."""
    parts = [dg.empty(options.width)] + [_load(name, objects, options) for name in names]
    digests = np.concatenate(parts)
    order, starts = dg.group(digests)
    return StopRule(digests[order[starts]], min_length)


def _load(name: str, objects: str, options: DigestOptions) -> dg.Digests:
    path = published.resolve(name)
    try:
        head = lists.read_head(path)
    except OSError as error:
        known = ", ".join(published.PUBLISHED)
        raise StoreError(
            f"the stop list {name} cannot be read ({error.strerror}); lists known by name: {known}"
        ) from error
    if head.startswith(HDF5_MAGIC):
        return _from_labels(path, objects, options)
    if lists.is_list(head):
        return dg.from_bytes(b"".join(entry.digest for entry in lists.read_list(path, options)), options.width)
    if not head.strip():
        raise StoreError(f"the stop list {name} is empty")
    return _from_content(path.read_bytes(), path.name, objects, options)


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
