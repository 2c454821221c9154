"""`hpcreuse spin`: from the words of a run to clusters of spun articles."""

import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import find_candidates
from hpcreuse.corpus.holding import hold_result
from hpcreuse.corpus.measures import Jaccard
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.parallel.equals import first_of_equals
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.spread import SpreadArray
from hpcreuse.parallel.world import World
from hpcreuse.spin.articles import Articles
from hpcreuse.spin.contents import Contents
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.filters import Filters, apply, texts_of
from hpcreuse.spin.frequencies import count_articles
from hpcreuse.spin.tables import PairTable, write_clusters, write_counts
from hpcreuse.spin.thesauri import read_synonyms
from hpcreuse.spin.units import cut_units
from hpcreuse.spin.verifying import EXACT, Thresholds, Verified, verify_pairs
from hpcreuse.store import findings
from hpcreuse.store.shard import Shard

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SpinJob:
    """Where to look for spun articles, and how."""

    run: Path
    out: Path
    synonyms: str
    thresholds: Thresholds
    filters: Filters
    memory: int
    progress_seconds: float


def find_spun(world: World, job: SpinJob) -> dict[str, Any]:
    """Collective. Find articles that were made of each other with synonyms; give a summary."""
    with hold_result(world, job.out):
        return spin(world, job)


def spin(world: World, job: SpinJob) -> dict[str, Any]:
    """Collective. Write findings that no other job writes."""
    phases = Phases()
    with phases("open"):
        corpus = TextCorpus.open(world, job.run, job.memory // 4)
        dictionary = world.on_root(load_dictionary, job.synonyms)
        scratch = world.on_root(findings.begin, job.out, "spin")
    articles = Articles(corpus, scratch / "spool")
    contents = Contents(corpus, scratch / "spool", job.filters.content_tag) if job.filters.content_tag else None
    pages, counts = keep_articles(corpus, job.filters, contents, phases)
    write_counts(world, scratch, job.filters.names(), counts, phases)
    with phases("duplicates"):
        firsts = first_of_equals(world, pages, file_digests(corpus, pages), job.memory // 8)
    cut_articles(articles, pages[firsts == pages], contents or corpus, dictionary, job, phases)
    table = PairTable(corpus, scratch, job.memory // 4, phases)
    table.add(exact_pairs(firsts, pages))
    compared = compare_articles(articles, dictionary, table, job, phases)
    summary = {
        "pages": corpus.pages,
        "articles": world.comm.allreduce(len(pages)),
        "filters": dict(zip(job.filters.names(), counts, strict=True)),
        "entries": len(dictionary),
        **compared,
        **table.finish(),
        **write_clusters(corpus, scratch, table.edges, job.memory, phases),
    }
    with phases("write"):
        world.on_root(findings.finish, job.out, "spin", provenance(job, corpus), summary)
    return {"out": str(job.out), **summary, **phases.summary(world)}


def compare_articles(
    articles: Articles, dictionary: Dictionary, table: PairTable, job: SpinJob, phases: Phases
) -> dict[str, int]:
    """Collective. Find the pairs of similar articles and put them into their table; give how many were compared."""
    corpus, memory = articles.corpus, job.memory // 4
    measure = Jaccard(job.thresholds.immutable)
    sets, entries = count_articles(articles, memory, phases), measure.entries(articles.immutables, articles.count)
    candidates = find_candidates(corpus, sets, entries, measure, articles.folder, memory, phases)
    compared = similar = 0
    alone = SpreadArray.full(corpus.world, corpus.pages, 1, memory // 4)
    for checked in verify_pairs(articles, candidates, dictionary, job.thresholds, memory, phases):
        compared += checked.candidates
        similar += len(checked.similar.a)
        ends = np.unique(np.concatenate(checked.similar))
        alone.lower(ends, np.zeros(len(ends), np.int64))
        table.add(checked.verified)
    counts = {"candidates": compared, "similar": similar, "similar_pages": int(np.count_nonzero(alone.mine == 0))}
    return {name: corpus.world.comm.allreduce(count) for name, count in counts.items()}


def load_dictionary(synonyms: str) -> Dictionary:
    """Read a dictionary and compile it."""
    return Dictionary.compile(read_synonyms(synonyms))


def keep_articles(
    corpus: TextCorpus, filters: Filters, contents: Contents | None, phases: Phases
) -> tuple[NDArray[np.int64], list[int]]:
    """Collective. Give this rank's pages that can be articles, and how many of all ranks are left after each filter."""
    pages, counts = [np.empty(0, np.int64)], np.zeros(len(filters.names()), np.int64)
    told = False
    for block in corpus.mine:
        with phases("filter" if contents is None else "read"):
            texts = texts_of(corpus, block)
            places, left = apply(texts, filters, partial(contents.read_again, block) if contents else None)
            told |= any(texts.languages)
        pages.append(block.page + places)
        counts += left
    totals = corpus.world.comm.allreduce(counts)
    if not corpus.world.comm.allreduce(told) and filters.language and corpus.world.root:
        log.warning("no page of the run has a language: hash with hpcreuse[language] installed, or use --language any")
    corpus.world.stop_if_asked()
    return np.concatenate(pages), totals.tolist()


def file_digests(corpus: TextCorpus, pages: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Read the digests of pages of this rank."""
    found = [np.empty((0, corpus.catalog.run.options.width), np.uint8)]
    for block in corpus.mine:
        first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
        with Shard.open(corpus.catalog.shards[block.shard].path) as shard:
            digests = shard.column("files/digest", block.first, block.last)
        found.append(digests[pages[first:last] - block.page])
    return np.concatenate(found)


def cut_articles(
    articles: Articles,
    pages: NDArray[np.int64],
    source: TextCorpus | Contents,
    dictionary: Dictionary,
    job: SpinJob,
    phases: Phases,
) -> None:
    """Collective. Cut this rank's articles into mutables and immutables, and keep them on disk."""
    corpus = articles.corpus
    progress = Progress("spin", "blocks", len(corpus.mine), job.progress_seconds if corpus.world.root else 0)
    for done, block in enumerate(corpus.mine):
        with phases("units"):
            first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
            words = source.words(block).take(pages[first:last] - block.page)
            units = cut_units(words, dictionary)
        with phases("write"):
            articles.append(pages[first:last], units)
        progress.update(done + 1)
    progress.finish()
    corpus.world.stop_if_asked()


def exact_pairs(firsts: NDArray[np.int64], pages: NDArray[np.int64]) -> Verified:
    """Pair every exact duplicate with the first of its kind."""
    copies = pages != firsts
    ones = np.ones(int(copies.sum()))
    return Verified(firsts[copies], pages[copies], ones, ones, np.full(len(ones), EXACT, np.int64))


def provenance(job: SpinJob, corpus: TextCorpus) -> dict[str, Any]:
    """Say what the findings were made from and how."""
    return {
        "run": str(job.run),
        "run_fingerprint": corpus.catalog.fingerprint,
        "synonyms": job.synonyms,
        "threshold": job.thresholds.immutable,
        "mutable_threshold": job.thresholds.mutable,
        "near": job.thresholds.near,
        "content_tag": job.filters.content_tag,
        "visible": job.filters.visible,
        "min_words": job.filters.min_words,
        "links_per_word": job.filters.links_per_word,
        "language": job.filters.language,
    }
