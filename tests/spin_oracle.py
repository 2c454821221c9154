"""DSpin in a few slow lines, all pairs, from METHODS.md section 4."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Article(NamedTuple):
    """A page that passed the filters."""

    url: str
    digest: str
    words: list[str]


Synonyms = dict[str, set[str]]


def read_synonyms(text: str) -> Synonyms:
    """Read `entry TAB synonym|synonym`; synonyms are entries too."""
    synonyms: Synonyms = {}
    for line in text.splitlines():
        entry, _, others = line.partition("\t")
        for other in others.split("|"):
            if other != entry:
                synonyms.setdefault(entry, set()).add(other)
                synonyms.setdefault(other, set()).add(entry)
    return synonyms


def units(words: list[str], synonyms: Synonyms) -> tuple[set[tuple[str, int]], set[str]]:
    """Cut words into numbered immutables and mutables, the longest entry of up to four words first."""
    immutables: Counter[str] = Counter()
    mutables, at = set(), 0
    while at < len(words):
        for length in (4, 3, 2, 1):
            phrase = " ".join(words[at : at + length])
            if phrase in synonyms and at + length <= len(words):
                mutables.add(phrase)
                at += length
                break
        else:
            immutables[words[at]] += 1
            at += 1
    return {(word, number) for word, count in immutables.items() for number in range(count)}, mutables


def pairs(
    articles: list[Article], synonyms: Synonyms, threshold: float, mutable: float, near: str = "score"
) -> set[tuple[str, ...]]:
    """Give all pairs as (a, b, similarity, mutable, kind); exact duplicates with the first of their kind."""
    found, first = set(), {}
    for article in articles:
        if article.digest in first:
            a, b = sorted([first[article.digest].url, article.url])
            found.add((a, b, "1.0", "1.0", "exact"))
        else:
            first[article.digest] = article
    originals = list(first.values())
    cut = [units(article.words, synonyms) for article in originals]
    sets = [immutables for immutables, _ in cut]
    for i, counts in enumerate(shared_with_all(sets)):
        union = np.maximum(1, len(sets[i]) + np.array([len(other) for other in sets]) - counts)
        for j in np.flatnonzero(counts / union >= threshold).tolist():
            if j <= i:
                continue
            similarity = len(sets[i] & sets[j]) / max(1, len(sets[i] | sets[j]))
            score, same = compare_mutables(cut[i][1], cut[j][1], synonyms)
            if score >= mutable:
                a, b = sorted([originals[i].url, originals[j].url])
                kind = "near" if (same if near == "equal" else score == 1) else "spun"
                found.add((a, b, repr(similarity), repr(score), kind))
    return found


def shared_with_all(sets: list[set[tuple[str, int]]]) -> Iterator[np.ndarray]:
    """Count for each set how many elements it shares with every other: all pairs, by adding up whole posting lists."""
    postings: dict[tuple[str, int], list[int]] = {}
    for number, elements in enumerate(sets):
        for element in elements:
            postings.setdefault(element, []).append(number)
    arrays = {element: np.array(numbers) for element, numbers in postings.items()}
    for elements in sets:
        everyone = [np.empty(0, np.int64), *(arrays[element] for element in elements)]
        yield np.bincount(np.concatenate(everyone), minlength=len(sets))


def compare_mutables(left: set[str], right: set[str], synonyms: Synonyms) -> tuple[float, bool]:
    """Give the share of mutables that match, and whether all are the same."""
    matched = sum(bool(({word} | synonyms[word]) & right) for word in left)
    matched += sum(bool(({word} | synonyms[word]) & left) for word in right)
    count = len(left) + len(right)
    return matched / count if count else 1.0, left == right
