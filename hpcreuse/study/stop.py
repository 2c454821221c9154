"""study stop: how many more neighborhoods turn bad when stop chunks are not removed? (METHODS.md; CCR 6.1)"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpcreuse.config import argument, number, option, whole_number
from hpcreuse.digest_fields import DigestFields
from hpcreuse.study.fields import OutFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "detect bad neighborhoods of a crawl with stop chunks removed and with them left in"
EXAMPLES = """\
  hpcreuse study stop crawl.warc.gz --threshold 20 --out stop
  mpiexec -n 16 hpcreuse study stop run --threshold 1000 --stop mine.tsv --min-length 100 --out stop
"""

PUBLISHED = {
    "crawl": "Common Crawl 002",
    "neighborhoods": 913_000_000,
    "bad_removed": 79_900_000,
    "more": 1_880_000,
    "more_share": 0.0235,
}


@dataclass(frozen=True)
class Options(OutFields, DigestFields):
    """What `study stop` takes."""

    crawl: tuple[str, ...] = argument("a run, or archives and folders to hash", metavar="CRAWL", many=True)
    url_prefix: str | None = option("URL of folders, tars and zips instead of http://NAME/", None, metavar="URL")
    threshold: int = option(
        "chunks with more duplicates are labelled (the papers: 1000 in GeoCities, 1e5 in Common Crawl)",
        20,
        metavar="N",
        convert=whole_number,
    )
    stop: tuple[str, ...] = option(
        "stop chunks: files of digests, labels or content, or names of published lists",
        ("isi-geocities-benign",),
        metavar="FILE",
        many=True,
    )
    min_length: int = option("chunks that are shorter, in bytes, are stop chunks", 0, metavar="N", convert=whole_number)
    badness: str = option(
        "of a neighborhood: mean of its files' ratios, or bad chunks of all its chunks",
        "mean",
        choices=("mean", "pooled"),
    )
    sigma: float = option("the threshold is mean + SIGMA deviations", 1.0, metavar="SIGMA", convert=number)


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.stopping import run_stop

    return run_stop(world, options, setting, PUBLISHED)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show both detections, and how many neighborhoods turn."""
    from hpcreuse.study.terminal import output_lines, percent

    lines = [
        ("stop chunks", f"{summary['stop_digests']:,} digests listed, {summary['stop_occurrences']:,} chunks removed"),
        ("", ""),
        ("", f"{'labels':>10}{'bad':>12}{'of':>12}{'threshold':>12}"),
    ]
    lines += [
        (
            f"{row['stop_chunks']}, {row['bar']}",
            f"{row['labels']:>10,}{row['bad']:>12,}{row['neighborhoods']:>12,}{row['threshold']:>12.6f}",
        )
        for row in summary["detections"]
    ]
    published = summary["published"]
    lines += [
        ("", ""),
        (
            "turn bad when kept",
            f"{summary['only_kept']:,}; {summary['only_removed']:,} turn good; {summary['both']:,} are bad in both",
        ),
        (
            "more when kept",
            f"{summary['more']:,} ({percent(summary['more_share'])}); "
            f"published {published['more']:,} ({100 * published['more_share']:.2f} %)",
        ),
    ]
    return [*lines, *output_lines(summary)]
