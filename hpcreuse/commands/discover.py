"""hpcreuse discover: what occurs more often than a threshold becomes the labelled set L."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option, output, whole_number
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find what is copied often: count every chunk or file, label those above a threshold"
EXAMPLES = """\
  hpcreuse discover run --threshold 1000 --out labels.h5
  mpiexec -n 64 hpcreuse discover run --top 10000 --stop isi-geocities-benign --min-length 100 --out labels.h5
  hpcreuse discover run --objects file --threshold 1000 --out files.h5
"""


@dataclass(frozen=True)
class Options:
    """What `discover` takes."""

    run: Path = argument("a run made by `hpcreuse hash`", metavar="RUN", convert=Path)
    out: Path = option("the labels", metavar="LABELS", convert=output)
    objects: str = option("what to label", "chunk", choices=("chunk", "file"))
    threshold: int | None = option(
        "label what occurs more often than N times", None, metavar="N", convert=whole_number, instead_of="top"
    )
    top: int | None = option(
        "label the K most frequent instead", None, metavar="K", convert=whole_number, instead_of="threshold"
    )
    stop: tuple[str, ...] = option(
        "never label these: files of digests, labels, files of content, or isi-geocities-benign",
        (),
        metavar="FILE",
        many=True,
    )
    min_length: int = option("never label what is shorter, in bytes", 0, metavar="N", convert=whole_number)

    def __post_init__(self) -> None:
        if (self.threshold is None) == (self.top is None):
            raise UsageError("give either --threshold N or --top K")


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Discover, and give the summary."""
    from hpcreuse.commands.jobs import memory_budget
    from hpcreuse.reuse.discovery import DiscoverJob, discover

    job = DiscoverJob(
        run=options.run,
        out=options.out,
        objects=options.objects,
        threshold=options.threshold,
        top=options.top,
        stop=options.stop,
        min_length=options.min_length,
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
        fresh=shared.fresh,
    )
    return discover(world, job)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found."""
    share = summary["unique"] / summary["distinct"] if summary["distinct"] else 0.0
    noun = summary["objects"] + "s"
    return [
        *([("stop list", f"{summary['stop_digests']:,} digests")] if summary["stop_digests"] else []),
        ("labels", f"{summary['labels']:,} in {summary['out']}"),
        (noun, f"{summary['occurrences']:,}"),
        ("distinct", f"{summary['distinct']:,}, {100 * share:.1f} % of them occur once"),
    ]
