"""The first look: the few numbers that matter of all that was given."""

from collections.abc import Sequence

from hpcreuse.report.blocks import Section, TilesBlock
from hpcreuse.report.given import Given
from hpcreuse.report.wording import percent
from hpcreuse.store.labels import Labels

Tile = tuple[str, str, str]


def section(given: Sequence[Given]) -> Section:
    """Take a number or two of each."""
    tiles = [tile for one in given for tile in tiles_of(one)]
    return Section("overview", "At a glance", "", [TilesBlock(tiles)] if tiles else [])


def tiles_of(one: Given) -> list[Tile]:
    """Give what to see first."""
    found = one.summary
    if one.kind == "labels":
        with Labels.open(one.path) as labels:
            return [(f"{len(labels):,}", f"labelled {labels.objects}s", "")]
    if one.kind == "result":
        return [
            share("bad_chunks", "chunks", f"bad {found['objects']}s", one),
            share("target_files", "files", "target files", one),
            share("bad_neighborhoods", "neighborhoods", "bad neighborhoods", one),
        ]
    if one.kind == "quilt":
        return [share("quilts", "pages", "quilts", one)]
    if one.kind == "imatch":
        return [share("clustered", "pages", "near duplicates", one)]
    if one.kind == "spin":
        return [share("spun_pages", "pages", "spun articles", one)]
    if one.kind == "phish":
        return [share("phish", "pages", "phish", one)]
    return []


def share(part: str, whole: str, what: str, one: Given) -> Tile:
    """Give a number of a whole."""
    found = one.summary
    return f"{found[part]:,}", what, f"{percent(found[part], found[whole])} of {found[whole]:,}"
