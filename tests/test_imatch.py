"""I-Match: equal to the definition on real pages, the same on any number of ranks, sound lexicons."""

import json
from collections import defaultdict
from pathlib import Path
from random import Random

import imatch_oracle
import numpy as np
import pytest
from command import hpcreuse, summary, table
from hypothesis import given
from hypothesis import strategies as st
from mpi import TABLE_RANKS

from hpcreuse import kernels
from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.read import read_archive
from hpcreuse.imatch.lexicon import kept_by
from hpcreuse.kernels import plain, plain_terms
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.run import Run
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


@pytest.fixture
def run(webkb_text: Path) -> Path:
    return webkb_text


def documents(run: Path) -> imatch_oracle.Documents:
    found = []
    for path in Run.open(run).shard_paths():
        with Shard.open(path) as shard:
            text = ShardText(shard)
            words, numbers = [s.decode() for s in text.spellings()], text.numbers()
            for number, url in enumerate(shard.strings("files/url")):
                first, last = numbers.offsets[number : number + 2]
                found.append((url.decode(), [words[n] for n in numbers.values[first:last].tolist()]))
    return found


def clusters(result: Path) -> list[list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for row in table(result, "clusters"):
        found[row["cluster"]].append(row["url"])
    assert list(found) == list(range(len(found)))
    return list(found.values())


@pytest.mark.parametrize(("band", "top_up"), [((0.2, 0.8), "no"), ((0.1, 0.5), "no"), ((0.6, 0.7), "yes")])
def test_clusters_of_one_lexicon_are_those_of_the_definition(
    run: Path, tmp_path: Path, band: tuple[float, float], top_up: str
) -> None:
    options = ["--band", str(band[0]), str(band[1]), "--lexicons", "0", "--top-up", top_up]
    hpcreuse("imatch", run, "--out", tmp_path / "near", *options)
    expected = imatch_oracle.clusters(documents(run), *band, 5, top_up == "yes")
    found = clusters(tmp_path / "near")
    assert expected and all(cluster == sorted(cluster) for cluster in found)
    if top_up == "no":
        assert found == expected
    else:
        groups = [set(cluster) for cluster in found]
        assert all(any(set(cluster) <= group for group in groups) for cluster in expected)


def test_the_same_tables_and_lexicon_on_any_number_of_ranks(run: Path, tmp_path: Path) -> None:
    tables = {}
    for ranks in TABLE_RANKS:
        out = tmp_path / f"{ranks}"
        memory = "64M" if ranks == 1 else "8M"
        hpcreuse(
            *("imatch", run, "--out", out, "--memory", memory, "--save-lexicon", tmp_path / f"{ranks}.lexicon"),
            ranks=ranks,
        )
        names = ("signatures", "clusters", "lexicon")
        tables[ranks] = [hpcreuse("export", out, name).stdout for name in names]
        tables[ranks].append((tmp_path / f"{ranks}.lexicon").read_text())
    assert all(tables[ranks] == tables[1] for ranks in tables)
    assert "verdict  all is well" in hpcreuse("verify", tmp_path / f"{TABLE_RANKS[-1]}").stdout


def test_more_lexicons_find_more_and_a_saved_one_gives_the_same(run: Path, tmp_path: Path) -> None:
    hpcreuse("imatch", run, "--out", tmp_path / "five", "--save-lexicon", tmp_path / "lexicon")
    hpcreuse("imatch", run, "--out", tmp_path / "saved", "--lexicon", tmp_path / "lexicon", ranks=3)
    for name in ("signatures", "clusters"):
        assert hpcreuse("export", tmp_path / "five", name).stdout == hpcreuse("export", tmp_path / "saved", name).stdout
    few = summary("imatch", run, "--out", tmp_path / "none", "--lexicons", "0")
    many = summary("imatch", run, "--out", tmp_path / "ten", "--lexicons", "10")
    five = json.loads((tmp_path / "five" / "result.json").read_text())["summary"]
    assert few["clustered"] <= five["clustered"] <= many["clustered"]
    assert few["clustered"] < many["clustered"]


def signatures(result: Path) -> dict[tuple[int, str], list[str]]:
    """URLs by lexicon and signature."""
    found = defaultdict(list)
    for row in table(result, "signatures"):
        found[row["lexicon"], row["signature"]].append(row["url"])
    return found


def test_the_filter_lists_what_shares_signatures_with_prototypes(run: Path, shared_data: Path, tmp_path: Path) -> None:
    # The stream: a part of the pages, whole or with a paragraph more, among others
    stream = tmp_path / "stream"
    pages = list(read_archive(str(shared_data / "crawl" / "webkb1997.warc.gz"), "", Ledger(), Limits()))[::20]
    for number, page in enumerate(pages):
        more = b"<p>entirely different afternoon paragraph" if number % 2 else b""
        (stream / str(number)).parent.mkdir(exist_ok=True)
        (stream / str(number)).write_bytes(page.payload + more)
    hpcreuse("hash", stream, "--text", "--out", tmp_path / "today")
    hpcreuse("imatch", run, "--out", tmp_path / "known", "--save-lexicon", tmp_path / "lexicon")
    hpcreuse("imatch", tmp_path / "today", "--lexicon", tmp_path / "lexicon", "--out", tmp_path / "signed")
    known, lists = signatures(tmp_path / "known"), defaultdict(list)
    for (lexicon, signature), urls in sorted(signatures(tmp_path / "signed").items()):
        if (lexicon, signature) in known:
            for url in urls:
                lists[url, min(known[lexicon, signature], key=str.encode)].append(lexicon)
    expected = [
        {"url": url, "prototype": prototype, "lexicons": lexicons}
        for (url, prototype), lexicons in sorted(lists.items())
    ]
    assert len({row["url"] for row in expected}) > 200 and any(len(row["lexicons"]) < 6 for row in expected)

    for ranks in TABLE_RANKS:
        out = tmp_path / f"{ranks}"
        by = [("--prototypes", tmp_path / "known", "--lexicon", tmp_path / "lexicon"), ("--prototypes", run)][ranks > 1]
        done = summary("imatch", tmp_path / "today", *by, "--memory", "8M", "--out", out, ranks=ranks)
        assert table(out, "matches") == expected
        assert (done["matched"], done["matches"]) == (len({row["url"] for row in expected}), len(expected))


def test_prototypes_signed_in_another_way_are_refused(run: Path, tmp_path: Path) -> None:
    hpcreuse("imatch", run, "--out", tmp_path / "known", "--save-lexicon", tmp_path / "lexicon")
    hpcreuse("imatch", run, "--out", tmp_path / "other", "--band", "0.3", "0.7", "--save-lexicon", tmp_path / "another")
    for words, message in (
        ((), "its own lexicon: give --lexicon"),
        (("--lexicon", tmp_path / "another"), "another lexicon"),
        (("--lexicon", tmp_path / "lexicon", "--seed", "7"), "made with --seed 0, this job has 7"),
        (("--lexicon", tmp_path / "lexicon", "--min-terms", "7"), "made with --min-terms 5, this job has 7"),
    ):
        line = ("imatch", run, "--prototypes", tmp_path / "known", "--out", tmp_path / "out", *words)
        done = hpcreuse(*line, check=False)
        assert done.returncode == 2 and message in done.stderr
    done = hpcreuse("imatch", run, "--prototypes", tmp_path, "--out", tmp_path / "out", check=False)
    assert done.returncode == 1 and "neither a run nor a result" in done.stderr


def test_resamples_keep_two_thirds_each_its_own() -> None:
    hashes = np.random.default_rng(1).integers(0, 1 << 63, 30_000).astype(np.uint64) * np.uint64(2)
    kept = [kept_by(hashes, lexicon, 1 / 3, 0) for lexicon in range(6)]
    assert kept[0].all()
    for lexicon in range(1, 6):
        assert abs(kept[lexicon].mean() - 2 / 3) < 0.02
    for other in kept[2:]:
        assert abs((kept[1] & other).mean() - 4 / 9) < 0.02
    assert not np.array_equal(kept[1], kept_by(hashes, 1, 1 / 3, 1))
    assert kept_by(hashes, 1, 0.0, 0).all()


@given(
    st.lists(
        st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 63), st.booleans()), max_size=12, unique_by=lambda t: t[0]
    ),
    st.lists(st.sets(st.integers(0, 11), max_size=9), max_size=5),
    st.integers(1, 6),
    st.randoms(),
)
def test_signatures_equal_those_of_the_twin(
    words: list[tuple[int, int, bool]], pages: list[set[int]], least: int, random: Random
) -> None:
    words.sort()
    held = [sorted(place for place in page if place < len(words)) for page in pages]
    starts = np.cumsum([0] + [len(page) for page in held]).astype(np.int64)
    places = np.array([place for page in held for place in page], np.uint32)
    terms = np.array([term for term, _, _ in words], np.uint64)
    # A term is in a lexicon, or spare, or neither
    marks = np.array([0 if spare else mark for _, mark, spare in words], np.uint64)
    order = random.sample(range(len(words)), len(words))
    ranks = np.array([rank if spare else -1 for rank, (_, _, spare) in zip(order, words, strict=True)], np.int64)
    given = starts, places, terms, marks, ranks, 6, least
    for found, expected in zip(kernels.signatures(*given), plain.signatures(*given), strict=True):
        assert (found == expected).all()


@given(
    st.lists(st.lists(st.integers(0, 15), max_size=20), max_size=6),
    st.sets(st.integers(0, 15)),
    st.integers(0, 6),
)
def test_terms_of_pages_equal_those_of_the_twin(pages: list[list[int]], chosen: set[int], least: int) -> None:
    words = Ragged.from_lengths(np.array([word for page in pages for word in page], np.uint32), [*map(len, pages)])
    counts = np.array([word in chosen for word in range(16)]).view(np.uint8)
    given = words.offsets, words.values, counts, least
    for found, expected in zip(kernels.page_terms(*given), plain_terms.page_terms(*given), strict=True):
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--band", "0.8", "0.2"], "the smaller first"),
        (["--removed", "1"], "less than 1"),
        (["--lexicons", "64"], "at most 63"),
        (["--min-terms", "0"], "at least one"),
        (["--lexicon", "x", "--save-lexicon", "y"], "leave --lexicon out"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, words: list[str], message: str) -> None:
    done = hpcreuse("imatch", tmp_path, "--out", tmp_path / "out", *words, check=False)
    assert done.returncode == 2 and message in done.stderr


def test_what_is_no_lexicon_is_refused(run: Path, tmp_path: Path) -> None:
    for text in ("", "# nonsense\n", "# hpcreuse lexicon: documents 9, band 0.2 0.8\ntwo words\t3\n"):
        (tmp_path / "lexicon").write_text(text)
        done = hpcreuse("imatch", run, "--out", tmp_path / "o", "--lexicon", tmp_path / "lexicon", check=False)
        assert done.returncode == 1 and "lexicon" in done.stderr and "Traceback" not in done.stderr
