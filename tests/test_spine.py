"""From a real crawl to bad neighborhoods: the same tables as the slow oracle, the same bytes on any number of ranks."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import oracle
import pytest
from archives import first_records
from command import hpcreuse, summary, table

RANKS = (1, 2, 3, 5, 16)
THRESHOLD = 20
RUN_TABLES, LABEL_TABLES = ("files", "chunks", "quarantine"), ("labels", "histogram")
RESULT_TABLES = ("files", "matches", "neighborhoods", "summary")


@pytest.fixture(scope="module")
def crawl(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A whole crawl and slices of another, of different sizes."""
    folder = tmp_path_factory.mktemp("crawl")
    alexa = shared_data / "crawl" / "alexa2018-000.warc.gz"
    cuts = (0, 10, 150, 200, 450)
    slices = [first_records(alexa, folder / f"alexa-{low}.warc.gz", low, high) for low, high in pairwise(cuts)]
    return [shared_data / "crawl" / "webkb1997.warc.gz", *slices]


@pytest.fixture(scope="module")
def run(crawl: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("one") / "run"
    hpcreuse("hash", *crawl, "--out", out)
    return out


@pytest.fixture(scope="module")
def labels(run: Path) -> Path:
    out = run.parent / "labels.h5"
    hpcreuse("discover", run, "--threshold", str(THRESHOLD), "--out", out)
    return out


@pytest.fixture(scope="module")
def expected(crawl: list[Path]) -> tuple[list[oracle.Row], list[oracle.Row]]:
    """The oracle's files and chunks, in order of archive and offset."""
    return oracle.run_tables([page for archive in sorted(crawl) for page in oracle.pages(archive)])


def exports(run: Path, labels: Path, result: Path) -> dict[str, str]:
    wanted = [(run, RUN_TABLES), (labels, LABEL_TABLES), (result, RESULT_TABLES)]
    return {f"{p.name} {t}": hpcreuse("export", p, t).stdout for p, tables in wanted for t in tables}


def same(mine: list[dict[str, Any]], theirs: list[dict[str, Any]], *columns: str) -> None:
    """Compare two tables in some columns; ratios to the last digits."""
    assert len(mine) == len(theirs)
    for row, wanted in zip(mine, theirs, strict=True):
        for column in columns:
            if isinstance(wanted[column], float):
                assert math.isclose(row[column], wanted[column], rel_tol=1e-12), (row, wanted)
            else:
                assert row[column] == wanted[column], (row, wanted)


def test_run_tables_equal_the_oracle(run: Path, expected: Any) -> None:
    files, chunks = expected
    same(table(run, "files"), files, "url", "digest", "length", "chunks", "archive", "offset")
    same(table(run, "chunks"), chunks, "url", "position", "digest", "offset", "length")
    assert table(run, "quarantine") == []


def test_labels_equal_the_oracle(labels: Path, expected: Any) -> None:
    found, histogram = oracle.discover(*expected, threshold=THRESHOLD)
    same(table(labels, "labels"), found, "digest", "count", "length", "source")
    same(table(labels, "histogram"), histogram, "objects", "duplicates", "occurrences")


@pytest.mark.parametrize("badness", ["mean", "pooled"])
def test_result_equals_the_oracle(run: Path, labels: Path, expected: Any, badness: str, tmp_path: Path) -> None:
    hpcreuse("detect", run, "--labels", labels, "--badness", badness, "--out", tmp_path / "result")
    compare_result(tmp_path / "result", oracle.detect(*expected, label_digests(labels), badness=badness))


def test_result_with_stop_chunks_equals_the_oracle(run: Path, labels: Path, expected: Any, tmp_path: Path) -> None:
    stop = sorted(label_digests(labels))[::3]
    stop_file = tmp_path / "stop.tsv"
    stop_file.write_text("# some benign ones\n" + "".join(f"{digest}\t7\n" for digest in stop))
    hpcreuse(
        *("detect", run, "--labels", labels, "--out", tmp_path / "result", "--stop", stop_file),
        *("--min-length", "40", "--min-chunks", "3", "--sigma", "0.5"),
        ranks=3,
    )
    rules: dict[str, Any] = {"stop": stop, "min_length": 40, "min_chunks": 3, "sigma": 0.5}
    compare_result(tmp_path / "result", oracle.detect(*expected, label_digests(labels), **rules))


def test_result_with_fixed_thresholds_equals_the_oracle(run: Path, labels: Path, expected: Any, tmp_path: Path) -> None:
    bars = {"file_threshold": 0.5, "neighborhood_threshold": 0.25}
    flags = [word for name, bar in bars.items() for word in (f"--{name.replace('_', '-')}", str(bar))]
    hpcreuse("detect", run, "--labels", labels, "--out", tmp_path / "result", *flags, ranks=2)
    compare_result(tmp_path / "result", oracle.detect(*expected, label_digests(labels), **bars))


@pytest.mark.parametrize(
    "rule",
    [
        {"top": 50},
        # More than occur twice: those that occur once, which were not kept so far, are counted again
        {"top": 15_000},
        {"top": 3, "objects": "file"},
        {"threshold": 0, "objects": "file"},
        {"threshold": 2, "min_length": 200},
    ],
)
def test_other_rules_of_discovery_equal_the_oracle(
    run: Path, expected: Any, rule: dict[str, Any], tmp_path: Path
) -> None:
    flags = [word for name, value in rule.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    hpcreuse("discover", run, "--out", tmp_path / "labels.h5", *flags, ranks=3)
    found, _ = oracle.discover(*expected, **rule)
    same(table(tmp_path / "labels.h5", "labels"), found, "digest", "count", "length")


def label_digests(labels: Path) -> list[str]:
    return [row["digest"] for row in table(labels, "labels")]


def compare_result(result: Path, expected: dict[str, Any]) -> None:
    same(table(result, "files"), expected["files"], "url", "chunks", "bad", "contains", "target")
    same(table(result, "matches"), expected["matches"], "url", "position", "digest", "source")
    columns = ("prefix", "depth", "files", "chunks", "bad", "badness", "target")
    same(table(result, "neighborhoods"), expected["neighborhoods"], *columns)
    found, wanted = table(result, "summary"), expected["summary"]
    same(found, wanted if isinstance(wanted, list) else [wanted], *found[0])


@pytest.fixture(scope="module")
def one_rank_exports(run: Path, labels: Path) -> dict[str, str]:
    hpcreuse("detect", run, "--labels", labels, "--out", run.parent / "result")
    return exports(run, labels, run.parent / "result")


@pytest.mark.parametrize("ranks", RANKS)
def test_tables_are_the_same_bytes_on_any_number_of_ranks(
    ranks: int, crawl: list[Path], one_rank_exports: dict[str, str], tmp_path: Path
) -> None:
    """Little memory makes several parts per archive and several passes per exchange; the bytes do not change."""
    mine = [tmp_path / "run", tmp_path / "labels.h5", tmp_path / "result"]
    little = ("--memory", "2M")
    hpcreuse("hash", *crawl, "--out", mine[0], *little, ranks=ranks)
    hpcreuse("discover", mine[0], "--threshold", str(THRESHOLD), "--out", mine[1], *little, ranks=ranks)
    hpcreuse("detect", mine[0], "--labels", mine[1], "--out", mine[2], *little, ranks=ranks)
    assert len(list((mine[0] / "shards").iterdir())) > len(crawl)
    assert exports(*mine) == one_rank_exports


def test_the_worked_example(shared_data: Path, tmp_path: Path) -> None:
    crawl = shared_data / "crawl" / "webkb1997.warc.gz"
    hashed = summary("hash", crawl, "--out", tmp_path / "run", "--tags", "p,div", ranks=2)
    assert (hashed["files"], hashed["chunks"]) == (8230, 73166)
    found = summary("discover", tmp_path / "run", "--threshold", "20", "--out", tmp_path / "labels.h5", ranks=2)
    assert (found["distinct"], found["labels"]) == (67424, 36)
    result = summary(
        "detect", tmp_path / "run", "--labels", tmp_path / "labels.h5", "--out", tmp_path / "result", ranks=2
    )
    assert (result["neighborhoods"], result["bad_neighborhoods"], result["target_files"]) == (6541, 699, 781)
    figures = [result[f"neighborhood_{name}"] for name in ("mean", "deviation", "threshold")]
    assert [round(figure, 6) for figure in figures] == [0.030654, 0.079088, 0.109742]


def test_little_memory_gives_the_same_result(shared_data: Path, tmp_path: Path) -> None:
    """Half a million chunks with 64 MB per rank: the peak stays near that plus what Python itself takes."""
    crawl = shared_data / "crawl" / "alexa2018-000.warc.gz"
    peaks = []
    for name, memory in (("little", "64M"), ("much", "4G")):
        out = tmp_path / name
        out.mkdir()
        done = [
            summary("hash", crawl, "--out", out / "run", "--memory", memory, ranks=2),
            summary("discover", out / "run", "--threshold", "20", "--out", out / "l.h5", "--memory", memory, ranks=2),
            summary("detect", out / "run", "--labels", out / "l.h5", "--out", out / "res", "--memory", memory, ranks=2),
        ]
        peaks.append(max(step["peak_resident_bytes"] for step in done))
    assert peaks[0] < (64 << 20) + (150 << 20)
    for name in RESULT_TABLES:
        little, much = (hpcreuse("export", tmp_path / n / "res", name).stdout for n in ("little", "much"))
        assert little == much
