"""The injection study counts what discovery finds in copies that are really there."""

import csv
from pathlib import Path
from typing import Any

import oracle
import pytest
from archives import write_warc
from command import hpcreuse, summary

from hpcreuse.page.options import DigestOptions
from hpcreuse.study.copies import advertise, copy_url
from hpcreuse.study.site import SitePage

COPIES, THRESHOLD = 4, 3
TABLES = ("curve.csv", "discovered.csv", "frequency.csv", "study.json")

MENU = b"<p>menu</p><div>contact</div>"
SITE = [
    *(
        (f"http://site.example/a/{n}.html", b"<html><title>%d</title>" % n + MENU + b"<p>text %d</p>" % (n // 2))
        for n in range(11)
    ),
    ("http://site.example/bare.html", b"<p>begins with a tag</p><p>menu</p>"),
]
CRAWL = [(f"http://other{n}.example/", b"<p>menu</p><p>own %d</p>" % (n % 7)) for n in range(10)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("injection")
    write_warc(folder / "site.warc.gz", SITE)
    write_warc(folder / "crawl.warc.gz", CRAWL)
    return folder


def study(folder: Path, out: str, *more: str, ranks: int = 0) -> dict[str, Any]:
    """Run it with thresholds as small as this site."""
    bars = ("--file-threshold", str(THRESHOLD), "--chunk-threshold", str(THRESHOLD))
    copies = ("--copies", "1", str(COPIES))
    background = ("--background", folder / "crawl.warc.gz")
    return summary(
        *("study", "injection", folder / "site.warc.gz", *background, *copies, *bars, "--out", folder / out, *more),
        ranks=ranks,
    )


def site_page(url: str, payload: bytes) -> SitePage:
    """Make a page of HTML."""
    return SitePage(url, payload, "text/html", plain=False, content_type="text/html")


def discovered(pages: list[tuple[str, bytes]], objects: str) -> set[str]:
    """Discover in pages that are there, by the oracle."""
    rows = oracle.run_tables([(url, payload, "text/html", "a", n) for n, (url, payload) in enumerate(pages)])
    return {label["digest"] for label in oracle.discover(*rows, threshold=THRESHOLD, objects=objects)[0]}


def test_the_study_finds_what_discovery_finds_in_real_copies_on_any_number_of_ranks(folder: Path) -> None:
    rows = study(folder, "one", "--no-figures")["discovered"]
    found = {(row["objects"], row["kind"], row["copies"]): row for row in rows}
    copies = {
        "whole": [(copy_url(url, copy), payload) for copy in range(COPIES) for url, payload in SITE],
        "partial": [
            (copy_url(url, copy), advertise(site_page(url, payload), number, copy).payload)
            for copy in range(COPIES)
            for number, (url, payload) in enumerate(SITE)
        ],
    }
    files, chunks = oracle.run_tables([(url, payload, "text/html", "a", 0) for url, payload in SITE])
    for kind, pages in copies.items():
        for objects, own in (("file", files), ("chunk", chunks)):
            site = {row["digest"] for row in own}
            really = discovered(CRAWL + pages, objects) & site
            row = found[objects, kind, COPIES]
            assert (row["discovered"], row["distinct"]) == (len(really), len(site)), (objects, kind)
            hits = sum(row["digest"] in really for row in own)
            assert (row["discovered_occurrences"], row["occurrences"]) == (hits, len(own))
    assert found["chunk", "whole", COPIES]["discovered"] > found["chunk", "partial", COPIES]["discovered"] > 0
    assert found["file", "whole", COPIES]["share"] == 1 and found["file", "partial", COPIES]["discovered"] == 0
    for ranks in (2, 3, 5):
        study(folder, f"ranks{ranks}", "--no-figures", ranks=ranks)
        for name in TABLES:
            assert (folder / f"ranks{ranks}" / name).read_bytes() == (folder / "one" / name).read_bytes(), name


def test_only_a_chunk_without_a_tag_is_lost_to_advertisements() -> None:
    options = DigestOptions()
    for number, (url, payload) in enumerate(SITE):
        page = site_page(url, payload)
        chunks = page.digests(options).chunks
        copied = advertise(page, number, 3).digests(options).chunks
        kept = [chunks[i : i + 20] in copied for i in range(0, len(chunks), 20)]
        assert kept == [payload.startswith(b"<p>")] + [True] * (len(kept) - 1)


def test_settings_come_from_the_table_of_the_study_and_figures_are_drawn(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "hpcreuse.toml").write_text(
        f'[study.injection]\nsite = ["{folder}/site.warc.gz"]\nout = "{tmp_path}/out"\ncopies = [7]\n'
    )
    hpcreuse("study", "injection", cwd=tmp_path)
    assert all((tmp_path / "out" / f"injection.{kind}").stat().st_size > 10_000 for kind in ("svg", "png"))
    with (tmp_path / "out" / "discovered.csv").open() as lines:
        assert [row["copies"] for row in csv.DictReader(lines)] == ["7"] * 4


def test_what_is_not_ours_or_not_there_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    done = hpcreuse("study", "injection", folder / "site.warc.gz", "--out", tmp_path, check=False)
    assert done.returncode == 1 and "choose another --out" in done.stderr
    done = hpcreuse(
        "study", "injection", folder / "site.warc.gz", "--below", "nobody.example", "--out", tmp_path / "x", check=False
    )
    assert done.returncode == 1 and "no page with text below nobody.example/" in done.stderr
