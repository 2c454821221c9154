"""hpcreuse demo: a small crawl with known copies, through the whole chain; what was planted must be found."""

import os
import shlex
import sys
import time
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hpcreuse.commands import detect, discover, export, hash, imatch, label, phish, quilt, report, spin
from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option
from hpcreuse.demo.chain import FINDINGS

if TYPE_CHECKING:
    from hpcreuse.demo.crawl import Crawl
    from hpcreuse.demo.verdict import Row

HELP = "run the whole chain on a small crawl made here, and hold what is found against what was planted"
EXAMPLES = """\
  hpcreuse demo
  hpcreuse demo /tmp/demo --json
  hpcreuse demo practice --crawl-only
"""

# It starts mpiexec itself, and a process that has begun MPI must not do that
NEEDS_MPI = False

COMMANDS: dict[str, ModuleType] = {
    "hash": hash,
    "discover": discover,
    "detect": detect,
    "export": export,
    "quilt": quilt,
    "imatch": imatch,
    "spin": spin,
    "label": label,
    "phish": phish,
    "report": report,
}
TABLES, SYNONYMS = ("neighborhoods.jsonl", "files.jsonl"), "synonyms.tsv"
MARK, MADE_HERE = (
    "demo.json",
    ("crawl", SYNONYMS, *FINDINGS, "labels.h5.jobs.json", "bank", "bank.h5", "bank.h5.jobs.json", *TABLES, "report"),
)


@dataclass(frozen=True)
class Options:
    """What `demo` takes."""

    dir: Path = argument(
        "folder to make; an earlier demo there is replaced", Path("hpcreuse-demo"), metavar="DIR", convert=Path
    )
    crawl_only: bool = option("make the crawl and stop there", False)


def run(world: None, options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Make the crawl, run the verbs on it and compare; raises DemoError if it does not come out as planted."""
    from hpcreuse.demo.chain import RANKS, DemoError, can_report, find_mpiexec, verbs
    from hpcreuse.demo.crawl import make_crawl
    from hpcreuse.demo.synonyms import write_synonyms
    from hpcreuse.demo.verdict import compare

    begin = time.monotonic()
    with ExitStack() as stack:
        if shared.quiet:
            stack.enter_context(redirect_stdout(stack.enter_context(open(os.devnull, "w"))))
        elif shared.json:
            stack.enter_context(redirect_stdout(sys.stderr))
        prepare(options.dir)
        crawl = make_crawl(options.dir / "crawl")
        write_synonyms(options.dir / SYNONYMS)
        crawl.phish.save_originals(options.dir / "bank")
        if not options.crawl_only:
            say("A small crawl with known copies in it goes through the whole chain.\n")
        introduce(options.dir, crawl)
        if options.crawl_only:
            return {"out": str(options.dir), "crawl": str(options.dir / "crawl"), "files": crawl.files}
        mpiexec = find_mpiexec()
        if mpiexec is None:
            say("note: no mpiexec beside this Python or on the PATH, so the verbs run alone, on one rank\n")
        if not can_report():
            say("note: no report at the end, for jinja2 or matplotlib is missing: pip install 'hpcreuse[report]'\n")
        say(f"$ cd {shlex.quote(str(options.dir))}", "bold cyan")
        summaries: dict[str, dict[str, Any]] = {}
        for verb in verbs(mpiexec):
            if verb.why:
                say(f"\n# {verb.why}", "dim")
            say(f"$ {verb.shown}", "bold cyan")
            summaries[verb.name] = verb.run(options.dir)
            show_summary(verb.name, summaries[verb.name])
        rows = compare(crawl, summaries["hash"], options.dir)
        show_rows(rows, summaries["detect"]["neighborhood_threshold"])
    wrong = [row for row in rows if not row.agrees]
    if wrong:
        what = "; ".join(f"{row.planted.strip()}: {row.found:,} instead of {row.expected:,}" for row in wrong)
        raise DemoError(f"the demo did not find what was planted ({what}). Please report this with `hpcreuse info`")
    return {
        "out": str(options.dir),
        "crawl": str(options.dir / "crawl"),
        "run": str(options.dir / "run"),
        "labels": str(options.dir / "labels.h5"),
        "result": str(options.dir / "result"),
        "report": str(options.dir / "report" / "index.html") if "report" in summaries else None,
        "verb_ranks": RANKS if mpiexec else 1,
        "planted_and_found": [row.record() for row in rows],
        "quoted_chunk": crawl.quoted_chunk,
        "verbs": {
            verb: {key: said[key] for key in ("seconds", "phases") if key in said} for verb, said in summaries.items()
        },
        "seconds": round(time.monotonic() - begin, 3),
    }


def prepare(folder: Path) -> None:
    """Make the folder, or clear an earlier demo of what it had made there and of nothing else."""
    from hpcreuse.demo.chain import DemoError
    from hpcreuse.store.atomic import remove

    if folder.exists() and not folder.is_dir():
        raise DemoError(f"{folder} is a file: name another folder for the demo")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise DemoError(f"{folder} is not empty and no earlier demo: name another folder, as in `hpcreuse demo DIR`")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text('{"format": "hpcreuse demo", "version": 1}\n', encoding="utf-8")
    for name in MADE_HERE:
        remove(folder / name)


def introduce(folder: Path, crawl: "Crawl") -> None:
    """Say what the crawl is."""
    from hpcreuse.parallel.progress import size

    say(
        f"Made {folder / 'crawl'}: {crawl.files:,} files of {crawl.sites} sites, {size(crawl.payload_bytes)} "
        f"in {len(crawl.archives)} WARC archives.\nIn it are a wiki with four clones, a link farm, shops made from "
        "one\ntemplate, a newspaper whose stories are sent on, stitched together and spun, a\n"
        "bank with phish, and honest sites that must not be found, one with copies in a folder.\n"
    )


def say(text: str, style: str = "") -> None:
    """Print for people, in colour on a terminal."""
    from rich.console import Console

    Console(highlight=False, markup=False, soft_wrap=True).print(text, style=style)


def show_summary(verb: str, summary: dict[str, Any]) -> None:
    """Print a verb's summary as the verb itself would."""
    from hpcreuse.terminal import print_pairs

    print_pairs(COMMANDS[verb].summary_lines(summary), summary)


def show_rows(rows: "list[Row]", threshold: float) -> None:
    """Print planted against found."""
    from hpcreuse.terminal import print_table

    cells = [
        (row.planted, f"{row.expected:,}", f"{row.found:,}", row.badness, "OK" if row.agrees else "!!") for row in rows
    ]
    say("")
    print_table(
        f"Planted against found: bad neighborhoods, those with a badness above {threshold:.2f}",
        ("planted", "expected", "found", "badness", ""),
        [row for row in cells if row[3]],
    )
    say("Honest sites are not at 0: their own header and footer stand on every page.\n")
    print_table(
        "Files, records, and what the other methods find",
        ("planted", "expected", "found", ""),
        [(*row[:3], row[4]) for row in cells if not row[3]],
    )


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say that it worked, and what to type next."""
    if "planted_and_found" not in summary:
        return [("try next", f"cd {shlex.quote(summary['out'])}"), ("", "hpcreuse hash crawl/*.warc.gz --out run")]
    ranks = summary["verb_ranks"]
    return [
        (
            "as planted",
            f"all {len(summary['planted_and_found'])} lines, in {summary['seconds']:.1f} s, "
            + ("verbs on one rank" if ranks == 1 else f"verbs on {ranks} ranks"),
        ),
        *([("report", f"open {summary['report']} in a browser")] if summary["report"] else []),
        ("try next", f"cd {shlex.quote(summary['out'])}"),
        ("", "hpcreuse export result neighborhoods --format csv"),
        ("", "hpcreuse export run quarantine"),
        ("", f"hpcreuse show run {summary['quoted_chunk']}"),
        ("", "  (a wiki paragraph that an honest site quotes, and where it stands)"),
    ]
