"""hpcreuse hash: partitions of a crawl into shards of digests."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import DigestFields, ReadFields, SharedOptions
from hpcreuse.config import argument, option

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "hash the files and chunks of a crawl into a run"
EXAMPLES = """\
  hpcreuse hash crawl/*.warc.gz --out run
  mpiexec -n 64 hpcreuse hash @warc.paths --out run --memory 2G
  hpcreuse hash crawl.warc.gz --out run --text     (for quilt, imatch and spin)
  hpcreuse hash site-folder --url-prefix http:// --out run
"""


@dataclass(frozen=True)
class Options(DigestFields, ReadFields):
    """What `hash` takes."""

    inputs: tuple[str, ...] = argument(
        "WARC, ARC, WET, WACZ, folder, tar, zip, JSON lines or mail; globs; @FILE for a list of paths",
        metavar="INPUT",
        many=True,
    )
    out: Path = option("the run: made, or added to", metavar="RUN", convert=Path)
    text: bool = option("keep the words of the pages too, for quilt, imatch and spin", False)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Hash, and give the summary."""
    from hpcreuse.commands.jobs import digest_options, memory_budget, read_limits
    from hpcreuse.reuse.hashing import HashJob, hash_crawl

    job = HashJob(
        inputs=options.inputs,
        run=options.out,
        options=digest_options(options),
        text=options.text,
        limits=read_limits(options),
        url_prefix=options.url_prefix,
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
        fresh=shared.fresh,
    )
    return hash_crawl(world, job)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was hashed."""
    from hpcreuse.parallel.progress import size as bytes_text

    seconds = max(summary["seconds"], 1e-9)
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in summary["skipped"].items())
    lines = [
        ("run", summary["out"]),
        (
            "partitions",
            f"{summary['partitions']:,} hashed, {summary['partitions_done_before']:,} done before"
            + ("" if summary["partitions"] else ": nothing left to do"),
        ),
        (
            "records",
            f"{summary['records']:,} = {summary['files']:,} files + {sum(summary['skipped'].values()):,} skipped"
            f" + {summary['quarantined']:,} quarantined",
        ),
        ("files", f"{summary['files']:,}"),
        ("skipped", f"{sum(summary['skipped'].values()):,}" + (f" ({skipped})" if skipped else "")),
        ("quarantined", f"{summary['quarantined']:,}"),
        ("chunks", f"{summary['chunks']:,}"),
        ("payload", bytes_text(summary["payload_bytes"])),
    ]
    if summary["files"]:
        rate = f"{summary['files'] / seconds:,.0f} files/s, {bytes_text(summary['payload_bytes'] / seconds)}/s"
        lines.append(("rate", rate))
    if summary["run_files"] != summary["files"]:
        lines.append(("now in the run", f"{summary['run_files']:,} files, {summary['run_chunks']:,} chunks"))
    if summary["input_quarantined"]:
        lines.append(("see", f"hpcreuse export {summary['out']} quarantine"))
    return lines
