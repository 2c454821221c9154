"""The precision study finds what PyPI's Nilsimsa and hashlib find, page by page."""

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nilsimsa
import oracle
import pytest
from archives import write_warc
from command import hpcreuse, summary
from mpi4py import MPI

from hpcreuse.corpus.reading import Piece, _read_shares, broken_sources
from hpcreuse.corpus.truth import Truth
from hpcreuse.crawl.pages import Limits, Page
from hpcreuse.crawl.partitions import plan
from hpcreuse.errors import UsageError
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World

WORDS = b"the quick brown fox jumps over a lazy dog while seven wise old owls watch from some tall dark tree ".split()
LEAST = 26


def paragraph(seed: int) -> bytes:
    return b"<p>" + b" ".join(random.Random(seed).choices(WORDS, k=12)) + b"</p>\n"


SITE = [
    (f"http://bank.example/{n}.html", b"<html>bank %d" % n + paragraph(3 * n) + paragraph(3 * n + 1)) for n in range(8)
]
AMONG = [
    *((f"http://bank.example/own/{n}", payload) for n, (_, payload) in enumerate(SITE)),
    *((f"http://thief{n}.example/exact.html", b"<title>%d</title>" % n + paragraph(3 * n)) for n in range(4)),
    *((f"http://thief{n}.example/near.html", paragraph(3 * n).replace(b"o", b"0", 1)) for n in range(4, 8)),
    *((f"http://honest{n}.example/", b"<p>hello" + paragraph(100 + n)) for n in range(20)),
    ("http://short.example/", b"<p>x</p><p>y</p>"),
    ("http://empty.example/", b""),
]
COPIES = [url for url, _ in AMONG if "thief" in url]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("precision")
    write_warc(folder / "site.warc.gz", SITE)
    for number in range(3):
        write_warc(folder / f"among{number}.warc.gz", AMONG[number::3])
    lines = [f"{url.split('/', 2)[2]}\tcopy" for url in COPIES] + ["honest1.example/\tother", "# a remark"]
    (folder / "truth.tsv").write_text("\n".join(lines))
    return folder


def objects(payload: bytes) -> list[tuple[str, str]]:
    """The SHA-1 and the Nilsimsa digest of each chunk that is long enough."""
    chunks = [(payload[at : at + size], digest) for at, size, digest in oracle.chunks(payload) if size >= LEAST]
    return [(digest, nilsimsa.Nilsimsa(chunk).hexdigest()) for chunk, digest in chunks]


def expected() -> dict[str, tuple[bool, int]]:
    """Hold every page against the site: whether a chunk is equal, and the best score."""
    labels = [each for _, payload in SITE for each in objects(payload)]
    found = {}
    for url, payload in AMONG:
        if payload and "bank.example" not in url:
            mine = objects(payload)
            exact = any(digest == other for digest, _ in mine for other, _ in labels)
            scores = [nilsimsa.compare_digests(one, two) for _, one in mine for _, two in labels]
            found[url] = (exact, max(scores, default=-128))
    return found


def study(folder: Path, out: str, *more: str | Path, ranks: int = 0) -> dict[str, Any]:
    among = sorted(folder.glob("among*.warc.gz"))
    words = ("study", "precision", folder / "site.warc.gz", "--among", *among, "--out", folder / out, *more)
    return summary(*words, "--no-figures", ranks=ranks)


def test_scores_are_those_of_the_package_on_pypi_on_any_number_of_ranks(folder: Path) -> None:
    done = study(folder, "one", "--truth", folder / "truth.tsv")
    wanted = expected()
    with (folder / "one" / "closest.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert {row["url"]: (row["exact"] == "true", int(row["score"])) for row in rows} == wanted
    assert [int(row["score"]) for row in rows] == sorted((int(row["score"]) for row in rows), reverse=True)
    assert all(row["source"].startswith("http://bank.example/") for row in rows if int(row["score"]) > -128)
    assert {row["url"] for row in rows if row["copy"] == "true"} == set(COPIES)
    assert (done["copies"], done["others"]) == (len(COPIES), len(wanted) - len(COPIES))
    taken = {url for url, (exact, _) in wanted.items() if exact}
    assert (done["exact"]["tp"], done["exact"]["fp"]) == (4, 0) and taken < set(COPIES)
    assert [row["threshold"] for row in done["nilsimsa"]] == list(range(128, 99, -1))
    for row in done["nilsimsa"]:
        near = {url for url, (_, score) in wanted.items() if score >= row["threshold"]}
        found, false = len(near & set(COPIES)), len(near - set(COPIES))
        assert (row["tp"], row["fp"]) == (found, false)
        assert (row["fn"], row["tn"]) == (len(COPIES) - found, done["others"] - false)
    assert done["nilsimsa"][-1]["tp"] == 8, "near copies are found as well"
    for ranks in (2, 3, 5):
        study(folder, f"ranks{ranks}", "--truth", folder / "truth.tsv", ranks=ranks)
        for name in ("thresholds.csv", "closest.csv", "study.json"):
            assert (folder / f"ranks{ranks}" / name).read_bytes() == (folder / "one" / name).read_bytes(), name


def test_copies_are_made_where_no_truth_is_given_and_whole_files_are_compared(folder: Path) -> None:
    done = study(folder, "made", "--changes", "0", "--seed", "3")
    assert done["copies"] == len(SITE) and done["exact"]["tp"] == len(SITE)
    assert done["others"] == len(expected())
    again = study(folder, "whole", "--objects", "file", "--truth", folder / "truth.tsv", "--lowest", "0")
    assert again["exact"]["tp"] == again["exact"]["fp"] == 0
    assert again["nilsimsa"][-1]["tp"] > 0


def test_the_table_for_people_stands_beside_the_published_one(folder: Path, shared_data: Path) -> None:
    phish = shared_data / "phish"
    brands = {path.name.partition(".")[0].removesuffix("community") for path in (phish / "originals").iterdir()}
    copies = [p.name for p in (phish / "copies").iterdir() if any(brand in p.name.lower() for brand in brands)]
    (folder / "phish.tsv").write_text("\n".join(copies))
    among = ("--among", phish / "copies", "--truth", folder / "phish.tsv")
    words = ("study", "precision", phish / "originals", *among, "--mode", "dom", "--out", folder / "phish")
    shown = hpcreuse(*words).stdout.splitlines()
    assert "30 copies among 48" in shown[1]
    assert "copies found               9              11    43 and 43" in shown
    assert (folder / "phish" / "precision.svg").stat().st_size > 10_000


def test_a_list_of_copies_that_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    for text in ("a.html\tperhaps\n", "# a remark\n", ""):
        (tmp_path / "truth").write_text(text)
        with pytest.raises(UsageError, match="--truth"):
            Truth.read(tmp_path / "truth")
    (tmp_path / "truth").write_text("url,class\nb/c.html\nhttp://x.example/d\tphish\na,b.html,benign\n1,2.html\n")
    truth = Truth.read(tmp_path / "truth")
    assert truth.is_copy("http://x.example/a/b/c.html") and truth.is_copy("http://x.example/d")
    assert truth.copies == {"b/c.html", "http://x.example/d", "1,2.html"}
    assert not truth.is_copy("http://x.example/ab/c.html") and not truth.is_copy("http://y.example/d")


def test_ranges_of_an_archive_give_each_page_once_and_gaps_are_seen(folder: Path) -> None:
    alone = World(MPI.COMM_SELF, 0, 1)
    (whole,) = plan([str(folder / "among0.warc.gz")], None)

    def urls(pages: Iterator[Page]) -> list[str]:
        return [page.url for page in pages]

    ranges = whole.ranges(whole.bytes // 5)
    pieces = _read_shares(alone, ranges, Limits(), urls, Progress("", "", 0, 0))
    assert len(pieces) > 3
    found = [url for piece in sorted(pieces, key=lambda piece: piece.number) for url in piece.outcome]
    assert found == [url for url, _ in AMONG[0::3]]
    assert broken_sources(alone, pieces) == set()
    assert broken_sources(alone, pieces[1:]) == {whole.source}
    assert broken_sources(alone, [Piece("a", 0, 0, 9, True, 0, None), Piece("b", 0, 0, 9, False, 0, None)]) == {"b"}
