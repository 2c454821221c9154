"""study spin: articles spun with a dictionary, found among others by immutables and by shingles (METHODS.md 4)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.config import argument, number, option, whole_number
from hpcreuse.errors import UsageError
from hpcreuse.study.fields import OutFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "spin articles the way the tools do and look for them: precision and recall of `spin`, and of shingles beside it"
EXAMPLES = """\
  hpcreuse study spin run --synonyms wordnet --out spinning
  mpiexec -n 8 hpcreuse study spin articles.jsonl --background crawl.warc.gz --synonyms wordnet --out spinning
  hpcreuse study spin run --synonyms wordnet --spintax comments.spintax --shares 0.2 0.4 0.6 --out spinning
"""


@dataclass(frozen=True)
class Options(OutFields):
    """What `study spin` takes."""

    articles: tuple[str, ...] = argument(
        "the articles, of which some are spun: a run made with --text, or whatever `hash` takes",
        metavar="ARTICLES",
        many=True,
    )
    synonyms: str = option("what to spin with and to look with, as in `spin`", metavar="FILE")
    background: tuple[str, ...] = option("more pages to mix them into", (), metavar="CRAWL", many=True)
    spintax: tuple[Path, ...] = option(
        "templates of spammers to spin, too", (), metavar="FILE", convert=Path, many=True
    )
    seeds: int = option("how many articles are spun", 100, metavar="N", convert=whole_number)
    versions: int = option("how often each, for each share and way", 2, metavar="N", convert=whole_number)
    shares: tuple[float, ...] = option(
        "shares of the mutables that are exchanged", (0.1, 0.25, 0.5, 0.75, 1.0), metavar="X", convert=number, many=True
    )
    thresholds: tuple[float, ...] = option(
        "similarities of immutables to look at", (0.5, 0.6, 0.7, 0.75, 0.8, 0.9), metavar="X", convert=number, many=True
    )
    shingle_thresholds: tuple[float, ...] = option(
        "similarities of shingles to look at", (0.1, 0.25, 0.5, 0.75), metavar="X", convert=number, many=True
    )
    shingle: int = option("words of a shingle", 4, metavar="N", convert=whole_number)
    mutable_threshold: float = option("as in `spin`", 0.5, metavar="X", convert=number)
    near: str = option("as in `spin`", "score", choices=("score", "equal"))
    min_words: int = option("as in `spin`", 50, metavar="N", convert=whole_number)
    seed: int = option("another seed makes other random choices", 0, metavar="N", convert=whole_number)

    def __post_init__(self) -> None:
        if not all(0 < one <= 1 for one in (*self.shares, *self.thresholds, *self.shingle_thresholds)):
            raise UsageError("--shares, --thresholds and --shingle-thresholds are above 0 and at most 1")
        if not self.seeds or not self.versions or not self.shingle:
            raise UsageError("--seeds, --versions and --shingle are at least 1")


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.finding_spun import run_spin

    return run_spin(world, options, setting)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show recall and precision over the share exchanged, at the threshold nearest to the paper's."""
    from hpcreuse.study.terminal import output_lines, percent

    lines = [
        ("spun", f"{summary['spun_pages']:,} pages of {summary['seeds']:,} articles, among {summary['pages']:,} pages"),
        ("relatives", f"{summary['relatives']:,} pages are like an article before it is spun, and take no part"),
        ("", ""),
        ("", f"{'':>8}{'immutables, ' + str(summary['threshold']):>22}{'called':>10}    shingles"),
        ("spun by", f"{'share':>8}{'recall':>11}{'precision':>11}{'spun':>10}    recall at each threshold"),
    ]
    baseline: dict[tuple[str, float], list[str]] = {(row["spinning"], row["share"]): [] for row in summary["found"]}
    for row in summary["found"]:
        if row["method"] == "shingles":
            baseline[row["spinning"], row["share"]].append(f"{row['threshold']:g}: {percent(row['recall'])}")
    for row in summary["found"]:
        if row["method"] == "immutables" and row["threshold"] == summary["threshold"]:
            called = percent(row["spun"] / row["found"]) if row["found"] else "-"
            values = f"{row['share']:>8.2f}{percent(row['recall']):>11}{percent(row['precision']):>11}{called:>10}"
            lines.append((row["spinning"], f"{values}    {', '.join(baseline[row['spinning'], row['share']])}"))
    return [*lines, *output_lines(summary)]
