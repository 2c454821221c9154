"""Which terms make a signature: those in a band of idf, and the rarer ones that top it up.

A lexicon is a text file that a person can read, and another corpus can use:

    # hpcreuse lexicon: documents 4000, band 0.2 0.8
    term    documents    nidf    role (primary or secondary)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError, reason
from hpcreuse.kernels import WordTable
from hpcreuse.kernels.mixing import mix
from hpcreuse.store.atomic import atomic_path

HEAD = "# hpcreuse lexicon: documents {documents}, band {low} {high}"
NEITHER, PRIMARY, SECONDARY = 0, 1, 2
ROLES = ("neither", "primary", "secondary")


@dataclass(frozen=True)
class Band:
    """The idf, as a share of the largest there can be, of the terms of the primary lexicon."""

    low: float
    high: float
    documents: int
    """Of the collection it is taken from."""

    def nidf(self, documents: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the normalised idf of terms in so many documents."""
        if self.documents < 2:
            return np.zeros(len(documents))
        return np.log(self.documents / np.maximum(documents, 1)) / np.log(self.documents)

    def roles(self, documents: NDArray[np.int64]) -> NDArray[np.int8]:
        """Tell the role of terms in so many documents; those in none are in no lexicon."""
        nidf = self.nidf(documents)
        roles = np.where(nidf < self.low, NEITHER, np.where(nidf <= self.high, PRIMARY, SECONDARY))
        return np.where(documents > 0, roles, NEITHER).astype(np.int8)


def fingerprint(hashes: NDArray[np.uint64], documents: NDArray[np.int64], band: Band) -> int:
    """Give a number for the terms that are in a lexicon; those of disjoint terms add up, modulo 2^64."""
    chosen = band.roles(documents) != NEITHER
    return int(mix(hashes[chosen] ^ mix(documents[chosen].astype(np.uint64))).sum(dtype=np.uint64))


def lexicon_id(band: Band, fingerprint: int) -> str:
    """Name a lexicon: signatures can be compared when they were made with the same one."""
    return f"{band.documents}-{band.low:g}-{band.high:g}-{fingerprint & 0xFFFFFFFFFFFFFFFF:016x}"


def kept_by(hashes: NDArray[np.uint64], lexicon: int, removed: float, seed: int) -> NDArray[np.bool_]:
    """Tell which terms the resample `lexicon` of the primary lexicon keeps; number 0 is the whole.

    Each term is drawn by its own hash: the same for any corpus, any number of ranks, and any other term.
    """
    if lexicon == 0:
        return np.ones(len(hashes), bool)
    salt = mix(mix(np.array([seed], np.uint64)) + np.uint64(lexicon))
    return mix(hashes ^ salt) >= np.uint64(removed * 2**63) * np.uint64(2)


@dataclass(frozen=True)
class SavedLexicon:
    """A lexicon read from a file."""

    band: Band
    hashes: NDArray[np.uint64]
    documents: NDArray[np.int64]

    @classmethod
    def load(cls, path: Path) -> "SavedLexicon":
        """Read what `save` wrote."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path} cannot be read as a lexicon: {reason(error)}") from error
        band = _read_head(path, lines[0] if lines else "")
        counts: list[int] = []
        table = WordTable()
        for number, line in enumerate(lines[1:], 2):
            term, _, rest = line.partition("\t")
            if len(table.add(term.encode())) != 1 or len(table) != len(counts) + 1:
                raise StoreError(f"{path}, line {number}: '{term}' is not a term, or stands there twice")
            try:
                counts.append(int(rest.partition("\t")[0]))
            except ValueError:
                raise StoreError(f"{path}, line {number}: no number of documents after '{term}'") from None
        hashes, _, _ = table.vocabulary()
        order = np.argsort(hashes)
        return cls(band, hashes[order], np.array(counts, np.int64)[order])

    @property
    def fingerprint(self) -> int:
        """The number of its terms, as of one that is made from a corpus."""
        return fingerprint(self.hashes, self.documents, self.band)

    def documents_of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give in how many documents of its collection terms occur; 0 for those it does not know."""
        if not len(self.hashes):
            return np.zeros(len(hashes), np.int64)
        place = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[place] == hashes, self.documents[place], 0)


def _read_head(path: Path, line: str) -> Band:
    words = line.replace(",", "").split()
    try:
        if words[:4] != ["#", "hpcreuse", "lexicon:", "documents"]:
            raise ValueError
        return Band(float(words[6]), float(words[7]), int(words[4]))
    except (ValueError, IndexError):
        raise StoreError(f"{path} is not a lexicon: make one with `hpcreuse imatch RUN --save-lexicon FILE`") from None


def save(path: Path, band: Band, rows: Iterable[tuple[str, int, float, str]]) -> None:
    """Write a lexicon: terms with their numbers of documents, nidf and roles."""
    with atomic_path(path) as scratch, scratch.open("w", encoding="utf-8") as out:
        out.write(HEAD.format(documents=band.documents, low=band.low, high=band.high) + "\n")
        for term, documents, nidf, role in rows:
            out.write(f"{term}\t{documents}\t{nidf:.6f}\t{role}\n")
