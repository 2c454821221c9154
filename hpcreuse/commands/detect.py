"""hpcreuse detect: where labels are copied, which files and neighborhoods are mostly copies."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, number, option, output, whole_number

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "find where labels are copied: targets among files and URL neighborhoods"
EXAMPLES = """\
  hpcreuse detect run --labels labels.h5 --out result
  mpiexec -n 64 hpcreuse detect run --labels labels.h5 --stop isi-geocities-benign --out result
  mpirun -n 512 hpcreuse detect            (all of it from ./hpcreuse.toml)
"""


@dataclass(frozen=True)
class Options:
    """What `detect` takes."""

    run: Path = argument("a run made by `hpcreuse hash`", metavar="RUN", convert=Path)
    labels: str = option(
        "labels made by `hpcreuse discover` or `label`, a digest list, or a published one such as isi-geocities",
        metavar="LABELS",
    )
    out: Path = option("the result", metavar="RESULT", convert=output)
    badness: str = option(
        "of a neighborhood: mean of its files' ratios, or bad chunks of all its chunks",
        "mean",
        choices=("mean", "pooled"),
    )
    sigma: float = option("thresholds are mean + SIGMA deviations", 1.0, metavar="SIGMA", convert=number)
    file_threshold: float | None = option("fixed threshold for files instead", None, metavar="X", convert=number)
    neighborhood_threshold: float | None = option(
        "fixed threshold for neighborhoods instead", None, metavar="X", convert=number
    )
    stop: tuple[str, ...] = option(
        "stop chunks, left out of all counts: files of digests, labels or content, or isi-geocities-benign",
        (),
        metavar="FILE",
        many=True,
    )
    min_length: int = option("chunks that are shorter, in bytes, are stop chunks", 0, metavar="N", convert=whole_number)
    min_chunks: int = option("files with fewer chunks are no targets", 0, metavar="N", convert=whole_number)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Detect, and give the summary."""
    from hpcreuse.commands.jobs import memory_budget, start_over
    from hpcreuse.reuse.detection import DetectJob, detect

    start_over(world, "detect", options.out, shared)
    job = DetectJob(
        run=options.run,
        labels=options.labels,
        out=options.out,
        badness=options.badness,
        sigma=options.sigma,
        file_threshold=options.file_threshold,
        neighborhood_threshold=options.neighborhood_threshold,
        stop=options.stop,
        min_length=options.min_length,
        min_chunks=options.min_chunks,
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
    )
    return detect(world, job)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found."""

    def share(part: int, whole: int) -> str:
        return f"{part:,} of {whole:,} ({100 * part / whole if whole else 0:.2f} %)"

    def spread(kind: str) -> str:
        mean, deviation, bar = (summary[f"{kind}_{name}"] for name in ("mean", "deviation", "threshold"))
        return f"mean {mean:.6f}, deviation {deviation:.6f}, threshold {bar:.6f}"

    return [
        ("labels", f"{summary['labels']:,}"),
        *([("stop list", f"{summary['stop_digests']:,} digests")] if summary["stop_digests"] else []),
        (f"bad {summary['objects']}s", share(summary["bad_chunks"], summary["chunks"])),
        ("target files", share(summary["target_files"], summary["files"])),
        ("", spread("file")),
        ("bad neighborhoods", share(summary["bad_neighborhoods"], summary["neighborhoods"])),
        ("", spread("neighborhood")),
        ("see", f"hpcreuse export {summary['out']} neighborhoods"),
    ]
