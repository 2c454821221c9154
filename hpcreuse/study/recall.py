"""study recall: how many near duplicates I-Match finds with K further lexicons (IMATCH figures 1 to 3, table 1)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.config import argument, number, option, whole_number
from hpcreuse.study.fields import OutFields
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find near duplicates with ever more lexicons: what share of all similar pairs, and how many others?"
EXAMPLES = """\
  hpcreuse study recall run --out recall
  mpiexec -n 8 hpcreuse study recall spam --legitimate mail --lexicon web.lexicon --min-terms 10 --out recall
"""


@dataclass(frozen=True)
class Options(OutFields):
    """What `study recall` takes."""

    run: Path = argument("a run made by `hpcreuse hash --text`", metavar="RUN", convert=Path)
    legitimate: Path | None = option(
        "a run of documents that should match none of these", None, metavar="RUN", convert=Path
    )
    threshold: float = option(
        "cosine of term sets from which on documents are near duplicates", 0.9, metavar="X", convert=number
    )
    trivial_duplicates: str = option(
        "of documents with the same terms take the first only, or all", "drop", choices=("drop", "keep")
    )
    lexicon: str = option("as in `imatch`", "corpus", metavar="FILE")
    band: tuple[float, float] = option("as in `imatch`", (0.2, 0.8), metavar="X", convert=number, count=2)
    lexicons: int = option("further lexicons at most", 10, metavar="K", convert=whole_number)
    removed: float = option("as in `imatch`", 1 / 3, metavar="P", convert=number)
    seed: int = option("of the lexicons and of the simulation", 0, metavar="N", convert=whole_number)
    min_terms: int = option("as in `imatch`", 5, metavar="N", convert=whole_number)
    top_up: str = option("as in `imatch`", "yes", choices=("yes", "no"))
    trials: int = option("documents changed at random in the simulation", 10_000, metavar="N", convert=whole_number)


def run(world: "World", options: Options, setting: Setting) -> dict[str, Any]:
    """Collective. Run the study."""
    from hpcreuse.study.recalling import run_recall

    return run_recall(world, options, setting)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show recall by the number of lexicons and the simulation, the paper's beside."""
    from hpcreuse.study.terminal import output_lines

    lines = [
        ("documents", f"{summary['documents']:,}, {summary['compared']:,} compared"),
        ("similar pairs", f"{summary['pairs']:,}, of {summary['queries']:,} documents"),
        ("", ""),
        ("lexicons", f"{'recall':>8}{'pairs':>8}{'others':>8}{'legitimate':>12}{'honeypot':>10}{'cluster':>9}"),
    ]
    published = {row["lexicons"]: row for row in summary["table1"]}
    for row in summary["recall"]:
        legitimate = f"{row['legitimate']:>12,}" if summary["legitimate"] else f"{'-':>12}"
        ours = f"{row['recall']:>8.3f}{row['pair_recall']:>8.3f}{row['others']:>8,}{legitimate}"
        theirs = published.get(row["lexicons"])
        beside = f"{theirs['honeypot']:>10.2f}{theirs['cluster']:>9.2f}" if theirs else ""
        lines.append((f"1 + {row['lexicons']}", ours + beside))
    bags = sorted({row["lexicons"] for row in summary["stability"]})
    lines += [("", ""), ("changes", "".join(f"{f'bag {bag}':>11}{'formula':>9}" for bag in bags))]
    for changes in sorted({row["changes"] for row in summary["stability"]}):
        rows = [row for row in summary["stability"] if row["changes"] == changes]
        lines.append((str(changes), "".join(f"{row['share']:>11.4f}{row['formula']:>9.4f}" for row in rows)))
    return [*lines, *output_lines(summary)]
