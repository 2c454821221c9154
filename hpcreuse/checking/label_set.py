"""Labels as a crawler uses them: mapped into memory, asked page by page, from any number of threads."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.errors import StoreError
from hpcreuse.kernels import digests as dg
from hpcreuse.page.digest import digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import digest_lists as lists
from hpcreuse.store import filters, published
from hpcreuse.store.checks import find_format
from hpcreuse.store.label_table import LabelTable
from hpcreuse.store.labels import Labels
from hpcreuse.store.stops import StopRule, load_stops
from hpcreuse.store.tables import HDF5_MAGIC

CLEAN, COPIED, POSSIBLE = "clean", "copied", "possible"


@dataclass(frozen=True)
class Checked:
    """What the labels say about a page."""

    url: str
    chunks: int
    """How many chunks count, stop chunks left out; with labels of files, 1."""
    matched: int
    """How many of them are labels, or, by a filter alone, may be."""
    contains: float
    """Matched over chunks; 0 of a page without chunks."""
    verdict: str
    """`clean`, `copied`, or `possible` when only a filter was asked."""
    sources: list[str]
    """The pages that labels were taken from, those with most chunks first."""

    def record(self) -> dict[str, Any]:
        """Give it as a JSON object has it."""
        return asdict(self)


class Table(Protocol):
    """Something that knows labels."""

    options: DigestOptions
    objects: str
    exact: bool
    """Whether what it takes for a label is one."""

    def __len__(self) -> int: ...

    def find(self, digests: dg.Digests) -> NDArray[np.int64]:
        """Give for each digest the number of its label, -1 for none, 0 where it cannot tell which."""

    def sources(self, labels: NDArray[np.int64]) -> list[bytes]:
        """Give the pages that labels come from, as far as known, those of most labels first."""


class FilterTable:
    """A filter, alone or in front of all labels."""

    def __init__(self, path: Path, behind: LabelTable | None):
        self.filter, self.behind = filters.Filter(path), behind
        self.options = DigestOptions.from_record(self.filter.header["digest_options"])
        self.objects: str = self.filter.header["objects"]
        self.exact = behind is not None

    def __len__(self) -> int:
        return len(self.filter)

    def find(self, digests: dg.Digests) -> NDArray[np.int64]:
        """Ask the filter, and the labels about what it lets through."""
        found = np.where(self.filter.may_hold(digests), 0, -1)
        if self.behind is not None:
            places = np.flatnonzero(found == 0)
            found[places] = self.behind.find(np.ascontiguousarray(digests[places]))
        return found

    def sources(self, labels: NDArray[np.int64]) -> list[bytes]:
        """Give the pages that labels come from; a filter alone does not know."""
        return self.behind.sources(labels) if self.behind else []


class LabelSet:
    """Labels to check pages against. Nothing in it changes, so that any number of threads may use it at once.

    Example:
        >>> labels = LabelSet.open("labels.h5")
        >>> labels.check(b"<p>a page</p>", "http://a.example/").verdict
        'clean'
    """

    def __init__(self, table: Table, stops: StopRule, threshold: float):
        self._table, self._stops, self._threshold = table, stops, threshold
        self.options = table.options
        """How pages become digests here."""
        self.objects = table.objects
        """Whether labels are of chunks or of whole files."""

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        exact: str | os.PathLike[str] | None = None,
        stop: Sequence[str] = (),
        min_length: int = 0,
        threshold: float = 0.0,
        options: Mapping[str, Any] | None = None,
    ) -> "LabelSet":
        """Open labels, a filter made by `label --compact`, a list of digests, or a published list by its name.

        Args:
            exact: the labels that a filter was made of, to be asked about what it lets through.
            stop: stop chunks, as for `detect --stop`: left out of all counts.
            min_length: chunks that are shorter, in bytes, are stop chunks.
            threshold: a page is `copied` when the share of its chunks that are labels is above this.
            options: digest options by name, such as `mode`: they hold for a list that does not say its own, and
                labels must have been made with them.
        """
        file, asked = published.resolve(os.fspath(path)), options or {}
        table = _open_table(file, None if exact is None else Path(exact), replace(DigestOptions(), **asked))
        if difference := table.options.differences(replace(table.options, **asked)):
            raise StoreError(f"the labels {path} were made with other digest options than asked for ({difference})")
        return cls(table, load_stops(stop, table.objects, table.options, min_length), threshold)

    def __len__(self) -> int:
        return len(self._table)

    def check(self, page: bytes, url: str = "", content_type: str = "") -> Checked:
        """Hold one page against the labels.

        Args:
            page: the body, transfer and content encodings removed.
            content_type: as the server declared it; else the content decides.
        """
        return self.check_typed(page, url, content_type, plain=False)

    def check_typed(self, page: bytes, url: str, content_type: str, plain: bool) -> Checked:
        """Hold a page against the labels of which it may be known that it never had markup."""
        mime = decide_type(content_type, page, url)
        plain = plain or mime == "text/plain"
        found = digest_page(page, mime, is_textual(mime), plain, self.options, content_type)
        if self.objects == "file":
            digests = dg.from_bytes(found.file, self.options.width)
            lengths: NDArray[np.integer] = np.array([len(page)])
        else:
            digests, lengths = dg.from_bytes(found.chunks, self.options.width), found.lengths
        label = self._table.find(digests)
        kept = len(digests)
        if self._stops.min_length or len(self._stops.digests):
            stopped = self._stops.stops(digests, lengths)
            label[stopped] = -1
            kept -= int(stopped.sum())
        matched = label[label >= 0]
        contains = len(matched) / kept if kept else 0.0
        verdict = CLEAN if contains <= self._threshold else COPIED if self._table.exact else POSSIBLE
        return Checked(
            url,
            kept,
            len(matched),
            contains,
            verdict,
            [url.decode("utf-8", "replace") for url in self._table.sources(matched)],
        )


def _open_table(path: Path, exact: Path | None, options: DigestOptions) -> Table:
    try:
        head = lists.read_head(path)
    except OSError as error:
        known = ", ".join(published.PUBLISHED)
        raise StoreError(f"the labels {path} cannot be read ({error.strerror}); known by name: {known}") from error
    if not head.startswith(HDF5_MAGIC):
        return LabelTable.read(path, options)
    if find_format(path) != filters.FORMAT:
        return LabelTable.map(path)
    behind = None if exact is None else LabelTable.map(exact)
    table = FilterTable(path, behind)
    if exact is not None:
        _must_belong(table.filter, path, exact)
    return table


def _must_belong(filter_: filters.Filter, path: Path, labels_path: Path) -> None:
    """Refuse labels that a filter was not made of: what they hold beside it would be missed."""
    with Labels.open(labels_path) as labels:
        same = int(labels.file["digest"].attrs["crc32"]) == filter_.header["labels_crc32"]
        if not same or len(labels) != len(filter_):
            raise StoreError(
                f"the filter {path} was not made of {labels_path}: make it anew with "
                f"`hpcreuse label {labels_path} --compact --out {path}`"
            )
