"""Spun articles: equal to all pairs compared slowly, the same on any number of ranks, planted ones found."""

import random
import tarfile
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import spin_oracle
from archives import write_warc
from command import hpcreuse, summary, table
from hypothesis import given
from hypothesis import strategies as st
from mpi import TABLE_RANKS, thorough

from hpcreuse import kernels
from hpcreuse.corpus.pairs import Pairs, PairSpool
from hpcreuse.kernels import plain
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.units import cut_units
from hpcreuse.store.run import Run
from hpcreuse.store.scratch import ScratchFile, ScratchStrings
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

# Words that are common on pages of computer scientists, and phrases that overlap with them
SYNONYMS = """\
research\tstudy|investigation
student\tpupil|graduate student
students\tpupils
computer\tmachine
computer science\tinformatics
computer science department\tcs department|dept of computer science
home page\tfront page
page\tsheet
university\tcollege|school
class\tcourse|lecture
information\tdata
available\tat hand|on offer
"""


def articles(run: Path, min_words: int) -> list[spin_oracle.Article]:
    """Take the pages that pass the filters of words and links, in the order of the run."""
    found = []
    for path in sorted(Run.open(run).shard_paths()):
        with Shard.open(path) as shard:
            text = ShardText(shard)
            spelled, numbers, links = [s.decode() for s in text.spellings()], text.numbers(), text.column("links")
            digests = shard.column("files/digest")
            for number, url in enumerate(shard.strings("files/url")):
                words = [spelled[n] for n in numbers.values[numbers.offsets[number] : numbers.offsets[number + 1]]]
                if len(words) >= min_words and links[number] < 0.2 * len(words):
                    found.append(spin_oracle.Article(url.decode(), digests[number].tobytes().hex(), words))
    return found


def pairs(result: Path) -> set[tuple[str, ...]]:
    return {
        (row["a"], row["b"], repr(row["similarity"]), repr(row["mutable"]), row["kind"])
        for row in table(result, "pairs")
    }


@pytest.fixture(scope="module")
def synonyms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spin") / "synonyms.tsv"
    path.write_text(SYNONYMS)
    return path


# Over five thousand real documents: all pairs of them are compared slowly
WORDS_AT_LEAST = "100"


@cache
def expected_pairs(run: Path, threshold: float, mutable: float) -> set[tuple[str, ...]]:
    documents = articles(run, int(WORDS_AT_LEAST))
    assert len(documents) > 5000
    found = spin_oracle.pairs(documents, spin_oracle.read_synonyms(SYNONYMS), threshold, mutable)
    assert {kind for *_, kind in found} == {"exact", "near", "spun"}
    return found


@pytest.mark.parametrize(
    ("threshold", "mutable", "ranks"),
    [
        (0.75, 0.5, 1),
        (0.75, 0.5, 3),
        *(pytest.param(0.75, 0.5, ranks, marks=thorough) for ranks in (2, 5, 16)),
        pytest.param(0.4, 0.9, 2, marks=thorough),
    ],
)
def test_pairs_are_those_of_all_pairs_compared(
    webkb_text: Path,
    synonyms: Path,
    tmp_path: Path,
    threshold: float,
    mutable: float,
    ranks: int,
) -> None:
    hpcreuse(
        *("spin", webkb_text, "--synonyms", synonyms, "--out", tmp_path / "spun", "--min-words", WORDS_AT_LEAST),
        *("--language", "any", "--threshold", str(threshold), "--mutable-threshold", str(mutable)),
        ranks=ranks,
    )
    assert pairs(tmp_path / "spun") == expected_pairs(webkb_text, threshold, mutable)


def test_the_same_tables_on_any_number_of_ranks(webkb_text: Path, synonyms: Path, tmp_path: Path) -> None:
    tables = {}
    for ranks in TABLE_RANKS:
        out, memory = tmp_path / f"{ranks}", "256M" if ranks == 1 else "48M"
        hpcreuse(
            *("spin", webkb_text, "--synonyms", synonyms, "--out", out, "--memory", memory, "--min-words", "400"),
            ranks=ranks,
        )
        tables[ranks] = [hpcreuse("export", out, name).stdout for name in ("filters", "pairs", "clusters", "sizes")]
    assert tables[1][1] and all(tables[ranks] == tables[1] for ranks in tables)
    assert "verdict  all is well" in hpcreuse("verify", tmp_path / f"{TABLE_RANKS[-1]}").stdout


@pytest.mark.parametrize("near", ["score", "equal"])
def test_planted_articles_are_told_apart(tmp_path: Path, near: str) -> None:
    """A seed, a byte copy, a copy in other markup, one with synonyms only, spun ones of other words too, strangers."""
    draw = random.Random(3)
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400)]
    synonyms = {f"mutable{chr(97 + n)}": f"synonym{chr(97 + n)}" for n in range(26)}
    extra = [f"extra{chr(97 + n)}" for n in range(3)]
    entries = "".join(f"{a}\t{b}\n" for a, b in synonyms.items()) + "".join(f"{one}\tsynonym{one}\n" for one in extra)
    (tmp_path / "synonyms.tsv").write_text(entries)

    def article() -> list[str]:
        return [draw.choice(words) if draw.random() < 0.7 else draw.choice(list(synonyms)) for _ in range(150)]

    seed = article()
    page = "<p>" + " ".join(seed)
    spun = [" ".join(synonyms.get(w, w) if draw.random() < 0.5 else w for w in seed) for _ in range(3)]
    pages = [
        ("http://a.org/seed", page),
        ("http://b.org/copy", page),
        ("http://c.org/markup", f"<div><b>{' '.join(seed)}</b></div>"),
        ("http://d.org/synonyms", f"<p>{spun[0]}"),
        *((f"http://d.org/spun{n}", f"<p>{spun[n]} {extra[n]}") for n in (1, 2)),
        *((f"http://e.org/other{n}", f"<p>{' '.join(article())}") for n in range(5)),
    ]
    write_warc(tmp_path / "a.warc.gz", [(url, text.encode()) for url, text in pages])
    hpcreuse("hash", tmp_path / "a.warc.gz", "--text", "--out", tmp_path / "run")
    found = summary(
        *("spin", tmp_path / "run", "--synonyms", tmp_path / "synonyms.tsv", "--out", tmp_path / "spun"),
        *("--language", "any", "--near", near),
        ranks=3,
    )
    clusters: dict[str, set[str]] = {}
    for row in table(tmp_path / "spun", "clusters"):
        clusters.setdefault(row["kind"], set()).add(row["url"])
    seeds = {"http://a.org/seed", "http://c.org/markup"}
    family = {*seeds, "http://d.org/synonyms", "http://d.org/spun1", "http://d.org/spun2"}
    assert clusters == {
        "exact": {"http://a.org/seed", "http://b.org/copy"},
        # METHODS.md: all mutables match, be it by synonyms
        "near": {*seeds, "http://d.org/synonyms"} if near == "score" else seeds,
        "spun": family,
    }
    assert [found[f"{kind}_clusters"] for kind in ("exact", "near", "spun")] == [1, 1, 1]
    assert found["similar_pages"] == len(family)
    shown = summary("show", tmp_path / "spun", "http://d.org/spun1", ranks=2)
    assert (shown["kind"], shown["pages"], [page["url"] for page in shown["texts"]]) == ("spun", 5, sorted(family))
    changes = ["".join(part["change"][0] for part in page["parts"]) for page in shown["texts"]]
    # The copy in other markup is the same, spun ones have other words and one more, the last only other words
    assert changes[:2] == ["e", "e"] and set(changes[4]) == {"e", "r"}
    swaps = [part for part in shown["texts"][4]["parts"] if part["change"] == "replace"]
    assert all(part["words"].split() == [synonyms[w] for w in part["instead"].split()] for part in swaps)
    assert " ".join(part["words"] for part in shown["texts"][4]["parts"]) == spun[0]
    printed = hpcreuse("show", tmp_path / "spun", str(shown["cluster"]), "--places", "3").stdout
    assert "[synonym" in printed and " < mutable" in printed and "and 2 more pages" in printed and "\x1b" not in printed
    assert [(row["kind"], row["size"], row["pages"], row["cdf"]) for row in table(tmp_path / "spun", "sizes")] == [
        (kind, len(clusters[kind]), len(clusters[kind]), 1.0) for kind in ("exact", "near", "spun")
    ]


def article_page(number: int, menu: str = "") -> str:
    """A page of a site: what stands on all of them, and an article of its own."""
    draw = random.Random(number)
    words = " ".join("".join(draw.choices("abcdefghij", k=6)) for _ in range(60))
    return f"<ul>{menu}</ul><div class=article><p>{words}</p></div><script>no words</script>"


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of articles with a common menu, two of them the same, in a WARC, a tar and a folder; and the synonyms."""
    folder = tmp_path_factory.mktemp("tagged")
    menu = "".join(f"<li><a href=/{n}>{n} menuword{n}</a>" for n in range(90))
    pages = [(f"http://a.org/{n}", article_page(n, menu)) for n in range(4)]
    pages += [
        ("http://a.org/again", article_page(0)),
        ("http://a.org/untagged", f"<p>{' '.join(str(n) for n in range(99))}"),
        ("http://a.org/blank", "<div class=article></div>"),
        ("http://a.org/short", "<b>Much</b> <div class=article>too short</div>"),
        ("http://a.org/linked", "<div class=article>" + "<a href=x>many links</a> " * 40 + "</div>"),
    ]
    write_warc(folder / "a.warc.gz", [(url, text.encode()) for url, text in pages])
    (folder / "tree").mkdir()
    (folder / "tree" / "b.html").write_text(article_page(0, menu) + " ")
    with tarfile.open(folder / "c.tar.gz", "w:gz") as tar:
        tar.add(folder / "tree" / "b.html", "c.html")
    (folder / "synonyms.tsv").write_text("unused\tother\n")
    inputs = [folder / name for name in ("a.warc.gz", "tree", "c.tar.gz")]
    hpcreuse("hash", *inputs, "--text", "--out", folder / "run")
    return folder


@pytest.mark.parametrize("ranks", [1, 3])
def test_only_what_stands_in_the_content_tag_counts(tagged: Path, tmp_path: Path, ranks: int) -> None:
    line = ("spin", tagged / "run", "--synonyms", tagged / "synonyms.tsv", "--language", "any", "--out", tmp_path / "o")
    plain = summary(*line, ranks=ranks)
    assert plain["filters"] == {"pages": 11, "visible": 10, "words": 9, "links": 2}
    found = summary(*line, "--content-tag", "div.article", ranks=ranks)
    assert found["filters"] == {"pages": 11, "visible": 10, "content": 9, "words": 8, "links": 7}
    assert [row["pages"] for row in table(tmp_path / "o", "filters")] == [11, 10, 9, 8, 7]
    clusters = {(row["kind"], row["url"]) for row in table(tmp_path / "o", "clusters")}
    exact = {url for kind, url in clusters if kind == "exact"}
    assert len(exact) == 2 and "http://tree/b.html" in exact
    near = {url for kind, url in clusters if kind == "near"}
    assert near - exact == {"http://a.org/0", "http://a.org/again"} and len(near & exact) == 1
    everything = ("--blank-pages", "--min-words", "0", "--link-density", "0")
    assert summary(*line, *everything)["filters"] == {"pages": 11}


def test_a_content_tag_needs_the_archives(tagged: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.warc.gz"
    moved.write_bytes((tagged / "a.warc.gz").read_bytes())
    hpcreuse("hash", moved, "--text", "--out", tmp_path / "run")
    line = ("spin", tmp_path / "run", "--synonyms", tagged / "synonyms.tsv", "--out", tmp_path / "o", "--content-tag")
    wrong = hpcreuse(*line, "div[", check=False)
    assert wrong.returncode == 2 and "not a CSS selector" in wrong.stderr
    moved.unlink()
    done = hpcreuse(*line, "div.article", ranks=2, check=False)
    assert done.returncode == 1 and "must be where they were" in done.stderr and "Traceback" not in done.stderr


@given(st.lists(st.integers(0, 40_000), max_size=8), st.integers(1, 9000), st.integers(0, 2**32))
def test_pairs_come_back_in_order_each_once(lengths: list[int], most: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        spool, added = PairSpool(ScratchFile(Path(folder) / "pairs"), 0), [np.empty((0, 2), np.int64)]
        for length in lengths:
            added.append(draw.integers(0, 150, (length, 2)))
            spool.add(Pairs(added[-1][:, 0], added[-1][:, 1]))
        batches = [np.stack(pairs, 1) for pairs in spool.batches(most)]
    assert all(len(batch) <= most for batch in batches)
    assert np.array_equal(np.concatenate([added[0], *batches]), np.unique(np.concatenate(added), axis=0))


@given(st.lists(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=3), max_size=4), max_size=5))
def test_strings_on_disk_are_those_of_all_blocks(blocks: list[list[list[int]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = ScratchStrings(Path(folder) / "strings", np.uint64)
        for block in blocks:
            values = np.array([value for one in block for value in one], np.uint64)
            kept.append(Ragged.from_lengths(values, [len(one) for one in block]))
        mapped = kept.map()
        found = [mapped.values[a:b].tolist() for a, b in pairwise(mapped.offsets.tolist())]
    assert found == [one for block in blocks for one in block]


WORDS = st.lists(st.sampled_from("a b c d e f g".split()), max_size=12)
ENTRIES = st.dictionaries(
    st.lists(st.sampled_from("a b c d e".split()), min_size=1, max_size=4).map(" ".join),
    st.sampled_from("x y z".split()),
    max_size=6,
)


@given(st.lists(WORDS, max_size=4), ENTRIES)
def test_units_are_those_of_the_definition(texts: list[list[str]], entries: dict[str, str]) -> None:
    table_ = kernels.WordTable()
    numbers = [table_.add(" ".join(words).encode()) for words in texts]
    hashes, _, _ = table_.vocabulary()
    joined = np.concatenate([np.empty(0, np.uint32), *numbers])
    words = Ragged.from_lengths(hashes[joined], [len(n) for n in numbers])
    cut = cut_units(words, Dictionary.compile([[a, b] for a, b in entries.items()]))
    synonyms = spin_oracle.read_synonyms("\n".join(f"{a}\t{b}" for a, b in entries.items()))
    expected = [spin_oracle.units(text, synonyms) for text in texts]
    assert cut.immutables.lengths.tolist() == [len(immutables) for immutables, _ in expected]
    assert cut.mutables.lengths.tolist() == [len(mutables) for _, mutables in expected]


SETS = st.lists(st.sets(st.integers(0, 30)), min_size=1, max_size=5)


@given(SETS, SETS, st.data())
def test_what_sets_share_is_what_the_twin_counts(a: list[set[int]], b: list[set[int]], data: st.DataObject) -> None:
    def ragged(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
        packed = Ragged.from_lengths(np.array([x for s in sets for x in sorted(s)], np.uint64), [len(s) for s in sets])
        return packed.values, packed.offsets

    pairs_ = data.draw(st.lists(st.tuples(st.integers(0, len(a) - 1), st.integers(0, len(b) - 1)), max_size=8))
    first, second = (np.array([pair[n] for pair in pairs_], np.int64) for n in (0, 1))
    arguments = (*ragged(a), first, *ragged(b), second)
    expected = [len(a[x] & b[y]) for x, y in pairs_]
    assert kernels.overlaps(*arguments).tolist() == plain.overlaps(*arguments).tolist() == expected


@given(st.lists(st.integers(0, 4), max_size=20), st.data())
def test_units_start_where_the_twin_says(lengths: list[int], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lengths)), max_size=3)))
    offsets = np.array([0, *cuts, len(lengths)], np.int64)
    room = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(lengths))
    fitting = np.minimum(np.array(lengths, np.int64), room).astype(np.uint8)
    assert kernels.unit_starts(offsets, fitting).tolist() == plain.unit_starts(offsets, fitting).tolist()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--threshold", "0"], 2, "above 0"),
        (["--mutable-threshold", "2"], 2, "between 0 and 1"),
        (["--synonyms", "missing.tsv"], 1, "cannot be read"),
    ],
)
def test_wrong_options_are_refused(
    webkb_text: Path, synonyms: Path, tmp_path: Path, words: list[str], code: int, message: str
) -> None:
    done = hpcreuse("spin", webkb_text, "--synonyms", synonyms, "--out", tmp_path / "o", *words, check=False)
    assert done.returncode == code and message in done.stderr and "Traceback" not in done.stderr
