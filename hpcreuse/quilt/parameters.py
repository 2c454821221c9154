"""What makes a page a quilt: the parameters of the paper and its variants (QUILT sections 2 and 3)."""

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import UsageError

LARGEST_M = (1 << 32) - 2


@dataclass(frozen=True)
class Parameters:
    """A page is (k, m, c, theta)-quilted; the defaults are the paper's pivot."""

    k: int = 5
    """Words of a gram."""
    m: int = 50
    """Patch grams are in at most so many documents, and in more than one."""
    c: int = 4
    """Sources that a quilt has at least."""
    theta: float = 0.5
    """Share of its grams that must be patch grams."""
    foreign: str = "none"
    """Sources only from another registered `domain` or `ip` address."""
    min_share: float = 0.0
    """Share of the patch grams that a source must add to those covered before it."""
    exact_duplicates: str = "keep"
    """Whether pages with the same words as one before them take part."""

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"-k: a gram has at least 1 word, not {self.k}")
        if not 2 <= self.m <= LARGEST_M:
            raise UsageError(f"-m: a patch gram is in at least 2 documents, so -m must be 2 or more, not {self.m}")
        if self.c < 1:
            raise UsageError(f"-c: a quilt has at least 1 source, not {self.c}")
        for flag, share in (("--theta", self.theta), ("--min-share", self.min_share)):
            if not 0 <= share <= 1:
                raise UsageError(f"{flag}: a share lies between 0 and 1, not {share:g}")

    def is_patchy(self, grams: NDArray[np.int64], patch_grams: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which pages have enough patch grams; a page with none has no sources, so it is no quilt."""
        return patch_grams >= np.maximum(1, at_least(self.theta, grams))

    def record(self) -> dict[str, Any]:
        """Give them for the record."""
        return asdict(self)


def at_least(share: float, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the smallest number that is a share of each count, exactly: 0.1 is a tenth, not the float beside it."""
    exact = Fraction(str(share))
    distinct, inverse = np.unique(counts, return_inverse=True)
    return np.array([math.ceil(exact * count) for count in distinct.tolist()], np.int64)[inverse]
