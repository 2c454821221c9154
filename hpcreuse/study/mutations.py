"""Three ways to change a page, more and more (CCR 6.3): pure functions of a page and a source of chance.

Each is made for one page and gives the page's text after n mutations, for rising n: what n did, n + 1 keeps.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged

# An added chunk: long enough that no two are alike
ADDED_BYTES = 64

# Printable ASCII
LOWEST, HIGHEST = 0x20, 0x7E


class Mutation(Protocol):
    """A page under mutation."""

    def __init__(self, chunks: Ragged, most: int, rng: np.random.Generator): ...

    def text(self, mutations: int) -> bytes:
        """Give the page after so many mutations; not fewer than the last time."""


class Adding:
    """Puts new paragraphs behind chunks chosen at random."""

    def __init__(self, chunks: Ragged, most: int, rng: np.random.Generator):
        added = rng.integers(ord("a"), ord("z") + 1, (most, ADDED_BYTES), np.uint8)
        added[:, :3] = np.frombuffer(b"<p>", np.uint8)
        lengths = np.concatenate([chunks.lengths, np.full(most, ADDED_BYTES)])
        self.pieces = Ragged.from_lengths(np.concatenate([chunks.values, added.ravel()]), lengths)
        # Each has the number of the chunk it stands behind: a stable sort puts it there
        self.place = np.concatenate([np.arange(len(chunks)), rng.integers(0, len(chunks), most)])
        self.chunks = len(chunks)

    def text(self, mutations: int) -> bytes:
        """Give the page with so many paragraphs added."""
        order = np.argsort(self.place[: self.chunks + mutations], kind="stable")
        return self.pieces.take(order).values.tobytes()


class Deleting:
    """Removes chunks in an order of chance, until nothing is left."""

    def __init__(self, chunks: Ragged, most: int, rng: np.random.Generator):
        self.chunks = chunks
        self.turn = rng.permutation(len(chunks))

    def text(self, mutations: int) -> bytes:
        """Give the page without so many of its chunks."""
        return self.chunks.take(np.flatnonzero(self.turn >= mutations)).values.tobytes()


class Changing:
    """Changes one character of one chunk, both chosen at random; the same chunk may be hit again."""

    def __init__(self, chunks: Ragged, most: int, rng: np.random.Generator):
        hit = rng.integers(0, len(chunks), most)
        self.place = chunks.offsets[:-1][hit] + (rng.random(most) * chunks.lengths[hit]).astype(np.int64)
        self.step = rng.integers(1, HIGHEST - LOWEST + 1, most)
        self.now: NDArray[np.uint8] = chunks.values.copy()
        self.done = 0

    def text(self, mutations: int) -> bytes:
        """Give the page after so many changes."""
        while self.done < mutations:
            place = self.place[self.done]
            # A step round the circle of printable characters never ends where it began
            self.now[place] = LOWEST + (int(self.now[place]) - LOWEST + self.step[self.done]) % (HIGHEST - LOWEST + 1)
            self.done += 1
        return self.now.tobytes()


MUTATIONS: dict[str, type[Mutation]] = {"add": Adding, "delete": Deleting, "change": Changing}
