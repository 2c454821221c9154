"""I-Match with one lexicon in a few slow lines, from METHODS.md section 3."""

import math
from collections import Counter, defaultdict

Documents = list[tuple[str, list[str]]]


def terms_of(words: list[str]) -> set[str]:
    """Unique terms: at least 4 characters, at most one digit."""
    return {word for word in words if len(word) >= 4 and sum(c.isdecimal() for c in word) <= 1}


def clusters(documents: Documents, low: float, high: float, least: int, top_up: bool) -> list[list[str]]:
    """Give the documents that share a signature, clusters in order of their smallest URL."""
    terms = [(url, terms_of(words)) for url, words in documents]
    terms = [(url, found) for url, found in terms if len(found) >= 5]
    frequency = Counter(term for _, found in terms for term in found)
    count = len(terms)
    nidf = {term: math.log(count / df) / math.log(count) for term, df in frequency.items()}
    groups = defaultdict(list)
    for url, found in terms:
        signature = {term for term in found if low <= nidf[term] <= high}
        rarer = sorted((term for term in found if nidf[term] > high), key=lambda term: nidf[term])
        if len(signature) < least and top_up:
            missing = least - len(signature)
            # The definition says nothing of terms with the same idf: such documents are not compared
            if len(rarer) > missing and nidf[rarer[missing - 1]] == nidf[rarer[missing]]:
                continue
            signature |= set(rarer[:missing])
        if len(signature) >= least:
            groups[frozenset(signature)].append(url)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)
