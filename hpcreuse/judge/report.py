"""The tables of judges as lines for a terminal or a log."""

from typing import Any

from hpcreuse.judge.tabulation import percent


def table_lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Give each judge's table, then the agreement of each two."""
    drawn = f"{found['sampled']:,} of {found['population']:,} {found['kind']}, drawn at random (seed {found['seed']})"
    lines = [("sample", drawn)]
    for table in found["judges"]:
        lines += [("", ""), ("judge", f"{table['judge']}, {table['judged']:,} judged")]
        width = max(len(row["name"]) for row in [*table["categories"], *table["types"]])
        lines.append(("", f"{'':<{width}}      N       %   95 % interval"))
        lines += [("", cells(row, width, row["type"])) for row in table["categories"]]
        lines.append(("", f"{'total':<{width}}  {table['judged']:>5,}   100.0"))
        lines += [("by type" if not place else "", cells(row, width)) for place, row in enumerate(table["types"])]
    if not found["judges"]:
        lines.append(("judged", "nothing yet"))
    for pair in found["agreement"]:
        lines += [("", ""), *agreement_lines(pair)]
    return lines


def cells(row: dict[str, Any], width: int, type_: str = "") -> str:
    """Set a line of a table."""
    interval = f"{percent(row['low']):>5} to {percent(row['high']):>5}"
    return f"{row['name']:<{width}}  {row['count']:>5,}  {percent(row['share']):>6}  {interval}   {type_}".rstrip()


def agreement_lines(pair: dict[str, Any]) -> list[tuple[str, str]]:
    """Say how far two judges agree."""
    first, second = pair["judges"]
    judged = pair["judged"]
    share = f" ({percent(pair['agree'] / judged)} %)" if judged else ""
    return [
        ("agreement", f"{first} and {second}: {pair['agree']:,} of {judged:,} that both have judged{share}"),
        ("", f"Cohen's kappa {kappa(pair['kappa'])}, of types {kappa(pair['kappa_of_types'])}"),
        *(("", f"{row['count']:,} times {' against '.join(row['labels'])}") for row in pair["differ"][:5]),
    ]


def kappa(value: float | None) -> str:
    """Write a kappa."""
    return "not defined (all in one category)" if value is None else f"{value:.3f}"
