"""bench/scaling.py as a user runs it, on little: does it measure every stage, and compare the tables?"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from archives import write_warc
from mpi import YIELD

BENCH = Path(__file__).parents[1] / "bench"


def scaling(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH / "scaling.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **YIELD, "HPCREUSE_BENCH_RESULTS": str(folder)},
    )


@pytest.fixture
def crawl(tmp_path: Path) -> list[Path]:
    return [
        write_warc(
            tmp_path / f"{part}.warc.gz",
            [(f"http://s{n % 3}.example/{part}/{n}", b"<p>shared</p><p>%d %d</p>" % (part, n)) for n in range(40)],
        )
        for part in range(3)
    ]


def test_every_stage_is_measured_and_the_tables_are_the_same(crawl: list[Path], tmp_path: Path) -> None:
    done = scaling(tmp_path, "--input", *crawl, "--ranks", "1", "3", "--repeats", "1", "--modes", "strong")
    assert done.returncode == 0, done.stderr
    records = json.loads((tmp_path / "scaling.json").read_text())["scaling"]
    assert [(record["stage"], record["ranks"]) for record in records] == [
        (stage, ranks) for stage in ("hash", "discover", "detect", "all") for ranks in (1, 3)
    ]
    for record in records:
        assert record["efficiency"]["median"] == pytest.approx(record["speed_up"]["median"] / record["ranks"])
    for record in records[:-2]:
        assert all(phase["imbalance"] >= 1 for phase in record["phases"].values())
        assert (record["sent_bytes"]["max"] > 0) == (record["ranks"] > 1 and record["stage"] != "hash")


def test_tables_that_are_not_the_same_end_it(tmp_path: Path) -> None:
    sys.path.insert(0, str(BENCH))
    try:
        from scaling import must_be_same
    finally:
        sys.path.remove(str(BENCH))
    for name, text in (("reference", b"<p>a"), ("made", b"<p>b")):
        crawl = write_warc(tmp_path / "crawl.warc", [("http://a.example/", text)])
        (tmp_path / name).mkdir()
        hash_it = [Path(sys.executable).parent / "hpcreuse", "hash", crawl, "--out", tmp_path / name / "run"]
        subprocess.run(hash_it, check=True, capture_output=True)
    with pytest.raises(SystemExit, match="run on 3 ranks is not the same"):
        must_be_same(tmp_path / "reference", tmp_path / "made", 3)
