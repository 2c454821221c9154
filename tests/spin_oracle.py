"""DSpin in a few slow lines, all pairs, from METHODS.md section 4."""

from collections import Counter
from itertools import combinations
from typing import NamedTuple


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
    cut = {id(article): units(article.words, synonyms) for article in first.values()}
    for one, two in combinations(first.values(), 2):
        (left, left_mutable), (right, right_mutable) = cut[id(one)], cut[id(two)]
        if min(len(left), len(right)) < threshold * max(len(left), len(right)):
            continue
        similarity = len(left & right) / max(1, len(left | right))
        if similarity < threshold:
            continue
        matched = sum(bool(({word} | synonyms[word]) & right_mutable) for word in left_mutable)
        matched += sum(bool(({word} | synonyms[word]) & left_mutable) for word in right_mutable)
        count = len(left_mutable) + len(right_mutable)
        score = matched / count if count else 1.0
        if score >= mutable:
            a, b = sorted([one.url, two.url])
            same = left_mutable == right_mutable if near == "equal" else score == 1
            kind = "near" if same else "spun"
            found.add((a, b, repr(similarity), repr(score), kind))
    return found
