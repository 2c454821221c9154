"""hpcreuse plan: what a job will take, predicted from a sample of its input."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import DigestFields, SharedOptions
from hpcreuse.config import argument, option, size, whole_number
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "predict time, memory, disk and traffic of a job from a sample of its input; print its #SBATCH lines"
EXAMPLES = """\
  hpcreuse plan crawl/*.warc.gz --ranks 64
  hpcreuse plan @warc.paths --ranks 512 --pages 3e9 --ranks-per-node 64 --memory 2G --scratch /scratch/me
  mpiexec -n 8 hpcreuse plan @warc.paths --ranks 512 --sample 1G --json
"""


@dataclass(frozen=True)
class Options(DigestFields):
    """What `plan` takes."""

    inputs: tuple[str, ...] = argument(
        "what `hash` takes: archives, folders, globs, @FILE for a list of paths", metavar="INPUT", many=True
    )
    ranks: int = option("ranks the job will have", metavar="N", convert=whole_number)
    pages: int | None = option("plan for a crawl like this of so many pages", None, metavar="N", convert=whole_number)
    sample: int = option("how much of the input to read", "64M", metavar="SIZE", convert=size)
    seed: int = option("another seed chooses another sample", 0, metavar="N", convert=whole_number)
    threshold: int = option(
        "that `discover` will have: decides how much matches", 1000, metavar="N", convert=whole_number
    )
    network: int = option(
        "bytes a second that a rank can send to others; assumed, not measured", "100M", metavar="SIZE", convert=size
    )
    ranks_per_node: int | None = option("default: the cores of this machine", None, metavar="N", convert=whole_number)
    scratch: Path = option("folder to measure the disk in", ".", metavar="DIR", convert=Path)
    url_prefix: str | None = option("URL of folders, tars and zips instead of http://NAME/", None, metavar="URL")
    max_payload: int = option("quarantine larger payloads", "64M", metavar="SIZE", convert=size)

    def __post_init__(self) -> None:
        for name in ("ranks", "pages", "sample", "network", "ranks_per_node"):
            if getattr(self, name) == 0:
                raise UsageError(f"--{name.replace('_', '-')} must be 1 or more")


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Sample, predict, and give the plan."""
    from hpcreuse.commands.jobs import digest_options
    from hpcreuse.crawl.pages import Limits
    from hpcreuse.parallel.memory import SHARE_OF_NODE, node_memory, peak_resident
    from hpcreuse.planning.prediction import Request, predict
    from hpcreuse.planning.sizes import Job

    per_node = options.ranks_per_node or os.cpu_count() or 1
    # As `hash` would have it with all cores of the node taken, not as this job has it
    memory = shared.memory or int(node_memory() * SHARE_OF_NODE / min(per_node, options.ranks))
    digest = digest_options(options)
    request = Request(
        inputs=options.inputs,
        url_prefix=options.url_prefix,
        options=digest,
        limits=Limits(options.max_payload),
        job=Job(options.ranks, memory, digest.width, options.threshold, options.pages),
        sample_bytes=options.sample,
        seed=options.seed,
        scratch=world.on_root(writable, options.scratch),
        network=float(options.network),
        ranks_per_node=per_node,
        # The other verbs load about as much
        started=time.process_time(),
        resident=peak_resident(),
    )
    return predict(world, request)


def writable(folder: Path) -> Path:
    """Take the folder if files can be made there; measuring elsewhere would mislead."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(f"--scratch {folder}: no folder to write to; name one on the file system of the run")
    return folder


def span(seconds: float) -> str:
    """Write a time span: short ones to a tenth of a second."""
    from hpcreuse.parallel.progress import clock

    return clock(seconds) if seconds >= 60 else f"{seconds:.1f} s"


def too_many(summary: dict[str, Any]) -> str:
    """Say that far fewer ranks would do, and why."""
    ranks, fewer = summary["job"]["ranks"], summary["fewer_ranks"]
    starting = f"{100 * fewer['starting']:.0f} % of their time is starting"
    idle = f"{ranks:,} ranks share {fewer['partitions']:,} partition{'s' * (fewer['partitions'] > 1)}"
    why = f"{idle}, {starting}" if ranks > fewer["partitions"] else f"{ranks:,} ranks, {starting}"
    return f"{why}: --ranks {fewer['ranks']} takes {span(fewer['seconds'])} instead of {span(summary['seconds'])}"


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Show the plan: what there is, what each stage takes, and the lines for Slurm."""
    blank = [("", "")]
    return [*head_lines(summary), *blank, *size_lines(summary), *blank, *stage_lines(summary), *slurm_lines(summary)]


def head_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was sampled, and what is planned."""
    from hpcreuse.parallel.progress import size as bytes_text

    sample, job, sizes = (summary[k] for k in ("sample", "job", "sizes"))
    share = 100 * sample["bytes"] / max(1, sample["input_bytes"])
    return [
        (
            "sample",
            f"{bytes_text(sample['bytes'])} of {bytes_text(sample['input_bytes'])} ({share:.3g} %), "
            f"{sample['pages']:,} pages in {sample['blocks']:,} blocks",
        ),
        (
            "plan",
            f"{job['ranks']:,} rank{'s' * (job['ranks'] > 1)}, {bytes_text(job['memory'])} of memory each"
            + (f", {sizes['scale']:,.4g} times the input" if job["pages"] else ""),
        ),
        *([("too many", too_many(summary))] if summary["fewer_ranks"] else []),
    ]


def size_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say how much there will be of everything."""
    from hpcreuse.parallel.progress import size as bytes_text

    sizes, errors = summary["sizes"], summary["errors"]

    def count(name: str, error: str | None = None) -> str:
        spread = f"  ± {100 * errors[error]:.0f} %" if error else ""
        return f"{round(sizes[name]):>18,}{spread}"

    amounts = {
        "input": "input_bytes",
        "payload": "payload_bytes",
        "RUN": "run_bytes",
        "counts": "counts_bytes",
        "RESULT": "result_bytes",
    }
    return [
        ("pages", count("pages", "pages")),
        ("chunks", count("chunks", "chunks")),
        ("distinct chunks", count("distinct_chunks") + f"  (Heaps: n^{summary['heaps']['beta_chunks']:.3f})"),
        ("distinct files", count("distinct_files")),
        ("neighborhoods", count("neighborhoods")),
        ("labels", count("labels") + f"  (threshold {summary['job']['threshold']:,})"),
        ("shards", count("shards")),
        *((name, f"{bytes_text(sizes[key]):>18}") for name, key in amounts.items()),
    ]


def stage_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what each stage takes."""
    from hpcreuse.parallel.progress import size as bytes_text

    lines = [("stage", f"{'time':>10}{'memory/rank':>14}{'passes':>8}{'sent/rank':>12}{'disk':>10}  mostly")]
    for stage in summary["stages"]:
        most = sorted(stage["parts"].items(), key=lambda part: -part[1])[:3]
        amounts = (
            f"{span(stage['seconds']):>10}{bytes_text(stage['memory_per_rank']):>14}{stage['passes']:>8}"
            f"{bytes_text(stage['exchanged_per_rank']):>12}{bytes_text(stage['disk']):>10}"
        )
        mostly = ", ".join(f"{name} {span(seconds)}" for name, seconds in most)
        lines.append((stage["stage"], f"{amounts}  {mostly}"))
    return lines


def slurm_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Give what to write into job scripts."""
    from hpcreuse.parallel.progress import size as bytes_text

    network = f"network assumed: {bytes_text(summary['network_bytes_per_second'])}/s a rank"
    lines = [("", ""), ("slurm", f"twice the time and 1.25 times the memory predicted; {network}")]
    for stage in summary["stages"]:
        lines += [("", ""), *((stage["stage"] if not i else "", line) for i, line in enumerate(stage["sbatch"]))]
    return lines
