"""Arithmetic on arrays of 64-bit hashes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

# Odd, and without pattern: what stands at which place in a phrase tells in its hash
_WEIGHTS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


def mix(h: Hashes) -> Hashes:
    """Mix all bits of each hash with each other (the finaliser of SplitMix64)."""
    h = (h ^ h >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ h >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return h ^ h >> np.uint64(31)


def phrase_hashes(words: Hashes, length: int) -> Hashes:
    """Hash every run of so many words, up to four; a single word is its own hash."""
    if length == 1:
        return words
    runs = max(0, len(words) - length + 1)
    return phrase_hashes_of([words[place : place + runs] for place in range(length)])


def phrase_hashes_of(columns: Sequence[Hashes]) -> Hashes:
    """Hash phrases of two words or more: their first words, their second words, and so on."""
    total = np.full(len(columns[0]), len(columns), np.uint64)
    for words, weight in zip(columns, _WEIGHTS, strict=False):
        total += words * np.uint64(weight)
    return mix(total)


def numbered(hashes: Hashes, numbers: NDArray[np.integer]) -> Hashes:
    """Hash each hash with a number; number 0 leaves it as it is."""
    with_number = mix(hashes + numbers.astype(np.uint64) * np.uint64(_WEIGHTS[0]))
    return np.where(numbers == 0, hashes, with_number)
