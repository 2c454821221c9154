"""Quilts by their definition (METHODS.md section 2), in plain Python sets; shares no line with the package.

A page is a `Page`: its URL, registered domain, address and words. Pages are numbered in the order given.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple


class Page(NamedTuple):
    """What the definition looks at."""

    url: str
    domain: str
    address: str
    words: tuple[str, ...]


@cache
def grams(words: tuple[str, ...], k: int) -> frozenset[tuple[str, ...]]:
    """n words give n-k+1 overlapping k-grams; as a set."""
    return frozenset(words[i : i + k] for i in range(len(words) - k + 1))


def foreign_to(a: Page, b: Page, foreign: str) -> bool:
    """Whether b may be a source of a: its server is known and another. Unknown is not known to be another."""
    if foreign == "none":
        return True
    one, other = (a.domain, b.domain) if foreign == "domain" else (a.address, b.address)
    return bool(one) and bool(other) and one != other


def quilts(
    pages: list[Page],
    k: int = 5,
    m: int = 50,
    c: int = 4,
    theta: float = 0.5,
    foreign: str = "none",
    min_share: float = 0.0,
    exact_duplicates: str = "keep",
) -> list[dict[str, Any]]:
    """Give the table `quilts`."""
    numbers = list(range(len(pages)))
    if exact_duplicates == "drop":
        seen: set[tuple[str, ...]] = set()
        numbers = [n for n in numbers if not pages[n].words or not (pages[n].words in seen or seen.add(pages[n].words))]

    docs: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n in numbers:
        for gram in grams(pages[n].words, k):
            docs[gram].append(n)

    rows = []
    for n in numbers:
        own = grams(pages[n].words, k)
        patch = {gram for gram in own if 1 < len(docs[gram]) <= m}
        if not own or len(patch) < Fraction(str(theta)) * len(own):
            continue
        # The greedy algorithm of the paper: C holds pairs of a document and a gram
        left: dict[int, set[tuple[str, ...]]] = defaultdict(set)
        for gram in patch:
            for d in docs[gram]:
                if d != n and foreign_to(pages[n], pages[d], foreign):
                    left[d].add(gram)
        sources = []
        while left:
            best = max(left, key=lambda d: (len(left[d]), -d))
            covered = left[best]
            if len(covered) < Fraction(str(min_share)) * len(patch):
                break
            sources.append((best, len(covered)))
            left = {d: rest for d in left if (rest := left[d] - covered)}
        if len(sources) >= c:
            rows.append((pages[n].url.encode("utf-8", "surrogateescape"), n, len(own), len(patch), sources))
    return [
        {
            "url": url.decode("utf-8", "surrogateescape"),
            "grams": own,
            "patch_grams": patch,
            "patchfrac": patch / own,
            "sources": [pages[d].url for d, _ in sources],
            "shares": [gain / patch for _, gain in sources],
        }
        for url, n, own, patch, sources in sorted(rows)
    ]
