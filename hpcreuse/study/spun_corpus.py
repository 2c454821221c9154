"""Articles, what is spun of them, and a background: put together into one run."""

import hashlib
import heapq
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hpcreuse.corpus.spelling import spell, words_of
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.crawl.pages import Limits
from hpcreuse.errors import StoreError
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.hashing import HashJob, hash_crawl
from hpcreuse.spin.filters import Filters
from hpcreuse.spin.method import keep_articles
from hpcreuse.spin.thesauri import read_synonyms
from hpcreuse.store import atomic
from hpcreuse.store.run import Run
from hpcreuse.study.setting import Setting
from hpcreuse.study.spinning import WAYS, spin_words, synonyms_of
from hpcreuse.study.spintax import render, templates

if TYPE_CHECKING:
    from hpcreuse.study.spin import Options

HOST = "http://spun.invalid/"
SPINTAX = "spintax"


class Planted(NamedTuple):
    """A page that was made: of which article, how. `original` pages are the articles themselves, as plain words."""

    spinning: str
    share: float
    seed: int
    version: int

    @property
    def url(self) -> str:
        """Its URL says all of it."""
        return f"{HOST}{self.spinning}/{self.share:g}/{self.seed}/{self.version}"

    @classmethod
    def parse(cls, url: str) -> "Planted | None":
        """Read it back; None of a page that was not made."""
        if not url.startswith(HOST):
            return None
        spinning, share, seed, version = url.removeprefix(HOST).split("/")
        return cls(spinning, float(share), int(seed), int(version))


ORIGINAL = "original"


@dataclass(frozen=True)
class Mixture:
    """A run with everything in it."""

    run: Path
    filters: Filters
    planted: list[Planted]
    seeds: int


def mix(world: World, articles: Path, folder: Path, options: "Options", setting: Setting, phases: Phases) -> Mixture:
    """Collective. Choose articles, spin them, and hash what comes of it into a run beside the articles."""
    filters = Filters(min_words=options.min_words or None, language=None)
    with phases("choose"):
        texts = choose_seeds(world, articles, filters, options, setting, phases)
    with phases("spin"):
        made = world.on_root(write_spun, folder / "spun.jsonl", texts, options)
        world.on_root(link_run, articles, folder / "run")
    job = HashJob(
        inputs=(str(folder / "spun.jsonl"), *options.background),
        run=folder / "run",
        options=world.on_root(Run.open, articles).options,
        text=True,
        limits=Limits(),
        url_prefix=None,
        memory=setting.memory,
        progress_seconds=setting.progress_seconds,
        fresh=False,
    )
    hash_crawl(world, job)
    return Mixture(folder / "run", filters, made, len({(one.spinning == SPINTAX, one.seed) for one in made}))


def choose_seeds(
    world: World, run: Path, filters: Filters, options: "Options", setting: Setting, phases: Phases
) -> list[list[str]]:
    """Collective. Draw articles by a hash of seed and URL, for which ranks do not matter; give their words."""
    corpus = TextCorpus.open(world, run, setting.memory // 4)
    pages, _ = keep_articles(corpus, filters, None, phases)
    drawn: list[tuple[str, str]] = []
    for block in corpus.mine:
        first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
        urls = [
            url.decode("utf-8", "surrogateescape") for url in corpus.urls(block).take(pages[first:last] - block.page)
        ]
        keyed = [(hashlib.sha1(f"{options.seed} {url}".encode("utf-8", "replace")).hexdigest(), url) for url in urls]
        drawn = heapq.nsmallest(options.seeds, {*drawn, *keyed})
    everyones = {one for part in world.comm.allgather(drawn) for one in part}
    chosen = [url for _, url in heapq.nsmallest(options.seeds, everyones)]
    if not chosen:
        raise StoreError(f"{run} has no page of {options.min_words} words and few links: nothing can be spun")
    words = words_of(world, corpus.catalog, set(chosen))
    return [words[url] for url in chosen]


def write_spun(path: Path, texts: list[list[str]], options: "Options") -> list[Planted]:
    """Spin, and write what comes of it as JSON lines; versions that came out alike are left out."""
    made: list[Planted] = []
    with atomic.atomic_path(path) as scratch, scratch.open("w", encoding="utf-8") as out:
        seen: set[tuple[bool, int, str]] = set()
        for planted, words in spun_pages(texts, options):
            text = " ".join(words)
            if len(words) >= options.min_words and (planted.spinning == SPINTAX, planted.seed, text) not in seen:
                seen.add((planted.spinning == SPINTAX, planted.seed, text))
                made.append(planted)
                out.write(json.dumps({"url": planted.url, "text": text}) + "\n")
    return made


def spun_pages(texts: list[list[str]], options: "Options") -> Iterator[tuple[Planted, list[str]]]:
    """Give the articles and all that is spun of them; every page has random choices of its own."""
    synonyms = synonyms_of(read_synonyms(options.synonyms))
    for seed, words in enumerate(texts):
        yield Planted(ORIGINAL, 0.0, seed, 0), words
        for name, way in WAYS.items():
            for share in options.shares:
                for version in range(options.versions):
                    planted = Planted(name, share, seed, version)
                    yield (
                        planted,
                        spin_words(words, synonyms, way, share, random.Random(f"{options.seed} {planted.url}")),
                    )
    for seed, template in enumerate(t for path in options.spintax for t in templates(read_template(path))):
        # As many as an article and its versions are
        for version in range(options.versions + 1):
            planted = Planted(SPINTAX, 1.0, seed, version)
            yield planted, spell([render(template, random.Random(f"{options.seed} {planted.url}"))])[0]


def read_template(path: Path) -> str:
    """Read a file of spintax."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StoreError(f"{path} cannot be read as spintax: {error.strerror}") from error


def link_run(run: Path, folder: Path) -> None:
    """Make a run of links to the shards of another, to add to it without touching that."""
    atomic.remove(folder)
    source = Run.open(run)
    source.must_have_text()
    Run.create(folder, source.options, text=True)
    for path in source.shard_paths():
        (folder / "shards" / path.name).symlink_to(path.resolve())
