"""study precision: exact hashing against Nilsimsa on pages with ground truth (METHODS.md; CCR 6.5, table 1)"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.config import number, option, whole_number
from hpcreuse.errors import UsageError
from hpcreuse.study.fields import SiteFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find copies of a site in a crawl by exact hashing and by Nilsimsa: what each finds, misses, takes for one"
EXAMPLES = """\
  hpcreuse study precision crawl.warc.gz --below www.cs.wisc.edu --among crawl.warc.gz --out precision
  mpiexec -n 16 hpcreuse study precision originals/ --among copies/ --truth truth.tsv --mode dom --out precision
"""

PUBLISHED = {
    "crypto": {"tp": 43, "fn": 42, "fp": 0, "tn": 1803},
    "nilsimsa": {"threshold": 115, "tp": 43, "fn": 42, "fp": 10, "tn": 1793},
    "false_positive_rate": {"120": 0.0033, "115": 0.0055, "114": 0.0111},
}


@dataclass(frozen=True)
class Options(SiteFields):
    """What `study precision` takes."""

    among: tuple[str, ...] = option(
        "pages to look through: archives or folders; those on the site's own hosts take no part",
        metavar="CRAWL",
        many=True,
    )
    truth: Path | None = option(
        "the pages that are copies, one a line: URLs or ends of URLs, and `copy` or `other` after a tab "
        "(default: copies are made of the site, with advertisements and random changes)",
        None,
        metavar="FILE",
        convert=Path,
    )
    changes: float = option(
        "random changes per page of copies that are made, in means of chunks per page", 1.0, metavar="X", convert=number
    )
    objects: str = option("compare chunks or whole pages", "chunk", choices=("chunk", "file"))
    min_length: int = option(
        "shorter chunks, in bytes, take no part (the paper: over 25)", 26, metavar="N", convert=whole_number
    )
    lowest: int = option("lowest threshold of Nilsimsa", 100, metavar="N", convert=whole_number)
    closest: int = option("pages to list, the closest first", 10_000, metavar="N", convert=whole_number)

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= 128 or not self.closest or self.changes < 0:
            raise UsageError("--lowest is from 0 to 128, --closest more than 0 and --changes not less")


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.comparing import run_precision

    return run_precision(world, options, setting, PUBLISHED)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show table 1 and the false positives over thresholds, with the published ones."""
    from hpcreuse.study.terminal import output_lines

    exact, published = summary["exact"], summary["published"]
    at = published["nilsimsa"]["threshold"]
    by_threshold = {row["threshold"]: row for row in summary["nilsimsa"]}
    near = by_threshold.get(at)
    lines = [
        ("labels", f"{summary['labels']:,} {summary['objects']}s of {summary['site_pages']:,} pages"),
        ("pages", f"{summary['copies']:,} copies among {summary['copies'] + summary['others']:,}"),
        ("", ""),
        ("", f"{summary['hash'].upper():>10}{f'Nilsimsa {at}':>16}    published"),
    ]
    names = {"tp": "copies found", "fn": "copies missed", "fp": "others taken for", "tn": "others passed"}
    for key, name in names.items():
        there = f"{published['crypto'][key]:,} and {published['nilsimsa'][key]:,}"
        lines.append((name, f"{exact[key]:>10,}{near[key] if near else '-':>16,}    {there}"))
    lines += [("", ""), ("threshold", f"{'found':>10}{'false positives':>18}{'rate':>12}    published")]
    for row in summary["nilsimsa"]:
        rate = published["false_positive_rate"].get(str(row["threshold"]))
        told = f"{100 * rate:.2f} %" if rate is not None else ""
        shown = f"{100 * row['false_positive_rate']:.2f} %"
        lines.append((f"{row['threshold']}", f"{row['tp']:>10,}{row['fp']:>18,}{shown:>12}    {told}".rstrip()))
    return [*lines, *output_lines(summary)]
