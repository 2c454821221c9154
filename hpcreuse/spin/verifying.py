"""Candidates become pairs: their immutables compared in full, then their mutables word by word."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import Pairs
from hpcreuse.corpus.measures import Jaccard
from hpcreuse.kernels.mixing import Hashes
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.spin.articles import Articles
from hpcreuse.spin.dictionary import Dictionary, is_in

EXACT, NEAR, SPUN = 0, 1, 2
KINDS = ("exact", "near", "spun")

# Memory two articles take while they are compared
BYTES_PER_PAIR = 64 << 10


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
    """From where on pages are similar."""

    immutable: float
    mutable: float


def verify_pairs(
    articles: Articles, pairs: Pairs, dictionary: Dictionary, thresholds: Thresholds, memory: int, phases: Phases
) -> tuple[Verified, int]:
    """Collective. Give the candidates that are near duplicates or spun, and how many passed by their immutables."""
    world = articles.corpus.world
    batch = max(1, memory // BYTES_PER_PAIR)
    rounds = max(world.comm.allgather(-(-len(pairs.a) // batch)))
    found, similar = [], 0
    for number in range(rounds):
        some = Pairs(*(column[number * batch : (number + 1) * batch] for column in pairs))
        a_pages, a_places = np.unique(some.a, return_inverse=True)
        b_pages, b_places = np.unique(some.b, return_inverse=True)
        with phases.together("exchange", world):
            theirs = articles.fetch(b_pages, memory // 8)
        with phases("compare"):
            mine = articles.own(a_pages)
            score = Jaccard(thresholds.immutable).of_pairs(mine.immutables, a_places, theirs.immutables, b_places)
            good = np.flatnonzero(score >= thresholds.immutable)
            similar += len(good)
            scored = [
                compare_mutables(row(mine.mutables, a_places[i]), row(theirs.mutables, b_places[i]), dictionary)
                for i in good.tolist()
            ]
            mutable, kind = (np.array([s[n] for s in scored]) for n in (0, 1))
            every = Verified(some.a[good], some.b[good], score[good], mutable, kind.astype(np.int64))
            found.append(Verified(*(column[mutable >= thresholds.mutable] for column in every)))
        world.stop_if_asked()
    return Verified.concatenate(found), similar


def compare_mutables(a: Hashes, b: Hashes, dictionary: Dictionary) -> tuple[float, int]:
    """Give the share of the mutables of two pages that match, and what kind of copy that makes them.

    Pages whose mutables are all the same differ only in what surrounds the text: near duplicates. Where a synonym
    stands for a word, somebody exchanged it.
    """
    if not len(a) and not len(b):
        return 1.0, NEAR
    equal_a, equal_b = is_in(a, b), is_in(b, a)
    matched_a = equal_a | is_in(a, dictionary.synonyms(b))
    matched_b = equal_b | is_in(b, dictionary.synonyms(a))
    score = float(matched_a.sum() + matched_b.sum()) / (len(a) + len(b))
    return score, NEAR if equal_a.all() and equal_b.all() else SPUN


def row(sets: Ragged, place: int) -> Hashes:
    """Give one set."""
    return sets.values[sets.offsets[place] : sets.offsets[place + 1]]
