"""study recall: the truth equals all pairs compared, recall equals a slow count, the simulation meets the formula."""

import json
from collections import defaultdict
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
from command import hpcreuse, summary, table
from imatch_oracle import terms_of
from mpi import TABLE_RANKS
from test_imatch import documents

from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.read import read_archive

PAGES, LEXICONS = 1500, 4


@pytest.fixture(scope="module")
def run(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some pages of webkb1997, a few of them twice with some words more or fewer."""
    folder = tmp_path_factory.mktemp("recall")
    pages = islice(read_archive(str(shared_data / "crawl" / "webkb1997.warc.gz"), "", Ledger(), Limits()), PAGES)
    with (folder / "pages.jsonl").open("w") as out:
        for number, page in enumerate(pages):
            html = page.payload.decode("latin-1")
            out.write(json.dumps({"id": str(number), "html": html}) + "\n")
            if number % 10 == 0:
                more = " ".join(f"inserted{'abcdefgh'[n]}" for n in range(number // 10 % 8))
                out.write(json.dumps({"id": f"copy{number}", "html": f"{html}<p>{more}"}) + "\n")
    hpcreuse("hash", folder / "pages.jsonl", "--text", "--out", folder / "run", ranks=2)
    return folder / "run"


def similar(run: Path, threshold: float, drop: bool) -> tuple[dict[str, set[str]], set[tuple[str, str]]]:
    """Compare all pairs; URLs by way of a large matrix of zeros and ones."""
    terms = {url: terms_of(words) for url, words in documents(run)}
    terms = {url: found for url, found in terms.items() if len(found) >= 5}
    if drop:
        first = {frozenset(found): url for url, found in reversed(terms.items())}
        terms = {url: terms[url] for url in terms if first[frozenset(terms[url])] == url}
    place = {term: number for number, term in enumerate(sorted(set().union(*terms.values())))}
    matrix = np.zeros((len(terms), len(place)), np.float32)
    for row, found in enumerate(terms.values()):
        matrix[row, [place[term] for term in found]] = 1
    shared, sizes, urls = matrix @ matrix.T, matrix.sum(axis=1).astype(np.int64), list(terms)
    # In whole numbers: no rounding
    bound = round(100 * threshold) ** 2 * np.outer(sizes, sizes)
    pairs = np.argwhere(np.triu(10_000 * shared.astype(np.int64) ** 2 >= bound, 1))
    return terms, {tuple(sorted((urls[a], urls[b]))) for a, b in pairs.tolist()}


def agreeing(result: Path, urls: set[str], lexicons: int) -> set[tuple[str, str]]:
    groups = defaultdict(list)
    for row in table(result, "signatures"):
        if row["lexicon"] <= lexicons and row["url"] in urls:
            groups[row["lexicon"], row["signature"]].append(row["url"])
    return {tuple(sorted(pair)) for group in groups.values() for pair in combinations(group, 2)}


@pytest.mark.parametrize(("threshold", "duplicates"), [(0.9, "drop"), (0.75, "keep")])
def test_recall_equals_a_slow_count(run: Path, tmp_path: Path, threshold: float, duplicates: str) -> None:
    options = ("--lexicons", str(LEXICONS), "--seed", "3")
    found = summary(
        *("study", "recall", run, "--out", tmp_path / "recall", "--no-figures", "--trials", "0", *options),
        *("--threshold", str(threshold), "--trivial-duplicates", duplicates, "--memory", "16M"),
    )
    terms, truth = similar(run, threshold, duplicates == "drop")
    hpcreuse("imatch", run, "--out", tmp_path / "near", *options)
    neighbours = defaultdict(set)
    for a, b in truth:
        neighbours[a].add((a, b))
        neighbours[b].add((a, b))
    assert (found["compared"], found["pairs"], found["queries"]) == (len(terms), len(truth), len(neighbours))
    assert len(truth) > 100
    for row in found["recall"]:
        pairs = agreeing(tmp_path / "near", set(terms), row["lexicons"])
        assert (row["found"], row["others"]) == (len(pairs & truth), len(pairs - truth))
        mean = np.mean([len(own & pairs) / len(own) for own in neighbours.values()])
        assert row["recall"] == pytest.approx(mean)
    recalls = [row["recall"] for row in found["recall"]]
    assert recalls == sorted(recalls) and recalls[0] < recalls[-1]
    assert [row["lexicons"] for row in found["table1"]] == [0, 2]


def test_what_the_memory_does_not_hold_is_refused_beforehand(run: Path, tmp_path: Path) -> None:
    done = hpcreuse("study", "recall", run, "--out", tmp_path / "out", "--memory", "1M", ranks=2, check=False)
    assert done.returncode == 2 and "holds the terms of all documents in memory, about" in done.stderr
    assert done.stderr.count("give it more with --memory, more ranks, or a smaller run") == 1


def test_the_simulation_meets_the_formula_within_its_error(run: Path, tmp_path: Path) -> None:
    for removed in ("0.333", "0.5"):
        words = ("--trials", "6000", "--removed", removed, "--no-figures", "--out", tmp_path / removed)
        found = summary("study", "recall", run, *words)["stability"]
        assert {row["changes"] for row in found} == set(range(1, 9))
        for row in found:
            p, n, k = float(removed), row["changes"], row["lexicons"]
            assert row["formula"] == pytest.approx(1 - (1 - p**n) ** k)
            # Of 48 such comparisons one in a thousand runs would miss this by chance; the seed is fixed
            assert abs(row["share"] - row["formula"]) <= 4.2 * row["error"] + 1 / 6000


def test_the_same_tables_on_any_number_of_ranks_and_legitimate_documents_are_counted(
    run: Path, webkb_text: Path, tmp_path: Path
) -> None:
    written = {}
    for ranks in TABLE_RANKS:
        out = tmp_path / str(ranks)
        line = ("study", "recall", run, "--legitimate", webkb_text, "--lexicons", "3", "--trials", "1200")
        found = summary(*line, "--memory", "16M", "--out", out, ranks=ranks)
        files = sorted(path for path in out.iterdir() if path.suffix in (".csv", ".svg"))
        assert [path.name for path in files] == ["recall.csv", "recall.svg", "stability.csv", "table1.csv"]
        written[ranks] = [path.read_bytes() for path in files]
        assert not (out / ".spool").exists()
        # All pages of the run are among those of the crawl
        caught = [row["legitimate"] for row in found["recall"]]
        assert caught == sorted(caught) and caught[0] > 1000
    assert all(each == written[1] for each in written.values())
