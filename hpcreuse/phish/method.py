"""`hpcreuse phish`: from a crawl, or a run, to the pages that copy originals."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold_result
from hpcreuse.corpus.inputs import must_be_crawls
from hpcreuse.corpus.ordering import TableSorter, sort_keys
from hpcreuse.corpus.reading import go_through
from hpcreuse.corpus.truth import Truth
from hpcreuse.crawl.pages import Limits
from hpcreuse.errors import UsageError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.phish.chromium import chromium_path
from hpcreuse.phish.classes import PUBLISHED, Originals
from hpcreuse.phish.judging import CLEAN, OWN, PHISH, OriginalLabels, take_dom_labels
from hpcreuse.phish.looking import Eye, look_at_shard
from hpcreuse.phish.rendered import RememberingRenderer, RenderedPages, rendered_folder
from hpcreuse.phish.tables import Account
from hpcreuse.store import atomic, findings
from hpcreuse.store.labels import Labels, must_fit
from hpcreuse.store.shard import Shard

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PhishJob:
    """Where to look for copies of which originals, and how."""

    inputs: tuple[str, ...]
    labels: str
    out: Path
    allow: tuple[str, ...]
    truth: Path | None
    originals: tuple[str, ...]
    min_length: int
    render_seconds: float | None
    """How long a page may run; None for not at all."""
    options: DigestOptions
    """How a digest list was made that does not say."""
    url_prefix: str | None
    limits: Limits
    memory: int
    progress_seconds: float
    fresh: bool
    """Whether pages are rendered again that an earlier job rendered."""

    @property
    def run(self) -> Path | None:
        """The run to look at, if it is one."""
        path = Path(self.inputs[0])
        return path if len(self.inputs) == 1 and (path / "run.json").exists() else None


def find_phish(world: World, job: PhishJob) -> dict[str, Any]:
    """Collective. Find the pages that copy originals; give a summary."""
    with hold_result(world, job.out):
        return phish(world, job)


def phish(world: World, job: PhishJob) -> dict[str, Any]:
    """Collective. Write findings that no other job writes."""
    phases = Phases()
    with phases("open"):
        truth = world.on_root(lambda: Truth.read(job.truth) if job.truth else None)
        browser = world.on_root(prepare, job)
        scratch = world.on_root(findings.begin, job.out, "phish")
        label_path = scratch / "spool" / "labels.h5"
        world.on_root(take_dom_labels, job.labels, label_path, job.options)
        labels = OriginalLabels.open(label_path, job.allow, job.min_length)
    account = Account.begin(world, scratch, truth, job.memory // 4)
    if job.run is not None:
        header = judge_run(world, job, job.run, labels, label_path, account, phases)
    else:
        header = judge_crawl(world, job, labels, browser, account, phases)
    for table in (account.pages, account.truths, account.unrendered):
        table.finish(phases)
    summary = {
        "labels": len(labels.table),
        "domains": sorted(labels.own),
        **{verdict: world.comm.allreduce(account.verdicts[verdict]) for verdict in (PHISH, CLEAN, OWN)},
        **{name: world.comm.allreduce(account.counts[name]) for name in ("other_files", "rendered", "unrendered")},
        "render": browser is not None,
        "input_quarantined": header.pop("quarantined"),
        **write_classes(world, scratch, account, job.memory, phases),
    }
    summary["pages"] = summary[PHISH] + summary[CLEAN] + summary[OWN]
    with phases("write"):
        world.on_root(findings.finish, job.out, "phish", {**provenance(job, labels), **header}, summary)
        world.on_root(atomic.remove, rendered_folder(job.out))
    return {"out": str(job.out), **summary, **phases.summary(world)}


def prepare(job: PhishJob) -> str | None:
    """Refuse what cannot work; give the browser if one is needed."""
    if job.run is None:
        must_be_crawls(job.inputs)
    elif job.render_seconds is not None or job.originals:
        what = "--render" if job.render_seconds is not None else "--originals"
        raise UsageError(f"{what} needs the pages themselves, and {job.run} has only digests: give the crawl instead")
    must_be_crawls(job.originals)
    return None if job.render_seconds is None else chromium_path()


def judge_run(
    world: World, job: PhishJob, run: Path, labels: OriginalLabels, label_path: Path, account: Account, phases: Phases
) -> dict[str, Any]:
    """Collective. Judge the pages of a run by its digests."""
    with phases("open"):
        catalog = Catalog.open(world, run)

        def check() -> None:
            with Labels.open(label_path) as file:
                must_fit(file, catalog.run.options, job.labels, run)

        world.on_root(check)
    with phases("judge"):
        for number in catalog.mine:
            if world.stopping:
                break
            with Shard.open(catalog.shards[number].path) as shard:
                account.take(look_at_shard(shard, labels))
    world.stop_if_asked()
    return {"run": str(run), "run_fingerprint": catalog.fingerprint, "quarantined": 0}


def judge_crawl(
    world: World, job: PhishJob, labels: OriginalLabels, browser: str | None, account: Account, phases: Phases
) -> dict[str, Any]:
    """Collective. Read a crawl and judge its pages as they come, all ranks sharing it."""
    with phases("originals"):
        originals = None
        if job.originals:
            originals = Originals.read(world, job.originals, labels.options, job.min_length, job.limits)
    renderer = None
    if browser is not None and job.render_seconds is not None:
        renderer = open_renderer(world, job, browser, job.render_seconds)
    progress = Progress("phish", "pages", 0, job.progress_seconds if world.root else 0)
    with phases("judge"):
        try:
            look = Eye(labels, originals, renderer).look
            parts, quarantined = go_through(world, job.inputs, job.url_prefix, job.limits, look, progress)
        finally:
            if renderer is not None:
                renderer.close()
        for part in parts:
            account.take(part)
    return {"inputs": list(job.inputs), "quarantined": quarantined}


def open_renderer(world: World, job: PhishJob, browser: str, seconds: float) -> RememberingRenderer:
    """Collective. Prepare to render pages, but those that an earlier job rendered."""
    from hpcreuse.phish.rendering import Renderer

    folder = rendered_folder(job.out)
    if job.fresh:
        world.on_root(atomic.remove, folder)
    pages = RenderedPages(folder, world.rank)
    if len(pages) and world.root:
        log.info("%d pages were rendered by an earlier job and are not rendered again", len(pages))
    return RememberingRenderer(Renderer(browser, seconds), pages)


def write_classes(world: World, scratch: Path, account: Account, memory: int, phases: Phases) -> dict[str, Any]:
    """Collective. Write table 6 where the truth is known; give it for the summary."""
    sorter = TableSorter(world, scratch, "phish", "classes", memory)
    known: dict[str, Any] = {}
    if account.truth is not None:
        table6 = account.table6.over_all(world)
        rows = table6.rows()
        known = {"confusion": table6.confusion.record(), "classes": dict(rows), "published": PUBLISHED}
        if world.root:
            names = Ragged.from_strings(name.encode() for name, _ in rows)
            sorter.add(
                sort_keys(np.arange(len(rows))),
                {"class": names, "pages": np.array([count for _, count in rows], np.int64)},
            )
    sorter.finish(phases)
    return known


def provenance(job: PhishJob, labels: OriginalLabels) -> dict[str, Any]:
    """Say what the findings were made from and how."""
    return {
        "labels": job.labels,
        "digest_options": labels.options.record(),
        "allow": list(job.allow),
        "min_length": job.min_length,
        "truth": None if job.truth is None else str(job.truth),
        "originals": list(job.originals),
        "render_seconds": job.render_seconds,
    }
