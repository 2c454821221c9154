"""hpcreuse spin: articles that were made of each other by exchanging words for synonyms."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, number, option, output, whole_number
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find spun articles: made of each other by exchanging words for synonyms"
EXAMPLES = """\
  hpcreuse hash crawl.warc.gz --text --out run && hpcreuse spin run --synonyms synonyms.tsv --out spun
  hpcreuse spin run --synonyms wordnet --out spun        (Debian's wordnet-base)
  hpcreuse spin run --synonyms wordnet --content-tag 'div#bodyContent, div.article' --out spun
  mpiexec -n 64 hpcreuse spin run --synonyms synonyms.tsv --threshold 0.8 --out spun
"""


@dataclass(frozen=True)
class Options:
    """What `spin` takes."""

    run: Path = argument("a run made by `hpcreuse hash --text`", metavar="RUN", convert=Path)
    out: Path = option("the result", metavar="RESULT", convert=output)
    synonyms: str = option(
        "words and phrases, each with a tab and its synonyms a|b|c; or a MyThes .dat file, or `wordnet`", metavar="FILE"
    )
    threshold: float = option("similarity of the immutables at least", 0.75, metavar="X", convert=number)
    mutable_threshold: float = option("share of the mutables that match at least", 0.5, metavar="X", convert=number)
    near: str = option(
        "near duplicates are pairs whose mutables all match, by synonyms too (score), or are all the same (equal)",
        "score",
        choices=("score", "equal"),
    )
    blank_pages: bool = option("pages without visible text take part too", False)
    content_tag: str | None = option(
        "the element that holds the article, as a CSS selector: pages without it are left out, and only what stands in "
        "it counts; pages are read again from their archives",
        None,
        metavar="CSS",
    )
    min_words: int = option("words of an article at least; 0 for any", 50, metavar="N", convert=whole_number)
    link_density: float = option(
        "links per word from which on a page is no article; 0 for any", 0.2, metavar="X", convert=number
    )
    language: str = option("language of the articles; `any` for all", "en", metavar="CODE")


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Find spun articles, and give the summary."""
    from hpcreuse.commands.jobs import memory_budget, start_over
    from hpcreuse.spin.filters import Filters
    from hpcreuse.spin.method import SpinJob, find_spun
    from hpcreuse.spin.verifying import Thresholds

    world.on_root(check, options)
    start_over(world, "spin", options.out, shared)
    filters = Filters(
        visible=not options.blank_pages,
        content_tag=options.content_tag,
        min_words=options.min_words or None,
        links_per_word=options.link_density or None,
        language=None if options.language == "any" else options.language,
    )
    job = SpinJob(
        run=options.run,
        out=options.out,
        synonyms=options.synonyms,
        thresholds=Thresholds(options.threshold, options.mutable_threshold, options.near),
        filters=filters,
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
    )
    return find_spun(world, job)


def check(options: Options) -> None:
    """Refuse what makes no sense."""
    if not 0 < options.threshold <= 1:
        raise UsageError(f"--threshold {options.threshold:g}: give a number above 0, at most 1")
    if not 0 <= options.mutable_threshold <= 1:
        raise UsageError(f"--mutable-threshold {options.mutable_threshold:g}: give a number between 0 and 1")
    from hpcreuse.page.text import is_selector

    if options.content_tag is not None and not is_selector(options.content_tag):
        raise UsageError(f"--content-tag '{options.content_tag}' is not a CSS selector: write e.g. div#bodyContent")
    if options.link_density < 0:
        raise UsageError(f"--link-density {options.link_density:g}: give a number of 0 or more")


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found."""
    left = ", ".join(f"{count:,} {name}" for name, count in summary["filters"].items())
    lines = [("pages left", left), ("dictionary", f"{summary['entries']:,} words and phrases")]
    lines.append(("compared", f"{summary['candidates']:,} pairs, {summary['similar']:,} similar"))
    for kind in ("exact", "near", "spun"):
        pages, clusters = summary[f"{kind}_pages"], summary[f"{kind}_clusters"]
        lines.append((kind, f"{pages:,} pages in {clusters:,} clusters, {summary[f'{kind}_pairs']:,} pairs"))
    return [*lines, ("see", f"hpcreuse export {summary['out']} clusters")]
