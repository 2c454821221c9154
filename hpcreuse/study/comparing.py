"""The precision study: the same pages against the same L, by exact hashing and by Nilsimsa at many thresholds."""

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.truth import Confusion, Truth
from hpcreuse.crawl.pages import Page
from hpcreuse.crawl.urls import directory
from hpcreuse.lsh.corpus import Scores, match_corpus
from hpcreuse.lsh.originals import EQUAL, FARTHEST, Hashing, Originals
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store import lock
from hpcreuse.store.tables import columns
from hpcreuse.study.copies import advertise, copy_url
from hpcreuse.study.mutating import page_chunks
from hpcreuse.study.mutations import Changing
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting
from hpcreuse.study.site import Site

if TYPE_CHECKING:
    from hpcreuse.study.precision import Options

THRESHOLDS = columns(
    method=str, threshold=int, tp=int, fn=int, fp=int, tn=int, true_positive_rate=float, false_positive_rate=float
)
CLOSEST = columns(url=str, copy=bool, exact=bool, score=int, source=str, archive=str, offset=int)


def confusion(taken: NDArray[np.int64], all_: NDArray[np.int64]) -> Confusion:
    """Make it from how many others and copies are taken for copies, of how many."""
    (fp, tp), (others, copies) = taken.tolist(), all_.tolist()
    return Confusion(tp, copies - tp, fp, others - fp)


def run_precision(world: World, options: "Options", setting: Setting, published: dict[str, Any]) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    truth = world.on_root(lambda: Truth.read(options.truth) if options.truth else None)
    output = world.on_root(Output.prepare, "precision", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        with phases("labels"):
            site = Site.open(world, options)
            hashing = Hashing(options.objects, options.min_length, site.options)
            originals, own_hosts, pages = read_originals(world, site, hashing)
        scores = Scores(options.closest)
        if truth is None:
            with phases("copy"):
                scores = match_made_copies(world, site, hashing, originals, options)
        with phases("match"):
            more, unreadable = match_corpus(
                world,
                options.among,
                options.url_prefix,
                hashing,
                originals,
                classifier(truth, own_hosts),
                options.closest,
                setting.progress_seconds,
            )
            scores = Scores.combine(options.closest, [scores, more]).over_all(world)
        found = summarize(scores, options, originals, pages, published)
        with phases("write"):
            written = world.on_root(write, output, options, scores, found)
    return {
        "out": str(output.folder),
        **found,
        **written,
        "input_quarantined": unreadable,
        **phases.summary(world),
    }


def read_originals(world: World, site: Site, hashing: Hashing) -> tuple[Originals, set[str], int]:
    """Collective. Make L of the site, each rank hashing some pages; give its hosts and number of pages too."""
    mine, hosts, number = [], set(), -1
    for number, page in enumerate(site.pages()):
        hosts.add(directory(page.url).partition("/")[0])
        if number % world.size == world.rank:
            mine.append((number, page.url, page.objects(hashing)))
    everyones = sorted(chain.from_iterable(world.comm.allgather(mine)), key=lambda each: each[0])
    originals = Originals.of([(url, objects) for _, url, objects in everyones])
    world.on_root(site.must_have, number + 1)
    return originals, hosts, number + 1


def classifier(truth: Truth | None, own_hosts: set[str]) -> Callable[[str], bool | None]:
    """Tell what pages are: those of the site itself are neither copies nor others (CCR 8.2)."""

    def is_copy(url: str) -> bool | None:
        if directory(url).partition("/")[0] in own_hosts:
            return None
        return truth.is_copy(url) if truth else False

    return is_copy


def match_made_copies(world: World, site: Site, hashing: Hashing, originals: Originals, options: "Options") -> Scores:
    """Make one copy of every page, with advertisements and random changes, and hold it against L."""
    scores = Scores(options.closest)
    chunks = world.on_root(site.measure).chunks_per_page
    changes = round(options.changes * chunks)
    for number, page in enumerate(site.pages()):
        if number % world.size != world.rank:
            continue
        rng = np.random.default_rng([options.seed, number])
        changed = Changing(page_chunks(page, site), changes, rng).text(changes)
        copy = advertise(page._replace(payload=changed), number, 0)
        match = originals.match(copy.objects(hashing))
        scores.add(Page(copy_url(page.url, 0), b"", "", "", number), True, match)
    return scores


def summarize(
    scores: Scores, options: "Options", originals: Originals, pages: int, published: dict[str, Any]
) -> dict[str, Any]:
    """Make the confusion matrices."""
    all_ = scores.counts.sum(axis=(1, 2))
    exact = confusion(scores.counts[:, 1].sum(axis=1), all_)
    rows = []
    for threshold in range(EQUAL, options.lowest - 1, -1):
        taken = scores.counts[:, :, threshold - FARTHEST :].sum(axis=(1, 2))
        rows.append({"threshold": threshold, **confusion(taken, all_).record()})
    return {
        "objects": options.objects,
        "hash": options.digest,
        "site_pages": pages,
        "labels": len(originals.digests),
        "copies": int(all_[1]),
        "others": int(all_[0]),
        "exact": exact.record(),
        "nilsimsa": rows,
        "published": published,
    }


def write(output: Output, options: "Options", scores: Scores, found: dict[str, Any]) -> dict[str, list[str]]:
    """Write the tables, the figure and the record."""
    rows = [(found["hash"], EQUAL, *found["exact"].values())]
    rows += [("nilsimsa", *row.values()) for row in found["nilsimsa"]]
    closest = (
        (page.url, page.copy, page.exact, EQUAL - page.distance, page.source, page.archive, page.offset)
        for page in scores.closest
    )
    tables = [output.table("thresholds", THRESHOLDS, rows), output.table("closest", CLOSEST, closest)]

    def draw() -> Any:
        from hpcreuse.study.precision_figure import draw_precision

        return draw_precision(found)

    figures = output.figure("precision", draw)
    output.record(options_record(options), found)
    return {"tables": tables, "figures": figures}
