"""Pairs of documents whose signatures agree, each with the first lexicon under which they do."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.pairs import Pairs
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.clustering import begins_group, in_order, met_signatures
from hpcreuse.imatch.signing import Signed
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases

NEVER = np.iinfo(np.int64).max


class Agreeing(NamedTuple):
    """Pairs of pages, the smaller first, with the smallest lexicon under which their signatures agree."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    lexicon: NDArray[np.int64]

    def first_only(self) -> "Agreeing":
        """Sort pairs and keep each once."""
        order = np.lexsort((self.lexicon, self.b, self.a))
        a, b, lexicon = (column[order] for column in self)
        new = np.ones(len(a), bool)
        new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
        return Agreeing(a[new], b[new], lexicon[new])


def agreeing_pairs(corpus: TextCorpus, signed: Signed, memory: int, phases: Phases) -> Agreeing:
    """Collective. Give all pairs that agree under any lexicon whose smaller page is this rank's, sorted."""
    world = corpus.world
    found = [Agreeing(*(np.empty(0, np.int64) for _ in range(3)))]
    for received in met_signatures(world, signed, memory, phases):
        with phases("pair"):
            pairs = pairs_in_groups(received).first_only()
            cuts = np.searchsorted(corpus.owner_of(pairs.a), np.arange(world.size + 1))
        with phases.together("exchange", world):
            columns, _ = exchange(world, list(pairs), cuts, memory // 4)
        found.append(Agreeing(*columns))
    return Agreeing(*(np.concatenate(columns) for columns in zip(*found, strict=True))).first_only()


def pairs_in_groups(signed: Signed) -> Agreeing:
    """Pair every page with all that stand behind it with the same signature."""
    signed = in_order(signed)
    starts = np.flatnonzero(begins_group(signed))
    sizes = np.diff(starts, append=len(signed.page))
    behind = np.repeat(starts + sizes, sizes) - np.arange(len(signed.page)) - 1
    a = np.repeat(np.arange(len(signed.page)), behind)
    runs = Ragged.from_lengths(np.empty(0), behind)
    b = a + 1 + np.arange(len(a)) - np.repeat(runs.offsets[:-1], behind)
    return Agreeing(signed.page[a], signed.page[b], signed.lexicon[a])


def first_agreement(truth: Pairs, agreeing: Agreeing) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give for each true pair the first lexicon that finds it, NEVER if none does; and those that find other pairs."""
    both = Agreeing(
        np.concatenate([truth.a, agreeing.a]),
        np.concatenate([truth.b, agreeing.b]),
        np.concatenate([np.full(len(truth.a), -1, np.int64), agreeing.lexicon]),
    )
    order = np.lexsort((both.lexicon, both.b, both.a))
    a, b, lexicon = (column[order] for column in both)
    # A true pair stands right before itself as an agreeing one
    same = np.zeros(len(a), bool)
    same[1:] = (a[1:] == a[:-1]) & (b[1:] == b[:-1])
    true = np.flatnonzero(lexicon == -1)
    found = np.append(same[1:], False)[true]
    first = np.full(len(true), NEVER)
    first[found] = lexicon[true[found] + 1]
    return first, lexicon[(lexicon >= 0) & ~same]
