"""Verbs as processes of their own, started as a user would start them."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.demo.phish import BANK
from hpcreuse.errors import HpcreuseError
from hpcreuse.page.language import can_detect

RANKS = 2
FINDINGS = ("run", "labels.h5", "result", "quilts", "near", "spun", "phish")
WIDTH = 78
_START = "import sys; from hpcreuse.cli import main; sys.exit(main())"

# Ranks that wait must leave the core to others, and a small machine may have one core only
_SETTINGS = {
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "0",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
# What a launcher told this process about itself is wrong for the processes that it starts
_LAUNCHER = ("PMI_", "PMIX_", "OMPI_COMM_WORLD_", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS")


class DemoError(HpcreuseError):
    """The demo cannot be made, one of its verbs failed, or what was found is not what was planted."""


def find_mpiexec() -> str | None:
    """Find the mpiexec that came with this Python, else the one on the PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("mpiexec")


@dataclass(frozen=True)
class Verb:
    """A command line of hpcreuse."""

    why: str
    words: tuple[str, ...]
    mpiexec: str | None = None
    """The launcher, if it is to run on several ranks."""

    @property
    def name(self) -> str:
        """The verb itself."""
        return self.words[0]

    @property
    def shown(self) -> str:
        """The line as a user would type it, broken where it is too long for a terminal."""
        launcher = f"mpiexec -n {RANKS} " if self.mpiexec else ""
        # An option stays with its value
        parts = " ".join(("hpcreuse", *self.words)).replace(" -", "\n-").split("\n")
        lines = [launcher + parts[0]]
        for part in parts[1:]:
            if len(lines[-1]) + len(part) + 3 > WIDTH:
                lines[-1] += " \\"
                lines.append("   ")
            lines[-1] += " " + part
        return "\n".join(lines)

    def run(self, folder: Path) -> dict[str, Any]:
        """Run it in a folder and give its summary; its messages go to stderr as they come."""
        launcher = [self.mpiexec, "-n", str(RANKS)] if self.mpiexec else []
        line = [*launcher, sys.executable, "-c", _START, *self.words, "--json"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_LAUNCHER)}
        done = subprocess.run(
            line, cwd=folder, env=environment | _SETTINGS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise DemoError(f"`{self.name}` failed with exit code {done.returncode}: what it said stands above")
        try:
            summary: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise DemoError(f"`{self.name}` gave no summary but: {done.stdout[:200]!r}") from None
        return summary


def can_report() -> bool:
    """Tell whether what a report needs is installed."""
    return all(importlib.util.find_spec(name) for name in ("jinja2", "matplotlib"))


def verbs(mpiexec: str | None) -> list[Verb]:
    """List the chain, from archives to a report."""
    return [
        Verb(
            "hash every file and every chunk; keep the words of pages, too",
            ("hash", "crawl/*.warc.gz", "--text", "--out", "run"),
            mpiexec,
        ),
        # The wiki and its four clones hold each paragraph five times
        Verb(
            "label the chunks of 100 bytes or more that occur more than 4 times",
            ("discover", "run", "--threshold", "4", "--min-length", "100", "--out", "labels.h5"),
            mpiexec,
        ),
        Verb(
            "find where they are: files and neighborhoods (URL prefixes) full of them",
            ("detect", "run", "--labels", "labels.h5", "--min-length", "100", "--out", "result"),
            mpiexec,
        ),
        Verb("write what was found as tables", ("export", "result", "neighborhoods", "-o", "neighborhoods.jsonl")),
        Verb("", ("export", "result", "files", "-o", "files.jsonl")),
        *text_verbs(mpiexec),
        Verb(
            "label a bank's own pages by their DOM, and find pages elsewhere that copy them",
            ("label", "bank", "--url-prefix", BANK, "--mode", "dom", "--min-length", "26", "--out", "bank.h5"),
            mpiexec,
        ),
        Verb("", ("phish", "crawl/*.warc.gz", "--labels", "bank.h5", "--out", "phish"), mpiexec),
        *([Verb("see all of it", ("report", *FINDINGS, "--out", "report"))] if can_report() else []),
    ]


def text_verbs(mpiexec: str | None) -> list[Verb]:
    """List the methods that go by words."""
    # Of languages nothing is known without the package for them
    language, spun = () if can_detect() else ("--language", "any"), ("--out", "spun")
    return [
        Verb(
            "find pages stitched together from patches of others",
            ("quilt", "run", "--min-share", "0.1", "--out", "quilts"),
            mpiexec,
        ),
        Verb("find near duplicates", ("imatch", "run", "--out", "near"), mpiexec),
        # At the published 0.75 it takes longer: this small grammar says similar things on many pages.
        # The spinner used this very dictionary, so all of its words match through a synonym
        Verb(
            "find articles rewritten with synonyms",
            ("spin", "run", "--synonyms", "synonyms.tsv", "--near", "equal", "--threshold", "0.9", *language, *spun),
            mpiexec,
        ),
    ]
