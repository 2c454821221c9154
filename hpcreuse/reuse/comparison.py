"""Are two runs, labels or results the same? What counts is their tables, not how many ranks made them."""

from itertools import count, islice
from pathlib import Path
from typing import Any

from hpcreuse.parallel.world import World
from hpcreuse.reuse.facts import Findings
from hpcreuse.store.contents import Place
from hpcreuse.store.tables import Row, Table, tables_of

BLOCK_ROWS = 10_000


def compare(world: World, a: Findings, b: Findings) -> str | None:
    """Collective. Compare two sound places of a kind; give the first difference of each table in one line, or None.

    Files that are the same array by array make the same tables; only else are rows compared, a table a rank.
    """
    if identical(a, b):
        return None
    left, right = a.place.path, b.place.path
    if a.place.kind not in ("run", "labels", "result", "findings"):
        return f"{left} and {right} differ in their arrays"
    unlike = differ_in_kind(a.place, b.place)
    if unlike:
        return f"{left} and {right} differ: {unlike}"
    tables = world.on_root(lambda: list(tables_of(left)[1]))
    if a.place.kind == "run" and not a.place.main.get("text"):
        tables.remove("texts")
    differences = world.map(lambda name: first_difference(tables_of(left)[1][name], name, left, right), tables)
    world.stop_if_asked()
    found = [difference for difference in differences if difference]
    return f"{left} and {right} differ: {'; '.join(found)}" if found else None


def differ_in_kind(a: Place, b: Place) -> str | None:
    """Say why two places of a kind have no common tables to compare, if so."""
    if a.kind == "findings" and a.main["method"] != b.main["method"]:
        return f"results of `hpcreuse {a.main['method']}` and of `hpcreuse {b.main['method']}`"
    if a.kind == "run" and bool(a.main.get("text")) != bool(b.main.get("text")):
        having, lacking = (a, b) if a.main.get("text") else (b, a)
        return f"{having.path} has text, {lacking.path} has not"
    return None


def identical(a: Findings, b: Findings) -> bool:
    """Tell whether both have the same files with the same arrays, and the same thresholds."""
    if a.place.kind == "result":
        names = ("file_threshold_fixed", "neighborhood_threshold_fixed", "min_chunks")
        for name in names:
            if a.place.main["header"][name] != b.place.main["header"][name]:
                return False
        if a.place.main["summary"] != b.place.main["summary"]:
            return False
    return _seals(a) == _seals(b)


def _seals(found: Findings) -> dict[Any, Any]:
    """Give what identifies the content of the files that tables are made of."""
    if found.place.kind == "run":
        shards = found.shards
        return {(s.source, s.number, s.part): (s.end, found.files[s.path].checked.seal) for s in shards}
    # A single file is "." here, whatever its name
    return {path.relative_to(found.place.path): file.checked.seal for path, file in found.files.items()}


def first_difference(table: Table, name: str, a: Path, b: Path) -> str | None:
    """Say where a table of two places differs first, if it does."""
    left, right = table.rows(a), table.rows(b)
    for number in count(0, BLOCK_ROWS):
        mine, theirs = list(islice(left, BLOCK_ROWS)), list(islice(right, BLOCK_ROWS))
        if mine != theirs:
            return f"{name} {_describe(table, mine, theirs, number)}"
        if not mine:
            return None
    return None


def _describe(table: Table, mine: list[Row], theirs: list[Row], number: int) -> str:
    """Tell the first row that differs, and in what."""
    place = next((i for i, (x, y) in enumerate(zip(mine, theirs, strict=False)) if x != y), min(len(mine), len(theirs)))
    where = f"at row {number + place + 1}"
    if place >= min(len(mine), len(theirs)):
        side = "first" if len(mine) < len(theirs) else "second"
        return f"{where}: the {side} ends there"
    names = [column.name for column in table.columns]
    cells = [
        f"{name} {x!r} against {y!r}" for name, x, y in zip(names, mine[place], theirs[place], strict=True) if x != y
    ]
    return f"{where} ({mine[place][0]}): {', '.join(cells)}"
