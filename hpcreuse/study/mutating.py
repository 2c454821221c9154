"""The mutation study: pages are really changed, chunked and hashed again, and held against the labels.

Ranks share out pairs of page and run. Sums are integers, so they are the same however the pairs are shared out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.digest import chunked_text
from hpcreuse.page.dom import SERIALIZED
from hpcreuse.parallel.moments import Threshold
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.store import lock
from hpcreuse.store.tables import columns
from hpcreuse.study.copies import surviving_chunks
from hpcreuse.study.curves import Curve, curves
from hpcreuse.study.mutations import MUTATIONS
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting
from hpcreuse.study.site import Site, SiteMeasure, SitePage, count
from hpcreuse.study.tally import COLUMNS, tally

if TYPE_CHECKING:
    from hpcreuse.study.mutation import Options

# Work that a page takes whatever its size, in bytes of page
PAGE_COST = 20_000

CURVES = columns(
    mutation=str,
    of=str,
    labels=str,
    mutations=int,
    relative=float,
    badness=float,
    standard_error=float,
    pages=float,
    chunks_per_page=float,
    pages_found=float,
)
TOLERANCES = columns(mutation=str, of=str, labels=str, tolerance=float, falls=bool, published=str)


@dataclass(frozen=True)
class Labels:
    """The expert's labels, every chunk of the site, and which of them blind discovery finds."""

    digests: dg.Digests
    blind: NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """What is tried on every page."""

    runs: int
    numbers: list[int]
    """Of mutations, rising, the first 0."""
    seed: int
    threshold: Threshold


def run_mutation(world: World, options: "Options", setting: Setting, published: dict[str, Any]) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    output = world.on_root(Output.prepare, "mutation", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        with phases("site"):
            site = Site.open(world, options, plain=False)
            measure = world.on_root(site.measure)
        with phases("labels"):
            originals = count(measure.digests)
            blind = surviving_chunks(world, site, originals) * options.copies > options.chunk_threshold
            labels = Labels(originals.digests, blind)
        steps = int(options.most / options.step + 1e-9) + 1
        numbers = sorted({round(step * options.step * measure.chunks_per_page) for step in range(steps)})
        plan = Plan(options.runs, numbers, options.seed, Threshold.at(options.threshold))
        with phases("mutate"):
            totals = mutate_site(world, site, measure, labels, plan, setting.progress_seconds)
            world.comm.Allreduce(totals.copy(), totals)
        found = curves(totals, plan.numbers, measure.chunks_per_page, options.badness)
        with phases("write"):
            summary = {
                "site": measure.summary(),
                "labels": {
                    "expert": len(originals),
                    "blind": int(blind.sum()),
                    "blind_share": int(originals.counts[blind].sum()) / int(originals.counts.sum()),
                },
                "threshold": options.threshold,
                "tolerances": tolerances(found, options.threshold, published),
                "published": published,
            }
            written = world.on_root(write, output, options, found, summary)
    return {"out": str(output.folder), **summary, **written, **phases.summary(world)}


def my_runs(world: World, measure: SiteMeasure, runs: int) -> list[range]:
    """Give for each page the runs that this rank makes: a stretch of all pairs of page and run, by what they cost."""
    cost = np.repeat(measure.sizes + PAGE_COST, runs)
    middle = np.cumsum(cost) - cost // 2
    mine = np.flatnonzero(middle * world.size // int(cost.sum()) == world.rank)
    first, last = (int(mine[0]), int(mine[-1]) + 1) if len(mine) else (0, 0)
    return [range(max(0, first - page * runs), max(0, min(runs, last - page * runs))) for page in range(measure.pages)]


def mutate_site(
    world: World, site: Site, measure: SiteMeasure, labels: Labels, plan: Plan, progress_seconds: float
) -> NDArray[np.int64]:
    """Make this rank's share of the runs and add up what is found: by mutation, run, number of mutations."""
    totals = np.zeros((len(MUTATIONS), plan.runs, len(plan.numbers), COLUMNS), np.int64)
    todo = my_runs(world, measure, plan.runs)
    progress = Progress("mutate", "pages", sum(map(bool, todo)), progress_seconds if world.root else 0)
    done = 0
    for number, (page, runs) in enumerate(zip(site.pages(), todo, strict=True)):
        if world.stopping:
            break
        if not runs:
            continue
        chunks = page_chunks(page, site)
        for run in runs:
            for kind, mutation in enumerate(MUTATIONS.values()):
                rng = np.random.default_rng([plan.seed, kind, run, number])
                mutant = mutation(chunks, plan.numbers[-1], rng)
                texts = (page._replace(payload=mutant.text(n), content_type=SERIALIZED) for n in plan.numbers)
                totals[kind, run] += measure_texts(texts, site, labels, plan)
        done += 1
        progress.update(done)
    progress.finish()
    world.stop_if_asked()
    return totals


def page_chunks(page: SitePage, site: Site) -> Ragged:
    """Cut a page into its chunks; in dom mode the serialised page is what is mutated."""
    text = chunked_text(page.payload, page.mime, site.options, page.content_type)
    return Ragged.from_lengths(np.frombuffer(text, np.uint8), page.digests(site.options).lengths.astype(np.int64))


def measure_texts(texts: Iterator[SitePage], site: Site, labels: Labels, plan: Plan) -> NDArray[np.int64]:
    """Chunk and hash mutants of a page and hold them against the labels: a row of sums for each."""
    digests = [text.digests(site.options).chunks for text in texts]
    sizes = np.array([len(found) for found in digests]) // site.options.width
    place = dg.find(labels.digests, dg.from_bytes(b"".join(digests), site.options.width))
    expert = place >= 0
    return tally(sizes, (expert, expert & labels.blind[place]), plan.threshold)


def tolerances(found: list[Curve], threshold: float, published: dict[str, Any]) -> list[dict[str, Any]]:
    """Find where each curve falls to the threshold."""
    rows = []
    for curve in found:
        tolerance, falls = curve.tolerance(threshold)
        name = published[curve.of][curve.mutation][curve.labels]
        values = (curve.mutation, curve.of, curve.labels, tolerance, falls, name)
        rows.append(dict(zip((column.name for column in TOLERANCES), values, strict=True)))
    return rows


def write(output: Output, options: "Options", found: list[Curve], summary: dict[str, Any]) -> dict[str, list[str]]:
    """Write the tables, the figure and the record."""
    tables = [
        output.table("mutation", CURVES, (row for curve in found for row in curve.rows())),
        output.table("tolerance", TOLERANCES, (tuple(row.values()) for row in summary["tolerances"])),
    ]

    def draw() -> Any:
        from hpcreuse.study.mutation_figure import draw_mutation

        return draw_mutation(found, options.threshold)

    figures = output.figure("mutation", draw)
    output.record(options_record(options), summary)
    return {"tables": tables, "figures": figures}
