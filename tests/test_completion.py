"""`completion`: what a real bash, zsh and fish offer behind a command line."""

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command import HPCREUSE, hpcreuse

from hpcreuse.cli import VERBS
from hpcreuse.commands.completion import known_verbs
from hpcreuse.commands.study import STUDIES


def offers(line: str, tmp_path: Path) -> list[str]:
    """Ask bash what it offers for the last word of a line."""
    script = """
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hpcreuse; printf '%s\\n' "${COMPREPLY[@]}"
    """
    (tmp_path / "script").write_text(hpcreuse("completion", "bash").stdout)
    words = ["bash", "-c", script, "bash", str(tmp_path / "script"), *line.split(" ")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_every_verb_is_known() -> None:
    verbs = known_verbs()
    assert {verb.words[0] for verb in verbs} == set(VERBS)
    assert {verb.words[1] for verb in verbs if verb.words[0] == "study"} == set(STUDIES)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hpcreuse di", {"discover"}),
        ("hpcreuse detect --file", {"--file-threshold"}),
        ("hpcreuse detect --badness ", {"mean", "pooled"}),
        ("hpcreuse detect run --badness po", {"pooled"}),
        ("hpcreuse export run files --format ", {"jsonl", "csv", "parquet"}),
        ("hpcreuse study inj", {"injection"}),
        ("hpcreuse completion ", {"bash", "zsh", "fish"}),
        ("hpcreuse judge --targets ch", {"chunks"}),
        # Files, which bash completes itself
        ("hpcreuse hash cra", set()),
        ("hpcreuse hash --out --o", set()),
    ],
)
def test_bash_offers_what_fits(line: str, expected: set[str], tmp_path: Path) -> None:
    assert set(offers(line, tmp_path)) == expected


def test_bash_offers_the_options_of_a_study(tmp_path: Path) -> None:
    options = importlib.import_module("hpcreuse.study.sweep").Options
    found = offers("hpcreuse study sweep --", tmp_path)
    assert "--out" in found and "--memory" in found
    assert len(options.__dataclass_fields__) > 1


def test_all_verbs_and_options_are_in_each_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        script = hpcreuse("completion", shell).stdout
        for verb in known_verbs():
            assert verb.words[-1] in script
            for flag in verb.flags:
                assert flag.name.lstrip("-") in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_read_without_complaint(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(hpcreuse("completion", shell).stdout)
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_offers_what_fits(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "hpcreuse.fish").write_text(hpcreuse("completion", "fish").stdout)
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{HPCREUSE.parent}:{os.environ['PATH']}"}
    for line, expected in (
        ("hpcreuse disc", {"discover"}),
        ("hpcreuse detect --badness ", {"mean", "pooled"}),
        ("hpcreuse study inj", {"injection"}),
    ):
        script = f"source {tmp_path}/hpcreuse.fish; complete -C '{line}'"
        done = subprocess.run(["fish", "-c", script], capture_output=True, text=True, env=environment)
        assert {offer.partition("\t")[0] for offer in done.stdout.splitlines()} == expected, done.stderr
