"""hpcreuse show: the content of a digest and where it stands; a quilt beside its sources; a cluster of articles."""

import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument, option, whole_number
from hpcreuse.errors import StoreError, UsageError

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

log = logging.getLogger(__name__)

HELP = "print a chunk or file by its digest and where it stands; a quilt beside its sources; a cluster of spun articles"
EXAMPLES = """\
  hpcreuse show run 63ada55c0ba212a5b1f8d5a70890788f00972bf4
  hpcreuse show run 63ada55c --places 100
  hpcreuse show run 63ada55c --raw > chunk.html
  hpcreuse show quilts http://example.org/page.html
  hpcreuse show spun 12                 (a cluster; or the URL of a page in it)
"""


@dataclass(frozen=True)
class Options:
    """What `show` takes."""

    run: Path = argument("a run, or a result of `hpcreuse quilt` or `spin`", metavar="RUN", convert=Path)
    digest: str = argument(
        "a digest in hex, or its first 8 digits or more; of a result a URL, or the number of a cluster",
        metavar="DIGEST",
    )
    places: int = option("how many places, sources or pages to list", 20, metavar="N", convert=whole_number)
    bytes: int = option("how much of the content to print", 2000, metavar="N", convert=whole_number)
    raw: bool = option("write the content alone to stdout, byte for byte", False)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any] | None:
    """Collective. Find the digest; rank 0 prints."""
    from hpcreuse.reuse.showing import show

    method = world.on_root(method_of, options.run)
    if method == "spin":
        from hpcreuse.spin.showing import show_cluster

        return {**show_cluster(world, options.run, options.digest, options.places), "most": options.bytes}
    if method is not None:
        from hpcreuse.quilt.showing import show_quilt

        return {**show_quilt(world, options.run, options.digest), "most": options.bytes, "listed": options.places}
    found = show(world, options.run, options.digest)
    if options.raw:
        world.on_root(write_raw, found)
        return None
    content = found["content"]
    found["content"] = None if content is None else content[: options.bytes].decode("utf-8", "backslashreplace")
    found["failed"] = content is None
    if content is None and world.root and not shared.json:
        log.error("the content cannot be shown: %s", found["problem"])
    found["content_cut"] = content is not None and len(content) > options.bytes
    found["places_listed"] = min(options.places, len(found["places"]))
    found["places"] = found["places"][: options.places]
    return found


def method_of(path: Path) -> str | None:
    """Tell which method a result is of; None of what is no result."""
    from hpcreuse.store.findings import Findings
    from hpcreuse.store.tables import tables_of

    if not (path / "result.json").is_file():
        return None
    if tables_of(path)[0] == "result":
        raise UsageError(f"{path} is a result of detect: `show` takes a run and a digest, or a result of quilt or spin")
    return Findings.open(path).method


def write_raw(found: dict[str, Any]) -> None:
    """Write the content as it is."""
    if found["content"] is None:
        raise StoreError(found["problem"])
    sys.stdout.buffer.write(found["content"])
    sys.stdout.buffer.flush()


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, Any]]:
    """Show the content, made safe for a terminal, and the places."""
    if "texts" in summary:
        from hpcreuse.commands.spin_text import cluster_lines

        return cluster_lines(summary, summary["most"])
    if "patches" in summary:
        from hpcreuse.commands.quilt_text import quilt_lines

        return quilt_lines(summary, summary["most"], summary["listed"])
    kinds = [f"{summary[k]:,} {k[:-1] if summary[k] == 1 else k}" for k in ("chunks", "files") if summary[k]]
    lines: list[tuple[str, Any]] = [
        ("digest", summary["digest"]),
        ("stands in", f"{' and '.join(kinds)}, {summary['length']:,} bytes"),
    ]
    # Why there is no content was said on stderr
    if summary["content"] is not None:
        shown = safe_lines(summary["content"])
        if summary["content_cut"]:
            shown.append("... (--bytes N shows more, --raw all)")
        lines += [("content", shown[0]), *(("", line) for line in shown[1:])]
    for place in summary["places"]:
        where = "file " if place["position"] < 0 else f"chunk {place['position']:<5}"
        lines.append((where.strip(), f"{place['url']}  {place['archive']}:{place['offset']}"))
    left = summary["chunks"] + summary["files"] - summary["places_listed"]
    if left:
        lines.append(("", f"and {left:,} more: --places N lists them"))
    return lines


def safe_lines(content: str) -> list[str]:
    """Cut into lines; control characters, which could steer a terminal, are shown as escapes."""
    lines = content.replace("\r\n", "\n").split("\n")
    return ["".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line) for line in lines]
