"""Sorts rows of a table over all ranks and asks for URLs of pages anywhere; prints nothing when all is well."""

import sys
from pathlib import Path

import numpy as np

from hpcreuse.corpus.ordering import TableSorter, sort_keys
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import start_world
from hpcreuse.store import findings
from hpcreuse.store.columns import Texts

run, out, memory = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
world = start_world()
corpus = TextCorpus.open(world, run, memory)
assert sorted(np.concatenate(world.comm.allgather([b.page for b in corpus.mine])).tolist()) == [
    block.page for block in corpus.blocks
]
scratch = world.on_root(findings.begin, out, "quilt")
sorter = TableSorter(world, scratch, "quilt", "quilts", memory)
everything = corpus.urls_of(np.arange(corpus.pages), memory)
for block in corpus.mine:
    pages = block.page + np.arange(len(block))
    urls, words = corpus.urls(block), corpus.words(block)
    # Made-up sources: so many of the pages that follow
    lengths = pages % 4
    sources = np.repeat(3 * pages, lengths) % corpus.pages
    assert list(everything.take(pages)) == list(urls)
    sorter.add(
        sort_keys(urls, pages),
        {
            "url": urls,
            "grams": words.lengths,
            "patch_grams": pages,
            "patchfrac": pages / 2,
            "sources": Texts.from_lengths(everything.take(sources % 5), lengths),
            "shares": Ragged.from_lengths((sources % 5) / 4, lengths),
        },
    )
rows = sorter.finish(Phases())
assert rows == corpus.pages, rows
world.on_root(findings.finish, out, "quilt", {}, {})
