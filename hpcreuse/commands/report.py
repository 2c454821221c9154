"""hpcreuse report: what was found as a page, with figures for papers and tables beside it."""

import importlib.util
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option, whole_number
from hpcreuse.errors import UsageError

HELP = "make a page of what was found, that opens anywhere and asks nobody, with figures as SVG, PNG and PDF"
EXAMPLES = """\
  hpcreuse report run labels.h5 result --out report
  hpcreuse report run result quilts near spun --title "Crawl of May" --out report
  hpcreuse report study-mutation study-stop --out figures
"""

# One process reads tables and draws; on a login node there may be no MPI
NEEDS_MPI = False


@dataclass(frozen=True)
class Options:
    """What `report` takes."""

    paths: tuple[Path, ...] = argument(
        "runs, labels, results of any method, studies: what is there decides what is shown",
        metavar="PATH",
        many=True,
        convert=Path,
    )
    out: Path = option("folder for the page, its figures and tables", metavar="DIR", convert=Path)
    title: str = option("of the page", "Copied content", metavar="TEXT")
    top: int = option("rows of each list on the page", 10, metavar="N", convert=whole_number)
    listed: int = option("rows of the same list in its table", 1000, metavar="N", convert=whole_number)


def run(world: None, options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Make the report and give a summary."""
    from hpcreuse.report.making import ReportJob, make_report

    for name in ("jinja2", "matplotlib"):
        # Found, not loaded: that takes long, and is only needed in the end
        if importlib.util.find_spec(name) is None:
            raise UsageError(f"a report needs {name}: pip install 'hpcreuse[report]'")
    command = shlex.join(["hpcreuse", *sys.argv[1:]])
    return make_report(ReportJob(options.paths, options.out, options.title, options.top, options.listed, command))


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say where it is."""
    return [
        ("report", f"{summary['page']} ({summary['page_bytes'] / 1000:,.0f} kB): open it in a browser"),
        ("figures", f"{len(summary['figures'])} as SVG, PNG and PDF in {summary['out']}/figures"),
        ("tables", f"{len(summary['tables'])} as CSV in {summary['out']}/tables"),
    ]
