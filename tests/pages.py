"""Pages of the documentation as sessions: their commands are run and what they print is held against what is shown.

A ```console block has commands after `$ ` (a `\\` at the end goes on) with what each prints; with nothing shown it must
only succeed. A ```pycon block is a doctest. `...` stands for anything. `python tests/pages.py` writes what is printed
now into the pages, all but where `...` stands.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.cli import VERBS

DOCS = Path(__file__).resolve().parents[1] / "docs"
TUTORIAL = [DOCS / "tutorial.md"]
# One session: what a page makes the next ones use. Python opens what the commands made
COMMANDS = [*(path for verb in VERBS if (path := DOCS / "commands" / f"{verb}.md").exists()), DOCS / "python.md"]

HOME = "/home/ada/hpcreuse-demo"
FENCE = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What differs from one run to the next; a report is as large as the paths in it are long
VOLATILE = re.compile(r"^(rate|time|memory)\s.*\n?|\(\d+ kB\)", re.MULTILINE)
CHECKER, FLAGS = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Step:
    """A command with what the page shows of its output."""

    command: str
    shown: str


def steps_of(block: str) -> list[Step]:
    """Take a console block apart."""
    steps: list[Step] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, more, rest = "", True, part
        while more:
            line, _, rest = rest.partition("\n")
            command, more = command + line + "\n", line.endswith("\\")
        steps.append(Step(command, rest))
    return steps


def run_command(command: str, folder: Path) -> str:
    """Run a command line as a user would and give what it prints; raises AssertionError if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {
        "PATH": path,
        "COLUMNS": "100",
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
        "MPIR_CVAR_POLLS_BEFORE_YIELD": "0",
    }
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    # A reader that has seen enough ends what it reads from
    assert done.returncode in (0, 141), f"$ {command}{done.stdout}exit code {done.returncode}"
    printed = done.stdout.replace(str(folder), HOME)
    return printed if not printed or printed.endswith("\n") else printed + "\n"


def agrees(shown: str, printed: str) -> bool:
    """Compare what a page shows with what was printed; with nothing shown all is well."""
    return not shown.strip() or CHECKER.check_output(VOLATILE.sub("", shown), VOLATILE.sub("", printed), FLAGS)


def run_page(page: Path, folder: Path, update: bool = False) -> list[str]:
    """Run a page's blocks in order in a folder and tell what differs; or write what is printed into the page."""
    text, wrong, names = page.read_text(encoding="utf-8"), [], {"__name__": "__main__"}

    def run_block(match: re.Match[str]) -> str:
        if match[1] == "pycon":
            wrong.extend(run_doctest(match[2], names, page, folder))
            return match[0]
        parts = []
        for step in steps_of(match[2]):
            printed = run_command(step.command, folder)
            if not agrees(step.shown, printed):
                wrong.append(f"{page.name}: $ {step.command}shown:\n{step.shown}\nprinted:\n{printed}")
            keep = "..." in step.shown or step.shown == "\n"
            parts.append(f"$ {step.command}{step.shown if keep else printed}")
        return f"```console\n{''.join(parts)}```" if parts else match[0]

    new = FENCE.sub(run_block, text)
    if update and new != text:
        page.write_text(new, encoding="utf-8")
    return wrong


def run_doctest(block: str, names: dict[str, Any], page: Path, folder: Path) -> list[str]:
    """Run a block of Python; names live on in the page's next block."""
    test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
    runner, out = doctest.DocTestRunner(checker=CHECKER, verbose=False, optionflags=FLAGS), io.StringIO()
    with contextlib.chdir(folder):
        runner.run(test, out=out.write, clear_globs=False)
    names.update(test.globs)
    return [out.getvalue()] if runner.failures else []


def run_session(pages: list[Path], folder: Path, update: bool = False) -> list[str]:
    """Run pages one after the other in one folder."""
    return [line for page in pages for line in run_page(page, folder, update)]


def prepare(folder: Path) -> None:
    """Make the crawl that the pages of commands are about, as `hpcreuse demo` makes it."""
    run_command("hpcreuse demo . --crawl-only", folder)


if __name__ == "__main__":
    for session in (TUTORIAL, COMMANDS):
        with tempfile.TemporaryDirectory() as name:
            if session is COMMANDS:
                prepare(Path(name))
            print("\n".join(run_session(session, Path(name), update=True)))
