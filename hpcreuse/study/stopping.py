"""The stop-chunk study: discovery and detection twice, with stop chunks removed and with them kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.digest_fields import digest_options
from hpcreuse.kernels.fixed import ONE
from hpcreuse.parallel.moments import Threshold
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.detection import DetectJob, detect
from hpcreuse.reuse.discovery import DiscoverJob, discover
from hpcreuse.store import lock
from hpcreuse.store.result import Result
from hpcreuse.store.result_tables import TABLES as RESULT_TABLES
from hpcreuse.store.tables import Row, columns
from hpcreuse.study.background import as_run
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting

if TYPE_CHECKING:
    from hpcreuse.study.stop import Options

BINS = 40
"""Of the histogram of badness."""

DETECTIONS = columns(
    stop_chunks=str,
    bar=str,
    labels=int,
    neighborhoods=int,
    bad=int,
    mean=float,
    deviation=float,
    threshold=float,
)
TURNED = columns(
    prefix=str,
    depth=int,
    files=int,
    chunks_removed=int,
    bad_removed=int,
    badness_removed=float,
    chunks_kept=int,
    bad_kept=int,
    badness_kept=float,
    turns=str,
)
HISTOGRAM = columns(stop_chunks=str, badness=float, neighborhoods=int)


@dataclass
class Turned:
    """Neighborhoods that are bad with stop chunks removed, kept, or both; filled while rows are gone through."""

    bar: Threshold
    """That of detection with stop chunks removed."""
    own_bar: Threshold
    """That of detection with them kept, from its own mean and deviation."""
    both: int = 0
    only_removed: int = 0
    only_kept: int = 0
    kept_by_own_bar: int = 0
    histograms: dict[str, NDArray[np.int64]] = field(
        default_factory=lambda: {name: np.zeros(BINS, np.int64) for name in ("removed", "kept")}
    )

    def rows(self, removed: Iterator[Row], kept: Iterator[Row]) -> Iterator[Row]:
        """Go through the neighborhoods of both results, which are the same; give those that turn."""
        for one, two in zip(removed, kept, strict=True):
            prefix, depth, files, chunks, bad, badness, _ = one
            assert prefix == two[0], "both results are of the same crawl"
            there, here = is_above(self.bar, badness), is_above(self.bar, two[5])
            self.both += there and here
            self.only_removed += there and not here
            self.only_kept += here and not there
            self.kept_by_own_bar += is_above(self.own_bar, two[5])
            for name, value in (("removed", badness), ("kept", two[5])):
                self.histograms[name][min(BINS - 1, int(value * BINS))] += 1
            if there != here:
                yield (prefix, depth, files, chunks, bad, badness, *two[3:6], "bad" if here else "good")


def is_above(bar: Threshold, badness: float) -> bool:
    """Compare one value as `Threshold.above` does many, without an array for each."""
    return round(badness * float(ONE)) > bar.fixed


def run_stop(world: World, options: "Options", setting: Setting, published: dict[str, Any]) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    output = world.on_root(Output.prepare, "stop", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        with phases("hash"):
            folder = output.folder / "crawl"
            run = as_run(world, options.crawl, options.url_prefix, folder, digest_options(options), setting)
        with phases("removed"):
            removed = find_copies(world, options, setting, run, output.folder / "removed", True, None)
        with phases("kept"):
            bar = removed["neighborhood_threshold"]
            kept = find_copies(world, options, setting, run, output.folder / "kept", False, bar)
        with phases("write"):
            found, written = world.on_root(compare, output, options, removed, kept, published)
    return {"out": str(output.folder), **found, **written, **phases.summary(world)}


def find_copies(
    world: World, options: "Options", setting: Setting, run: Path, out: Path, remove: bool, bar: float | None
) -> dict[str, Any]:
    """Collective. Discover and detect; give the summary of detection."""
    stop, min_length = (options.stop, options.min_length) if remove else ((), 0)
    labels = out.with_name(f"{out.name}-labels.h5")
    discovery = DiscoverJob(
        run=run,
        out=labels,
        objects="chunk",
        threshold=options.threshold,
        top=None,
        stop=stop,
        min_length=min_length,
        memory=setting.memory,
        progress_seconds=setting.progress_seconds,
        fresh=False,
    )
    discover(world, discovery)
    detection = DetectJob(
        run=run,
        labels=str(labels),
        out=out,
        badness=options.badness,
        sigma=options.sigma,
        file_threshold=None,
        neighborhood_threshold=bar,
        stop=stop,
        min_length=min_length,
        min_chunks=0,
        memory=setting.memory,
        progress_seconds=setting.progress_seconds,
    )
    return detect(world, detection)


def compare(
    output: Output, options: "Options", removed: dict[str, Any], kept: dict[str, Any], published: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Go through both results, write the tables, the figure and the record."""
    own = kept["neighborhood_mean"] + options.sigma * kept["neighborhood_deviation"]
    fixed = Result.open(output.folder / "removed").header["neighborhood_threshold_fixed"]
    turned = Turned(Threshold(removed["neighborhood_threshold"], fixed), Threshold.at(own))
    read = RESULT_TABLES["neighborhoods"].rows
    rows = turned.rows(iter(read(output.folder / "removed")), iter(read(output.folder / "kept")))
    tables = [output.table("turned", TURNED, rows)]
    more = turned.only_kept - turned.only_removed
    bad = turned.both + turned.only_removed
    detections = [
        detection_record("removed", "own bar", removed, bad, removed["neighborhood_threshold"]),
        detection_record("kept", "same bar", kept, turned.both + turned.only_kept, removed["neighborhood_threshold"]),
        detection_record("kept", "own bar", kept, turned.kept_by_own_bar, own),
    ]
    found = {
        "stop_digests": removed["stop_digests"],
        "stop_occurrences": kept["chunks"] - removed["chunks"],
        "detections": detections,
        "both": turned.both,
        "only_kept": turned.only_kept,
        "only_removed": turned.only_removed,
        "more": more,
        "more_share": more / bad if bad else 0.0,
        "published": published,
    }
    tables.append(output.table("detections", DETECTIONS, (tuple(row.values()) for row in detections)))
    tables.append(output.table("histogram", HISTOGRAM, histogram_rows(turned)))

    def draw() -> Any:
        from hpcreuse.study.stop_figure import draw_stop

        return draw_stop(turned)

    figures = output.figure("stop", draw)
    output.record(options_record(options), found)
    return found, {"tables": tables, "figures": figures}


def detection_record(stop_chunks: str, bar: str, summary: dict[str, Any], bad: int, threshold: float) -> dict[str, Any]:
    """Give a row of the table of detections."""
    names = ("labels", "neighborhoods", "neighborhood_mean", "neighborhood_deviation")
    labels, neighborhoods, mean, deviation = (summary[name] for name in names)
    values = (stop_chunks, bar, labels, neighborhoods, bad, mean, deviation, threshold)
    return dict(zip((column.name for column in DETECTIONS), values, strict=True))


def histogram_rows(turned: Turned) -> Iterator[Row]:
    """Give how many neighborhoods there are from each badness on."""
    for name, counts in turned.histograms.items():
        for number, count in enumerate(counts.tolist()):
            yield name, number / BINS, count
