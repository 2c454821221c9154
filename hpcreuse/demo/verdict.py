"""Planted against found: is the result what it must be?"""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hpcreuse.demo.crawl import Crawl
from hpcreuse.demo.sites import HONEST, Group
from hpcreuse.demo.texts import SPINNER
from hpcreuse.store.findings import export_rows


@dataclass(frozen=True)
class Row:
    """One thing that was planted, how many of it must be found, and how many were."""

    planted: str
    number: int
    """How many there are, whether to be found or not."""
    expected: int
    found: int
    agrees: bool
    badness: str = ""
    """From the least to the greatest, of neighborhoods."""

    def record(self) -> dict[str, Any]:
        """Give it for a summary."""
        return {**asdict(self), "planted": self.planted.strip()}


def read_table(path: Path) -> list[dict[str, Any]]:
    """Read an exported table."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def compare(crawl: Crawl, hashed: Mapping[str, Any], folder: Path) -> list[Row]:
    """Hold what was found against what was planted, line by line."""
    neighborhoods = {row["prefix"]: row for row in read_table(folder / "neighborhoods.jsonl")}
    targets = {row["url"] for row in read_table(folder / "files.jsonl") if row["target"]}
    skipped = sum(crawl.skipped.values())
    return [
        *(neighborhood_row(group, neighborhoods) for group in crawl.groups),
        Row(
            "target files: all pages of what is bad above",
            len(crawl.copies),
            len(crawl.copies),
            len(targets),
            targets == set(crawl.copies),
        ),
        Row("hashed: pages, and one image", crawl.files, crawl.files, hashed["files"], hashed["files"] == crawl.files),
        Row(
            "skipped: requests, dns look-ups and the like",
            skipped,
            skipped,
            sum(hashed["skipped"].values()),
            hashed["skipped"] == crawl.skipped,
        ),
        Row(
            "quarantined: a damaged page, a crawler's loop",
            crawl.quarantined,
            crawl.quarantined,
            hashed["quarantined"],
            hashed["quarantined"] == crawl.quarantined,
        ),
        *text_rows(crawl, folder),
        exactly("phish: copies of a bank's log-in page", crawl.phish.phish, called_phish(folder)),
    ]


def text_rows(crawl: Crawl, folder: Path) -> list[Row]:
    """Hold what the methods that go by words found against what was planted for them."""
    planted = crawl.texts
    quilts = {row[0] for row in export_rows(folder / "quilts", "quilts")}
    clusters: dict[int, set[str]] = {}
    for number, url in export_rows(folder / "near", "clusters"):
        clusters.setdefault(number, set()).add(url)
    near = sum(cluster in planted.near for cluster in clusters.values())
    spun = {(row[0], row[1]) for row in export_rows(folder / "spun", "pairs") if row[4] == "spun"}
    # The spinner's pages must be paired with their originals and with nothing else
    mine = {pair for pair in spun if any(url.split("/")[2] + "/" == SPINNER for url in pair)}
    honest = {url for url in quilts.union(*clusters.values(), *spun) if url.split("/")[2] + "/" in HONEST}
    return [
        exactly("quilts: pages stitched together of five stories", planted.quilts, quilts),
        Row(
            "near duplicates: stories that two wires sent out",
            len(planted.near),
            len(planted.near),
            near,
            near == len(planted.near),
        ),
        exactly("spun: stories rewritten with synonyms", planted.spun, mine),
        exactly("honest pages among all of these", set(), honest),
    ]


def called_phish(folder: Path) -> set[str]:
    """Give the pages that were taken for phish."""
    return {row[0] for row in export_rows(folder / "phish", "pages") if row[3] == "phish"}


def exactly(what: str, planted: AbstractSet[object], found: AbstractSet[object]) -> Row:
    """Expect what was planted and nothing else."""
    return Row(what, len(planted), len(planted), len(found), found == planted)


def neighborhood_row(group: Group, neighborhoods: Mapping[str, dict[str, Any]]) -> Row:
    """Count the bad neighborhoods of a group; all of them must be in the result, bad or not."""
    rows = [neighborhoods[prefix] for prefix in group.prefixes if prefix in neighborhoods]
    number, found = len(group.prefixes), sum(row["target"] for row in rows)
    expected = number if group.bad else 0
    values = [f"{value:.2f}" for value in sorted(row["badness"] for row in rows)] or ["missing"]
    span = "-".join(dict.fromkeys((values[0], values[-1])))
    return Row(group.what, number, expected, found, found == expected and len(rows) == number, span)
