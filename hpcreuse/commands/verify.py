"""hpcreuse verify: are runs, labels and results whole, undamaged, and made of each other; are two the same?"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

log = logging.getLogger(__name__)

HELP = "check that runs, labels and results are whole and undamaged and fit each other; compare two of a kind"
EXAMPLES = """\
  hpcreuse verify run
  mpiexec -n 64 hpcreuse verify run labels.h5 result    (also: are they made of each other?)
  hpcreuse verify result other-result                   (also: are they the same?)
"""


@dataclass(frozen=True)
class Options:
    """What `verify` takes."""

    paths: tuple[Path, ...] = argument("runs, labels, results", metavar="PATH", many=True, convert=Path)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Verify, and give the summary; exits with 1 when anything is wrong."""
    from hpcreuse.reuse.verification import verify

    summary = verify(world, options.paths)
    if world.root and shared.quiet and not shared.json:
        for problem in summary["problems"]:
            log.error(problem)
    return summary


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what is wrong, if anything."""
    from hpcreuse.parallel.progress import size

    lines = [("problem", problem) for problem in summary["problems"]]
    lines += [("note", note) for note in summary["notes"]]
    lines.append(("checked", f"{summary['checked']:,} files, {size(summary['bytes'])}"))
    if summary["same"] is not None:
        first, second = (place["path"] for place in summary["paths"])
        lines.append(("compared", f"{first} and {second} are {'the same' if summary['same'] else 'different'}"))
    count = len(summary["problems"])
    lines.append(("verdict", f"{count:,} problem{'s' if count > 1 else ''}" if count else "all is well"))
    return lines
