"""What a job makes of each block of pages and needs again: in memory while there is room, else on disk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.imatch.terms import BlockTerms, read_terms
from hpcreuse.store.columns import Rows
from hpcreuse.store.findings import read_part, write_part


class Spooled:
    """A corpus with what this job keeps of its blocks, until it is done."""

    def __init__(self, corpus: TextCorpus, folder: Path, memory: int):
        """Keep so many bytes in memory; the folder is for the rest."""
        self.corpus, self.folder, self.room = corpus, folder, memory
        self._terms: dict[int, BlockTerms] = {}
        self._rows: dict[Path, Rows] = {}

    def terms(self, block: Block) -> BlockTerms:
        """Give the terms of a block's pages; what there is no room for is read again each time."""
        known = self._terms.get(block.page)
        if known is None:
            known = read_terms(self.corpus, block)
            if self._takes(known.nbytes):
                self._terms[block.page] = known
        return known

    def keep(self, block: Block, name: str, rows: Rows) -> None:
        """Put rows of a block away under a name."""
        if self._takes(rows.nbytes):
            self._rows[self._path(block, name)] = rows
        else:
            write_part(self._path(block, name), rows)

    def kept(self, block: Block, name: str, types: Mapping[str, Any]) -> Rows:
        """Give the rows back."""
        path = self._path(block, name)
        return self._rows[path] if path in self._rows else read_part(path, types)

    def _takes(self, nbytes: int) -> bool:
        """Take room in memory, if there is so much."""
        fits = nbytes <= self.room
        self.room -= nbytes if fits else 0
        return fits

    def _path(self, block: Block, name: str) -> Path:
        return self.folder / f"{name}-{block.page:012d}.h5"
