"""Spinning the way the tools do: words and phrases are exchanged for synonyms of a dictionary."""

import random
from collections.abc import Iterable
from typing import NamedTuple

from hpcreuse.corpus.spelling import spell
from hpcreuse.spin.dictionary import LONGEST_PHRASE

Phrase = tuple[str, ...]
Synonyms = dict[Phrase, list[Phrase]]


class Way(NamedTuple):
    """How a tool is set."""

    all_synonyms: bool
    """Any of the synonyms of a word, else always the first."""
    longest: int
    """How many words a phrase that is exchanged may have."""


WAYS = {"one": Way(False, 1), "all": Way(True, 1), "phrases": Way(True, LONGEST_PHRASE)}


def synonyms_of(groups: Iterable[list[str]]) -> Synonyms:
    """Give the synonyms of each entry of a dictionary, which hold both ways, in the order of the dictionary."""
    groups = list(groups)
    entries = sorted({entry for group in groups for entry in group})
    words = {entry: tuple(spelled) for entry, spelled in zip(entries, spell(entries), strict=True)}
    found: dict[Phrase, dict[Phrase, None]] = {}
    for entry, *others in groups:
        for other in others:
            one, two = words[entry], words[other]
            if one != two and 0 < len(one) <= LONGEST_PHRASE and 0 < len(two) <= LONGEST_PHRASE:
                found.setdefault(one, {})[two] = None
                found.setdefault(two, {})[one] = None
    return {entry: list(others) for entry, others in found.items()}


def spin_words(words: list[str], synonyms: Synonyms, way: Way, share: float, draw: random.Random) -> list[str]:
    """Exchange a share of the words and phrases that have synonyms, the longest phrase at each place first."""
    spun: list[str] = []
    at = 0
    while at < len(words):
        for length in range(min(way.longest, len(words) - at), 0, -1):
            phrase = tuple(words[at : at + length])
            if phrase in synonyms:
                break
        else:
            length, phrase = 1, (words[at],)
        if phrase in synonyms and draw.random() < share:
            phrase = draw.choice(synonyms[phrase]) if way.all_synonyms else synonyms[phrase][0]
        spun += phrase
        at += length
    return spun
