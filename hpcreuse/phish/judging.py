"""A page against the labels of originals: one chunk is enough, but never on the originals' own domains (CCR 8.2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.crawl.urls import directory
from hpcreuse.errors import StoreError, UsageError
from hpcreuse.kernels import digests as dg
from hpcreuse.page.digest import PageDigests, digest_page
from hpcreuse.page.domain import registered_domain
from hpcreuse.page.options import DigestOptions
from hpcreuse.store.importing import take_labels
from hpcreuse.store.label_table import LabelTable

PHISH, CLEAN, OWN = "phish", "clean", "own"


class Judged(NamedTuple):
    """A page and its verdict; the order is that of the table."""

    url: bytes
    archive: bytes
    offset: int
    chunks: int
    """How many chunks are long enough to count,"""
    matched: int
    """and how many of them are labels."""
    verdict: str
    source: bytes
    """The original that most of them come from."""
    how: str = ""
    """Of phish, what it took to find it: see classes.py."""


@dataclass(frozen=True)
class OriginalLabels:
    """The labels of originals, and the domains that may show their content."""

    table: LabelTable
    own: frozenset[str]
    min_length: int

    @classmethod
    def open(cls, path: Path, allow: Iterable[str], min_length: int) -> "OriginalLabels":
        """Map labels into memory; the registered domains of their sources and those allowed are their own."""
        table = LabelTable.map(path)
        sources = (source.decode("utf-8", "replace") for source in table.pages)
        own = frozenset(domain for domain in map(domain_of, [*sources, *allow]) if domain)
        return cls(table, own, min_length)

    @property
    def options(self) -> DigestOptions:
        """How pages become digests."""
        return self.table.options

    def is_own(self, url: str) -> bool:
        """Tell whether a page stands on one of the originals' own domains."""
        return domain_of(url) in self.own

    def match(self, payload: bytes, mime: str, content_type: str) -> tuple[int, NDArray[np.int64]]:
        """Give how many chunks of a page are long enough to count, and the labels that they are."""
        return self.match_digests(digest_page(payload, mime, True, False, self.options, content_type))

    def match_digests(self, found: PageDigests) -> tuple[int, NDArray[np.int64]]:
        """Do the same for a page that is hashed already."""
        long = found.lengths >= self.min_length
        label = self.table.find(np.ascontiguousarray(dg.from_bytes(found.chunks, self.options.width)[long]))
        return int(long.sum()), label[label >= 0]

    def verdict(self, url: str, labels: NDArray[np.int64]) -> tuple[str, bytes]:
        """Decide about a page with these labels; name the original too."""
        source = next(iter(self.table.sources(labels)), b"")
        if self.is_own(url):
            return OWN, source
        return (PHISH, source) if len(labels) else (CLEAN, b"")


def domain_of(url: str) -> str:
    """Give the registered domain of a URL or a bare host."""
    full = url if "://" in url else f"http://{url}"
    return registered_domain(directory(full).partition("/")[0])


def allowed_domain(text: str) -> str:
    """Read a domain that the user allows."""
    if not domain_of(text):
        raise UsageError(f"--allow: '{text}' is not a domain such as bank.example")
    return domain_of(text)


def take_dom_labels(name: str, out: Path, asked: DigestOptions) -> None:
    """Copy labels, or read a digest list, to `out`; refuse what cannot be held against the DOM of pages."""
    take_labels(name, out, asked)
    table = LabelTable.map(out)
    if table.options.mode != "dom":
        raise StoreError(
            f"the labels {name} were made with --mode {table.options.mode}, phishing goes by the DOM: make them with "
            "`hpcreuse label ORIGINALS --mode dom --min-length 26 --out LABELS`"
        )
    if table.objects != "chunk":
        raise StoreError(f"the labels {name} are of whole files, phishing goes by chunks: make labels of chunks")
