"""Every benchmark runs on a tiny corpus and writes what it should; how fast things are is not looked at."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from archives import write_warc
from mpi import thorough

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture(scope="module")
def tiny(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the benches keep what they make to themselves."""
    folder = tmp_path_factory.mktemp("bench")
    return {
        **os.environ,
        "HPCREUSE_BENCH_DATA": str(folder / "data"),
        "HPCREUSE_BENCH_RESULTS": str(folder / "results"),
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
        "MPIR_CVAR_POLLS_BEFORE_YIELD": "0",
    }


def bench(tiny: dict[str, str], name: str, *arguments: str) -> tuple[dict[str, Any], str]:
    """Run a benchmark; give the JSON it wrote and what it printed."""
    line = [sys.executable, BENCH / f"{name}.py", *arguments]
    done = subprocess.run(list(map(str, line)), env=tiny, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((Path(tiny["HPCREUSE_BENCH_RESULTS"]) / f"{name}.json").read_text())
    assert written["machine"]["cores"]
    return written, done.stdout


def needs(*modules: str) -> None:
    """Skip, and say so, when the extra `bench` is not installed."""
    if lacking := [module for module in modules if importlib.util.find_spec(module) is None]:
        pytest.skip(f"{', '.join(lacking)} missing: pip install 'hpcreuse[bench]'")


@thorough
def test_limits_sets_stages_against_floors(tiny: dict[str, str]) -> None:
    needs("fastwarc")
    if not shutil.which("gcc"):
        pytest.skip("no C compiler for the floor")
    written, printed = bench(tiny, "limits", "--pages", "8", "--copies", "1", "--parts", "2", "--repeats", "1")
    goals = [row for row in written["rows"] if "met" in row]
    assert len(goals) >= 4 and all(row["value"]["median"] >= 0 for row in written["rows"])
    assert printed.count("met") + printed.count("NOT MET") >= len(goals)
    # The floor reads the same pages as hpcreuse does
    floors = written["measured"]["floor of hash, FastWARC"], written["measured"]["floor of hash, ISA-L"]
    assert [rates[0][0] for rates in floors] == [written["work"]["payload_bytes"]] * 2


def test_exact_peers_agree_with_hpcreuse(tiny: dict[str, str]) -> None:
    needs("fastwarc")
    small = ("--pages", "12", "--copies", "2", "--parts", "2", "--repeats", "1", "--threshold", "2")
    duck = ["duck"] if importlib.util.find_spec("duckdb") else []
    written, printed = bench(tiny, "peers", *small, "--only", "dicts", *duck)
    assert written["work"]["labels"] > 0
    assert {name: peer["differences"] for name, peer in written["peers"].items()} == {
        name: [] for name in ["dicts", *duck]
    }
    assert "same results" in printed


@thorough
def test_memory_shows_peaks_and_growth(tiny: dict[str, str]) -> None:
    small = ("--memory", "1", "--times", "2", "--pages", "4", "--sizes", "1", "2", "--repeats", "1")
    written, printed = bench(tiny, "memory", *small)
    assert written["bound"]["distinct"] * 20 >= 2 * written["bound"]["memory_bytes"]
    assert all(stage["met"] for stage in written["bound"]["stages"].values()), printed
    assert int(written["bound"]["stages"]["discover"]["goes"].split()[0]) > 1
    assert [size["pages"] for size in written["growth"]["sizes"].values()] == [4, 8]


def test_spin_finds_the_pairs_of_the_plain_index(tiny: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "synonyms.tsv").write_text("word\tterm\n")
    pages = [
        (
            f"http://a.org/{n}",
            b"<p>" + b" ".join(b"w%d" % (i * (n // 2 + 1) % 97) for i in range(80)) + b" word" * (n % 2),
        )
        for n in range(20)
    ]
    write_warc(tmp_path / "a.warc.gz", pages)
    small = ("--input", str(tmp_path / "a.warc.gz"), "--synonyms", str(tmp_path / "synonyms.tsv"), "--repeats", "1")
    written, printed = bench(tiny, "spin", *small)
    assert written["articles"] == 20 and written["similar_pairs"] >= 10 and "by all the same" in printed
    assert set(written["measured"]) == {"hpcreuse", "pairs", "counters"}


@thorough
def test_imatch_judges_both_methods(tiny: dict[str, str], shared_data: Path) -> None:
    needs("datasketch")
    small = ("--articles", str(shared_data / "neardup" / "articles_100.train"), "--copies", "2", "--repeats", "1")
    written, _ = bench(tiny, "imatch", *small)
    (row,) = written["rows"]
    assert row["known"] == 10
    peers = ["datasketch in bulk", "datasketch as its documentation shows"]
    for name in ("hpcreuse", "hpcreuse --band 0.2 0.5", *peers):
        assert row[name]["precision"] == 1 and row[name]["recall"] > 0.5
    assert all(row[peer]["times_faster"]["median"] > 0 and "met" in row[peer]["times_faster_alone"] for peer in peers)
