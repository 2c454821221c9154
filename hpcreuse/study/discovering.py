"""The injection study: what of a site do copies of it bring above the thresholds of discovery?

The copies are not written out. Copying changes counts in a known way: d copies give each chunk d times its own
number of occurrences, on top of what the crawl has. What advertisements do to chunks is found by chunking real
pages with advertisements (`copies.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store import lock
from hpcreuse.store.counts import Histogram
from hpcreuse.store.tables import Row, columns
from hpcreuse.study.background import Background, as_run
from hpcreuse.study.copies import surviving_chunks
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting
from hpcreuse.study.site import Site, SiteMeasure, count

if TYPE_CHECKING:
    from hpcreuse.study.injection import Options

CURVE_COPIES = sorted({int(d) for d in np.rint(np.logspace(0, 6, 61))})
"""Numbers of copies for the curve of figure 3."""

DISCOVERED = columns(
    objects=str,
    kind=str,
    copies=int,
    threshold=int,
    distinct=int,
    discovered=int,
    share=float,
    occurrences=int,
    discovered_occurrences=int,
    occurrence_share=float,
)
FREQUENCY = columns(objects=str, kind=str, copies=int, duplicates=int, number=int)


@dataclass(frozen=True)
class Injected:
    """Distinct objects of a site, how often they are in each of its copies, and in the crawl."""

    objects: str
    kind: str
    threshold: int
    originals: NDArray[np.integer]
    """How often each is in the site itself."""
    per_copy: NDArray[np.integer]
    background: NDArray[np.int64]

    def counts(self, copies: int) -> NDArray[np.int64]:
        """Count each object in the crawl with so many copies."""
        return self.per_copy * copies + self.background

    def row(self, copies: int) -> Row:
        """Tell what is discovered with so many copies."""
        found = self.counts(copies) > self.threshold
        distinct, occurrences = len(found), int(self.originals.sum())
        hit, hit_occurrences = int(found.sum()), int(self.originals[found].sum())
        return (
            self.objects,
            self.kind,
            copies,
            self.threshold,
            distinct,
            hit,
            hit / distinct,
            occurrences,
            hit_occurrences,
            hit_occurrences / occurrences,
        )


def run_injection(world: World, options: "Options", setting: Setting, published: dict[str, Any]) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    output = world.on_root(Output.prepare, "injection", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        with phases("site"):
            site = Site.open(world, options)
            measure = world.on_root(site.measure)
        injected, backgrounds = inject(world, options, site, measure, setting, phases)
        found = {
            "site": measure.summary(),
            "background_files": occurrences(backgrounds["file"]),
            "background_chunks": occurrences(backgrounds["chunk"]),
            "discovered": [
                dict(zip((c.name for c in DISCOVERED), each.row(copies), strict=True))
                for each in injected
                for copies in options.copies
            ],
            "published": published,
        }
        with phases("write"):
            written = world.on_root(write, output, options, injected, backgrounds, found)
    return {"out": str(output.folder), **found, **written, **phases.summary(world)}


def inject(
    world: World, options: "Options", site: Site, measure: SiteMeasure, setting: Setting, phases: Phases
) -> tuple[list[Injected], dict[str, Histogram]]:
    """Collective. Count the site's objects in their copies and in the crawl."""
    originals = {"file": count(measure.files), "chunk": count(measure.digests)}
    known = {name: Background.none(len(each)) for name, each in originals.items()}
    if options.background:
        with phases("background"):
            folder = Path(options.out) / "background"
            run = as_run(world, options.background, options.url_prefix, folder, site.options, setting)
            known = {
                name: Background.ask(world, run, name, each.digests, setting, phases)
                for name, each in originals.items()
            }
    with phases("copy"):
        survive = surviving_chunks(world, site, originals["chunk"])
    kinds = {
        ("file", "whole"): originals["file"].counts,
        # A file with advertisements is like no other
        ("file", "partial"): np.zeros(len(originals["file"]), np.int64),
        ("chunk", "whole"): originals["chunk"].counts,
        ("chunk", "partial"): survive,
    }
    thresholds = {"file": options.file_threshold, "chunk": options.chunk_threshold}
    injected = [
        Injected(objects, kind, thresholds[objects], originals[objects].counts, per_copy, known[objects].counts)
        for (objects, kind), per_copy in kinds.items()
    ]
    return injected, {name: each.histogram for name, each in known.items()}


def occurrences(histogram: Histogram) -> int:
    """Add up a histogram."""
    return int((histogram.duplicates * histogram.objects).sum())


def write(
    output: Output,
    options: "Options",
    injected: list[Injected],
    backgrounds: dict[str, Histogram],
    found: dict[str, Any],
) -> dict[str, list[str]]:
    """Write the tables, the figure and the record."""
    rows = [each.row(copies) for each in injected for copies in options.copies]
    curve = [each.row(copies) for each in injected for copies in CURVE_COPIES]
    tables = [
        output.table("discovered", DISCOVERED, rows),
        output.table("curve", DISCOVERED, curve),
        output.table("frequency", FREQUENCY, frequencies(injected, backgrounds, options.copies)),
    ]

    def draw() -> Any:
        from hpcreuse.study.injection_figure import draw_injection

        return draw_injection(injected, backgrounds, options.copies, curve)

    figures = output.figure("injection", draw)
    output.record(options_record(options), found)
    return {"tables": tables, "figures": figures}


def frequencies(injected: list[Injected], backgrounds: dict[str, Histogram], copies: tuple[int, ...]) -> Iterator[Row]:
    """Give the frequency-occurrence tables of the crawl alone (0 copies) and of the site's objects in it."""
    for objects, histogram in backgrounds.items():
        yield from _histogram_rows(objects, "crawl", 0, histogram)
    for each in injected:
        for number in copies:
            yield from _histogram_rows(each.objects, each.kind, number, Histogram.of(each.counts(number)))


def _histogram_rows(objects: str, kind: str, copies: int, histogram: Histogram) -> Iterator[Row]:
    for duplicates, number in zip(histogram.duplicates.tolist(), histogram.objects.tolist(), strict=True):
        yield objects, kind, copies, duplicates, number
