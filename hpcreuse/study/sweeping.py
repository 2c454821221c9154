"""The sweep: grams are counted once per k, sources found once per k and m; c and theta only choose among pages."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.quilt.candidates import cover_candidates
from hpcreuse.quilt.finding import open_pages
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.parameters import Parameters
from hpcreuse.quilt.patches import survey
from hpcreuse.store import lock
from hpcreuse.store.scratch import ScratchFile
from hpcreuse.store.tables import Row, columns
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.study.sweep import Options

PUBLISHED_PAGES = 503_898_901

# QUILT, table 1: what is varied, its values, and for each the number of quilts and the mean number of sources
PUBLISHED: dict[str, dict[float, tuple[int, float]]] = {
    "k": {
        2: (562_450, 1114.78),
        3: (4_865_307, 27.75),
        4: (33_904_401, 21.58),
        5: (58_002_718, 22.35),
        6: (58_526_481, 16.49),
        7: (52_926_434, 12.14),
        8: (47_158_399, 9.78),
        9: (42_278_205, 8.53),
        10: (38_479_113, 7.82),
    },
    "m": {
        10: (16_924_347, 15.16),
        20: (31_492_573, 17.87),
        30: (42_267_988, 19.85),
        40: (50_849_031, 21.32),
        50: (58_002_718, 22.35),
        60: (64_145_058, 23.16),
        70: (69_434_726, 23.84),
        80: (74_062_259, 24.41),
    },
    "c": {
        2: (82_832_986, 16.37),
        3: (68_103_596, 19.48),
        4: (58_002_718, 22.35),
        5: (50_251_757, 25.18),
        6: (44_206_465, 27.94),
        7: (39_444_093, 30.59),
        8: (35_611_760, 33.12),
        9: (32_453_725, 35.57),
        10: (29_797_202, 37.94),
    },
    "theta": {
        0.4: (93_141_485, 28.68),
        0.5: (58_002_718, 22.35),
        0.6: (33_040_377, 16.79),
        0.7: (15_700_171, 12.71),
        0.8: (4_650_478, 9.38),
        0.9: (439_044, 6.95),
        1.0: (209, 4.75),
    },
}

SWEEP = columns(
    parameter=str,
    k=int,
    m=int,
    c=int,
    theta=float,
    quilts=int,
    share=float,
    mean_sources=float,
    published_share=float,
    published_sources=float,
)


@dataclass(frozen=True)
class Point:
    """One row of the table: what was varied, and the parameters."""

    parameter: str
    parameters: Parameters

    @property
    def published(self) -> tuple[int, float]:
        """What the paper found."""
        return PUBLISHED[self.parameter][getattr(self.parameters, self.parameter)]

    def row(self, pages: int, quilts: int, sources: int) -> Row:
        """Give the row of the table."""
        p, (published, published_sources) = self.parameters, self.published
        return (
            self.parameter,
            p.k,
            p.m,
            p.c,
            p.theta,
            quilts,
            quilts / pages if pages else 0.0,
            sources / quilts if quilts else 0.0,
            published / PUBLISHED_PAGES,
            published_sources,
        )


@dataclass(frozen=True)
class Sources:
    """Of this rank's candidates: what decides whether they are quilts."""

    grams: NDArray[np.int64]
    patch_grams: NDArray[np.int64]
    sources: NDArray[np.int64]

    def count(self, parameters: Parameters) -> NDArray[np.int64]:
        """Count quilts and their sources."""
        quilted = parameters.is_patchy(self.grams, self.patch_grams) & (self.sources >= parameters.c)
        return np.array([quilted.sum(), self.sources[quilted].sum()], np.int64)


def points(pivot: Parameters) -> list[Point]:
    """List the rows of the table in the order of the paper."""
    varied: list[tuple[str, Any]] = [(name, value) for name, values in PUBLISHED.items() for value in values]
    return [Point(name, replace(pivot, **{name: value})) for name, value in varied]


def run_sweep(world: World, options: "Options", setting: Setting) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    output = world.on_root(Output.prepare, "sweep", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        chosen = {name: getattr(options, name) for name in ("foreign", "min_share", "exact_duplicates")}
        pivot = world.on_root(Parameters, **chosen)
        with phases("open"):
            corpus = TextCorpus.open(world, options.run, setting.memory)
            pages, servers = open_pages(world, corpus, pivot, setting.memory)
        wanted = points(pivot)
        mine: dict[tuple[int, int], Sources] = {}
        waiting = ScratchFile(output.folder / f".patchwork-{world.rank:05d}.tmp")
        for k in sorted({point.parameters.k for point in wanted}):
            mine |= sources_for(
                world, pages, servers, [p.parameters for p in wanted if p.parameters.k == k], setting, phases, waiting
            )
        rows = []
        for point in wanted:
            found = mine[point.parameters.k, point.parameters.m].count(point.parameters)
            rows.append(point.row(corpus.pages, *world.comm.allreduce(found).tolist()))
        with phases("write"):
            found_all = {
                "pages": corpus.pages,
                "sweep": [dict(zip((c.name for c in SWEEP), row, strict=True)) for row in rows],
            }
            written = world.on_root(write, output, options, rows, found_all)
    return {"out": str(output.folder), **found_all, **written, **phases.summary(world)}


def sources_for(
    world: World,
    pages: Pages,
    servers: NDArray[np.uint64],
    wanted: list[Parameters],
    setting: Setting,
    phases: Phases,
    waiting: ScratchFile,
) -> dict[tuple[int, int], Sources]:
    """Collective. Find the sources of all candidates for one k and each m that is wanted, from the lowest theta on."""
    k, ms = wanted[0].k, sorted({parameters.m for parameters in wanted})
    counted = survey(world, pages, k, ms, setting.memory, phases, setting.progress_seconds)
    found = {}
    for m in ms:
        lowest = min((p for p in wanted if p.m == m), key=lambda p: p.theta)
        covered, _ = cover_candidates(
            world, pages, servers, counted, lowest, setting.memory, phases, setting.progress_seconds, waiting
        )
        parts = list(covered)
        none = np.empty(0, np.int64)
        found[k, m] = Sources(
            np.concatenate([none, *(one.grams for one in parts)]),
            np.concatenate([none, *(one.patch_grams for one in parts)]),
            np.concatenate([none, *(one.sources.lengths for one in parts)]),
        )
        waiting.remove()
    return found


def write(output: Output, options: "Options", rows: list[Row], found: dict[str, Any]) -> dict[str, Any]:
    """Write table, figure and record."""

    def draw() -> Any:
        from hpcreuse.study.sweep_figure import draw_sweep

        return draw_sweep(found["sweep"])

    tables = [output.table("sweep", SWEEP, rows)]
    figures = output.figure("sweep", draw)
    record = {name: str(value) if isinstance(value, Path) else value for name, value in options_record(options).items()}
    output.record(record, found)
    return {"tables": tables, "figures": figures}
