"""Run hpcreuse as a user does: the installed command, alone or under mpiexec."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mpi import mpiexec

HPCREUSE = Path(sys.executable).parent / "hpcreuse"


def hpcreuse(
    *arguments: str | Path,
    ranks: int = 0,
    check: bool = True,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a verb; `ranks` 0 means without mpiexec."""
    if ranks:
        command: list[str | Path] = [HPCREUSE, *arguments]
        if cwd:
            command = ["env", "-C", cwd, *command]
        return mpiexec(ranks, *command, check=check, env=env)
    done = subprocess.run(
        [str(HPCREUSE), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=300,
    )
    if check and done.returncode:
        raise AssertionError(f"{done.args} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def summary(*arguments: str | Path, ranks: int = 0) -> dict[str, Any]:
    """Run a verb and give its --json summary, which must be all there is on stdout."""
    found: dict[str, Any] = json.loads(hpcreuse(*arguments, "--json", ranks=ranks).stdout)
    return found


def table(path: str | Path, name: str) -> list[dict[str, Any]]:
    """Export a table and read it back."""
    return [json.loads(line) for line in hpcreuse("export", path, name).stdout.splitlines()]
