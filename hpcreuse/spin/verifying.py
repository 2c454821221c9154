"""Candidates become pairs: their immutables compared in full, then their mutables word by word."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import in_step
from hpcreuse.corpus.measures import Jaccard
from hpcreuse.corpus.pairs import Pairs, PairSpool
from hpcreuse.kernels.mixing import Hashes
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.spin.articles import Articles
from hpcreuse.spin.dictionary import Dictionary, is_in

EXACT, NEAR, SPUN = 0, 1, 2
KINDS = ("exact", "near", "spun")

# Copies of an article in memory while it is compared with another, and the bytes of a pair beside them
COPIES = 8
BYTES_PER_PAIR = 1000


class Verified(NamedTuple):
    """Pairs that are similar enough."""

    a: NDArray
    b: NDArray
    similarity: NDArray
    mutable: NDArray
    kind: NDArray

    @classmethod
    def concatenate(cls, parts: list["Verified"]) -> "Verified":
        """Join several into one, in order."""
        none = cls(*(np.empty(0, kind) for kind in (np.int64, np.int64, np.float64, np.float64, np.int64)))
        return cls(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))


class Thresholds(NamedTuple):
    """From where on pages are similar, and what makes them near duplicates."""

    immutable: float
    mutable: float
    near: str = "score"
    """`score`: all mutables match, be it by synonyms (METHODS.md); `equal`: all mutables are the same."""


class Checked(NamedTuple):
    """What became of a batch of candidates."""

    candidates: int
    """How many there were,"""
    similar: Pairs
    """those that are similar by their immutables,"""
    verified: Verified
    """and those of them that are near duplicates or spun."""


def verify_pairs(
    articles: Articles,
    candidates: PairSpool,
    dictionary: Dictionary,
    thresholds: Thresholds,
    memory: int,
    phases: Phases,
) -> Iterator[Checked]:
    """Collective. Compare all candidates, batch by batch; ranks without more give empty batches."""
    world = articles.corpus.world
    most = memory // (BYTES_PER_PAIR + COPIES * articles.mean_bytes)
    for some in in_step(world, candidates.batches(max(1, most)), phases):
        a_pages, a_places = np.unique(some.a, return_inverse=True)
        b_pages, b_places = np.unique(some.b, return_inverse=True)
        with phases.together("exchange", world):
            theirs = articles.fetch(b_pages, memory // 8)
        with phases("compare"):
            mine = articles.own(a_pages)
            score = Jaccard(thresholds.immutable).of_pairs(mine.immutables, a_places, theirs.immutables, b_places)
            good = np.flatnonzero(score >= thresholds.immutable)
            mutable, equal = compare_mutables(
                mine.mutables, a_places[good], theirs.mutables, b_places[good], dictionary
            )
            similar = Pairs(some.a[good], some.b[good])
            near = equal if thresholds.near == "equal" else mutable == 1
            every = Verified(*similar, score[good], mutable, np.where(near, NEAR, SPUN))
            verified = Verified(*(column[mutable >= thresholds.mutable] for column in every))
        yield Checked(len(some.a), similar, verified)
        world.stop_if_asked()


def compare_mutables(
    a: Ragged, a_places: NDArray[np.int64], b: Ragged, b_places: NDArray[np.int64], dictionary: Dictionary
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Give for pairs of pages the share of their mutables that match, and whether all are the same."""
    a_synonyms = {place: dictionary.synonyms(row(a, place)) for place in set(a_places.tolist())}
    b_synonyms = {place: dictionary.synonyms(row(b, place)) for place in set(b_places.tolist())}
    score, equal = np.ones(len(a_places)), np.ones(len(a_places), bool)
    for pair, (i, j) in enumerate(zip(a_places.tolist(), b_places.tolist(), strict=True)):
        one, two = row(a, i), row(b, j)
        if len(one) + len(two):
            equal_one, equal_two = is_in(one, two), is_in(two, one)
            matched = np.sum(equal_one | is_in(one, b_synonyms[j])) + np.sum(equal_two | is_in(two, a_synonyms[i]))
            score[pair] = matched / (len(one) + len(two))
            equal[pair] = equal_one.all() and equal_two.all()
    return score, equal


def row(sets: Ragged, place: int) -> Hashes:
    """Give one set."""
    return sets.values[sets.offsets[place] : sets.offsets[place + 1]]
