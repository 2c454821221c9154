"""What passes between ranks, with real processes on 1 to 64 ranks: see mpi_programs/."""

import functools
import re
import subprocess
import sys
import time

import mpi
import pytest
from mpi_programs import collectives

# The 64 interpreters alone take tens of seconds to start on two cores
TIMEOUT = 150


@functools.cache
def collectives_on(ranks: int) -> str:
    """Run all checks in one launch and give what they printed, whatever came of it."""
    try:
        done = mpi.program(ranks, "collectives.py", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        return f"{error.stdout!s}\n{error.stderr!s}\nno end after {TIMEOUT} s"
    return f"{done.stdout}\n{done.stderr}\nexit code {done.returncode}"


@pytest.mark.parametrize("name", [check.__name__ for check in collectives.CHECKS])
@pytest.mark.parametrize("ranks", mpi.RANKS)
def test_collectives_do_what_plain_python_does(ranks: int, name: str) -> None:
    printed = collectives_on(ranks)
    assert re.search(rf"^ok {name} ", printed, re.MULTILINE), "\n".join(
        line for line in printed.splitlines() if not line.startswith(("ok ", "result "))
    )


@pytest.mark.parametrize("name", ["counts_do_not_depend_on_the_number_of_ranks", "moments_are_exact"])
def test_results_are_the_same_on_any_number_of_ranks(name: str) -> None:
    hashes = {ranks: re.findall(rf"^result {name} (\w+)$", collectives_on(ranks), re.MULTILINE) for ranks in mpi.RANKS}
    assert all(len(found) == 1 for found in hashes.values()), hashes
    assert len({found[0] for found in hashes.values()}) == 1, hashes


def failure(ranks: int, way: str) -> subprocess.CompletedProcess[str]:
    """Run a job that goes wrong and hold it to its time: 10 seconds beyond what ranks need to start."""
    begin = time.monotonic()
    done = mpi.program(ranks, "failures.py", way, timeout=30, check=False)
    assert time.monotonic() - begin < 10 + ranks * 0.3
    return done


@pytest.mark.parametrize("ranks", [2, 3, 16])
def test_a_bug_on_one_rank_ends_the_job_with_its_traceback(ranks: int) -> None:
    done = failure(ranks, "bug")
    assert done.returncode == 1
    assert done.stderr.count("RuntimeError: something is broken here") == 1
    assert done.stderr.count("Traceback") == 1
    assert set(re.findall(r"rank (\d+):", done.stderr)) == {str(ranks - 1)}


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("bug_on_root", "IndexError: list index out of range"),
        ("bug_in_map", "ZeroDivisionError"),
        ("bug_in_queue", "RuntimeError: the first item is broken"),
    ],
)
def test_a_bug_ends_the_job_wherever_the_others_wait(way: str, message: str) -> None:
    done = failure(3, way)
    assert done.returncode == 1
    assert done.stderr.count(message) == 1
    assert done.stderr.count("Traceback") == 1


@pytest.mark.parametrize("ranks", [1, 5])
@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("own_error", "crawl.warc.gz cannot be opened"),
        ("no_file", "No such file or directory: /nonexistent/shard.h5"),
    ],
)
def test_an_error_of_one_rank_ends_the_job_with_its_message(ranks: int, way: str, message: str) -> None:
    done = failure(ranks, way)
    assert done.returncode == 1
    assert done.stderr.count(message) == 1
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if message in line]
    assert lines == [f"hpcreuse: {f'rank {ranks - 1}: ' if ranks > 1 else ''}{message}"]


@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize(
    ("way", "message", "code"),
    [
        ("shared_error", "hpcreuse: the run is damaged: hash it again", 1),
        ("shared_usage", "hpcreuse: there is no such label", 2),
        ("stopped", "hpcreuse: stopped on SIGUSR1: run the same command again to go on", 75),
    ],
)
def test_an_error_that_all_ranks_share_is_printed_once(ranks: int, way: str, message: str, code: int) -> None:
    done = failure(ranks, way)
    assert done.returncode == code
    assert [line for line in done.stderr.splitlines() if line.startswith("hpcreuse")] == [message]
    # All leave in order: nobody aborts the others
    assert "Abort" not in done.stderr


def test_a_job_that_hangs_is_killed_with_all_its_ranks() -> None:
    begin = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        mpi.mpiexec(2, sys.executable, "-c", "import time; time.sleep(60)", timeout=2)
    assert time.monotonic() - begin < 20


def test_processes_that_each_believe_to_be_alone_are_refused() -> None:
    done = subprocess.run(
        [sys.executable, mpi.PROGRAMS / "failures.py", "bug"],
        env={"PATH": "/usr/bin", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "4 processes were started but MPI sees one rank" in done.stderr
    assert "something is broken here" not in done.stderr
