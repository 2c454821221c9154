"""`hpcreuse spin`: from the words of a run to clusters of spun articles."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import find_candidates
from hpcreuse.corpus.clusters import number_clusters
from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.measures import Jaccard
from hpcreuse.corpus.ordering import TableSorter
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.components import clustered, connected_components
from hpcreuse.parallel.equals import first_of_equals
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.spin.articles import Articles
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.filters import Filters, apply
from hpcreuse.spin.frequencies import count_articles
from hpcreuse.spin.thesauri import read_synonyms
from hpcreuse.spin.units import cut_units
from hpcreuse.spin.verifying import EXACT, KINDS, NEAR, SPUN, Thresholds, Verified, verify_pairs
from hpcreuse.store import findings, lock
from hpcreuse.store.columns import Column
from hpcreuse.store.shard import Shard


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
    with hold(world, job.out, lock.beside(job.out)):
        return spin(world, job)


def spin(world: World, job: SpinJob) -> dict[str, Any]:
    """Collective. Write findings that no other job writes."""
    phases = Phases()
    with phases("open"):
        corpus = TextCorpus.open(world, job.run, job.memory // 4)
        dictionary = Dictionary.compile(world.on_root(read_synonyms, job.synonyms))
        scratch = world.on_root(findings.begin, job.out, "spin")
    articles = Articles(corpus, scratch / "spool")
    pages, counts = keep_articles(corpus, scratch, job, phases)
    with phases("duplicates"):
        firsts = first_of_equals(world, pages, file_digests(corpus, pages), job.memory // 8)
    cut_articles(articles, pages[firsts == pages], dictionary, job, phases)
    sets = count_articles(articles, job.memory // 4, phases)
    candidates = find_candidates(corpus, sets, Jaccard(job.thresholds.immutable), job.memory // 4, phases)
    verified, similar = verify_pairs(articles, candidates, dictionary, job.thresholds, job.memory // 4, phases)
    pairs = Verified.concatenate([exact_pairs(firsts, pages), verified])
    summary = {
        "pages": corpus.pages,
        "articles": world.comm.allreduce(len(pages)),
        "filters": dict(zip(job.filters.names(), counts, strict=True)),
        "entries": len(dictionary),
        "candidates": world.comm.allreduce(len(candidates.a)),
        "similar": world.comm.allreduce(similar),
        **write_pairs(corpus, scratch, pairs, job.memory, phases),
        **write_clusters(corpus, scratch, pairs, job.memory, phases),
    }
    with phases("write"):
        world.on_root(findings.finish, job.out, "spin", provenance(job, corpus), summary)
    return {"out": str(job.out), **summary, **phases.summary(world)}


def keep_articles(
    corpus: TextCorpus, scratch: Path, job: SpinJob, phases: Phases
) -> tuple[NDArray[np.int64], list[int]]:
    """Collective. Give this rank's pages that can be articles; write the table of the filters."""
    world, names = corpus.world, job.filters.names()
    pages, counts = [np.empty(0, np.int64)], np.zeros(len(names), np.int64)
    with phases("filter"):
        for block in corpus.mine:
            places, left = apply(corpus, block, job.filters)
            pages.append(block.page + places)
            counts += left
        totals = [int(count) for count in sum(world.comm.allgather(counts))]
    sorter = TableSorter(world, scratch, "spin", "filters", job.memory)
    if world.root:
        named = Ragged.from_strings([name.encode() for name in names])
        keys = [number.to_bytes(2, "big") for number in range(len(names))]
        sorter.add(keys, {"filter": named, "pages": np.array(totals, np.int64)})
    sorter.finish(phases)
    return np.concatenate(pages), totals


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
    articles: Articles, pages: NDArray[np.int64], dictionary: Dictionary, job: SpinJob, phases: Phases
) -> None:
    """Collective. Cut this rank's articles into mutables and immutables, and keep them on disk."""
    corpus = articles.corpus
    progress = Progress("spin", "blocks", len(corpus.mine), job.progress_seconds if corpus.world.root else 0)
    for done, block in enumerate(corpus.mine):
        with phases("units"):
            first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
            words = corpus.words(block).take(pages[first:last] - block.page)
            units = cut_units(words, dictionary)
        with phases("write"):
            articles.write(block, pages[first:last], units)
        progress.update(done + 1)
    progress.finish()
    corpus.world.stop_if_asked()


def exact_pairs(firsts: NDArray[np.int64], pages: NDArray[np.int64]) -> Verified:
    """Pair every exact duplicate with the first of its kind."""
    copies = pages != firsts
    ones = np.ones(int(copies.sum()))
    return Verified(firsts[copies], pages[copies], ones, ones, np.full(len(ones), EXACT, np.int64))


def write_pairs(corpus: TextCorpus, scratch: Path, pairs: Verified, memory: int, phases: Phases) -> dict[str, int]:
    """Collective. Write the table of pairs, in order of URLs; give how many there are of each kind."""
    world = corpus.world
    with phases("write"):
        urls = list(corpus.urls_of(np.concatenate([pairs.a, pairs.b]), memory // 8))
        ids = pairs.a.tolist() + pairs.b.tolist()
        ends = list(zip(urls, ids, strict=True))
        couples = [sorted(couple) for couple in zip(ends[: len(pairs.a)], ends[len(pairs.a) :], strict=True)]
        keys = [a + b"\0" + b + b"\0" + x.to_bytes(8, "big") + y.to_bytes(8, "big") for (a, x), (b, y) in couples]
        sorter = TableSorter(world, scratch, "spin", "pairs", memory // 2)
        columns: dict[str, Column] = {
            "a": Ragged.from_strings([a for (a, _), _ in couples]),
            "b": Ragged.from_strings([b for _, (b, _) in couples]),
            "similarity": pairs.similarity,
            "mutable": pairs.mutable,
            "kind": Ragged.from_strings([KINDS[kind].encode() for kind in pairs.kind]),
        }
        sorter.add(keys, columns)
    sorter.finish(phases)
    counts = np.bincount(pairs.kind, minlength=len(KINDS))
    return {f"{name}_pairs": world.comm.allreduce(int(counts[kind])) for kind, name in enumerate(KINDS)}


def write_clusters(corpus: TextCorpus, scratch: Path, pairs: Verified, memory: int, phases: Phases) -> dict[str, int]:
    """Collective. Write the table of clusters: what hangs together by pairs of one kind."""
    world, pages = corpus.world, corpus.pages
    with phases("cluster"):
        # Every kind has a graph of its own: page p of kind k is vertex k * pages + p
        shift = pairs.kind * pages
        names = connected_components(world, len(KINDS) * pages, pairs.a + shift, pairs.b + shift, memory // 8)
        members = clustered(names)
        kinds, member_pages = np.divmod(members, max(1, pages))
        urls = corpus.urls_of(member_pages, memory // 8)
        numbers = number_clusters(names, members, urls)
        sorter = TableSorter(world, scratch, "spin", "clusters", memory // 2)
        keys = [
            int(number).to_bytes(8, "big") + url + b"\0" + int(page).to_bytes(8, "big")
            for number, url, page in zip(numbers, urls, member_pages, strict=True)
        ]
        kind_names = Ragged.from_strings([KINDS[kind].encode() for kind in kinds])
        sorter.add(keys, {"cluster": numbers, "kind": kind_names, "url": urls})
    sorter.finish(phases)
    # A cluster is named after one of its vertices
    named = kinds[names.mine[members - names.first] == members]
    counts = {"pages": kinds, "clusters": named}
    return {
        f"{KINDS[kind]}_{what}": world.comm.allreduce(int((found == kind).sum()))
        for what, found in counts.items()
        for kind in (EXACT, NEAR, SPUN)
    }


def provenance(job: SpinJob, corpus: TextCorpus) -> dict[str, Any]:
    """Say what the findings were made from and how."""
    return {
        "run": str(job.run),
        "run_fingerprint": corpus.catalog.fingerprint,
        "synonyms": job.synonyms,
        "threshold": job.thresholds.immutable,
        "mutable_threshold": job.thresholds.mutable,
        "min_words": job.filters.min_words,
        "links_per_word": job.filters.links_per_word,
        "language": job.filters.language,
    }
