"""The neighborhoods with most bad chunks, and how many distinct labelled pages each copies from.

All ranks look through parts of a result: first for the neighborhoods, then through the files for the sources of
what was matched in them. Sources are marked in a bitmap per neighborhood, as many neighborhoods at a time as the
memory allows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.crawl.urls import directory
from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store import container, lock
from hpcreuse.store.labels import Labels
from hpcreuse.store.neighborhoods import Neighborhood, urls_below
from hpcreuse.store.result import FileRows, Result, read_files, read_neighborhoods
from hpcreuse.store.shard import cut_sorted
from hpcreuse.store.tables import Row, columns
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hpcreuse.study.wikipedia import Options

TABLE = columns(
    prefix=str, depth=int, files=int, chunks=int, bad=int, badness=float, target=bool, sources=int, own=bool
)


@dataclass
class Ranking:
    """The neighborhoods with most bad chunks among those seen so far."""

    wanted: int
    depth: int
    more_than: int
    top: list[Neighborhood]
    neighborhoods: int = 0
    with_bad_chunks: int = 0
    above: int = 0

    def add(self, found: list[Neighborhood]) -> None:
        """Keep the first of these and those before: most bad chunks first, then in order of prefix."""
        self.top = sorted([*self.top, *found], key=lambda each: (-each.bad, each.prefix))[: self.wanted]

    def read(self, part: Path, bar: int) -> None:
        """Look through one part of a result's neighborhoods."""
        for block in read_neighborhoods(part):
            depths = np.array([prefix.count(b"/") for prefix in block.prefix], np.int64)
            right = (depths == self.depth) if self.depth else np.ones(len(depths), bool)
            above = right & (block.bad > self.more_than)
            self.neighborhoods += int(right.sum())
            self.with_bad_chunks += int((right & (block.bad > 0)).sum())
            self.above += int(above.sum())
            # Only the first of a block can be among the first of all; stable, so that ties stand in order of prefix
            rows = np.flatnonzero(above)
            rows = rows[np.argsort(-block.bad[rows], kind="stable")][: self.wanted]
            self.add([Neighborhood.at(block, row, bar) for row in rows.tolist()])

    def over_all(self, world: World) -> "Ranking":
        """Collective. Put the rankings of all ranks together."""
        whole = Ranking(self.wanted, self.depth, self.more_than, [])
        for part in world.comm.allgather(self):
            whole.add(part.top)
            whole.neighborhoods += part.neighborhoods
            whole.with_bad_chunks += part.with_bad_chunks
            whole.above += part.above
        return whole


@dataclass(frozen=True)
class Copied:
    """Of a neighborhood, how many distinct labelled pages it copies from, and whether some of them are its own."""

    sources: int
    own: bool


def run_wikipedia(world: World, options: "Options", setting: Setting, published: dict[str, Any]) -> dict[str, Any]:
    """Collective. Rank the neighborhoods, count their sources, write table and figure."""
    phases = Phases()
    result = world.on_root(Result.open, options.result)
    world.on_root(must_have_sources, options.result / "labels.h5")
    output = world.on_root(Output.prepare, "wikipedia", options)
    with hold(world, options.out, lock.inside(options.out)):
        with phases("rank"):
            ranking = rank(world, result, options)
        with phases("sources"), Labels.open(options.result / "labels.h5") as labels:
            label_count, label_sources = len(labels), len(labels.sources) - 1
            copied = count_sources(world, result, labels, ranking.top, setting.memory)
        rows = [row_of(each, found) for each, found in zip(ranking.top, copied, strict=True)]
        summary = {
            "labels": label_count,
            "label_sources": label_sources,
            "neighborhoods": ranking.neighborhoods,
            "with_bad_chunks": ranking.with_bad_chunks,
            "above": ranking.above,
            "more_than": options.above,
            "top": [dict(zip((column.name for column in TABLE), row, strict=True)) for row in rows],
            "published": published,
        }
        with phases("write"):
            written = world.on_root(write, output, options, rows, summary)
        return {"out": str(options.out), **summary, **written, **phases.summary(world)}


def rank(world: World, result: Result, options: "Options") -> Ranking:
    """Collective. Find the neighborhoods with most bad chunks."""
    ranking = Ranking(options.top, options.depth, options.above, [])
    parts = [*result.parts("neighborhoods"), result.borders]
    for part in parts[world.rank :: world.size]:
        ranking.read(part, result.header["neighborhood_threshold_fixed"])
    return ranking.over_all(world)


def must_have_sources(path: Path) -> None:
    """Refuse labels that come from no page."""
    with Labels.open(path) as labels:
        if len(labels) and len(labels.sources) == 1:
            raise StoreError(
                f"the labels {path} have no sources: make labels of the pages whose copies you look for with "
                "`hpcreuse label`, and detect again"
            )


def count_sources(
    world: World, result: Result, labels: Labels, wanted: Sequence[Neighborhood], memory: int
) -> list[Copied]:
    """Collective. Count the distinct sources of what was matched in each neighborhood."""
    pages, source_of = labels.sources, container.map_array(labels.file, "source")
    row_bytes = -(-len(pages) // 8)
    at_once = max(1, memory // 4 // row_bytes)
    found: list[Copied] = []
    for first in range(0, len(wanted), at_once):
        some = wanted[first : first + at_once]
        marks = mark_sources(world, result, [each.prefix for each in some], source_of, row_bytes)
        found += [
            Copied(int(np.bitwise_count(row).sum()), holds_own(row, pages, each.prefix))
            for row, each in zip(marks, some, strict=True)
        ]
        world.stop_if_asked()
    return found


def mark_sources(
    world: World, result: Result, prefixes: list[bytes], source_of: NDArray[np.uint32], row_bytes: int
) -> NDArray[np.uint8]:
    """Collective. Make a bitmap of sources for each neighborhood; bit n stands for source n."""
    from mpi4py import MPI

    marks = np.zeros((len(prefixes), row_bytes), np.uint8)
    place_of = {prefix: place for place, prefix in enumerate(prefixes)}
    for part in result.parts("files")[world.rank :: world.size]:
        for block in read_files(part):
            for place, matches in matched_in(block, place_of):
                sources = source_of[matches["label"]]
                sources = sources[sources > 0]
                np.bitwise_or.at(marks[place], sources >> 3, (1 << (sources & 7)).astype(np.uint8))
    every = np.empty_like(marks)
    for mine, ours in zip(marks, every, strict=True):
        world.comm.Allreduce(mine, ours, MPI.BOR)
    return every


def matched_in(block: FileRows, place_of: dict[bytes, int]) -> Iterator[tuple[int, NDArray]]:
    """Give the matches of each file with the places of the neighborhoods it lies in."""
    for number in np.flatnonzero(block.bad).tolist():
        deepest = directory(block.url[number].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        first, last = block.matches.offsets[number], block.matches.offsets[number + 1]
        end = deepest.find(b"/") + 1
        while end:
            if (place := place_of.get(deepest[:end])) is not None:
                yield place, block.matches.values[first:last]
            end = deepest.find(b"/", end) + 1


def holds_own(marks: NDArray[np.uint8], pages: Ragged, prefix: bytes) -> bool:
    """Tell whether a marked source lies in the neighborhood itself."""
    for low, high in urls_below(prefix):
        first, last = cut_sorted(len(pages), pages.__getitem__, low, high)
        numbers = np.arange(first, last)
        if (marks[numbers >> 3] >> (numbers & 7) & 1).any():
            return True
    return False


def row_of(each: Neighborhood, copied: Copied) -> Row:
    """Give a row of the table."""
    prefix = each.prefix.decode("utf-8", "replace")
    return (
        prefix,
        each.depth,
        each.files,
        each.chunks,
        each.bad,
        each.badness,
        each.target,
        copied.sources,
        copied.own,
    )


def write(output: Output, options: "Options", rows: list[Row], summary: dict[str, Any]) -> dict[str, Any]:
    """Write the table, the figure and the record."""
    tables = [output.table("copies", TABLE, rows)]
    figures = output.figure("copies", lambda: draw(rows)) if rows else []
    output.record({**options_record(options), "result": str(options.result)}, summary)
    return {"tables": tables, "figures": figures}


def draw(rows: list[Row]) -> "Figure":
    """Draw bad chunks against distinct sources: clones stand at the upper right, quotations at the left."""
    from matplotlib.figure import Figure

    from hpcreuse.figures.style import BLIND, GREY

    figure = Figure(figsize=(6, 4.2), layout="constrained")
    axes = figure.subplots()
    for own, colour, name in ((False, BLIND, "others"), (True, GREY, "holds labelled pages itself")):
        points = [(max(1, row[7]), row[4]) for row in rows if row[8] is own]
        if points:
            sources, bad = zip(*points, strict=True)
            axes.scatter(sources, bad, s=18, color=colour, label=name, linewidths=0)
    axes.set(xscale="log", yscale="log", xlabel="distinct labelled pages copied", ylabel="bad chunks")
    axes.set_title("Neighborhoods with most bad chunks")
    axes.legend(fontsize=8)
    return figure
