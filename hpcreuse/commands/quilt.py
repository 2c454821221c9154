"""hpcreuse quilt: which pages are stitched together from patches of others, and from which."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, number, option, output, whole_number

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find quilts: pages stitched together from patches of several other pages, with their sources"
EXAMPLES = """\
  hpcreuse hash crawl/*.warc.gz --out run --text
  hpcreuse quilt run --out quilts
  mpiexec -n 64 hpcreuse quilt run --foreign domain --exact-duplicates drop --out quilts
  hpcreuse quilt run -k 8 -m 20 -c 2 --theta 0.8 --min-share 0.05 --out quilts
  hpcreuse show quilts http://example.org/page.html
"""


@dataclass(frozen=True)
class Options:
    """What `quilt` takes."""

    run: Path = argument("a run made by `hpcreuse hash --text`", metavar="RUN", convert=Path)
    out: Path = option("the result", metavar="RESULT", convert=output)
    k: int = option("words of a gram", 5, metavar="K", flag="-k", convert=whole_number)
    m: int = option("a patch gram is in 2 to M documents", 50, metavar="M", flag="-m", convert=whole_number)
    c: int = option("a quilt has at least C sources", 4, metavar="C", flag="-c", convert=whole_number)
    theta: float = option(
        "share of a page's grams that must be patch grams, 0 to 1", 0.5, metavar="THETA", convert=number
    )
    foreign: str = option(
        "sources only from another registered domain, or from another IP address",
        "none",
        choices=("none", "domain", "ip"),
    )
    min_share: float = option(
        "share of the patch grams that a source must add to those before it, 0 to 1",
        0.0,
        metavar="PHI",
        convert=number,
    )
    exact_duplicates: str = option(
        "pages with the same words as one before them take part, or do not", "keep", choices=("keep", "drop")
    )


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Find quilts, and give the summary."""
    from hpcreuse.commands.jobs import memory_budget, start_over
    from hpcreuse.quilt.finding import QuiltJob, find_quilts
    from hpcreuse.quilt.parameters import Parameters

    parameters = world.on_root(
        Parameters,
        k=options.k,
        m=options.m,
        c=options.c,
        theta=options.theta,
        foreign=options.foreign,
        min_share=options.min_share,
        exact_duplicates=options.exact_duplicates,
    )
    start_over(world, "quilt", options.out, shared)
    progress = 0 if shared.quiet else shared.progress
    return find_quilts(world, QuiltJob(options.run, options.out, parameters, memory_budget(world, shared), progress))


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found."""
    pages = f"{summary['pages']:,}"
    if summary["exact_duplicates_dropped"]:
        pages += f", {summary['exact_duplicates_dropped']:,} of them exact duplicates that take no part"
    share = 100 * summary["quilts"] / summary["pages"] if summary["pages"] else 0
    return [
        ("pages", pages),
        ("grams", f"{summary['distinct_grams']:,} distinct, {summary['patch_grams']:,} of them patch grams"),
        ("candidates", f"{summary['candidates']:,} pages with enough patch grams"),
        ("quilts", f"{summary['quilts']:,} ({share:.2f} %), {summary['mean_sources']:.1f} sources each"),
        ("see", f"hpcreuse export {summary['out']} quilts"),
    ]
