"""hpcreuse as a user runs it: under mpiexec, with its own summary and the time from outside."""

import json
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
STAGES = ("hash", "discover", "detect")


def hpcreuse(verb: str, *arguments: str | Path, ranks: int) -> dict[str, Any]:
    """Run a verb and give its summary, with time from start of mpiexec to its end: `wall_seconds`, `cpu_seconds`."""
    line = [*launcher(ranks), BIN / "hpcreuse", verb, *arguments, "--json", "--progress", 0]
    begin, cpu_begin = time.perf_counter(), children_cpu()
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True)
    wall, cpu = time.perf_counter() - begin, children_cpu() - cpu_begin
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, line))} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
    summary: dict[str, Any] = json.loads(done.stdout)
    return {**summary, "wall_seconds": wall, "cpu_seconds": cpu}


def children_cpu() -> float:
    """Tell the processor time of all processes started from here that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def launcher(ranks: int) -> list[str]:
    """Give the words that start so many ranks: mpiexec beside this Python, or as slurm/scaling.sh sets it."""
    words = os.environ.get("HPCREUSE_BENCH_LAUNCH", f"{shlex.quote(str(BIN / 'mpiexec'))} -n {{ranks}}")
    per_node = int(os.environ.get("HPCREUSE_BENCH_RANKS_PER_NODE", ranks))
    return [word.format(ranks=ranks, nodes=-(-ranks // per_node)) for word in shlex.split(words)]


def chain(
    inputs: Sequence[Path], folder: Path, ranks: int, threshold: int, *shared: str | Path
) -> dict[str, dict[str, Any]]:
    """Run hash, discover and detect into a folder; give the summary of each."""
    run, labels, result = folder / "run", folder / "labels.h5", folder / "result"
    return {
        "hash": hpcreuse("hash", *inputs, "--out", run, *shared, ranks=ranks),
        "discover": hpcreuse("discover", run, "--threshold", str(threshold), "--out", labels, *shared, ranks=ranks),
        "detect": hpcreuse("detect", run, "--labels", labels, "--out", result, *shared, ranks=ranks),
    }
