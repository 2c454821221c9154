"""hpcreuse label: content that the user names becomes the labelled set L; labels are merged and subtracted."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import DigestFields, ReadFields, SharedOptions
from hpcreuse.config import argument, option, output, whole_number

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = """label content that you name: every chunk or file of it, with its source, the bytewise smallest URL of the
pages that hold it. Labels and digest lists given as inputs are merged, counts added"""
EXAMPLES = """\
  mpiexec -n 64 hpcreuse label wikipedia.warc.gz --min-length 101 --out wikipedia.h5
  hpcreuse label www.bank.example --url-prefix http://www.bank.example/ --mode dom --digest sha256 --out bank.h5
  hpcreuse label a.h5 b.h5 digests.tsv --subtract isi-geocities-benign --out merged.h5
  hpcreuse label hashes.paypal.json --out paypal.h5           (a browser plugin's list: SHA-256, dom mode)
  hpcreuse label wikipedia.h5 --compact --out wikipedia.filter
"""


@dataclass(frozen=True)
class Options(DigestFields, ReadFields):
    """What `label` takes."""

    inputs: tuple[str, ...] = argument(
        "content as for `hash`, a run, labels, digest lists (TSV, CSV, JSON lines, plugin JSON), or a published list",
        metavar="INPUT",
        many=True,
    )
    out: Path = option("the labels", metavar="LABELS", convert=output)
    objects: str | None = option(
        "what to label (default: chunk, or what labels among the inputs are)", None, choices=("chunk", "file")
    )
    min_length: int = option(
        "do not label what is shorter, in bytes; digests of lists have no length and stay",
        0,
        metavar="N",
        convert=whole_number,
    )
    compact: bool = option("write a small filter instead of labels, to push to crawlers: see `check`", False)
    subtract: tuple[str, ...] = option(
        "leave out what these hold: labels, runs, digest lists, or published lists", (), metavar="LABELS", many=True
    )


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Label, and give the summary."""
    from hpcreuse.commands.jobs import digest_options, memory_budget, read_limits
    from hpcreuse.reuse.labelling import LabelJob, label

    job = LabelJob(
        inputs=options.inputs,
        subtract=options.subtract,
        out=options.out,
        compact=options.compact,
        options=digest_options(options),
        objects=options.objects,
        min_length=options.min_length,
        limits=read_limits(options),
        url_prefix=options.url_prefix,
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
        fresh=shared.fresh,
    )
    return label(world, job)


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was labelled."""
    from hpcreuse.parallel.progress import size as bytes_text

    lines = [("inputs", ", ".join(f"{count:,} {kind}" for kind, count in summary["inputs"].items()))]
    if "records" in summary:
        skipped = sum(summary["skipped"].values())
        counts = f"{summary['files']:,} files, {skipped:,} skipped, {summary['quarantined']:,} quarantined"
        lines.append(("read", f"{summary['records']:,} records: {counts}"))
    lines.append((f"{summary['objects']}s", f"{summary['occurrences']:,}, {summary['distinct']:,} distinct"))
    left_out = (("too short", summary["too_short"]), ("subtracted", summary["subtracted"]))
    lines += [(name, f"{count:,}") for name, count in left_out if count]
    lines.append(("labels", f"{summary['labels']:,} from {summary['sources']:,} pages"))
    lines.append(("filter" if summary["compact"] else "file", f"{summary['out']}, {bytes_text(summary['bytes'])}"))
    return lines
