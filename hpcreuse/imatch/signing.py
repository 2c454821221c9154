"""Signatures: of each document one hash per lexicon, of the terms that the two have in common."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.imatch.lexicon import PRIMARY, SECONDARY, Band, kept_by
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.terms import BlockTerms
from hpcreuse.kernels import signatures
from hpcreuse.parallel.phases import Phases
from hpcreuse.store.columns import Rows

SPOOLED = {"page": int, "lexicon": int, "left": int, "right": int}


@dataclass(frozen=True)
class Signing:
    """How documents are signed, whatever the lexicon."""

    lexicons: int
    """Resamples beside the first lexicon, which is number 0."""
    removed: float
    """The share of terms that a resample leaves out."""
    seed: int
    least: int
    """A signature of fewer terms is topped up, or rejected."""
    top_up: bool
    """Whether rarer terms fill up signatures that are too small."""


class Signed(NamedTuple):
    """Signatures of pages; rejected ones are not there."""

    page: NDArray
    lexicon: NDArray
    left: NDArray
    right: NDArray
    """Both halves of the signature."""

    def take(self, order: NDArray[np.integer]) -> "Signed":
        """Give the signatures at these places, in this order."""
        return Signed(*(column[order] for column in self))


def sign_pages(
    terms: BlockTerms, documents: NDArray[np.int64], band: Band, signing: Signing, first_page: int
) -> Signed:
    """Sign the pages of a block.

    Args:
        documents: of each term of the block the documents of the collection that hold it.
        first_page: the number of the block's first page.
    """
    roles = band.roles(documents)
    marks = lexicon_marks(terms.hashes, roles == PRIMARY, signing)
    spare = np.full(len(terms.hashes), -1, np.int64)
    if signing.top_up:
        # Rising idf; terms in as many documents stand in the order of their hashes
        secondary = np.flatnonzero(roles == SECONDARY)
        spare[secondary[np.argsort(-documents[secondary], kind="stable")]] = np.arange(len(secondary))
    pages, subsets = terms.pages, signing.lexicons + 1
    found, sizes = signatures(pages.offsets, pages.values, terms.hashes, marks, spare, subsets, signing.least)
    page, subset = np.nonzero(sizes >= signing.least)
    return Signed(page + first_page, subset, found[page, subset, 0], found[page, subset, 1])


def lexicon_marks(hashes: NDArray[np.uint64], primary: NDArray[np.bool_], signing: Signing) -> NDArray[np.uint64]:
    """Tell of each term in which lexicons it is: bit k for lexicon k."""
    marks = np.zeros(len(hashes), np.uint64)
    for lexicon in range(signing.lexicons + 1):
        kept = primary & kept_by(hashes, lexicon, signing.removed, signing.seed)
        marks |= kept.astype(np.uint64) << np.uint64(lexicon)
    return marks


def spool_signatures(
    texts: Spooled,
    block: Block,
    terms: BlockTerms,
    documents: NDArray[np.int64],
    band: Band,
    signing: Signing,
    phases: Phases,
) -> Signed:
    """Sign the pages of a block and keep the signatures."""
    with phases("sign"):
        signed = sign_pages(terms, documents, band, signing, block.page)
    with phases("write"):
        columns = {name: getattr(signed, name) for name in SPOOLED}
        texts.keep(block, "signatures", Rows(columns))
    return signed


def read_signatures(texts: Spooled) -> Signed:
    """Give the signatures of this rank's blocks, in the order of pages and lexicons."""
    types = [np.int64, np.int64, np.uint64, np.uint64]
    none = Rows({name: np.empty(0, kind) for name, kind in zip(SPOOLED, types, strict=True)})
    parts = [texts.kept(block, "signatures", SPOOLED) for block in texts.corpus.mine]
    rows = Rows.concatenate([none, *parts])
    return Signed(**{name: rows.array(name) for name in SPOOLED})
