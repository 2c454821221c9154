"""hpcreuse judge: a page to look at a sample of findings beside their sources, and to say what they are."""

import getpass
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option, whole_number
from hpcreuse.errors import StoreError, UsageError

if TYPE_CHECKING:
    from hpcreuse.judge.categories import Category
    from hpcreuse.judge.judgements import Judgements
    from hpcreuse.judge.sampling import Sample

HELP = "open a local web page with a random sample of findings beside their sources, and label them by key or click"
EXAMPLES = """\
  hpcreuse judge result
  hpcreuse judge result --targets chunks --sample 40 --seed 1
  hpcreuse judge quilts --judge anna            (and on another day --judge ben)
  hpcreuse judge quilts --categories "spam: bad" "fine: good"
  hpcreuse judge quilts --table
  hpcreuse judge quilts --export quilts.csv
"""

NEEDS_MPI = False

MOST_PORT = 65535
TARGETS = ("neighborhoods", "files", "chunks", "quilts", "clusters", "pages")


def judge_name(text: str) -> str:
    """Read the name of a judge."""
    if not text.strip() or not text.isprintable():
        raise UsageError(f"'{text}' is no name")
    return text.strip()


def port_number(text: str) -> int:
    """Read a port."""
    if whole_number(text) > MOST_PORT:
        raise UsageError(f"{text} is no port: choose one up to {MOST_PORT}, or 0 for any free one")
    return whole_number(text)


@dataclass(frozen=True)
class Options:
    """What `judge` takes."""

    result: Path = argument("a result of detect, quilt, imatch, spin or phish", metavar="RESULT", convert=Path)
    targets: str | None = option(
        "what of it to judge: neighborhoods (default), files or chunks of detect; of others there is one kind",
        None,
        metavar="KIND",
        choices=TARGETS,
    )
    sample: int = option("how many to draw at random", 100, metavar="N", convert=whole_number)
    seed: int = option("of the draw; the same seed draws the same", 0, metavar="N", convert=whole_number)
    judge: str | None = option("who judges (default: your user name)", None, metavar="NAME", convert=judge_name)
    judgements: Path | None = option(
        "where labels are kept (default: RESULT.judgements.jsonl)", None, metavar="FILE", convert=Path
    )
    categories: tuple[str, ...] = option(
        "the labels to choose from, as 'name: type' (default: those of the papers' tables)",
        (),
        metavar="CATEGORY",
        many=True,
    )
    run: Path | None = option("the run of the result, if it has moved", None, metavar="RUN", convert=Path)
    port: int = option("where the page is served; 0 for any free port", 0, metavar="PORT", convert=port_number)
    table: bool = option("print the table and the agreement so far, and open no page", False)
    export: Path | None = option(
        "write the labels so far as CSV, JSON lines or Parquet, and open no page", None, metavar="FILE", convert=Path
    )


def run(world: None, options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Serve the page until interrupted, or only print or write what was said."""
    from hpcreuse.judge.categories import categories_of
    from hpcreuse.judge.judgements import Judgements, beside
    from hpcreuse.judge.sampling import kind_of
    from hpcreuse.judge.tabulation import tabulate

    if not options.sample:
        raise UsageError("--sample 0 leaves nothing to judge")
    kind = kind_of(options.result, options.targets)
    categories = categories_of(kind, options.categories)
    judgements = Judgements(options.judgements or beside(options.result))
    if options.table or options.export:
        sample = last_sample(judgements, kind, options)
        if options.export:
            write(options.export, sample, categories, judgements)
    else:
        sample = serve_page(options, shared, kind, categories, judgements)
    found = tabulate(sample, categories, judgements.histories(kind))
    return {
        "out": str(options.export) if options.export else None,
        "result": str(options.result),
        "judgements": str(judgements.path),
        **found,
    }


def last_sample(judgements: "Judgements", kind: str, options: Options) -> "Sample":
    """Give the sample that is asked for if it was drawn, else the one drawn last."""
    samples = judgements.samples(kind)
    if not samples:
        raise StoreError(
            f"{judgements.path} has no {kind} that were judged: begin with `hpcreuse judge {options.result}`"
        )
    asked = [sample for sample in samples if (sample.seed, sample.size) == (options.seed, options.sample)]
    return (asked or samples)[-1]


def write(path: Path, sample: "Sample", categories: "tuple[Category, ...]", judgements: "Judgements") -> None:
    """Write the labels as a table; the name of the file says how."""
    from hpcreuse.judge.tabulation import COLUMNS, rows
    from hpcreuse.store.atomic import atomic_path
    from hpcreuse.store.writers import WRITERS

    how = path.suffix[1:].lower()
    if how not in WRITERS:
        raise UsageError(f"--export {path}: the name must end in .{', .'.join(WRITERS)}")
    with atomic_path(path) as scratch, scratch.open("wb") as out:
        WRITERS[how](COLUMNS, rows(sample, categories, judgements.histories(sample.kind)), out)


def serve_page(
    options: Options, shared: SharedOptions, kind: str, categories: "tuple[Category, ...]", judgements: "Judgements"
) -> "Sample":
    """Serve the page until interrupted."""
    from hpcreuse.judge.session import open_session, take_sample

    try:
        from hpcreuse.judge.serving import open_server, serve, tunnel
    except ModuleNotFoundError:
        raise UsageError("judge needs the package flask: pip install 'hpcreuse[judge]'") from None
    sample = take_sample(options.result, kind, options.seed, options.sample, judgements)
    name = options.judge or user_name()
    session = open_session(options.result, name, sample, categories, judgements, options.run)
    server, address = open_server(session, options.port)
    out = sys.stderr if shared.json else sys.stdout
    done = sum(item.key in session.history.labels for item in sample.items)
    print(f"{len(sample.items):,} of {sample.population:,} {kind}, {done:,} labelled by {name} so far", file=out)
    print(f"labels go to  {judgements.path}", file=out)
    print(f"open          {address}", file=out)
    print(f"from afar     {tunnel(server.port)}", file=out)
    print("              first, then open the same address. Ctrl-C ends; nothing is lost.", file=out, flush=True)
    serve(server, session)
    return sample


def user_name() -> str:
    """Give the name of whoever sits here."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return os.environ.get("USER", "judge")


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Give the papers' table of each judge, and how far they agree."""
    from hpcreuse.judge.report import table_lines

    lines = table_lines(summary)
    if summary["out"]:
        lines.append(("file", summary["out"]))
    return lines
