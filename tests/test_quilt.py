"""`quilt`: the definition on real pages, planted quilts, variants, and the same bytes on any number of ranks."""

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from archives import first_records, write_warc
from command import hpcreuse, summary, table
from mpi import TABLE_RANKS
from quilt_oracle import Page, quilts
from quilt_runs import flags, pages_of
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

REAL_PAGES = 2000


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Page]]:
    folder = tmp_path_factory.mktemp("real")
    slices = []
    for name, first in (("one", 200), ("two", 200 + REAL_PAGES // 2)):
        source = shared_data / "crawl" / "webkb1997.warc.gz"
        slices.append(first_records(source, folder / f"{name}.warc.gz", first, first + REAL_PAGES // 2))
    hpcreuse("hash", *slices, "--out", folder / "run", "--text", ranks=2)
    pages = pages_of(folder / "run")
    assert len(pages) == REAL_PAGES
    return folder / "run", pages


@pytest.mark.parametrize(
    ("ranks", "memory", "parameters"),
    [
        (1, "1G", {}),
        (2, "1G", {"k": 3, "m": 20, "c": 2, "theta": 0.3}),
        (3, "4M", {"k": 8, "c": 1, "theta": 0.1, "foreign": "domain"}),
        (5, "1G", {"k": 1, "m": 5, "c": 1, "theta": 0}),
        (2, "16M", {"m": 2, "c": 1, "theta": 0.25, "min_share": 0.1, "exact_duplicates": "drop"}),
        (1, "20M", {"c": 2, "theta": 1, "m": 1000000000}),
    ],
)
def test_quilts_of_real_pages_are_those_of_the_definition(
    real: tuple[Path, list[Page]], tmp_path: Path, ranks: int, memory: str, parameters: dict[str, Any]
) -> None:
    run, pages = real
    hpcreuse("quilt", run, "--out", tmp_path / "quilts", *flags(**parameters), "--memory", memory, ranks=ranks)
    assert table(tmp_path / "quilts", "quilts") == quilts(pages, **parameters)


def test_quilts_are_the_same_on_any_number_of_ranks(real: tuple[Path, list[Page]], tmp_path: Path) -> None:
    run, pages = real
    parameters = {"c": 1, "theta": 0.2}
    expected = quilts(pages, **parameters)
    found = {}
    for ranks, memory in ((1, "1G"), (2, "12M"), (3, "1G"), (5, "4M"), (16, "1G")):
        if ranks not in TABLE_RANKS:
            continue
        out = tmp_path / f"{ranks}"
        found[ranks] = summary("quilt", run, "--out", out, *flags(**parameters), "--memory", memory, ranks=ranks)
        assert hpcreuse("export", out, "quilts").stdout == hpcreuse("export", tmp_path / "1", "quilts").stdout
    assert table(tmp_path / "1", "quilts") == expected
    assert found[1]["passes"] == 1 and found[2]["passes"] > 1 and found[5]["passes"] > 2
    same = ("pages", "grams", "distinct_grams", "patch_grams", "candidates", "quilts", "sources", "mean_sources")
    assert all({name: one[name] for name in same} == {name: found[1][name] for name in same} for one in found.values())
    assert found[1]["quilts"] == len(expected) > 50


def test_who_asks_for_more_finds_a_part_of_the_same(real: tuple[Path, list[Page]], tmp_path: Path) -> None:
    """Monotone in theta and c: rows only go, and those that stay are the same."""
    found = {}
    for theta, c in ((0.2, 1), (0.2, 3), (0.5, 1), (0.5, 3), (0.9, 1), (0.5, 6)):
        hpcreuse("quilt", real[0], "--out", tmp_path / "quilts", *flags(theta=theta, c=c))
        found[theta, c] = set(hpcreuse("export", tmp_path / "quilts", "quilts").stdout.splitlines())
    assert found[0.2, 1] > found[0.5, 1] > found[0.9, 1]
    assert found[0.2, 1] > found[0.2, 3] > found[0.5, 3] >= found[0.5, 6]
    assert found[0.5, 1] > found[0.5, 3]


def paragraph(choose: random.Random, words: int = 60) -> str:
    return " ".join(f"w{choose.randrange(50_000)}" for _ in range(words))


def write_with_addresses(path: Path, pages: list[tuple[str, str, str]]) -> Path:
    """Write pages with the address they came from; an empty one is not written."""
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, text, address in pages:
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            extra = {"WARC-IP-Address": address} if address else {}
            payload = io.BytesIO(text.encode())
            writer.write_record(
                writer.create_warc_record(url, "response", payload=payload, http_headers=head, warc_headers_dict=extra)
            )
    return path


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """Quilts made of one paragraph of each of 4 to 8 pages elsewhere, a blog, and a page under two domains."""
    folder, choose = tmp_path_factory.mktemp("planted"), random.Random(6)
    stock = {
        f"http://www.site{n}.org/{p}.html": [paragraph(choose) for _ in range(4)] for n in range(40) for p in range(5)
    }
    pages = [
        (url, "".join(f"<p>{text}" for text in texts), f"10.0.0.{n // 5}")
        for n, (url, texts) in enumerate(stock.items())
    ]
    left = {url: texts[1:] for url, texts in stock.items()}
    sources: dict[str, list[str]] = {}
    for n in range(30):
        # A paragraph goes into one quilt only: two quilts with the same one would be sources of each other
        taken = choose.sample(sorted(url for url in left if left[url]), 4 + n % 5)
        url = f"http://quilt{n}.com/"
        pages.append((url, "".join(f"<p>{left[source].pop()}" for source in taken), f"10.1.0.{n}"))
        sources[url] = sorted(taken)
    posts = [paragraph(choose, 300) for _ in range(6)]
    for n, post in enumerate(posts):
        pages.append((f"http://posts.blog.co.uk/{n}", f"<h1>Post {n}</h1><p>{post}", "10.2.0.1"))
    home = "".join(f"<div>{' '.join(post.split()[:100])}</div>" for post in posts)
    pages.append(("http://www.blog.co.uk/", home, "10.2.0.1"))
    pages.append(("http://no-address.net/", "".join(f"<p>{stock[url][0]}" for url in list(stock)[:6]), ""))
    choose.shuffle(pages)
    write_with_addresses(folder / "a.warc.gz", pages[:100])
    write_with_addresses(folder / "b.warc.gz", pages[100:])
    hpcreuse("hash", folder / "a.warc.gz", folder / "b.warc.gz", "--out", folder / "run", "--text", ranks=2)
    return folder / "run", sources


def test_planted_quilts_are_found_with_their_sources(
    planted: tuple[Path, dict[str, list[str]]], tmp_path: Path
) -> None:
    run, sources = planted
    hpcreuse("quilt", run, "--out", tmp_path / "all", ranks=3)
    found = {row["url"]: row for row in table(tmp_path / "all", "quilts")}
    assert set(sources) <= set(found)
    for url, taken in sources.items():
        assert sorted(found[url]["sources"]) == taken
        assert sum(found[url]["shares"]) == pytest.approx(1)
    assert sorted(found["http://www.blog.co.uk/"]["sources"]) == [f"http://posts.blog.co.uk/{n}" for n in range(6)]

    hpcreuse("quilt", run, "--out", tmp_path / "domain", "--foreign", "domain", ranks=2)
    foreign = {row["url"] for row in table(tmp_path / "domain", "quilts")}
    assert set(sources) <= foreign and "http://www.blog.co.uk/" not in foreign
    assert "http://no-address.net/" in foreign

    done = hpcreuse("quilt", run, "--out", tmp_path / "ip", "--foreign", "ip")
    assert "1 pages have no ip" in done.stderr
    by_address = table(tmp_path / "ip", "quilts")
    assert set(sources) <= {row["url"] for row in by_address}
    assert by_address == quilts(pages_of(run), foreign="ip")
    assert not {"http://www.blog.co.uk/", "http://no-address.net/"} & {row["url"] for row in by_address}


def test_sources_that_add_little_are_not_counted(planted: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> None:
    run, sources = planted
    hpcreuse("quilt", run, "--out", tmp_path / "out", "--min-share", "0.2", "-c", "1")
    rows = table(tmp_path / "out", "quilts")
    assert rows == quilts(pages_of(run), c=1, min_share=0.2)
    found = {row["url"]: row for row in rows}
    # Eight paragraphs of equal size: none has a fifth; four: each has
    assert not any(url in found for url, taken in sources.items() if len(taken) == 8)
    assert all(len(found[url]["sources"]) == 4 for url, taken in sources.items() if len(taken) == 4)


def test_a_quilt_is_shown_with_its_patches_beside_its_sources(
    planted: tuple[Path, dict[str, list[str]]], tmp_path: Path
) -> None:
    run, sources = planted
    hpcreuse("quilt", run, "--out", tmp_path / "out")
    url, taken = next(iter(sources.items()))
    found = summary("show", tmp_path / "out", url, ranks=2)
    assert sorted(found["sources"]) == taken
    # Each paragraph is one patch; the sources have it too
    assert sorted(patch["source"] for patch in found["patches"]) == list(range(len(taken)))
    for patch in found["patches"]:
        (shared,) = [p for p in found["source_patches"][patch["source"]] if p["source"] is not None]
        assert shared["words"] == patch["words"]
    said = hpcreuse("show", tmp_path / "out", url).stdout
    assert "[1: " + found["patches"][[p["source"] for p in found["patches"]].index(0)]["words"] in said
    assert "\x1b" not in said
    done = hpcreuse("show", tmp_path / "out", "http://nobody.org/", check=False)
    assert done.returncode == 1 and "has no quilt http://nobody.org/" in done.stderr


def test_a_sweep_counts_what_single_runs_find(real: tuple[Path, list[Page]], tmp_path: Path) -> None:
    run, pages = real
    found = summary("study", "sweep", run, "--out", tmp_path / "a", "--no-figures", "--memory", "16M", ranks=3)
    rows = {(row["k"], row["m"], row["c"], row["theta"]): row for row in found["sweep"]}
    assert len(found["sweep"]) == 33 and len(rows) == 30
    for k, m, c, theta in ((5, 50, 4, 0.5), (9, 50, 4, 0.5), (5, 10, 4, 0.5), (5, 50, 9, 0.5), (5, 50, 4, 0.4)):
        expected = quilts(pages, k, m, c, theta)
        assert rows[k, m, c, theta]["quilts"] == len(expected)
        assert rows[k, m, c, theta]["mean_sources"] * len(expected) == pytest.approx(
            sum(len(row["sources"]) for row in expected)
        )
    # Theorems 1 and 2 of the paper
    for name in ("c", "theta"):
        counts = [row["quilts"] for row in found["sweep"] if row["parameter"] == name]
        assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]
    hpcreuse("study", "sweep", run, "--out", tmp_path / "b")
    assert (tmp_path / "a" / "sweep.csv").read_bytes() == (tmp_path / "b" / "sweep.csv").read_bytes()
    assert (tmp_path / "b" / "sweep.svg").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("-k", "0", "-k: a gram has at least 1 word"),
        ("-m", "1", "-m must be 2 or more"),
        ("-c", "0", "-c: a quilt has at least 1 source"),
        ("--theta", "1.01", "--theta: a share lies between 0 and 1"),
        ("--min-share", "-0.5", "--min-share: a share lies between 0 and 1"),
        ("--foreign", "planet", "planet"),
    ],
)
def test_parameters_out_of_range_are_refused(tmp_path: Path, option: str, value: str, says: str) -> None:
    done = hpcreuse("quilt", tmp_path, "--out", tmp_path / "out", f"{option}={value}", check=False)
    assert done.returncode == 2 and says in done.stderr


def test_a_run_without_text_is_refused(tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", [("http://a.org/", b"<p>x")])
    hpcreuse("hash", tmp_path / "a.warc.gz", "--out", tmp_path / "run")
    done = hpcreuse("quilt", tmp_path / "run", "--out", tmp_path / "out", ranks=2, check=False)
    assert done.returncode == 1 and "--text" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_run_without_a_word_has_no_quilts(tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", [("http://a.org/", b"<p>"), ("http://b.org/", b"<p>one two")])
    hpcreuse("hash", tmp_path / "a.warc.gz", "--out", tmp_path / "run", "--text")
    found = summary("quilt", tmp_path / "run", "--out", tmp_path / "out", "--theta", "0", "-c", "1", ranks=3)
    assert (found["pages"], found["distinct_grams"], found["quilts"]) == (2, 0, 0)
    assert json.loads((tmp_path / "out" / "result.json").read_text())["summary"]["quilts"] == 0
