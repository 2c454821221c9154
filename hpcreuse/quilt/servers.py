"""Who serves a page: its registered domain or its address, as a number (`--foreign`, QUILT section 3)."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from hpcreuse.quilt.pages import Pages
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText

NAMES = {"domain": "domains", "ip": "addresses"}

# The number of a server that is not known
UNKNOWN = 0


def servers_of(pages: Pages, foreign: str) -> NDArray[np.uint64]:
    """Give a number for the server of each page of this rank; without `--foreign` all are 0."""
    servers = np.zeros(len(pages), np.uint64)
    if foreign == "none":
        return servers
    catalog = pages.corpus.catalog
    for number in sorted({block.shard for block in pages.corpus.mine}):
        with Shard.open(catalog.shards[number].path) as shard:
            name, names = ShardText(shard).names(NAMES[foreign])
        numbers = np.array([server_number(one) for one in names], np.uint64)
        first, last = np.searchsorted(pages.numbers, catalog.first_file[number : number + 2])
        servers[first:last] = numbers[name[pages.numbers[first:last] - catalog.first_file[number]]]
    return servers


def server_number(name: bytes) -> int:
    """Number a server: a 64-bit hash of its name, 0 of no name."""
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little") | 1 if name else UNKNOWN
