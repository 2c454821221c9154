"""A page as mutables and immutables: what a spinning tool may have exchanged, and what it must have left."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import unit_starts
from hpcreuse.kernels.mixing import Hashes, numbered, phrase_hashes
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.spin.dictionary import Dictionary


class Units(NamedTuple):
    """Of each page its immutables, a set of numbered hashes, and its different mutables; both sorted."""

    immutables: Ragged
    mutables: Ragged


def cut_units(words: Ragged, dictionary: Dictionary) -> Units:
    """Cut the words of pages into units: at each place the longest entry of the dictionary, else the word."""
    lengths = dictionary.matches(words.values, room_on_page(words))
    starts = np.flatnonzero(unit_starts(words.offsets, lengths))
    page = np.searchsorted(words.offsets, starts, side="right") - 1
    mutable = lengths[starts] > 0
    hashes = words.values[starts].copy()
    for length in range(2, len(dictionary.phrases) + 1):
        phrases = phrase_hashes(words.values, length)
        here = np.flatnonzero(lengths[starts] == length)
        hashes[here] = phrases[starts[here]]
    pages = len(words)
    immutables = sorted_sets(page[~mutable], number_repeats(page[~mutable], hashes[~mutable]), pages)
    return Units(immutables, sorted_sets(page[mutable], hashes[mutable], pages))


def room_on_page(words: Ragged) -> NDArray[np.int64]:
    """Tell how many words there are from each to the end of its page."""
    return np.repeat(words.offsets[1:], words.lengths) - np.arange(len(words.values))


def number_repeats(page: NDArray[np.int64], hashes: Hashes) -> Hashes:
    """Make repeats within a page different: the second, third ... occurrence get numbers of their own."""
    order = np.lexsort((hashes, page))
    new = np.ones(len(order), bool)
    new[1:] = (page[order][1:] != page[order][:-1]) | (hashes[order][1:] != hashes[order][:-1])
    run_start = np.flatnonzero(new)[np.cumsum(new) - 1] if len(order) else np.empty(0, np.int64)
    repeat = np.empty(len(order), np.int64)
    repeat[order] = np.arange(len(order)) - run_start
    return numbered(hashes, repeat)


def sorted_sets(page: NDArray[np.int64], hashes: Hashes, pages: int) -> Ragged:
    """Put together what belongs to each page, sorted and without repeats."""
    order = np.lexsort((hashes, page))
    page, hashes = page[order], hashes[order]
    new = np.ones(len(order), bool)
    new[1:] = (page[1:] != page[:-1]) | (hashes[1:] != hashes[:-1])
    return Ragged.from_lengths(hashes[new], np.bincount(page[new], minlength=pages))
