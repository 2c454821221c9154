"""What `study recall` does: all similar pairs as the truth, all pairs that agree, and how they meet for each K."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.measures import Cosine
from hpcreuse.corpus.pairs import Pairs
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.errors import UsageError
from hpcreuse.imatch.filtering import find_matches
from hpcreuse.imatch.frequencies import spool_terms
from hpcreuse.imatch.lexicon import Band, SavedLexicon
from hpcreuse.imatch.prototypes import open_run, run_signatures
from hpcreuse.imatch.signing import Signing, read_signatures, spool_signatures
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.weighing import Lexicon, corpus_lexicon, saved_lexicon
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.store import atomic, lock
from hpcreuse.store.tables import Row, columns
from hpcreuse.study.agreeing import agreeing_pairs, first_agreement
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting
from hpcreuse.study.similar_pairs import TermSets, similar_pairs
from hpcreuse.study.stability import BAGS, CHANGES, draw_pool, formula, simulate

if TYPE_CHECKING:
    from hpcreuse.study.recall import Options

# IMATCH, table 1: recall with so many further lexicons, of honeypot and of cluster spam
PUBLISHED = {0: (0.66, 0.40), 2: (0.72, 0.49), 5: (0.76, 0.55), 10: (0.80, 0.61)}

RECALL = columns(lexicons=int, found=int, recall=float, pair_recall=float, others=int, legitimate=int)
TABLE1 = columns(
    lexicons=int,
    recall=float,
    increase=float,
    honeypot=float,
    honeypot_increase=float,
    cluster=float,
    cluster_increase=float,
)
# Memory that documents take while they are compared: a word, of which the different ones are kept, and a signature
BYTES_PER_WORD, BYTES_PER_SIGNATURE = 16, 32

STABILITY = columns(changes=int, lexicons=int, trials=int, share=float, formula=float, error=float)


def run_recall(world: World, options: "Options", setting: Setting) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    world.on_root(check, options)
    output = world.on_root(Output.prepare, "recall", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases = Phases()
        spool = output.folder / ".spool"
        world.on_root(atomic.remove, spool)
        try:
            found = measure(world, options, spool, setting, phases)
        finally:
            if world.root:
                atomic.remove(spool)
        with phases("write"):
            written = world.on_root(write, output, options, found)
    return {"out": str(output.folder), **found, **written, **phases.summary(world)}


def check(options: "Options") -> None:
    """Refuse what makes no sense."""
    if not 0 < options.threshold <= 1:
        raise UsageError(f"--threshold {options.threshold:g}: give a number above 0, at most 1")
    if not 1 <= options.lexicons <= 63:
        raise UsageError(f"--lexicons {options.lexicons}: give 1 to 63")


def measure(world: World, options: "Options", spool: Path, setting: Setting, phases: Phases) -> dict[str, Any]:
    """Collective. Find the truth, what agrees, and how long signatures survive."""
    memory = setting.memory
    with phases("open"):
        texts = open_run(world, options.run, spool, memory // 2)
        others = []
        if options.legitimate:
            others.append(open_run(world, options.legitimate, spool / "legitimate", memory // 2))
        saved = None if options.lexicon == "corpus" else world.on_root(SavedLexicon.load, Path(options.lexicon))
    setting.must_hold(world, memory_need([texts, *others], options.lexicons), "the terms of all documents")
    blocks = len(texts.corpus.mine)
    progress = Progress("recall", "blocks", 2 * blocks, setting.progress_seconds if world.root else 0)
    documents = [spool_terms(each, progress, phases) for each in (texts, *others)]
    # The counts of this run are wanted in any case: rare terms come first when documents are compared
    lexicon = corpus_lexicon(texts, others, Band(*options.band, documents[0]), memory // 2, phases)
    lexicon = saved_lexicon(saved) if saved else lexicon
    signing = Signing(options.lexicons, options.removed, options.seed, options.min_terms, options.top_up == "yes")
    for each in (texts, *others):
        sign(each, lexicon, signing, progress, phases)
    progress.finish()

    with phases("terms"):
        sets = TermSets.read(texts, memory // 8, options.trivial_duplicates == "drop")
    truth = similar_pairs(texts, sets, Cosine(options.threshold), memory // 4, phases)
    signed = read_signatures(texts)
    signed = signed.take(np.flatnonzero(np.isin(signed.page, sets.pages)))
    agreeing = agreeing_pairs(texts.corpus, signed, memory // 4, phases)
    first, false = first_agreement(truth, agreeing)
    legitimate = [caught(texts, each, memory, phases) for each in others]
    with phases("count"):
        rows, queries = recall_rows(texts.corpus, truth, first, false, legitimate, options.lexicons, memory // 8)
    with phases("simulate"):
        survived = simulate(
            world, draw_pool(texts, lexicon, options.seed), options.trials, options.removed, options.seed
        )
    recall = [dict(zip((c.name for c in RECALL), row, strict=True)) for row in rows]
    return {
        "documents": documents[0],
        "compared": world.comm.allreduce(len(sets.pages)),
        "pairs": world.comm.allreduce(len(truth.a)),
        "queries": queries,
        "legitimate": documents[1] if others else 0,
        "lexicon_terms": lexicon.primary,
        "recall": recall,
        "table1": [beside(row, recall[0]) for row in recall if row["lexicons"] in PUBLISHED],
        "stability": stability_rows(survived, options.trials, options.removed),
    }


def memory_need(runs: list[Spooled], lexicons: int) -> int:
    """Tell how much this rank will hold: of the first run terms and signatures, of others signatures."""
    blocks = [block for texts in runs for block in texts.corpus.mine]
    signatures = (lexicons + 1) * sum(map(len, blocks))
    return BYTES_PER_WORD * sum(block.words for block in runs[0].corpus.mine) + BYTES_PER_SIGNATURE * signatures


def sign(texts: Spooled, lexicon: Lexicon, signing: Signing, progress: Progress, phases: Phases) -> None:
    """Sign this rank's documents."""
    for block in texts.corpus.mine:
        with phases("terms"):
            terms = texts.terms(block)
            documents = lexicon.documents(texts, block, terms)
        spool_signatures(texts, block, terms, documents, lexicon.band, signing, phases)
        progress.advance()


def caught(texts: Spooled, legitimate: Spooled, memory: int, phases: Phases) -> NDArray[np.int64]:
    """Collective. Give of each of this rank's legitimate documents that matches the first lexicon that finds it."""
    found = find_matches(legitimate.corpus, read_signatures(legitimate), run_signatures(texts), memory // 4, phases)
    page, lexicon = found.array("page"), found.array("lexicon")
    order = np.lexsort((lexicon, page))
    first = np.unique(page[order], return_index=True)[1]
    return lexicon[order][first]


def recall_rows(
    corpus: TextCorpus,
    truth: Pairs,
    first: NDArray[np.int64],
    false: NDArray[np.int64],
    legitimate: list[NDArray[np.int64]],
    lexicons: int,
    round_bytes: int,
) -> tuple[list[Row], int]:
    """Collective. Give the rows of the table, and how many documents have similar ones.

    Recall is that of the paper (2): of each document the share of its similar ones that are found, and the mean of it.
    """
    world = corpus.world
    each, lexicon = documents_pairs(corpus, truth, first, round_bytes)
    ks = np.arange(lexicons + 1)
    documents, place = np.unique(each, return_inverse=True)
    similar = np.bincount(place, minlength=len(documents))
    rows: list[Row] = []
    pairs, queries = world.comm.allreduce(len(truth.a)), world.comm.allreduce(len(documents))
    for k in ks.tolist():
        hits = np.bincount(place[lexicon <= k], minlength=len(documents))
        # Shares are added up as fractions: the same on any number of ranks
        mine = Counter(zip(hits.tolist(), similar.tolist(), strict=True))
        shares: Counter[tuple[int, int]] = sum(world.comm.allgather(mine), Counter())
        total = sum((count * Fraction(hit, of) for (hit, of), count in shares.items()), Fraction())
        counts = [int((some <= k).sum()) for some in (first, false, *legitimate)]
        found, others, *matched = world.comm.allreduce(np.array(counts)).tolist()
        recall = float(total / queries) if queries else 0.0
        rows.append((k, found, recall, found / pairs if pairs else 0.0, others, matched[0] if matched else 0))
    return rows, queries


def documents_pairs(
    corpus: TextCorpus, truth: Pairs, first: NDArray[np.int64], round_bytes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Collective. Give this rank's documents, once for each similar one, and the lexicon that finds it."""
    order = np.argsort(truth.b, kind="stable")
    cuts = np.searchsorted(corpus.owner_of(truth.b[order]), np.arange(corpus.world.size + 1))
    (theirs, lexicon), _ = exchange(corpus.world, [truth.b[order], first[order]], cuts, round_bytes)
    return np.concatenate([truth.a, theirs]), np.concatenate([first, lexicon])


def beside(row: dict[str, Any], alone: dict[str, Any]) -> dict[str, Any]:
    """Set a row beside the paper's table 1."""
    ours = (alone["recall"], row["recall"])
    pairs = [ours, *zip(PUBLISHED[0], PUBLISHED[row["lexicons"]], strict=True)]
    values = [value for base, recall in pairs for value in (recall, recall / base - 1 if base else 0.0)]
    return dict(zip((c.name for c in TABLE1), (row["lexicons"], *values), strict=True))


def stability_rows(survived: NDArray[np.int64], trials: int, removed: float) -> list[dict[str, Any]]:
    """Set the simulation beside the formula, with the standard error of as many trials."""
    rows = []
    for changes in range(1, CHANGES + 1):
        for number, bag in enumerate(BAGS):
            expected = formula(removed, changes, bag)
            error = float(np.sqrt(expected * (1 - expected) / trials)) if trials else 0.0
            share = int(survived[changes - 1, number]) / trials if trials else 0.0
            row = (changes, bag, trials, share, expected, error)
            rows.append(dict(zip((c.name for c in STABILITY), row, strict=True)))
    return rows


def write(output: Output, options: "Options", found: dict[str, Any]) -> dict[str, Any]:
    """Write tables, figure and record."""

    def draw() -> Any:
        from hpcreuse.study.recall_figure import draw_recall

        return draw_recall(found["recall"], found["table1"], found["stability"])

    described = {"recall": RECALL, "table1": TABLE1, "stability": STABILITY}
    tables = [output.table(name, described[name], (tuple(row.values()) for row in found[name])) for name in described]
    figures = output.figure("recall", draw)
    output.record(options_record(options), found)
    return {"tables": tables, "figures": figures}
