"""Looking for what was spun: by immutables, as `spin` does, and by shingles; the same pages, every pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import find_candidates
from hpcreuse.corpus.holding import hold
from hpcreuse.corpus.measures import Jaccard
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.mixing import phrase_hashes
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.spin.articles import Articles
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.frequencies import count_articles
from hpcreuse.spin.method import SpinJob, find_spun, keep_articles
from hpcreuse.spin.units import Units, room_on_page, sorted_sets
from hpcreuse.spin.verifying import Thresholds, verify_pairs
from hpcreuse.store import atomic, lock
from hpcreuse.store.findings import export_rows
from hpcreuse.study.background import as_run
from hpcreuse.study.output import Output, options_record
from hpcreuse.study.setting import Setting
from hpcreuse.study.spun_corpus import HOST, Mixture, mix
from hpcreuse.study.spun_scores import FALSE, FOUND, Pair, Scores, score

if TYPE_CHECKING:
    from hpcreuse.study.spin import Options

PUBLISHED_THRESHOLD = 0.75


def run_spin(world: World, options: "Options", setting: Setting) -> dict[str, Any]:
    """Collective. Run the study into its folder and give a summary."""
    output = world.on_root(Output.prepare, "spin", options)
    with hold(world, output.folder, lock.inside(output.folder)):
        phases, folder = Phases(), output.folder
        articles = as_run(world, options.articles, None, folder / "articles", DigestOptions(), setting, text=True)
        mixture = mix(world, articles, folder, options, setting, phases)
        job = SpinJob(
            run=mixture.run,
            out=folder / "spun",
            synonyms=options.synonyms,
            thresholds=Thresholds(min(options.thresholds), options.mutable_threshold, options.near),
            filters=mixture.filters,
            memory=setting.memory,
            progress_seconds=setting.progress_seconds,
        )
        with phases("spin"):
            looked = find_spun(world, job)
        shingled = pairs_by_shingles(world, mixture, folder / "shingles", options, setting, phases)
        with phases("score"):
            scores = world.on_root(judge, folder / "spun", shingled, mixture, options)
            found_all = {
                "pages": looked["pages"],
                "seeds": mixture.seeds,
                "spun_pages": sum(one.spinning != "original" for one in mixture.planted),
                "relatives": scores.relatives,
                "threshold": min(options.thresholds, key=lambda one: abs(one - PUBLISHED_THRESHOLD)),
                "found": scores.found,
                "false_pairs": len(scores.false),
            }
            written = world.on_root(write, output, options, scores, found_all)
    return {"out": str(folder), **found_all, **written, **phases.summary(world)}


def pairs_by_shingles(
    world: World, mixture: Mixture, folder: Path, options: "Options", setting: Setting, phases: Phases
) -> list[Pair]:
    """Collective. Give all pairs with a page that was made whose shingles are similar enough to be looked at."""
    world.on_root(atomic.remove, folder)
    world.on_root(folder.mkdir)
    memory, lowest = setting.memory // 4, min(options.shingle_thresholds)
    corpus = TextCorpus.open(world, mixture.run, memory)
    pages, _ = keep_articles(corpus, mixture.filters, None, phases)
    articles = Articles(corpus, folder)
    for block in corpus.mine:
        first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
        words = corpus.words(block).take(pages[first:last] - block.page)
        none = Ragged.from_lengths(np.empty(0, np.uint64), [0] * len(words))
        articles.append(pages[first:last], Units(shingles(words, options.shingle), none))
    measure = Jaccard(lowest)
    sets, entries = count_articles(articles, memory, phases), measure.entries(articles.immutables, articles.count)
    candidates = find_candidates(corpus, sets, entries, measure, folder, memory, phases)
    found: list[Pair] = []
    thresholds = Thresholds(lowest, 0.0)
    for checked in verify_pairs(articles, candidates, Dictionary.compile([]), thresholds, memory, phases):
        similar = checked.verified
        urls = [url.decode("utf-8", "surrogateescape") for url in corpus.urls_of(ends(similar.a, similar.b), memory)]
        couples = zip(urls[: len(similar.a)], urls[len(similar.a) :], similar.similarity.tolist(), strict=True)
        found += [
            Pair(min(a, b), max(a, b), one, "") for a, b, one in couples if HOST in (a[: len(HOST)], b[: len(HOST)])
        ]
    everyones = world.comm.allgather(found)
    world.on_root(atomic.remove, folder)
    return sorted(pair for part in everyones for pair in part)


def ends(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put both ends of pairs into one array."""
    return np.concatenate([a, b])


def shingles(words: Ragged, length: int) -> Ragged:
    """Give the sets of runs of so many words of each page."""
    hashes = phrase_hashes(words.values, length)
    page = np.repeat(np.arange(len(words)), words.lengths)[: len(hashes)]
    whole = room_on_page(words)[: len(hashes)] >= length
    return sorted_sets(page[whole], hashes[whole], len(words))


def judge(spun: Path, shingled: list[Pair], mixture: Mixture, options: "Options") -> Scores:
    """Score what both methods found."""
    rows = export_rows(spun, "pairs")
    found = [
        Pair(a, b, similarity, kind) for a, b, similarity, _, kind in rows if a.startswith(HOST) or b.startswith(HOST)
    ]
    methods = {
        "immutables": (found, sorted(options.thresholds)),
        "shingles": (shingled, sorted(options.shingle_thresholds)),
    }
    return score(mixture.planted, methods)


def write(output: Output, options: "Options", scores: Scores, found: dict[str, Any]) -> dict[str, Any]:
    """Write tables, figure and record."""

    def draw() -> Any:
        from hpcreuse.study.spin_figure import draw_spin

        return draw_spin(found)

    names = [column.name for column in FOUND]
    tables = [
        output.table("found", FOUND, [tuple(row[name] for name in names) for row in scores.found]),
        output.table("false", FALSE, scores.false),
    ]
    figures = output.figure("spin", draw)
    record = {
        name: [str(one) for one in value] if name == "spintax" else value
        for name, value in options_record(options).items()
    }
    output.record(record, found)
    return {"tables": tables, "figures": figures}
