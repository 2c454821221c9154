"""`hpcreuse imatch`: from the words of a run to clusters of near duplicates."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.clusters import number_clusters
from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.ordering import TableSorter
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.clustering import shared_signatures
from hpcreuse.imatch.frequencies import count_documents, documents_of, spool_terms
from hpcreuse.imatch.lexicon import PRIMARY, SECONDARY, Band, SavedLexicon, save
from hpcreuse.imatch.listing import list_terms
from hpcreuse.imatch.signing import Signed, Signing, spool_signatures
from hpcreuse.imatch.terms import read_terms
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.components import clustered, connected_components
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.tallies import Tally
from hpcreuse.parallel.world import World
from hpcreuse.store import findings, lock


@dataclass(frozen=True)
class ImatchJob:
    """What to look for near duplicates in, and how."""

    run: Path
    out: Path
    lexicon: Path | None
    """A saved one; else it is made from this corpus."""
    save_lexicon: Path | None
    band: tuple[float, float]
    lexicons: int
    removed: float
    seed: int
    least: int
    top_up: bool
    memory: int
    progress_seconds: float


def find_near_duplicates(world: World, job: ImatchJob) -> dict[str, Any]:
    """Collective. Sign the documents of a run and cluster those that share a signature; give a summary."""
    with hold(world, job.out, lock.beside(job.out)):
        return match(world, job)


def match(world: World, job: ImatchJob) -> dict[str, Any]:
    """Collective. Write findings that no other job writes."""
    phases = Phases()
    with phases("open"):
        corpus = TextCorpus.open(world, job.run, job.memory // 2)
        saved = world.on_root(SavedLexicon.load, job.lexicon) if job.lexicon else None
        scratch = world.on_root(findings.begin, job.out, "imatch")
    progress = Progress("imatch", "blocks", 2 * len(corpus.mine), job.progress_seconds if world.root else 0)
    collection = spool_terms(corpus, scratch, progress, phases)
    band = saved.band if saved else Band(*job.band, collection.documents)
    sizes = {} if saved else weigh_terms(corpus, scratch, band, job, phases)
    signing = Signing(band, job.lexicons, job.removed, job.seed, job.least, job.top_up)
    signatures = sign(corpus, scratch, saved, signing, job, progress, phases)
    clusters = cluster(corpus, scratch, job.memory, phases)
    summary = {"pages": corpus.pages, "documents": collection.documents, **sizes, **signatures, **clusters}
    with phases("write"):
        world.on_root(findings.finish, job.out, "imatch", provenance(job, corpus, signing), summary)
        if job.save_lexicon and not saved:
            world.on_root(save, job.save_lexicon, band, findings.export_rows(job.out, "lexicon"))
    return {"out": str(job.out), **summary, **phases.summary(world)}


def weigh_terms(corpus: TextCorpus, scratch: Path, band: Band, job: ImatchJob, phases: Phases) -> dict[str, int]:
    """Collective. Count the documents of every term; give how many terms the lexicons have."""
    primary = secondary = 0

    def count_roles(owned: Tally) -> None:
        nonlocal primary, secondary
        roles = band.roles(owned.counts)
        primary += int(np.count_nonzero(roles == PRIMARY))
        secondary += int(np.count_nonzero(roles == SECONDARY))

    count_documents(corpus, scratch, job.memory // 2, phases, count_roles)
    list_terms(corpus, scratch, band, bool(job.save_lexicon), job.memory // 2, phases)
    return {
        "lexicon_terms": corpus.world.comm.allreduce(primary),
        "secondary_terms": corpus.world.comm.allreduce(secondary),
    }


def sign(
    corpus: TextCorpus,
    scratch: Path,
    saved: SavedLexicon | None,
    signing: Signing,
    job: ImatchJob,
    progress: Progress,
    phases: Phases,
) -> dict[str, int]:
    """Collective. Sign all documents and write the table of signatures."""
    sorter = TableSorter(corpus.world, scratch, "imatch", "signatures", job.memory // 2)
    signed_pages = 0
    for done, block in enumerate(corpus.mine):
        with phases("terms"):
            terms = read_terms(corpus, block)
            documents = saved.documents_of(terms.hashes) if saved else documents_of(scratch, block)
        signed = spool_signatures(block, terms, documents, signing, scratch, phases)
        signed_pages += len(np.unique(signed.page))
        with phases("write"):
            add_signatures(sorter, signed, corpus.urls(block), block.page)
        progress.update(len(corpus.mine) + done + 1)
    progress.finish()
    corpus.world.stop_if_asked()
    return {"signed": corpus.world.comm.allreduce(signed_pages), "signatures": sorter.finish(phases)}


def add_signatures(sorter: TableSorter, signed: Signed, urls: Ragged, first_page: int) -> None:
    """Put signatures into their table, in order of URL and lexicon."""
    places = signed.page - first_page
    known = list(urls)
    keys = [
        known[place] + b"\0" + int(page).to_bytes(8, "big") + int(lexicon).to_bytes(2, "big")
        for place, page, lexicon in zip(places, signed.page, signed.lexicon, strict=True)
    ]
    halves = zip(signed.left.tolist(), signed.right.tolist(), strict=True)
    written = Ragged.from_strings([f"{left:016x}{right:016x}".encode() for left, right in halves])
    sorter.add(keys, {"url": urls.take(places), "lexicon": signed.lexicon, "signature": written})


def cluster(corpus: TextCorpus, scratch: Path, memory: int, phases: Phases) -> dict[str, int]:
    """Collective. Cluster the pages that share signatures and write the table of clusters."""
    world = corpus.world
    first, other = shared_signatures(corpus, scratch, memory // 2, phases)
    with phases("cluster"):
        names = connected_components(world, corpus.pages, first, other, memory // 8)
        sorter = TableSorter(world, scratch, "imatch", "clusters", memory // 2)
        pages = clustered(names)
        urls = corpus.urls_of(pages, memory // 8)
        numbers = number_clusters(names, pages, urls)
        keys = [
            int(number).to_bytes(8, "big") + url + b"\0" + int(page).to_bytes(8, "big")
            for number, url, page in zip(numbers, urls, pages, strict=True)
        ]
        sorter.add(keys, {"cluster": numbers, "url": urls})
        clusters = int(max(world.comm.allgather(int(numbers.max(initial=-1))))) + 1
    return {"clusters": clusters, "clustered": sorter.finish(phases)}


def provenance(job: ImatchJob, corpus: TextCorpus, signing: Signing) -> dict[str, Any]:
    """Say what the findings were made from and how."""
    return {
        "run": str(job.run),
        "run_fingerprint": corpus.catalog.fingerprint,
        "lexicon": str(job.lexicon) if job.lexicon else "corpus",
        "band": [signing.band.low, signing.band.high],
        "collection": signing.band.documents,
        "lexicons": job.lexicons,
        "removed": job.removed,
        "seed": job.seed,
        "least": job.least,
        "top_up": job.top_up,
    }
