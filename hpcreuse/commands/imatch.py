"""hpcreuse imatch: near duplicates by signatures of lexicon terms."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, number, option, output, whole_number
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find near duplicates: documents that share the signature of their lexicon terms"
EXAMPLES = """\
  hpcreuse hash crawl.warc.gz --text --out run && hpcreuse imatch run --out near
  mpiexec -n 64 hpcreuse imatch run --out near --save-lexicon web.lexicon
  hpcreuse imatch mail --lexicon web.lexicon --lexicons 10 --out near-mail
  hpcreuse imatch today --prototypes spam --out caught      (which documents of `today` match one of `spam`)
"""
MOST_LEXICONS = 63


@dataclass(frozen=True)
class Options:
    """What `imatch` takes."""

    run: Path = argument("a run made by `hpcreuse hash --text`", metavar="RUN", convert=Path)
    out: Path = option("the result", metavar="RESULT", convert=output)
    lexicon: str = option("a saved lexicon, or `corpus` to make one from this run", "corpus", metavar="FILE")
    band: tuple[float, float] = option(
        "normalised idf of the terms in the lexicon, from and to", (0.2, 0.8), metavar="X", convert=number, count=2
    )
    lexicons: int = option("random resamples of the lexicon beside itself", 5, metavar="K", convert=whole_number)
    removed: float = option("share of terms that a resample leaves out", 1 / 3, metavar="P", convert=number)
    seed: int = option("of the resamples", 0, metavar="N", convert=whole_number)
    min_terms: int = option("terms of a signature at least", 5, metavar="N", convert=whole_number)
    top_up: str = option("fill small signatures up with rarer terms", "yes", choices=("yes", "no"))
    save_lexicon: Path | None = option("write the lexicon there, as text", None, metavar="FILE", convert=Path)
    prototypes: Path | None = option(
        "list documents that match these: a run (the lexicon is made from it), or a result of `imatch`",
        None,
        metavar="RUN|RESULT",
        convert=Path,
    )


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Find near duplicates, and give the summary."""
    from hpcreuse.commands.jobs import memory_budget, start_over
    from hpcreuse.imatch.method import ImatchJob, find_near_duplicates
    from hpcreuse.imatch.signing import Signing

    world.on_root(check, options)
    start_over(world, "imatch", options.out, shared)
    job = ImatchJob(
        run=options.run,
        out=options.out,
        lexicon=None if options.lexicon == "corpus" else Path(options.lexicon),
        save_lexicon=options.save_lexicon,
        prototypes=options.prototypes,
        band=options.band,
        signing=Signing(options.lexicons, options.removed, options.seed, options.min_terms, options.top_up == "yes"),
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
    )
    return find_near_duplicates(world, job)


def check(options: Options) -> None:
    """Refuse what makes no sense."""
    low, high = options.band
    if not 0 <= low <= high <= 1:
        raise UsageError(f"--band {low:g} {high:g}: give two numbers between 0 and 1, the smaller first")
    if not 0 <= options.removed < 1:
        raise UsageError(f"--removed {options.removed:g}: give a share of 0 or more and less than 1")
    if options.lexicons > MOST_LEXICONS:
        raise UsageError(f"--lexicons {options.lexicons}: at most {MOST_LEXICONS}")
    if options.min_terms < 1:
        raise UsageError("--min-terms 0: a signature needs at least one term")
    if options.save_lexicon and options.lexicon != "corpus":
        raise UsageError("--save-lexicon saves the lexicon of this run: leave --lexicon out")


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found."""
    lines = [
        ("documents", f"{summary['documents']:,} of {summary['pages']:,} pages have terms enough"),
        ("lexicon", f"{summary['lexicon_terms']:,} terms, {summary['secondary_terms']:,} to top up"),
        ("signed", f"{summary['signed']:,} documents, {summary['signatures']:,} signatures"),
        ("near duplicates", f"{summary['clustered']:,} documents in {summary['clusters']:,} clusters"),
    ]
    table = "clusters"
    if "matches" in summary:
        table = "matches"
        lines.append(("matched", f"{summary['matched']:,} documents match prototypes, {summary['matches']:,} matches"))
    return [*lines, ("see", f"hpcreuse export {summary['out']} {table}")]
