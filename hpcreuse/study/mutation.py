"""study mutation: how much may copies of a site be changed before they are missed? (METHODS.md; CCR 6.3 and 6.4)"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpcreuse.config import number, option, whole_number
from hpcreuse.errors import UsageError
from hpcreuse.study.fields import SiteFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "add, delete and change chunks of a site's pages: how much until pages and neighborhoods are missed?"
EXAMPLES = """\
  hpcreuse study mutation site/ --out mutation
  mpiexec -n 16 hpcreuse study mutation crawl.warc.gz --below www.cs.wisc.edu --out mutation
"""

PUBLISHED = {
    "page": {
        "add": {"blind": "3.4", "expert": "4.5"},
        "delete": {"blind": "all", "expert": "all"},
        "change": {"blind": "1.8", "expert": "2.0"},
    },
    "neighborhood": {
        "add": {"blind": "4.4", "expert": "4.4-5.4"},
        "delete": {"blind": "all", "expert": "all"},
        "change": {"blind": "4.4-5.4", "expert": "4.4-5.4"},
    },
}
"""Tolerances in means of chunks per page; of neighborhoods the paper gives a range and, in figure 8, one end."""


@dataclass(frozen=True)
class Options(SiteFields):
    """What `study mutation` takes."""

    runs: int = option("runs whose mean is taken", 10, metavar="N", convert=whole_number)
    most: float = option("mutations per page up to, in means of chunks per page", 8.0, metavar="X", convert=number)
    step: float = option("and in steps of", 0.5, metavar="X", convert=number)
    threshold: float = option("badness above which a copy is found", 0.144, metavar="X", convert=number)
    badness: str = option(
        "of a neighborhood: bad chunks of all its chunks, or the mean of its pages",
        "pooled",
        choices=("pooled", "mean"),
    )
    copies: int = option(
        "blind labels are discovered in so many copies with advertisements", 5000, metavar="D", convert=whole_number
    )
    chunk_threshold: int = option("as chunks with more duplicates than", 1000, metavar="N", convert=whole_number)

    def __post_init__(self) -> None:
        if not self.runs or self.step <= 0 or self.most <= 0:
            raise UsageError("--runs, --most and --step must be more than 0")


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.mutating import run_mutation

    return run_mutation(world, options, setting, PUBLISHED)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show the tolerances, the published ones beside them."""
    from hpcreuse.study.terminal import output_lines, site_line

    labels = summary["labels"]
    lines = [
        ("site", site_line(summary["site"])),
        ("expert labels", f"{labels['expert']:,}"),
        ("blind labels", f"{labels['blind']:,}, {100 * labels['blind_share']:.1f} % of all chunks"),
        ("threshold", f"{summary['threshold']:g}"),
        ("", ""),
        ("tolerated", f"{'blind L':>12}{'expert L':>12}    {'published':<22}means of chunks per page"),
    ]
    for of in ("page", "neighborhood"):
        for mutation in ("add", "change", "delete"):
            rows = (row for row in summary["tolerances"] if (row["of"], row["mutation"]) == (of, mutation))
            found = {row["labels"]: tolerated(row) for row in rows}
            published = summary["published"][of][mutation]
            lines.append(
                (
                    f"{of}s, {mutation}",
                    f"{found['blind']:>12}{found['expert']:>12}    {published['blind']} and {published['expert']}",
                )
            )
    return [*lines, *output_lines(summary)]


def tolerated(row: dict[str, Any]) -> str:
    """Write a tolerance; all that were tried may be tolerated, or none."""
    return f"{row['tolerance']:.2f}" if row["falls"] else f"all {row['tolerance']:.1f}"
