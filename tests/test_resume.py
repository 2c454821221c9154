"""A job may be killed at any moment, added to, repeated on another number of ranks: the tables do not change."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from archives import random_pages, write_warc
from command import HPCREUSE, hpcreuse, summary, table
from mpi import THOROUGH, YIELD

TABLES = (
    ("run", "files"),
    ("run", "chunks"),
    ("labels.h5", "labels"),
    ("result", "files"),
    ("result", "neighborhoods"),
)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("crawl")
    return [write_warc(folder / f"{n}.warc.gz", random_pages(n, 150 + 50 * n)) for n in range(6)]


def commands(crawl: list[Path], out: Path) -> list[list[str | Path]]:
    """The chain, with little memory so that there are several parts and passes."""
    little: list[str | Path] = ["--memory", "1M"]
    return [
        ["hash", *crawl, "--out", out / "run", *little],
        ["discover", out / "run", "--threshold", "150", "--out", out / "labels.h5", *little],
        ["detect", out / "run", "--labels", out / "labels.h5", "--out", out / "result", *little],
    ]


def all_tables(out: Path) -> list[str]:
    return [hpcreuse("export", out / path, name).stdout for path, name in TABLES]


@pytest.fixture(scope="module")
def undisturbed(crawl: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("undisturbed")
    for command in commands(crawl, out):
        hpcreuse(*command)
    return all_tables(out)


def start(*command: str | Path, ranks: int) -> "subprocess.Popen[str]":
    launcher = Path(sys.executable).parent / "mpiexec"
    return subprocess.Popen(
        [str(part) for part in (launcher, "-n", str(ranks), HPCREUSE, *command)],
        env={**os.environ, **YIELD},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("moment", [0.1, 0.3, 0.5, 0.7, 0.9] if THOROUGH else [0.2, 0.5, 0.8])
def test_killed_at_any_moment_and_repeated_gives_the_same_tables(
    moment: float, crawl: list[Path], undisturbed: list[str], tmp_path: Path
) -> None:
    for command in commands(crawl, tmp_path):
        begin = time.monotonic()
        hpcreuse(*command[:-4], *retarget(command, tmp_path / "timing"), ranks=3)
        duration = time.monotonic() - begin
        process = start(*command, ranks=3)
        time.sleep(moment * duration)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(0.3)
        hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed


def retarget(command: list[str | Path], out: Path) -> list[str | Path]:
    """The end of a command with another --out, to time it."""
    return ["--out", out / Path(command[-3]).name, *command[-2:]]


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM])
def test_a_signal_stops_the_job_with_75_and_the_same_command_goes_on(
    number: signal.Signals, crawl: list[Path], undisturbed: list[str], tmp_path: Path
) -> None:
    big = write_warc(tmp_path / "big.warc", random_pages(99, 6000))
    command: list[str | Path] = ["hash", big, "--out", tmp_path / "run", "--memory", "1M"]
    with subprocess.Popen([str(part) for part in (HPCREUSE, *command)], stderr=subprocess.PIPE, text=True) as process:
        while not list((tmp_path / "run" / "shards").glob("*.h5")):
            time.sleep(0.01)
            assert process.poll() is None
        process.send_signal(number)
        _, errors = process.communicate()
        assert process.returncode == 75, errors
        assert number.name in errors
    done = hpcreuse("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "l.h5", check=False)
    assert done.returncode == 1 and "not complete" in done.stderr
    assert summary(*command)["files"] == 6000
    assert len(table(tmp_path / "run", "files")) == 6000


def test_only_new_archives_are_hashed(crawl: list[Path], tmp_path: Path) -> None:
    first = summary("hash", *crawl[:3], "--out", tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "shards").iterdir()}
    second = summary("hash", *crawl, "--out", tmp_path / "run", ranks=2)
    assert (first["partitions"], second["partitions"], second["partitions_done_before"]) == (3, 3, 3)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    third = summary("hash", *crawl[2:], "--out", tmp_path / "run")
    assert (third["partitions"], third["partitions_done_before"]) == (0, 4)
    assert len(table(tmp_path / "run", "files")) == sum(150 + 50 * n for n in range(6))


def test_counts_are_kept_until_the_run_grows(crawl: list[Path], tmp_path: Path) -> None:
    hpcreuse("hash", *crawl[:2], "--out", tmp_path / "run")
    hpcreuse("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "a.h5")
    kept = tmp_path / "run" / "counts" / "chunk" / "counts.json"
    stamp = kept.stat().st_mtime_ns
    hpcreuse("discover", tmp_path / "run", "--threshold", "2", "--out", tmp_path / "b.h5", ranks=3)
    assert kept.stat().st_mtime_ns == stamp
    hpcreuse("hash", crawl[2], "--out", tmp_path / "run")
    hpcreuse("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "c.h5")
    assert sum(row["occurrences"] for row in table(tmp_path / "c.h5", "histogram")) == 60 * (150 + 200 + 250)


def test_an_archive_that_changed_is_hashed_anew(tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "a.warc.gz", random_pages(1, 10))
    hpcreuse("hash", crawl, "--out", tmp_path / "run")
    write_warc(crawl, random_pages(2, 20))
    assert summary("hash", crawl, "--out", tmp_path / "run")["partitions"] == 1
    assert len(table(tmp_path / "run", "files")) == 20


def test_a_folder_that_lost_files_leaves_no_stale_shard(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("a.html", "b.html"):
        (folder / name).write_text(f"<p>{name}</p>")
    hpcreuse("hash", folder, "--out", tmp_path / "run")
    (folder / "a.html").unlink()
    hpcreuse("hash", folder, "--out", tmp_path / "run")
    assert [row["url"] for row in table(tmp_path / "run", "files")] == ["http://site/b.html"]


def test_fresh_throws_the_old_run_away(crawl: list[Path], tmp_path: Path) -> None:
    hpcreuse("hash", *crawl[:2], "--out", tmp_path / "run")
    hpcreuse("hash", crawl[2], "--out", tmp_path / "run", "--tags", "p", "--fresh", ranks=2)
    assert len(table(tmp_path / "run", "files")) == 250


def test_what_a_killed_job_left_half_written_is_removed(crawl: list[Path], tmp_path: Path) -> None:
    hpcreuse("hash", crawl[0], "--out", tmp_path / "run")
    stale = tmp_path / "run" / "shards" / ".0.warc.gz-x-00000-000.h5.elsewhere-1.tmp"
    stale.write_bytes(b"half")
    hpcreuse("hash", crawl[0], "--out", tmp_path / "run")
    assert not stale.exists()


def test_a_foreign_folder_is_never_overwritten(crawl: list[Path], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    hpcreuse("hash", crawl[0], "--out", tmp_path / "run")
    hpcreuse("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "l.h5")
    for command in (
        ("hash", crawl[0], "--out", tmp_path / "mine", "--fresh"),
        ("detect", tmp_path / "run", "--labels", tmp_path / "l.h5", "--out", tmp_path / "mine"),
        ("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "mine" / "thesis.tex"),
    ):
        assert hpcreuse(*command, check=False).returncode == 1
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"
