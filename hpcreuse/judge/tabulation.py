"""Judgements as the papers print them: categories with counts, shares and intervals, and how far judges agree."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from hpcreuse.judge.agreement import cohens_kappa, wilson
from hpcreuse.judge.categories import Category
from hpcreuse.judge.judgements import History
from hpcreuse.judge.sampling import Sample
from hpcreuse.store.tables import Row, columns

COLUMNS = columns(
    order=int, kind=str, item=str, judge=str, label=str, type=str, note=str, time=str, seed=int, population=int
)


def tabulate(sample: Sample, categories: Sequence[Category], histories: dict[str, History]) -> dict[str, Any]:
    """Give a table per judge, and the agreement of each two."""
    keys = [item.key for item in sample.items]
    judged = {
        judge: {key: history.labels[key] for key in keys if key in history.labels}
        for judge, history in histories.items()
    }
    judged = {judge: labels for judge, labels in judged.items() if labels}
    types = types_of(categories, judged.values())
    return {
        "kind": sample.kind,
        "sampled": len(keys),
        "population": sample.population,
        "seed": sample.seed,
        "judges": [judge_table(judge, labels, types) for judge, labels in judged.items()],
        "agreement": [compare(a, b, judged[a], judged[b], types) for a, b in combinations(judged, 2)],
    }


def types_of(categories: Sequence[Category], judged: Iterable[dict[str, str]]) -> dict[str, str]:
    """Give the type of every category; one that is no longer in the settings is kept, without a type."""
    known = {category.name: category.type for category in categories}
    return known | {label: "" for labels in judged for label in labels.values() if label not in known}


def judge_table(judge: str, labels: dict[str, str], types: dict[str, str]) -> dict[str, Any]:
    """Count what a judge said, by category and by type."""
    total = len(labels)
    by_label = Counter(labels.values())
    by_type = Counter(types[label] for label in labels.values())
    return {
        "judge": judge,
        "judged": total,
        "categories": [{**line(name, by_label[name], total), "type": type_} for name, type_ in types.items()],
        "types": [line(type_, by_type[type_], total) for type_ in dict.fromkeys(types.values()) if type_],
    }


def line(name: str, count: int, total: int) -> dict[str, Any]:
    """Give a count with its share and the 95 % interval of that."""
    low, high = wilson(count, total)
    return {"name": name, "count": count, "share": count / total if total else 0.0, "low": low, "high": high}


def compare(
    first: str, second: str, ones: dict[str, str], others: dict[str, str], types: dict[str, str]
) -> dict[str, Any]:
    """Say how far two judges agree on what both have judged, by category and by type."""
    both = [key for key in ones if key in others]
    a, b = [ones[key] for key in both], [others[key] for key in both]
    differ = Counter((x, y) for x, y in zip(a, b, strict=True) if x != y)
    return {
        "judges": [first, second],
        "judged": len(both),
        "agree": sum(x == y for x, y in zip(a, b, strict=True)),
        "kappa": cohens_kappa(a, b),
        "kappa_of_types": cohens_kappa([types[x] for x in a], [types[y] for y in b]),
        "differ": [{"labels": list(pair), "count": count} for pair, count in differ.most_common()],
    }


def rows(sample: Sample, categories: Sequence[Category], histories: dict[str, History]) -> Iterator[Row]:
    """Give a row per judgement, by judge and in the order of the sample."""
    types = types_of(categories, (history.labels for history in histories.values()))
    for judge, history in histories.items():
        for order, item in enumerate(sample.items, 1):
            if said := history.standing.get(item.key):
                type_ = types[said.label] if said.label is not None else ""
                label = said.label or ""
                drawn = (sample.seed, sample.population)
                yield order, sample.kind, item.key, judge, label, type_, said.note, said.time, *drawn


def percent(share: float) -> str:
    """Write a share for people."""
    return f"{100 * share:.1f}"
