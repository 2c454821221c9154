"""`study wikipedia` on a planted crawl: a clone copies many pages, a quotation one; the same on any number of ranks."""

import csv
import json
from pathlib import Path
from typing import Any

import label_oracle
import oracle
import pytest
from archives import write_warc
from command import hpcreuse, summary, table


def paragraph(page: int, number: int) -> bytes:
    """A paragraph of the encyclopedia, longer than 100 bytes."""
    return b"<p>Article %d says in its paragraph %d %s</p>" % (page, number, b"what is known " * 8)


ARTICLES = [
    (f"http://wiki.example/a/{page}.html", b"".join(paragraph(page, n) for n in range(10)) + b"<p>short</p>")
    for page in range(30)
]
CLONES = [
    (f"http://{host}/{'mirror/' * deep}{page}.html", b"<div>Buy now</div>" + ARTICLES[page][1])
    for host, deep, pages in (("clone.example", 1, 30), ("half.example", 2, 15))
    for page in range(pages)
]
# Quotes one article on every page, and altogether more chunks than the smaller clone
QUOTES = [(f"http://blog.example/{n}.html", ARTICLES[7][1] + b"<p>I say: %d</p>" % n) for n in range(20)]
HONEST = [(f"http://honest.example/{n}.html", b"<p>My own words %d</p><p>short</p>" % n) for n in range(25)]
CRAWL = [*ARTICLES, *CLONES, *QUOTES, *HONEST]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Detection of the encyclopedia in the crawl."""
    folder = tmp_path_factory.mktemp("wikipedia")
    write_warc(folder / "wiki.warc.gz", ARTICLES)
    write_warc(folder / "crawl.warc.gz", CRAWL)
    summary("label", folder / "wiki.warc.gz", "--min-length", "101", "--out", folder / "wiki.h5")
    summary("hash", folder / "crawl.warc.gz", "--out", folder / "run")
    arguments = ("--labels", folder / "wiki.h5", "--min-length", "101", "--out", folder / "result")
    summary("detect", folder / "run", *arguments, ranks=3)
    return folder / "result"


def expected(depth: int, above: int, top: int) -> list[dict[str, Any]]:
    """The study by the oracle."""
    pages = [(url, body, "text/html", "x", n) for n, (url, body) in enumerate(CRAWL)]
    wiki = [(url, body, "text/html", "x", n) for n, (url, body) in enumerate(ARTICLES)]
    labels = label_oracle.label(*oracle.run_tables(wiki), min_length=101)
    digests = [row["digest"] for row in labels]
    found = oracle.detect(*oracle.run_tables(pages), digests, min_length=101)
    source = {row["digest"]: row["source"] for row in labels}
    rows = []
    for place in found["neighborhoods"]:
        inside = [m for m in found["matches"] if place["prefix"] in oracle.neighborhoods(m["url"])]
        sources = {source[match["digest"]] for match in inside}
        own = any(place["prefix"] in oracle.neighborhoods(url) for url in sources)
        if place["bad"] > above and depth in (0, place["depth"]):
            rows.append({**place, "sources": len(sources), "own": own})
    return sorted(rows, key=lambda row: (-row["bad"], row["prefix"]))[:top]


@pytest.mark.parametrize(("depth", "above", "top", "ranks"), [(1, 100, 40, 0), (0, 0, 5, 5), (0, 1, 40, 16)])
def test_clones_and_quotations_are_told_apart(
    result: Path, tmp_path: Path, depth: int, above: int, top: int, ranks: int
) -> None:
    options = ("--depth", str(depth), "--above", str(above), "--top", str(top), "--out", tmp_path / "out")
    done = summary("study", "wikipedia", result, *options, "--no-figures", "--memory", "1M", ranks=ranks)
    want = expected(depth, above, top)
    assert done["top"] == want
    if depth == 1:
        assert [(row["prefix"], row["bad"], row["sources"], row["own"]) for row in want] == [
            ("clone.example/", 300, 30, False),
            ("wiki.example/", 300, 30, True),
            ("blog.example/", 200, 1, False),
            ("half.example/", 150, 15, False),
        ]
        assert (done["label_sources"], done["with_bad_chunks"], done["neighborhoods"]) == (30, 4, 5)
    with (tmp_path / "out" / "copies.csv").open(newline="") as file:
        assert [row["prefix"] for row in csv.DictReader(file)] == [row["prefix"] for row in want]
    assert json.loads((tmp_path / "out" / "study.json").read_text())["summary"]["top"] == want


def test_labels_without_sources_are_refused(result: Path, tmp_path: Path) -> None:
    run = result.parent / "run"
    hpcreuse("detect", run, "--labels", "isi-geocities", "--out", tmp_path / "blind")
    refused = hpcreuse("study", "wikipedia", tmp_path / "blind", "--out", tmp_path / "out", check=False)
    assert refused.returncode == 1
    assert "have no sources" in refused.stderr
    assert not (tmp_path / "out").exists()
    assert table(result, "summary")[0]["labels"] == 300
