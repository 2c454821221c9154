"""study sweep: how the number of quilts depends on each parameter, one varied at a time (QUILT table 1, figure 3)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.config import argument, number, option
from hpcreuse.study.fields import OutFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find quilts with one parameter varied at a time around (k, m, c, theta) = (5, 50, 4, 0.5): how many are there?"
EXAMPLES = """\
  hpcreuse study sweep run --out sweep
  mpiexec -n 64 hpcreuse study sweep run --foreign domain --out sweep
"""


@dataclass(frozen=True)
class Options(OutFields):
    """What `study sweep` takes."""

    run: Path = argument("a run made by `hpcreuse hash --text`", metavar="RUN", convert=Path)
    foreign: str = option("as in `quilt`", "none", choices=("none", "domain", "ip"))
    min_share: float = option("as in `quilt`", 0.0, metavar="PHI", convert=number)
    exact_duplicates: str = option("as in `quilt`", "keep", choices=("keep", "drop"))


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.sweeping import run_sweep

    return run_sweep(world, options, setting)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show the table, the paper's shares beside it."""
    from hpcreuse.study.terminal import output_lines

    head = (
        f"{'k':>3}{'m':>5}{'c':>4}{'theta':>7}{'quilts':>10}{'share':>9}{'sources':>9}{'published':>11}{'sources':>9}"
    )
    lines = [("pages", f"{summary['pages']:,}"), ("varied", head)]
    for row in summary["sweep"]:
        values = f"{row['k']:>3}{row['m']:>5}{row['c']:>4}{row['theta']:>7.1f}{row['quilts']:>10,}"
        ours = f"{100 * row['share']:>7.2f} %{row['mean_sources']:>9.2f}"
        theirs = f"{100 * row['published_share']:>9.2f} %{row['published_sources']:>9.2f}"
        lines.append((row["parameter"], values + ours + theirs))
    return [*lines, *output_lines(summary)]
