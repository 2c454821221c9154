"""Collects the words of the pages of a shard, with what else the text methods need of each page."""

from array import array
from typing import Any

import numpy as np

from hpcreuse.kernels import WordTable
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container

# What a word costs while its shard is written: its number, collected, renumbered and written
BYTES_PER_WORD = 20
BYTES_PER_FILE = 100

# Columns of strings with many repeats: each is written once, files have its number
NAMES = ("languages", "domains", "addresses")


class TextWriter:
    """Collects pages in crawl order; `write` sorts the words by hash."""

    def __init__(self) -> None:
        self.table = WordTable()
        self.words = bytearray()
        self.word_counts = array("q")
        self.links = array("q")
        self.link_words = array("q")
        self.names: dict[str, list[bytes]] = {name: [] for name in NAMES}

    def add(self, text: str, links: int, link_text: str, language: str, domain: str, address: str) -> None:
        """Note a page: its visible text, its links and what stands in them, where it comes from."""
        words = self.table.add(text.lower().encode("utf-8", "replace"))
        self.words += words.tobytes()
        self.word_counts.append(len(words))
        self.links.append(links)
        self.link_words.append(len(self.table.add(link_text.lower().encode("utf-8", "replace"))))
        for name, value in zip(NAMES, (language, domain, address), strict=True):
            self.names[name].append(value.encode("utf-8", "surrogateescape"))

    @property
    def nbytes(self) -> int:
        """Estimate the memory that collecting and writing will take."""
        words = len(self.words) // 4
        return words * BYTES_PER_WORD + 3 * self.table.nbytes + BYTES_PER_FILE * len(self.links)

    def write(self, group: Any) -> None:
        """Write everything collected."""
        hashes, texts, ends = self.table.vocabulary()
        words = np.frombuffer(self.words, np.uint32)
        # A link may begin inside a word: what is a word there only is none of the page
        used = np.flatnonzero(np.bincount(words, minlength=len(hashes)))
        order = used[np.argsort(hashes[used], kind="stable")]
        place = np.empty(len(hashes), np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        container.write_array(group, "word", place[words])
        starts = np.concatenate([[0], np.cumsum(np.array(self.word_counts, np.int64))])
        container.write_array(group, "word_start", starts.astype(np.int64))
        container.write_array(group, "hash", hashes[order])
        bounds = np.concatenate([[0], ends.astype(np.int64)])
        container.write_ragged(group, "spelling", Ragged(texts, bounds).take(order))
        container.write_array(group, "links", np.array(self.links, np.uint32))
        container.write_array(group, "link_words", np.array(self.link_words, np.uint32))
        for name, column in self.names.items():
            self._write_names(group, name, column)

    @staticmethod
    def _write_names(group: Any, name: str, column: list[bytes]) -> None:
        distinct = sorted(set(column))
        number = {string: i for i, string in enumerate(distinct)}
        container.write_ragged(group, name, Ragged.from_strings(distinct))
        container.write_array(group, f"{name}_number", np.array([number[string] for string in column], np.uint32))
