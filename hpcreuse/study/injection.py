"""study injection: copies of a site among a crawl, are they discovered? (METHODS.md; TR 5.2, CCR 6.2, figures 1-3)"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpcreuse.config import option, whole_number
from hpcreuse.errors import UsageError
from hpcreuse.study.fields import SiteFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "copy a site many times, whole and with its own paragraph at head and tail of each page: what is discovered?"
EXAMPLES = """\
  hpcreuse study injection crawl.warc.gz --below www.cs.wisc.edu --background crawl.warc.gz --out injection
  mpiexec -n 16 hpcreuse study injection site/ --background run --copies 100 5000 --out injection
"""

PUBLISHED = {
    "site": "blog.archive.org, 2013, among Common Crawl 002",
    "chunks_per_page_mean": 48,
    "chunks_per_page_median": 23,
    "chunks_per_page_max": 428,
    "file_share": {"100": 0.0, "250": 0.0, "1000": 0.0, "5000": 1.0},
    "chunk_share": {"5000": 0.78, "100000": 1.0},
}


@dataclass(frozen=True)
class Options(SiteFields):
    """What `study injection` takes."""

    background: tuple[str, ...] = option(
        "the crawl that is copied into: a run, or archives and folders to hash", (), metavar="CRAWL", many=True
    )
    copies: tuple[int, ...] = option(
        "how many times the site is copied", (100, 250, 1000, 5000), metavar="D", many=True, convert=whole_number
    )
    file_threshold: int = option("files with more duplicates are discovered", 1000, metavar="N", convert=whole_number)
    chunk_threshold: int = option(
        "chunks with more duplicates are discovered", 100_000, metavar="N", convert=whole_number
    )

    def __post_init__(self) -> None:
        if 0 in self.copies:
            raise UsageError("--copies: at least one copy")


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.discovering import run_injection

    return run_injection(world, options, setting, PUBLISHED)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show what was discovered, the published shares beside it."""
    from hpcreuse.study.terminal import output_lines, percent, site_line

    lines = [("site", site_line(summary["site"]))]
    if summary["background_files"]:
        lines.append(("background", f"{summary['background_files']:,} files, {summary['background_chunks']:,} chunks"))
    lines += [
        ("", ""),
        ("discovered", f"{'copies':>8}{'threshold':>11}{'distinct':>20}{'share':>8}{'of all':>8}{'published':>11}"),
    ]
    names = {
        ("file", "whole"): "files",
        ("file", "partial"): "files with ads",
        ("chunk", "whole"): "chunks",
        ("chunk", "partial"): "chunks with ads",
    }
    for row in summary["discovered"]:
        published = "-"
        if row["kind"] == ("whole" if row["objects"] == "file" else "partial"):
            share = summary["published"][f"{row['objects']}_share"].get(str(row["copies"]))
            published = percent(share) if share is not None else "-"
        lines.append(
            (
                names[row["objects"], row["kind"]],
                f"{row['copies']:>8,}{row['threshold']:>11,}"
                f"{row['discovered']:>9,} of {row['distinct']:>7,}{percent(row['share']):>8}"
                f"{percent(row['occurrence_share']):>8}{published:>11}",
            )
        )
    return [*lines, *output_lines(summary)]
