"""How far judges agree, and how far a sample speaks for all."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt

# Of the normal distribution, for 95 %
Z = 1.959963984540054


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Give the agreement of two judges beyond chance (Cohen 1960); None where chance alone would have them agree."""
    if len(first) != len(second):
        raise ValueError("two judges must have judged the same items")
    total = len(first)
    if not total:
        return None
    observed = sum(a == b for a, b in zip(first, second, strict=True))
    ones, others = Counter(first), Counter(second)
    # In whole numbers: agreement by chance is exactly 1 or is not
    by_chance = sum(ones[label] * others[label] for label in ones)
    if by_chance == total * total:
        return None
    return (observed * total - by_chance) / (total * total - by_chance)


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Give the 95 % interval of a share (Wilson 1927), which holds for small samples and for shares of 0 and 1 too."""
    if not whole:
        return 0.0, 1.0
    share, z2 = part / whole, Z * Z
    middle = share + z2 / (2 * whole)
    reach = Z * sqrt(share * (1 - share) / whole + z2 / (4 * whole * whole))
    scale = 1 + z2 / whole
    low = 0.0 if part == 0 else (middle - reach) / scale
    return low, 1.0 if part == whole else (middle + reach) / scale
