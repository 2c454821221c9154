"""`hpcreuse phish`: from a crawl, or a run, to the pages that copy originals."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.inputs import must_be_crawls
from hpcreuse.corpus.ordering import TableSorter
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
from hpcreuse.phish.classes import PUBLISHED, Originals, Table6, classify
from hpcreuse.phish.judging import CLEAN, OWN, PHISH, Labels, take_dom_labels
from hpcreuse.phish.looking import Eye, Looked, look_at_run
from hpcreuse.store import findings, lock
from hpcreuse.store.labels import Labels as LabelFile
from hpcreuse.store.labels import must_fit


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

    @property
    def run(self) -> Path | None:
        """The run to look at, if it is one."""
        path = Path(self.inputs[0])
        return path if len(self.inputs) == 1 and (path / "run.json").exists() else None


@dataclass
class Account:
    """The tables as they grow on one rank, and what they add up to."""

    pages: TableSorter
    truths: TableSorter
    unrendered: TableSorter
    truth: Truth | None
    verdicts: Counter[str] = field(default_factory=Counter)
    table6: Table6 = field(default_factory=lambda: Table6(Counter()))
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def begin(cls, world: World, scratch: Path, truth: Truth | None, memory: int) -> "Account":
        """Begin tables in the folder `scratch`."""

        def table(name: str) -> TableSorter:
            return TableSorter(world, scratch, "phish", name, memory)

        return cls(table("pages"), table("truth"), table("unrendered"), truth)

    def take(self, found: Looked) -> None:
        """Enter what was found in one part of the input."""
        pages = found.pages
        keys = [key_of(page.url, page.archive, page.offset) for page in pages]
        self.pages.add(
            keys,
            {
                "url": Ragged.from_strings(page.url for page in pages),
                "chunks": np.array([page.chunks for page in pages], np.int64),
                "matched": np.array([page.matched for page in pages], np.int64),
                "verdict": Ragged.from_strings(page.verdict.encode() for page in pages),
                "source": Ragged.from_strings(page.source for page in pages),
            },
        )
        if self.truth is not None:
            classes = [classify(page, self.truth) for page in pages]
            self.table6.counts.update(classes)
            self.truths.add(
                keys,
                {
                    "url": Ragged.from_strings(page.url for page in pages),
                    "truth": Ragged.from_strings(truth.encode() for truth, _ in classes),
                    "verdict": Ragged.from_strings(page.verdict.encode() for page in pages),
                    "class": Ragged.from_strings(name.encode() for _, name in classes),
                },
            )
        self.unrendered.add(
            [key_of(url, archive, offset) for url, archive, offset, _ in found.unrendered],
            {
                "url": Ragged.from_strings(url for url, *_ in found.unrendered),
                "reason": Ragged.from_strings(reason.encode("utf-8", "replace") for *_, reason in found.unrendered),
            },
        )
        self.verdicts.update(page.verdict for page in pages)
        self.counts["other_files"] += found.other_files
        self.counts["rendered"] += found.rendered
        self.counts["unrendered"] += len(found.unrendered)


def key_of(url: bytes, archive: bytes, offset: int) -> bytes:
    """Give the key that decides the place of a page: the same URL may be captured twice."""
    return url + b"\0" + archive + b"\0" + offset.to_bytes(8, "big")


def find_phish(world: World, job: PhishJob) -> dict[str, Any]:
    """Collective. Find the pages that copy originals; give a summary."""
    with hold(world, job.out, lock.beside(job.out)):
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
        labels = Labels.open(label_path, job.allow, job.min_length)
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
    world: World, job: PhishJob, run: Path, labels: Labels, label_path: Path, account: Account, phases: Phases
) -> dict[str, Any]:
    """Collective. Judge the pages of a run by its digests."""
    with phases("open"):
        catalog = Catalog.open(world, run)

        def check() -> None:
            with LabelFile.open(label_path) as file:
                must_fit(file, catalog.run.options, job.labels, run)

        world.on_root(check)
    with phases("judge"):
        look_at_run(catalog, labels, account.take)
    world.stop_if_asked()
    return {"run": str(run), "run_fingerprint": catalog.fingerprint, "quarantined": 0}


def judge_crawl(
    world: World, job: PhishJob, labels: Labels, browser: str | None, account: Account, phases: Phases
) -> dict[str, Any]:
    """Collective. Read a crawl and judge its pages as they come, all ranks sharing it."""
    with phases("originals"):
        originals = None
        if job.originals:
            originals = Originals.read(world, job.originals, labels.options, job.min_length, job.limits)
    renderer = None
    if browser is not None and job.render_seconds is not None:
        from hpcreuse.phish.rendering import Renderer

        renderer = Renderer(browser, job.render_seconds)
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
            keys = [number.to_bytes(2, "big") for number in range(len(rows))]
            sorter.add(keys, {"class": names, "pages": np.array([count for _, count in rows], np.int64)})
    sorter.finish(phases)
    return known


def provenance(job: PhishJob, labels: Labels) -> dict[str, Any]:
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
