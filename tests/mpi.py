"""Start real MPI jobs from tests: more ranks than cores, and never a job left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

RANKS = (1, 2, 3, 5, 16, 64)

# `make test-all` sets it: every number of ranks for every method, and what else takes minutes
THOROUGH = bool(os.environ.get("HPCREUSE_TEST_THOROUGH"))
TABLE_RANKS = (1, 2, 3, 5, 16) if THOROUGH else (1, 2, 5)
thorough = pytest.mark.skipif(not THOROUGH, reason="takes long: `make test-all` runs it")

PROGRAMS = Path(__file__).parent / "mpi_programs"

# Waiting ranks of MPICH spin: with more ranks than cores they must give way to those that work
YIELD = {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "0"}


def mpiexec(
    ranks: int,
    *command: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a command on so many ranks and give what it printed.

    Args:
        env: variables to set beside those of this process.
        timeout: seconds after which the launcher and all ranks are killed and TimeoutExpired is raised.
        check: whether an exit code other than 0 is an error; the message holds what was printed.
    """
    launcher = Path(sys.executable).parent / "mpiexec"
    line = [str(launcher), "-n", str(ranks), *map(str, command)]
    process = subprocess.Popen(
        line,
        env={**os.environ, **YIELD, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException as error:
        stdout, stderr = _kill_all(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise subprocess.TimeoutExpired(line, timeout, stdout, stderr) from None
        raise
    if check and process.returncode:
        raise AssertionError(f"{' '.join(line)} gave {process.returncode}\n{stdout}\n{stderr}")
    return subprocess.CompletedProcess(line, process.returncode, stdout, stderr)


def program(ranks: int, name: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run one of the programs in mpi_programs."""
    return mpiexec(ranks, sys.executable, PROGRAMS / name, *arguments, **options)  # type: ignore[arg-type]


def _kill_all(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Kill the launcher and every rank, whatever session they put themselves into."""
    for pid in [*_descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return process.communicate()


def _descendants(pid: int) -> list[int]:
    """Give all processes below one, from /proc: hydra's proxies and ranks make groups of their own."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold blanks; the parent is the second field after it
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found
