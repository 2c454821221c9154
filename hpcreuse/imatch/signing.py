"""Signatures: of each document one hash per lexicon, of the terms that the two have in common."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.imatch.lexicon import PRIMARY, SECONDARY, Band, kept_by
from hpcreuse.imatch.terms import BlockTerms, spool_path
from hpcreuse.kernels import signatures
from hpcreuse.parallel.phases import Phases
from hpcreuse.store.columns import Rows
from hpcreuse.store.findings import read_part, write_part

SPOOLED = {"page": int, "lexicon": int, "left": int, "right": int}


@dataclass(frozen=True)
class Signing:
    """How documents are signed."""

    band: Band
    lexicons: int
    """Resamples beside the first lexicon, which is number 0."""
    removed: float
    """The share of terms that a resample leaves out."""
    seed: int
    least: int
    """A signature of fewer terms is topped up, or rejected."""
    top_up: bool
    """Whether rarer terms fill up signatures that are too small."""


@dataclass(frozen=True)
class Signed:
    """Signatures of pages; rejected ones are not there."""

    page: NDArray[np.int64]
    lexicon: NDArray[np.int64]
    left: NDArray[np.uint64]
    right: NDArray[np.uint64]
    """Both halves of the signature."""


def sign_pages(terms: BlockTerms, documents: NDArray[np.int64], signing: Signing, first_page: int) -> Signed:
    """Sign the pages of a block.

    Args:
        documents: of each term of the block the documents of the collection that hold it.
        first_page: the number of the block's first page.
    """
    roles = signing.band.roles(documents)
    primary = roles == PRIMARY
    marks = np.zeros(len(terms.hashes), np.uint64)
    for lexicon in range(signing.lexicons + 1):
        kept = primary & kept_by(terms.hashes, lexicon, signing.removed, signing.seed)
        marks |= kept.astype(np.uint64) << np.uint64(lexicon)
    each = marks[terms.pages.values]
    sizes = subset_sizes(each, terms.pages.offsets, signing.lexicons + 1)
    if signing.top_up:
        each = top_up(each, sizes, terms, documents, roles, signing.least)
    found = signatures(terms.pages.offsets, terms.hashes[terms.pages.values], each, signing.lexicons + 1)
    page, subset = np.nonzero(sizes >= signing.least)
    return Signed(page + first_page, subset, found[page, subset, 0], found[page, subset, 1])


def subset_sizes(marks: NDArray[np.uint64], offsets: NDArray[np.int64], subsets: int) -> NDArray[np.int64]:
    """Count the marked terms of each page and subset."""
    sizes = np.empty((len(offsets) - 1, subsets), np.int64)
    for subset in range(subsets):
        running = np.concatenate([[0], np.cumsum(marks >> np.uint64(subset) & np.uint64(1), dtype=np.int64)])
        sizes[:, subset] = running[offsets[1:]] - running[offsets[:-1]]
    return sizes


def top_up(
    marks: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    terms: BlockTerms,
    documents: NDArray[np.int64],
    roles: NDArray[np.int8],
    least: int,
) -> NDArray[np.uint64]:
    """Fill signatures that are too small with terms of the secondary lexicon, the most frequent first; count them."""
    marks = marks.copy()
    for page in np.flatnonzero((sizes < least).any(axis=1)).tolist():
        first, last = terms.pages.offsets[page], terms.pages.offsets[page + 1]
        places = terms.pages.values[first:last]
        spare = np.flatnonzero(roles[places] == SECONDARY)
        # Terms in as many documents stand in the order of their hashes
        spare = spare[np.lexsort((terms.hashes[places[spare]], -documents[places[spare]]))]
        for subset in np.flatnonzero(sizes[page] < least).tolist():
            added = spare[: least - sizes[page, subset]]
            marks[first + added] |= np.uint64(1 << subset)
            sizes[page, subset] += len(added)
    return marks


def spool_signatures(
    block: Block, terms: BlockTerms, documents: NDArray[np.int64], signing: Signing, scratch: Path, phases: Phases
) -> Signed:
    """Sign the pages of a block and keep the signatures on disk."""
    with phases("sign"):
        signed = sign_pages(terms, documents, signing, block.page)
    with phases("write"):
        columns = {name: getattr(signed, name) for name in SPOOLED}
        write_part(spool_path(scratch, block, "signatures"), Rows(columns))
    return signed


def read_signatures(scratch: Path, block: Block) -> Signed:
    """Read back what was spooled of a block."""
    rows = read_part(spool_path(scratch, block, "signatures"), SPOOLED)
    return Signed(**{name: rows.array(name) for name in SPOOLED})
