"""study wikipedia: which sites copy labelled pages most, and how many of them? (TR 7, CCR 8.1, table 5)"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.config import argument, option, whole_number
from hpcreuse.study.fields import OutFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "rank the neighborhoods that copy most chunks of labelled pages: a clone copies many pages, a quotation one"
EXAMPLES = """\
  hpcreuse label wikipedia.warc.gz --min-length 101 --out wikipedia.h5
  hpcreuse detect run --labels wikipedia.h5 --min-length 101 --out result
  hpcreuse study wikipedia result --out copies
  mpiexec -n 16 hpcreuse study wikipedia result --top 100 --above 0 --depth 0 --out copies
"""

PUBLISHED = {
    "labels": "Wikipedia in English of June 2008, 75.0 million distinct chunks of more than 100 characters",
    "crawl": "Common Crawl 002",
    "bad_sites": 136_000,
    "top": 40,
    "third_party_clones": 31,
    "wikimedia": 5,
    "search_engine_optimisation": 3,
    "false_positives": 1,
}


@dataclass(frozen=True)
class Options(OutFields):
    """What `study wikipedia` takes."""

    result: Path = argument("a result of `detect` with labels made by `label`", metavar="RESULT", convert=Path)
    top: int = option("how many neighborhoods", 40, metavar="K", convert=whole_number)
    above: int = option("only those with more bad chunks", 1000, metavar="N", convert=whole_number)
    depth: int = option("path length of the neighborhoods: 1 is sites, 0 is all", 1, metavar="N", convert=whole_number)


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.copied_sources import run_wikipedia

    return run_wikipedia(world, options, setting, PUBLISHED)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show the neighborhoods that copy most."""
    from hpcreuse.study.terminal import output_lines, percent

    lines = [
        ("labels", f"{summary['labels']:,} from {summary['label_sources']:,} pages"),
        (
            "neighborhoods",
            f"{summary['with_bad_chunks']:,} with bad chunks, {summary['above']:,} with more than "
            f"{summary['more_than']:,}, of {summary['neighborhoods']:,}",
        ),
        ("", ""),
        ("bad chunks", f"{'of chunks':>12}{'badness':>9}{'pages':>8}{'sources':>9}{'of all':>9}  neighborhood"),
    ]
    for row in summary["top"]:
        share = row["sources"] / summary["label_sources"] if summary["label_sources"] else 0.0
        own = " (holds labelled pages itself)" if row["own"] else ""
        lines.append(
            (
                f"{row['bad']:,}",
                f"{row['chunks']:>12,}{row['badness']:>9.3f}{row['files']:>8,}{row['sources']:>9,}{percent(share):>9}"
                f"  {row['prefix']}{own}",
            )
        )
    return [*lines, *output_lines(summary)]
