"""Count what the start of each verb asks of the file system, each in a process of its own."""

import importlib
import json
import os
import pkgutil
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hpcreuse import commands
from hpcreuse.errors import HpcreuseError

PROBE = Path(__file__).parent / "probe.py"
SECONDS = 120
"""The most that a verb may take to start: the file system may be slow."""

# The demo needs no input: a folder that is not empty and no earlier demo stops it
OTHER_LINES = {"demo": ["demo", "."]}

# What launchers tell their ranks: verbs that are counted must not believe to be one of them
LAUNCHER = ("PMI_", "PMIX_", "OMPI_", "SLURM_", "HYDI_", "HYDRA_", "MPI_LOCAL")


def count_starts() -> dict[str, dict[str, Any]]:
    """Start `hpcreuse --help` and each verb, and give what that took.

    A verb is started with the first of its examples in a folder that has no input: it ends as soon as it has looked
    for that, which is what is meant by its start.
    """
    lines = {"--help": ["--help"], **{verb: first_example(verb) for verb in verbs()}}
    return {name: count(words) for name, words in lines.items()}


def verbs() -> list[str]:
    """List the verbs."""
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    return [name for name in names if hasattr(importlib.import_module(f"hpcreuse.commands.{name}"), "EXAMPLES")]


def first_example(verb: str) -> list[str]:
    """Give the command line, without `hpcreuse`, that the help of a verb shows first."""
    if verb in OTHER_LINES:
        return OTHER_LINES[verb]
    lines = importlib.import_module(f"hpcreuse.commands.{verb}").EXAMPLES.splitlines()
    line = next(line for line in lines if f"hpcreuse {verb}" in line)
    # Another command may stand before it
    return [verb, *shlex.split(line.partition(f"hpcreuse {verb} ")[2])]


def count(words: list[str]) -> dict[str, Any]:
    """Start a verb and count."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER)}
    with tempfile.TemporaryDirectory() as folder:
        out, place = Path(folder, "count.json"), Path(folder, "work")
        place.mkdir()
        (place / "not-a-demo").touch()
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-S", "-P", str(PROBE), str(out), *words],
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        seconds = time.perf_counter() - begin
        if not out.exists():
            raise HpcreuseError(f"`hpcreuse {shlex.join(words)}` does not start: {done.stderr.strip()}")
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    modules = found.pop("modules")
    return {
        "line": shlex.join(["hpcreuse", *words]),
        "seconds": round(seconds, 3),
        "modules": len(modules),
        **found,
        "packages": dict(Counter(name.partition(".")[0] for name in modules).most_common()),
    }
