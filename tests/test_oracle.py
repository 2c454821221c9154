"""The oracle itself, held against the authors' vectors and the worked example of webkb1997."""

import hashlib
import os
from pathlib import Path
from typing import Any

import oracle
import pytest

WEBKB = Path(__file__).parents[2] / "shared" / "data" / "crawl" / "webkb1997.warc.gz"
Tables = tuple[list[dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def webkb() -> Tables:
    if not WEBKB.exists():
        reason = f"{WEBKB} is missing: the worked example needs the shared data"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return oracle.run_tables(oracle.pages(WEBKB), tags=("p", "div"))


def run(*pages: tuple[str, bytes]) -> Tables:
    """A RUN of HTML pages given as (url, payload)."""
    return oracle.run_tables([(url, body, "text/html", "a.warc", i) for i, (url, body) in enumerate(pages)])


def digest(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


@pytest.mark.parametrize(
    ("content", "published"),
    [
        (b"<p>", "63ada55c0ba212a5b1f8d5a70890788f00972bf4"),
        (b"<p>&nbsp;</p>\r\n", "516209366e42307b3fd5bf26bad6634054ba92ba"),
        (b"<p>&nbsp;</p>\n", "7a43b7feac74bf6906202e94c02eed61c2fbcaf2"),
        (b"<p></p>", "515bd358bb7d990930f0e2b3de399db1787a2567"),
        (b"<P>\n", "69ba91b478b06e8df0a8f4ef3109179fbcc0039f"),
        (b'<p align="center">&nbsp;</p>\r\n', "809a5f0f448a2e6adde2314d04e4c30949e79a6b"),
    ],
)
def test_chunks_have_the_published_digests(content: bytes, published: str) -> None:
    found = oracle.chunks(b"<html>" + content + b"<div>tail")
    assert found[0][:2] == (0, 6)
    assert found[1] == (6, len(content), published)
    assert oracle.chunks(content) == [(0, len(content), published)]


def test_dom_mode_gives_the_plugins_eicar_digest() -> None:
    test_file = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
    found = oracle.chunks(b"<p>" + test_file + b"</p>\n<p></p>\n", mode="dom", digest="sha256")
    assert found[1][2] == "8394eaf6060547d4f348b644583d3dcc3299082d29946b7e1e2690bf1948d515"


def cut(payload: bytes, **options: Any) -> list[bytes]:
    return [payload[start : start + length] for start, length, _ in oracle.chunks(payload, **options)]


def test_only_a_whole_tag_name_cuts() -> None:
    page = b"<pre>a<P\tx>b<DIV/>c<p\nd><paragraph><p"
    assert cut(page) == [b"<pre>a", b"<P\tx>b", b"<DIV/>c<p\nd><paragraph><p"]
    assert cut(page, tag_ends="html") == [b"<pre>a", b"<P\tx>b", b"<DIV/>c", b"<p\nd><paragraph><p"]
    assert cut(page, tags=("p",)) == [b"<pre>a", b"<P\tx>b<DIV/>c<p\nd><paragraph><p"]
    assert cut(b"") == cut(b"", mode="dom") == cut(b"", plain="whole") == []


def test_whitespace_is_normalised_for_the_digest_only() -> None:
    page = b" \r\nhead<p> a\t \tb\r\n c\n"
    assert oracle.chunks(page, normalize="whitespace") == [
        (0, 7, digest(b"head")),
        (7, 14, digest(b"<p> a b c")),
    ]


def test_plain_text_is_cut_without_loss() -> None:
    text = b"\none\ntwo\r\n\r\n \nthree <p>\n\nfour\n\n  "
    assert cut(text, plain="whole") == [text]
    assert cut(text, plain="line") == text.splitlines(keepends=True)
    assert cut(text, plain="paragraph") == [b"\none\ntwo\r\n\r\n \n", b"three <p>\n\n", b"four\n\n  "]


def test_content_overrules_a_wrong_type() -> None:
    assert oracle.kind(b"a < b <p>", "text/plain; charset=x") == "plain"
    assert oracle.kind(b"\n<HTML><p>", "text/plain") == oracle.kind(b"<html>", "image/gif") == "markup"
    assert oracle.kind(b"words", "") == "plain"
    assert oracle.kind(b"GIF89a", "text/html") == oracle.kind(b"\x00\x01", "") == "binary"


def test_loops_in_the_web_graph_are_dropped() -> None:
    assert not oracle.recursion_error("http://h/a/a/a?a/a/a/a")
    assert oracle.recursion_error("http://h/a/b/a/c/a/d/a")
    assert not oracle.recursion_error("http://h/x/a/b/a/b/c")
    assert oracle.recursion_error("http://h/x/a/b/a/b/a/b/c")
    deep = "http://h/" + "/".join(map(str, range(96)))
    assert not oracle.recursion_error(deep)
    assert oracle.recursion_error(deep + "/x")


@pytest.mark.parametrize(
    ("url", "prefixes"),
    [
        (
            "http://arxiv.org/archive/physics/x.html",
            ["arxiv.org/", "arxiv.org/archive/", "arxiv.org/archive/physics/"],
        ),
        ("arxiv.org/archive/", ["arxiv.org/", "arxiv.org/archive/"]),
        ("https://me:pw@ArXiv.org:443//A%2fb//x?q=/y/#/z/", ["arxiv.org/", "arxiv.org/A%2fb/"]),
        ("http://arxiv.org:80", ["arxiv.org/"]),
        ("http://arxiv.org?a/b", ["arxiv.org/"]),
        ("http://arxiv.org:8080/x", ["arxiv.org:8080/"]),
    ],
)
def test_neighborhoods_are_the_prefixes(url: str, prefixes: list[str]) -> None:
    assert oracle.neighborhoods(url) == prefixes


def test_discovery_is_strict_and_breaks_ties_by_digest() -> None:
    tables = run(("http://h/1", b"<p>a<p>a<p>b<p>b<p>long"), ("http://h/2", b"<p>a"))
    a, b = digest(b"<p>a"), digest(b"<p>b")
    labels, histogram = oracle.discover(*tables, threshold=2)
    assert labels == [{"digest": a, "count": 3, "length": 4, "source": ""}]
    assert histogram == [
        {"objects": 1, "duplicates": 1, "occurrences": 1},
        {"objects": 1, "duplicates": 2, "occurrences": 2},
        {"objects": 1, "duplicates": 3, "occurrences": 3},
    ]
    assert [row["digest"] for row in oracle.discover(*tables, top=1, stop=[a])[0]] == [b]
    assert [row["length"] for row in oracle.discover(*tables, threshold=0, min_length=5)[0]] == [7]
    ties = run(("http://h/1", b"<p>a<p>b<p>c"))
    smallest = min(digest(b"<p>" + letter) for letter in (b"a", b"b", b"c"))
    assert [row["digest"] for row in oracle.discover(*ties, top=1)[0]] == [smallest]
    assert len(oracle.discover(*tables, threshold=0, objects="file")[0]) == 2


def test_a_value_on_the_threshold_is_no_target() -> None:
    # Ratios 1/3 and 2/3: mean 1/2, deviation 1/6, threshold exactly 2/3, which doubles miss.
    tables = run(("http://a/", b"<p>x<p>1<p>2"), ("http://b/", b"<p>x<p>x<p>3"))
    labels = [digest(b"<p>x")]
    assert not any(row["target"] for row in oracle.detect(*tables, labels)["files"])
    result = oracle.detect(*tables, labels, sigma=0.9, min_chunks=4)
    assert not any(row["target"] for row in result["files"])
    assert [row["target"] for row in result["neighborhoods"]] == [False, True]


def test_stop_chunks_leave_both_counts_and_the_file_stays() -> None:
    tables = run(
        ("http://h/d/1", b"<p>s<p>s"),
        ("http://h/d/2", b"<p>s<p>x<p>x<p>y"),
        ("http://h/e", b""),
        ("http://h/3", b"<p>x"),
    )
    result = oracle.detect(*tables, [digest(b"<p>x"), digest(b"<p>s")], stop=[digest(b"<p>s")])
    assert [(r["url"], r["chunks"], r["bad"]) for r in result["files"]] == [
        ("http://h/3", 1, 1),
        ("http://h/d/1", 0, 0),
        ("http://h/d/2", 3, 2),
    ]
    assert [(r["prefix"], r["depth"], r["files"], r["badness"]) for r in result["neighborhoods"]] == [
        ("h/", 1, 3, pytest.approx(5 / 9)),
        ("h/d/", 2, 2, pytest.approx(1 / 3)),
    ]
    pooled = oracle.detect(*tables, [digest(b"<p>x")], stop=[digest(b"<p>s")], badness="pooled")
    assert [r["badness"] for r in pooled["neighborhoods"]] == pytest.approx([3 / 4, 2 / 3])
    assert [(r["url"], r["position"]) for r in result["matches"]] == [
        ("http://h/3", 0),
        ("http://h/d/2", 1),
        ("http://h/d/2", 2),
    ]


def test_worked_example_of_webkb1997(webkb: Tables) -> None:
    files, chunks = webkb
    labels, histogram = oracle.discover(files, chunks, threshold=20)
    distinct = len({row["digest"] for row in chunks})
    assert (len(files), len(chunks), distinct, len(labels)) == (8230, 73166, 67424, 36)
    assert sum(row["objects"] for row in histogram) == distinct
    assert sum(row["occurrences"] for row in histogram) == len(chunks)

    result = oracle.detect(files, chunks, [row["digest"] for row in labels])
    (summary,) = result["summary"]
    assert (summary["files"], summary["chunks"], summary["labels"]) == (8230, 73166, 36)
    assert (summary["neighborhoods"], summary["bad_neighborhoods"]) == (6541, 699)
    assert summary["target_files"] == 781
    moments = [summary[f"neighborhood_{name}"] for name in ("mean", "deviation", "threshold")]
    assert moments == pytest.approx([0.030654, 0.079088, 0.109742], abs=5e-7)
    assert len(result["matches"]) == sum(row["count"] for row in labels)
