"""Small, empty and odd crawls through the whole chain; large label sets that no rank holds alone."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from archives import write_warc
from command import hpcreuse, summary, table

TABLES = ("files", "matches", "neighborhoods", "summary")


def chain(crawl: Path, out: Path, ranks: int = 0, *rule: str) -> dict[str, Any]:
    """Run the three verbs and give the summary of detection."""
    hpcreuse("hash", crawl, "--out", out / "run", ranks=ranks)
    hpcreuse("discover", out / "run", "--out", out / "labels.h5", *(rule or ("--threshold", "1")), ranks=ranks)
    return summary("detect", out / "run", "--labels", out / "labels.h5", "--out", out / "result", ranks=ranks)


@pytest.mark.parametrize("ranks", [0, 5])
def test_one_page_on_many_ranks(ranks: int, tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "a.warc.gz", [("http://a.example/x/y.html", b"<p>a</p><p>a</p><p>b</p>")])
    found = chain(crawl, tmp_path, ranks)
    assert (found["files"], found["labels"], found["neighborhoods"]) == (1, 1, 2)
    (row,) = table(tmp_path / "result", "files")
    assert (row["chunks"], row["bad"], row["target"]) == (3, 2, False)
    rows = table(tmp_path / "result", "neighborhoods")
    assert [(row["prefix"], row["depth"], row["badness"]) for row in rows] == [
        ("a.example/", 1, pytest.approx(2 / 3)),
        ("a.example/x/", 2, pytest.approx(2 / 3)),
    ]
    assert [row["position"] for row in table(tmp_path / "result", "matches")] == [0, 1]


@pytest.mark.parametrize("ranks", [0, 3])
def test_a_crawl_without_any_chunk(ranks: int, tmp_path: Path) -> None:
    crawl = write_warc(
        tmp_path / "a.warc", [("http://a.example/1.png", b"\x89PNG\r\n\x1a\n"), ("http://a.example/2", b"")]
    )
    found = chain(crawl, tmp_path, ranks)
    assert (found["files"], found["labels"], found["neighborhoods"], found["file_threshold"]) == (0, 0, 0, 0.0)
    assert all(table(tmp_path / "result", name) == [] for name in TABLES[:3])
    assert len(table(tmp_path / "run", "files")) == 2


@pytest.mark.parametrize("ranks", [0, 3])
def test_an_archive_without_any_record_is_listed(ranks: int, tmp_path: Path) -> None:
    (tmp_path / "empty.warc").write_bytes(b"")
    chain(tmp_path / "empty.warc", tmp_path, ranks)
    assert [row["reason"] for row in table(tmp_path / "run", "quarantine")] == ["empty file"]


def test_equal_ratios_have_no_target(tmp_path: Path) -> None:
    """All at one third: the mean is a third, the deviation exactly 0, and nothing is strictly above."""
    pages = [(f"http://s{n}.example/", b"<p>x</p><p>%d</p><p>own %d</p>" % (n, n)) for n in range(50)]
    found = chain(write_warc(tmp_path / "a.warc.gz", pages), tmp_path, 3)
    assert (found["file_mean"], found["file_deviation"]) == (pytest.approx(1 / 3), 0.0)
    assert (found["target_files"], found["bad_neighborhoods"]) == (0, 0)


def test_a_url_captured_twice_is_two_files_with_matches_in_order_of_position(tmp_path: Path) -> None:
    pages = [("http://a.example/", b"<p>x</p><p>1</p><p>x</p>"), ("http://a.example/", b"<p>2</p><p>x</p>")]
    found = chain(write_warc(tmp_path / "a.warc.gz", pages), tmp_path, 2)
    assert found["files"] == 2
    assert [row["position"] for row in table(tmp_path / "result", "matches")] == [0, 1, 2]


def test_whole_files_as_objects(tmp_path: Path) -> None:
    pages = [(f"http://a.example/{n}", b"\x89PNG\r\n\x1a\nsame") for n in range(3)]
    pages += [(f"http://b.example/{n}", b"<p>%d</p>" % n) for n in range(3)]
    found = chain(write_warc(tmp_path / "a.warc.gz", pages), tmp_path, 2, "--objects", "file", "--threshold", "2")
    assert (found["files"], found["labels"], found["target_files"]) == (6, 1, 0)
    rows = table(tmp_path / "result", "neighborhoods")
    assert [(row["prefix"], row["badness"]) for row in rows] == [("a.example/", 1.0), ("b.example/", 0.0)]
    assert {row["url"] for row in table(tmp_path / "result", "matches")} == {f"http://a.example/{n}" for n in range(3)}


def test_one_huge_site_is_shared_by_all_ranks(tmp_path: Path) -> None:
    """A GeoCities: every page on one host, more directories than one rank may hold in a pass."""
    pages = [(f"http://big.example/{n % 7}/{n % 500}/{n}.html", b"<p>%d</p><p>x</p>" % (n % 40)) for n in range(4000)]
    crawl = write_warc(tmp_path / "a.warc.gz", pages)
    one = chain(crawl, tmp_path, 0, "--threshold", "200")
    (tmp_path / "many").mkdir()
    hpcreuse(
        *("detect", tmp_path / "run", "--labels", tmp_path / "labels.h5", "--out", tmp_path / "many" / "result"),
        *("--memory", "1M"),
        ranks=2,
    )
    for name in TABLES:
        assert (
            hpcreuse("export", tmp_path / "many" / "result", name).stdout
            == hpcreuse("export", tmp_path / "result", name).stdout
        )
    assert one["neighborhoods"] == 1 + 7 + 3500
    assert len(list((tmp_path / "many" / "result" / "neighborhoods").glob("part-*"))) > 2


@pytest.fixture(scope="module")
def all_labelled(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, labels of all its 67,424 distinct chunks, and a result with much memory."""
    out = tmp_path_factory.mktemp("labelled")
    hpcreuse("hash", shared_data / "crawl" / "webkb1997.warc.gz", "--out", out / "run")
    hpcreuse("discover", out / "run", "--threshold", "0", "--out", out / "labels.h5")
    hpcreuse(*detect_all(out, out / "held", "1G"))
    return out


def detect_all(labelled: Path, out: Path, memory: str) -> tuple[str | Path, ...]:
    inputs = (labelled / "run", "--labels", labelled / "labels.h5", "--stop", "isi-geocities-benign")
    return ("detect", *inputs, "--out", out, "--memory", memory)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_labels_too_many_for_one_rank_are_joined_by_exchange(ranks: int, all_labelled: Path, tmp_path: Path) -> None:
    """Labels of 28 bytes with 1 MB of memory: spread over the ranks, in several passes."""
    hpcreuse(*detect_all(all_labelled, tmp_path / "spread", "1M"), ranks=ranks)
    for name in TABLES:
        assert (
            hpcreuse("export", tmp_path / "spread", name).stdout
            == hpcreuse("export", all_labelled / "held", name).stdout
        )
    assert sum(row["bad"] for row in table(tmp_path / "spread", "files")) > 60_000


def test_every_kind_of_input_in_one_run(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "deep").mkdir(parents=True)
    (site / "deep" / "a.html").write_text("<p>page</p>")
    (site / "notes.txt").write_text("<p>one\n\ntwo")
    write_warc(site / "inside.warc.gz", [("http://in.example/", b"<p>page</p>")])
    lines = [{"url": "http://j.example/1", "text": "plain"}, {"id": "x 7", "html": "<p>page</p>"}]
    with gzip.open(tmp_path / "pages.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "list.txt").write_text(f"# two\n{site}\n\n{tmp_path / 'pages.jsonl.gz'}\n")
    found = summary("hash", f"@{tmp_path / 'list.txt'}", "--out", tmp_path / "run", "--plain", "paragraph", ranks=3)
    assert (found["files"], found["quarantined"]) == (5, 0)
    rows = {row["url"]: row["chunks"] for row in table(tmp_path / "run", "files")}
    assert rows == {
        "http://site/deep/a.html": 1,
        "http://site/notes.txt": 2,
        "http://in.example/": 1,
        "http://j.example/1": 1,
        "http://pages.jsonl.gz/x%207": 1,
    }
    archives = [row["archive"] for row in table(tmp_path / "run", "files")]
    assert archives == sorted(archives)


def test_all_real_archives_go_through_in_one_run(shared_data: Path, tmp_path: Path) -> None:
    found = summary("hash", shared_data / "archives", "--out", tmp_path / "run", ranks=3)
    assert found["records"] == found["files"] + sum(found["skipped"].values()) + found["quarantined"]
    assert found["files"] > 1900
    rows = table(tmp_path / "run", "quarantine")
    assert len(rows) == found["quarantined"] and all(row["reason"] for row in rows)
    chunks = table(tmp_path / "run", "chunks")
    assert len(chunks) == found["chunks"]


def test_recursion_errors_are_dropped_and_listed(tmp_path: Path) -> None:
    loops = [
        f"http://a.example/{'a/' * 4}x",
        f"http://a.example/{'b/c/' * 3}x",
        "http://a.example/" + "/".join(map(str, range(97))),
    ]
    pages = [(url, b"<p>x") for url in ["http://a.example/fine/a/a/a/x", *loops]]
    found = summary("hash", write_warc(tmp_path / "a.warc", pages), "--out", tmp_path / "run")
    assert (found["files"], found["quarantined"]) == (1, 3)
    assert {row["url"] for row in table(tmp_path / "run", "quarantine")} == set(loops)
    limits = ("--max-repeats", "9", "--max-run-repeats", "9", "--max-components", "200")
    assert summary("hash", tmp_path / "a.warc", "--out", tmp_path / "all", *limits)["files"] == 4
