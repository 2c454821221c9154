"""`hpcreuse imatch`: from the words of a run to clusters of near duplicates."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.clusters import number_clusters
from hpcreuse.corpus.holding import hold_result
from hpcreuse.corpus.ordering import TableSorter, sort_keys
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.clustering import shared_signatures
from hpcreuse.imatch.filtering import find_matches, write_matches
from hpcreuse.imatch.frequencies import spool_terms
from hpcreuse.imatch.lexicon import Band, SavedLexicon, save
from hpcreuse.imatch.listing import list_terms
from hpcreuse.imatch.prototypes import check_result, is_run, open_run, result_signatures, run_signatures, signed_by
from hpcreuse.imatch.signing import Signed, Signing, read_signatures, spool_signatures
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.weighing import Lexicon, corpus_lexicon, saved_lexicon
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.components import clustered, connected_components
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.store import findings
from hpcreuse.store.columns import Column, Rows


@dataclass(frozen=True)
class ImatchJob:
    """What to look for near duplicates in, and how."""

    run: Path
    out: Path
    lexicon: Path | None
    """A saved one; else it is made from this corpus."""
    save_lexicon: Path | None
    prototypes: Path | None
    """A run, or a result of this method; documents that match them are listed."""
    band: tuple[float, float]
    signing: Signing
    memory: int
    progress_seconds: float


def find_near_duplicates(world: World, job: ImatchJob) -> dict[str, Any]:
    """Collective. Sign the documents of a run and cluster those that share a signature; give a summary."""
    with hold_result(world, job.out):
        return match(world, job)


def match(world: World, job: ImatchJob) -> dict[str, Any]:
    """Collective. Write findings that no other job writes."""
    phases = Phases()
    with phases("open"):
        corpus = TextCorpus.open(world, job.run, job.memory // 2)
        saved = world.on_root(SavedLexicon.load, job.lexicon) if job.lexicon else None
        signs_prototypes = bool(job.prototypes and world.on_root(is_run, job.prototypes))
        if job.prototypes and not signs_prototypes:
            world.on_root(check_result, job.prototypes, job.signing, saved)
        scratch = world.on_root(findings.begin, job.out, "imatch")
        texts = [Spooled(corpus, scratch / "spool", job.memory // 8)]
        if job.prototypes and signs_prototypes:
            texts.append(open_run(world, job.prototypes, scratch / "spool" / "prototypes", job.memory // 2))
    blocks = 2 * sum(len(each.corpus.mine) for each in texts)
    progress = Progress("imatch", "blocks", blocks, job.progress_seconds if world.root else 0)
    documents = [spool_terms(each, progress, phases) for each in texts]
    # The prototypes stay when the stream goes on: they are the collection
    band = Band(*job.band, documents[-1])
    lexicon = make_lexicon(texts[-1], texts[:-1], saved, band, scratch, job, phases)
    summary = {
        "pages": corpus.pages,
        "documents": documents[0],
        "lexicon_terms": lexicon.primary,
        "secondary_terms": lexicon.secondary,
        **sign(texts, lexicon, scratch, job, progress, phases),
    }
    summary |= cluster(texts[0], scratch, job.memory, phases)
    if job.prototypes:
        known = prototype_signatures(world, job, texts[1:], phases)
        summary |= filter_stream(texts[0], known, scratch, job.memory, phases)
    with phases("write"):
        world.on_root(findings.finish, job.out, "imatch", provenance(job, corpus, lexicon), summary)
        if job.save_lexicon:
            world.on_root(save, job.save_lexicon, lexicon.band, findings.export_rows(job.out, "lexicon"))
    return {"out": str(job.out), **summary, **phases.summary(world)}


def make_lexicon(
    collection: Spooled,
    others: list[Spooled],
    saved: SavedLexicon | None,
    band: Band,
    scratch: Path,
    job: ImatchJob,
    phases: Phases,
) -> Lexicon:
    """Collective. Take the saved lexicon, or make one from a collection and write its table."""
    if saved:
        return saved_lexicon(saved)
    lexicon = corpus_lexicon(collection, others, band, job.memory // 2, phases)
    list_terms(collection, scratch, band, bool(job.save_lexicon), job.memory // 2, phases)
    return lexicon


def sign(
    texts: list[Spooled],
    lexicon: Lexicon,
    scratch: Path,
    job: ImatchJob,
    progress: Progress,
    phases: Phases,
) -> dict[str, int]:
    """Collective. Sign all documents and write the table of the first texts' signatures."""
    corpus = texts[0].corpus
    sorter = TableSorter(corpus.world, scratch, "imatch", "signatures", job.memory // 2)
    signed_pages = 0
    for each in texts:
        for block in each.corpus.mine:
            with phases("terms"):
                terms = each.terms(block)
                documents = lexicon.documents(each, block, terms)
            signed = spool_signatures(each, block, terms, documents, lexicon.band, job.signing, phases)
            if each is texts[0]:
                signed_pages += len(np.unique(signed.page))
                with phases("write"):
                    add_signatures(sorter, signed, corpus.urls(block), block.page)
            progress.advance()
    progress.finish()
    corpus.world.stop_if_asked()
    return {"signed": corpus.world.comm.allreduce(signed_pages), "signatures": sorter.finish(phases)}


def prototype_signatures(world: World, job: ImatchJob, signed_here: list[Spooled], phases: Phases) -> Rows:
    """Give this rank's share of the signatures of prototypes."""
    with phases("read"):
        if signed_here or not job.prototypes:
            return run_signatures(signed_here[0])
        return result_signatures(world, findings.Findings.open(job.prototypes, "imatch"))


def filter_stream(texts: Spooled, prototypes: Rows, scratch: Path, memory: int, phases: Phases) -> dict[str, int]:
    """Collective. Match the documents with prototypes and write the table of matches."""
    world = texts.corpus.world
    matches = find_matches(texts.corpus, read_signatures(texts), prototypes, memory // 2, phases)
    sorter = TableSorter(world, scratch, "imatch", "matches", memory // 2)
    signatures = world.comm.allreduce(len(prototypes))
    return {"prototype_signatures": signatures, **write_matches(texts.corpus, sorter, matches, phases)}


def add_signatures(sorter: TableSorter, signed: Signed, urls: Ragged, first_page: int) -> None:
    """Put signatures into their table, in order of URL and lexicon."""
    places = signed.page - first_page
    written = np.stack([signed.left, signed.right], axis=1).astype(">u8").tobytes().hex().encode()
    hexes = Ragged.from_lengths(np.frombuffer(written, np.uint8), np.full(len(places), 32))
    url = urls.take(places)
    columns: dict[str, Column] = {"url": url, "lexicon": signed.lexicon, "signature": hexes}
    sorter.add(sort_keys(url, signed.page, signed.lexicon), columns)


def cluster(texts: Spooled, scratch: Path, memory: int, phases: Phases) -> dict[str, int]:
    """Collective. Cluster the pages that share signatures and write the table of clusters."""
    corpus, world = texts.corpus, texts.corpus.world
    first, other = shared_signatures(world, read_signatures(texts), memory // 2, phases)
    with phases("cluster"):
        names = connected_components(world, corpus.pages, first, other, memory // 8)
        sorter = TableSorter(world, scratch, "imatch", "clusters", memory // 2)
        pages = clustered(names)
        urls = corpus.urls_of(pages, memory // 8)
        numbers = number_clusters(names, pages, urls)
        sorter.add(sort_keys(numbers, urls, pages), {"cluster": numbers, "url": urls})
        clusters = int(max(world.comm.allgather(int(numbers.max(initial=-1))))) + 1
    return {"clusters": clusters, "clustered": sorter.finish(phases)}


def provenance(job: ImatchJob, corpus: TextCorpus, lexicon: Lexicon) -> dict[str, Any]:
    """Say what the findings were made from and how."""
    return {
        "run": str(job.run),
        "run_fingerprint": corpus.catalog.fingerprint,
        "lexicon": str(job.lexicon) if job.lexicon else "corpus",
        "band": [lexicon.band.low, lexicon.band.high],
        "collection": lexicon.band.documents,
        "prototypes": str(job.prototypes) if job.prototypes else None,
        **signed_by(job.signing, lexicon.id),
    }
