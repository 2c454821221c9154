"""Do signatures survive changes? Terms of the lexicon are inserted and deleted at random (IMATCH, section 4).

Every trial draws a document, a sequence of changes and lexicons of its own, so trials are independent and the share of
them in which a signature survives can be held against the formula 1 - (1 - p^n)^K.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.imatch.lexicon import PRIMARY
from hpcreuse.imatch.signing import Signing, lexicon_marks
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.weighing import Lexicon
from hpcreuse.kernels import signatures
from hpcreuse.kernels.mixing import Hashes, mix
from hpcreuse.parallel.world import World

CHANGES = 8
BAGS = (2, 5, 10)
"""Numbers of further lexicons: those of figure 1."""
POOL_DOCUMENTS, POOL_TERMS = 200, 5000
TRIALS_TOGETHER = 500


class Pool(NamedTuple):
    """What is drawn from: documents as terms of the primary lexicon, and such terms."""

    documents: list[Hashes]
    terms: Hashes


def draw_pool(texts: Spooled, lexicon: Lexicon, seed: int) -> Pool:
    """Collective. Choose documents and terms by their hashes: the same on any number of ranks."""
    world = texts.corpus.world
    salt = mix(np.array([seed], np.uint64))
    documents: list[tuple[int, Hashes]] = []
    known = [np.empty(0, np.uint64)]
    for block in texts.corpus.mine:
        terms = texts.terms(block)
        primary = lexicon.band.roles(lexicon.documents(texts, block, terms)) == PRIMARY
        known.append(terms.hashes[primary])
        order = mix(np.arange(block.page, block.page + len(block), dtype=np.uint64) ^ salt)
        for place in np.argsort(order)[: 10 * POOL_DOCUMENTS].tolist():
            first, last = terms.pages.offsets[place : place + 2]
            here = terms.pages.values[first:last]
            # Enough to delete from
            if np.count_nonzero(primary[here]) > 2 * CHANGES:
                documents.append((int(order[place]), terms.hashes[here[primary[here]]]))
        documents = sorted(documents, key=lambda each: each[0])[:POOL_DOCUMENTS]
    own = np.unique(np.concatenate(known))
    chosen = own[np.argsort(mix(own ^ salt))[:POOL_TERMS]]
    everyones = sorted((each for some in world.comm.allgather(documents) for each in some), key=lambda each: each[0])
    together = np.unique(np.concatenate(world.comm.allgather(chosen)))
    together = together[np.argsort(mix(together ^ salt))[:POOL_TERMS]]
    return Pool([hashes for _, hashes in everyones[:POOL_DOCUMENTS]], together)


def simulate(world: World, pool: Pool, trials: int, removed: float, seed: int) -> NDArray[np.int64]:
    """Collective. Count the trials in which any of K further signatures survives n changes, by n and K."""
    survived = np.zeros((CHANGES, len(BAGS)), np.int64)
    if pool.documents and len(pool.terms) > 2 * CHANGES:
        batches = -(-trials // TRIALS_TOGETHER)
        for batch in range(world.rank, batches, world.size):
            random = np.random.default_rng([seed, batch])
            for _ in range(min(TRIALS_TOGETHER, trials - batch * TRIALS_TOGETHER)):
                first = first_surviving(pool, removed, random)
                survived += first[:, None] <= np.array(BAGS)
    total: NDArray[np.int64] = world.comm.allreduce(survived)
    return total


def first_surviving(pool: Pool, removed: float, random: np.random.Generator) -> NDArray[np.int64]:
    """Change a document 1 to n times; give the first further lexicon whose signature is the same after so many."""
    document = pool.documents[random.integers(len(pool.documents))]
    deletes = random.random(CHANGES) < 0.5
    others = np.setdiff1d(random.choice(pool.terms, 4 * CHANGES, replace=False), document)
    inserted = random.permutation(others)[: CHANGES - deletes.sum()]
    deleted = random.choice(document, deletes.sum(), replace=False)
    changed = np.empty(CHANGES, np.uint64)
    changed[deletes], changed[~deletes] = deleted, inserted

    # The document as it was, then with one change more each time
    terms = np.union1d(document, inserted)
    present = np.tile(np.isin(terms, document), (CHANGES + 1, 1))
    for number, place in enumerate(np.searchsorted(terms, changed).tolist(), 1):
        present[number:, place] = ~present[number:, place]
    offsets = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    signing = Signing(max(BAGS), removed, int(random.integers(1 << 62)), 0, False)
    marks = lexicon_marks(terms, np.ones(len(terms), bool), signing)
    spare = np.full(len(terms), -1, np.int64)
    found, _ = signatures(offsets, np.nonzero(present)[1].astype(np.uint32), terms, marks, spare, max(BAGS) + 1, 0)
    same = (found[1:, 1:] == found[:1, 1:]).all(axis=2)
    return np.where(same.any(axis=1), same.argmax(axis=1) + 1, max(BAGS) + 1)


def formula(removed: float, changes: int, lexicons: int) -> float:
    """Give the share that survives by the paper's formula (1)."""
    return 1.0 - (1.0 - removed**changes) ** lexicons
