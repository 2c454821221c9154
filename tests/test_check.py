"""`check` and `hpcreuse.LabelSet` against the oracle: files, pipes, threads, filters."""

import gzip
import itertools
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import label_oracle
import numpy as np
import oracle
import pytest
from archives import random_pages, write_warc
from command import HPCREUSE, hpcreuse, summary, table
from hypothesis import given, settings
from hypothesis import strategies as st

import hpcreuse as package
from hpcreuse import kernels
from hpcreuse.errors import StoreError
from hpcreuse.kernels import plain
from hpcreuse.store import filters
from hpcreuse.store.filters import Filter, Shape

ORIGINALS = [(url, body + b"<p>only %d</p>" % n) for n, (url, body) in enumerate(random_pages(5, 12))]
PAGES = [
    *((url.replace("http://s", "http://copy"), body + b"<div>mine</div>") for url, body in ORIGINALS[:6]),
    *((f"http://clean.example/{n}", b"<p>new %d</p><p>and new again %d</p>" % (n, n)) for n in range(6)),
    ("http://empty.example/", b""),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels of some pages and their filter, and other pages to check."""
    folder = tmp_path_factory.mktemp("check")
    write_warc(folder / "originals.warc.gz", ORIGINALS)
    write_warc(folder / "pages.warc.gz", PAGES)
    summary("label", folder / "originals.warc.gz", "--out", folder / "labels.h5")
    summary("label", folder / "labels.h5", "--compact", "--out", folder / "labels.filter")
    return folder


def expected(places: Path, **options: Any) -> list[dict[str, object]]:
    """What the oracle says of all pages."""
    files, chunks = oracle.run_tables(oracle.pages(places / "pages.warc.gz"))
    labels, following = table(places / "labels.h5", "labels"), iter(chunks)
    return [
        label_oracle.check(file["url"], list(itertools.islice(following, file["chunks"])), labels, **options)
        for file in files
    ]


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def pipe(data: bytes, *arguments: str | Path) -> list[dict[str, Any]]:
    """Check what comes on stdin."""
    done = subprocess.run([HPCREUSE, "check", "-", *arguments], input=data, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return lines(done.stdout.decode())


def test_archives_and_warc_streams_are_checked_page_by_page(places: Path) -> None:
    want = expected(places)
    assert {line["verdict"] for line in want} == {"clean", "copied"}
    assert any(len(line["sources"]) > 1 for line in want)  # type: ignore[arg-type]
    archive, labels = places / "pages.warc.gz", ("--labels", places / "labels.h5")
    assert lines(hpcreuse("check", archive, *labels).stdout) == want
    assert pipe(archive.read_bytes(), *labels) == want
    assert pipe(gzip.decompress(archive.read_bytes()), *labels) == want


def test_stop_chunks_and_thresholds_decide_as_in_detection(places: Path) -> None:
    want = expected(places, min_length=60, threshold=0.985)
    arguments = ("--labels", places / "labels.h5", "--min-length", "60", "--file-threshold", "0.985")
    found = places / "found.jsonl"
    done = summary("check", places / "pages.warc.gz", *arguments, "-o", found)
    assert lines(found.read_text()) == want
    assert done["verdicts"] == {
        verdict: sum(line["verdict"] == verdict for line in want) for verdict in done["verdicts"]
    }
    labels = package.LabelSet.open(places / "labels.h5", min_length=60, threshold=0.985)
    assert [labels.check(body, url, "text/html").record() for url, body in PAGES] == want


def test_pages_separated_by_nul_are_answered_at_once(places: Path) -> None:
    want = [{**line, "url": f"-#{n}"} for n, line in enumerate(expected(places)[:-1], 1)]
    process = subprocess.Popen(
        [HPCREUSE, "check", "-", "--labels", places / "labels.h5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    with process:
        for (_, body), answer in zip(PAGES[:-1], want, strict=True):
            process.stdin.write(body + b"\0")
            process.stdin.flush()
            # The pipe is still open: a line that waited for more input would never come
            assert json.loads(process.stdout.readline()) == answer
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_files_and_what_cannot_be_read_get_a_line_each(places: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGES[0][1])
    data = (places / "pages.warc.gz").read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(data[: len(data) // 2])
    arguments = ("--labels", places / "labels.h5", "--strict")
    found = hpcreuse("check", tmp_path / "page.html", tmp_path / "cut.warc.gz", *arguments, check=False)
    by_verdict = {line["verdict"]: line for line in lines(found.stdout)}
    assert found.returncode == 3
    assert by_verdict["unreadable"]["reason"]
    alone = lines(hpcreuse("check", tmp_path / "page.html", "--labels", places / "labels.h5").stdout)
    assert alone == [{**expected(places)[0], "url": f"http://{tmp_path.name}/page.html"}]


def test_many_threads_share_one_set_of_labels(places: Path) -> None:
    labels = package.LabelSet.open(places / "labels.h5")
    want = [labels.check(body, url) for url, body in PAGES] * 30
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda page: labels.check(page[1], page[0]), PAGES * 30))
    assert found == want


def test_a_filter_says_possible_and_the_labels_behind_it_say_which(places: Path) -> None:
    want = expected(places)
    exact = package.LabelSet.open(places / "labels.filter", exact=places / "labels.h5")
    alone = package.LabelSet.open(places / "labels.filter")
    assert [exact.check(body, url, "text/html").record() for url, body in PAGES] == want
    for (url, body), line in zip(PAGES, want, strict=True):
        found = alone.check(body, url, "text/html")
        assert found.matched >= line["matched"]  # type: ignore[operator]
        assert found.verdict == ("possible" if found.matched else "clean")
        assert found.sources == []
    assert (places / "labels.filter").stat().st_size < (places / "labels.h5").stat().st_size / 3
    assert hpcreuse("verify", places / "labels.filter").returncode == 0
    summary("label", places / "originals.warc.gz", "--min-length", "30", "--out", places / "fewer.h5")
    with pytest.raises(StoreError, match="was not made of"):
        package.LabelSet.open(places / "labels.filter", exact=places / "fewer.h5")


def test_labels_decide_the_digest_options(places: Path, shared_data: Path) -> None:
    eicar = shared_data / "published" / "hashes.eicar-test-1970-01-01.json"
    page = b"<p>X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*</p>\n<p></p>\n"
    (found,) = pipe(page, "--labels", eicar)
    assert (found["verdict"], found["sources"]) == ("copied", ["http://eicar.test/"])
    assert pipe(b"<p></p>", "--labels", "isi-geocities")[0]["verdict"] == "copied"
    refused = hpcreuse("check", eicar, "--labels", places / "labels.h5", "--mode", "dom", check=False)
    assert refused.returncode == 1
    assert "--mode raw against dom" in refused.stderr
    assert pipe(b"<p>x</p>", "--labels", places / "labels.h5", "--mode", "raw")[0]["verdict"] == "clean"


def test_whole_files_are_checked_against_labels_of_files(places: Path) -> None:
    summary("label", places / "originals.warc.gz", "--objects", "file", "--out", places / "files.h5")
    labels = package.LabelSet.open(places / "files.h5")
    url, body = ORIGINALS[3]
    assert labels.check(body, "http://x.example/").record() == {
        "url": "http://x.example/",
        "chunks": 1,
        "matched": 1,
        "contains": 1.0,
        "verdict": "copied",
        "sources": [url],
    }
    assert labels.check(body + b" ", "http://x.example/").verdict == "clean"


# ---- the parts it is made of


@given(
    st.sets(st.binary(min_size=20, max_size=20) | st.integers(0, 40).map(lambda n: bytes(19) + bytes([n]))),
    st.lists(st.binary(min_size=20, max_size=20) | st.integers(0, 40).map(lambda n: bytes(19) + bytes([n]))),
)
@settings(deadline=None)
def test_kernels_find_what_a_dict_finds(held: set[bytes], asked: list[bytes]) -> None:
    rows = {digest: row for row, digest in enumerate(sorted(held))}
    digests = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, 20)
    asked += rows
    queries = np.frombuffer(b"".join(asked), np.uint8).reshape(-1, 20)
    for find in (kernels.find_sorted, plain.find_sorted):
        assert find(digests, queries).tolist() == [rows.get(digest, -1) for digest in asked]


def test_filters_hold_every_label_and_little_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several segments
    monkeypatch.setattr(filters, "LABELS_PER_SEGMENT", 500)
    rng = np.random.default_rng(7)
    digests = np.unique(rng.integers(0, 256, (4000, 20), np.uint8), axis=0)
    text = "".join(f"{digest.tobytes().hex()}\n" for digest in digests)
    (tmp_path / "list.txt").write_text(text)
    summary("label", tmp_path / "list.txt", "--out", tmp_path / "labels.h5")
    filters.write_filter(tmp_path / "labels.h5", tmp_path / "filter")
    made = Filter(tmp_path / "filter")
    assert made.shape.segments == 8 == Shape.for_labels(4000).segments
    assert made.may_hold(digests).all()
    others = rng.integers(0, 256, (200_000, 20), np.uint8)
    assert made.may_hold(others).sum() < 40, "about 2 are expected at 24 bits a label"
