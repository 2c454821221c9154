"""The scripts as shell: what can be seen without running them."""

import subprocess
import tempfile
from pathlib import Path

import pytest
from jobs import SCRIPTS

SHELL = sorted([*SCRIPTS.glob("*.sh"), *(SCRIPTS.parent / "scripts").glob("*.sh"), SCRIPTS.parent / ".ci" / "run"])
VERBS = ("hash", "discover", "detect", "quilt", "imatch", "spin", "phish")


def test_shellcheck_finds_nothing() -> None:
    line = ["shellcheck", "--external-sources", f"--source-path={SCRIPTS}", "--severity=style", "--exclude=SC1091"]
    done = subprocess.run([*line, *SHELL], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_a_script_per_verb_that_requeues_and_stops_at_the_first_error(verb: str) -> None:
    lines = (SCRIPTS / f"{verb}.sh").read_text().splitlines()
    for line in ("set -euo pipefail", "#SBATCH --requeue", "#SBATCH --signal=B:USR1@120", "#SBATCH --open-mode=append"):
        assert line in lines
    assert f"#SBATCH --job-name=hpcreuse-{verb}" in lines
    assert lines[-1] == f'run_verb {verb} "$@"'
    # It finds itself by its own name
    assert any(f"/{verb}\\.sh.*" in line for line in lines)


@pytest.mark.parametrize(
    ("variables", "arguments", "words"),
    [
        ({}, [], []),
        ({"K": "7", "MIN_SHARE": "0.1", "OUT": ""}, [], ["-k", "7", "--min-share", "0.1"]),
        ({"RUN": "mine", "STOP": "a b"}, [], ["mine", "--stop", "a", "b"]),
        # The command line speaks last, and its operands stand before options that take any number of values
        ({"RUN": "mine", "STOP": "a b"}, ["your run", "--stop", "c"], ["your run", "--stop", "a", "b", "--stop", "c"]),
        ({"ON": "true", "OFF": "false"}, ["--out", "x"], ["--on", "--out", "x"]),
    ],
)
def test_variables_are_options(variables: dict[str, str], arguments: list[str], words: list[str]) -> None:
    code = 'set -euo pipefail; source "$0"/common.sh; compose quilt "$@"; printf "%s\\n" "${WORDS[@]}"'
    env = {"PATH": "/usr/bin:/bin", **{f"HPCREUSE_QUILT_{name}": value for name, value in variables.items()}}
    line = ["bash", "-c", code, SCRIPTS, *arguments]
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["quilt", *words]


def test_installing_without_root_fails_with_advice() -> None:
    script = (SCRIPTS.parent / "scripts" / "install-slurm.sh").read_text()
    # Where others may look, unlike tmp_path: a PATH on which no Slurm is
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name in ("id", "apt-get"):
            (Path(folder) / name).symlink_to(f"/usr/bin/{name}")
        line, env = ["/bin/bash", "-s"], {"PATH": folder}
        done = subprocess.run(line, input=script, env=env, capture_output=True, text=True, user="nobody", cwd="/")
    assert done.returncode == 1
    assert "sudo apt-get install" in done.stderr and "need root" in done.stderr
