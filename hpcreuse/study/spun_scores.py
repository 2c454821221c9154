"""Right and wrong: which pairs of what was spun were found, and which pairs are none."""

from collections import defaultdict
from itertools import combinations
from typing import Any, NamedTuple

from hpcreuse.store.tables import Row, columns
from hpcreuse.study.spun_corpus import ORIGINAL, SPINTAX, Planted

FOUND = columns(
    method=str,
    spinning=str,
    share=float,
    threshold=float,
    articles=int,
    pages=int,
    pairs=int,
    found=int,
    recall=float,
    wrong=int,
    precision=float,
    pages_found=int,
    spun=int,
)
FALSE = columns(method=str, a=str, b=str, similarity=float)

Family = tuple[bool, int]
"""An article with all that was spun of it, or a template of spintax."""


class Pair(NamedTuple):
    """Two pages that a method found similar; kind is empty where the method tells none."""

    a: str
    b: str
    similarity: float
    kind: str


class Scores(NamedTuple):
    """What came out."""

    found: list[dict[str, Any]]
    false: list[Row]
    relatives: int
    """How many pages are similar to an article before it is spun: pairs with them are neither right nor wrong."""


def family(page: Planted) -> Family:
    """Tell what a page was made of."""
    return page.spinning == SPINTAX, page.seed


def score(planted: list[Planted], methods: dict[str, tuple[list[Pair], list[float]]]) -> Scores:
    """Score the pairs of each method at each of its thresholds."""
    relatives = find_relatives([pair for pairs, _ in methods.values() for pair in pairs])
    groups: dict[tuple[str, float], dict[Family, set[str]]] = defaultdict(lambda: defaultdict(set))
    originals = {family(one): one.url for one in planted if one.spinning == ORIGINAL}
    for one in planted:
        if one.spinning != ORIGINAL:
            own = {originals[family(one)]} if family(one) in originals else set()
            groups[one.spinning, one.share][family(one)] |= {one.url, *own}
    found, false = [], set()
    for method, (pairs, thresholds) in methods.items():
        wrong_pairs = [pair for pair in pairs if is_wrong(pair, relatives)]
        false |= {(method, pair.a, pair.b, pair.similarity) for pair in wrong_pairs if pair.similarity >= thresholds[0]}
        known = {(pair.a, pair.b): pair for pair in pairs}
        for (spinning, share), families in groups.items():
            true = [(a, b) for members in families.values() for a, b in combinations(sorted(members), 2)]
            mine = {url for members in families.values() for url in members} - set(originals.values())
            for threshold in thresholds:
                right = [known[pair] for pair in true if pair in known and known[pair].similarity >= threshold]
                wrong = sum(
                    pair.similarity >= threshold and concerns(pair, mine, (spinning, share)) for pair in wrong_pairs
                )
                found.append(
                    {
                        "method": method,
                        "spinning": spinning,
                        "share": share,
                        "threshold": threshold,
                        "articles": len(families),
                        "pages": len(mine),
                        "pairs": len(true),
                        "found": len(right),
                        "recall": len(right) / len(true) if true else 0.0,
                        "wrong": wrong,
                        "precision": len(right) / (len(right) + wrong) if right or wrong else 1.0,
                        "pages_found": len({url for pair in right for url in (pair.a, pair.b)} & mine),
                        "spun": sum(pair.kind == "spun" for pair in right),
                    }
                )
    return Scores(found, sorted(false), sum(len(urls) for urls in relatives.values()))


def find_relatives(pairs: list[Pair]) -> dict[Family, set[str]]:
    """Find the pages that are similar to an article before it is spun; of other articles the family stands for all."""
    found: dict[Family, set[str]] = defaultdict(set)
    for pair in pairs:
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            page, partner = Planted.parse(one), Planted.parse(other)
            if page and page.spinning == ORIGINAL and (partner is None or partner.spinning == ORIGINAL):
                found[family(page)].add(other)
    return found


def is_wrong(pair: Pair, relatives: dict[Family, set[str]]) -> bool:
    """Tell whether two pages have nothing to do with each other."""
    a, b = Planted.parse(pair.a), Planted.parse(pair.b)
    if a and b:
        other = Planted(ORIGINAL, 0.0, b.seed, 0).url
        return family(a) != family(b) and other not in relatives[family(a)]
    page, stranger = (a, pair.b) if a else (b, pair.a)
    return page is not None and stranger not in relatives[family(page)]


def concerns(pair: Pair, mine: set[str], group: tuple[str, float]) -> bool:
    """Tell whether a pair counts for a way of spinning: one page of it, and none spun in another way."""
    if not mine & {pair.a, pair.b}:
        return False
    pages = [Planted.parse(url) for url in (pair.a, pair.b)]
    return all(page is None or page.spinning == ORIGINAL or (page.spinning, page.share) == group for page in pages)
