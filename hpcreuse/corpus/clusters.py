"""Clusters of pages with their numbers: clusters are numbered by their smallest URL (DESIGN.md, "Tables")."""

import bisect
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.splitters import choose_splitters
from hpcreuse.parallel.spread import SpreadArray
from hpcreuse.parallel.world import World


class SortedList(list[bytes]):
    """Sorted keys of which some can be looked at."""

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the keys at these places."""
        return [self[place] for place in places]


def number_clusters(names: SpreadArray, pages: NDArray[np.int64], urls: Ragged) -> NDArray[np.int64]:
    """Collective. Give the number of the cluster, from 0, of each of this rank's clustered pages.

    Args:
        names: the smallest page of each page's cluster (`connected_components`).
        pages: this rank's pages that are in clusters; all ranks together bring each once.
        urls: theirs.
    """
    world = names.world
    cluster = names.get(pages)
    smallest = smallest_urls(world, names, cluster, urls)
    # In order of URL; clusters that share their smallest URL (captured twice) in order of their smallest page
    keys = SortedList(sorted(url + b"\0" + int(name).to_bytes(8, "big") for name, url in smallest.items()))
    splitters = choose_splitters(world, world.size, [keys])
    cuts = np.array([0, *(bisect.bisect_left(keys, splitter) for splitter in splitters), len(keys)])
    received = sorted(exchange_ragged(world, Ragged.from_strings(keys), cuts))
    first = world.comm.exscan(len(received)) or 0
    numbers = SpreadArray.full(world, names.length, np.iinfo(np.int64).max, names.round_bytes)
    numbered = np.array([int.from_bytes(key[-8:], "big") for key in received], np.int64)
    numbers.lower(numbered, first + np.arange(len(received)))
    return numbers.get(cluster)


def smallest_urls(world: World, names: SpreadArray, cluster: NDArray[np.int64], urls: Ragged) -> dict[int, bytes]:
    """Collective. Give the smallest URL of each cluster whose name lies in this rank's slice."""
    mine: dict[int, bytes] = {}
    for name, url in zip(cluster.tolist(), urls, strict=True):
        if name not in mine or url < mine[name]:
            mine[name] = url
    sorted_names = np.array(sorted(mine), np.int64)
    cuts = names.cuts(sorted_names)
    (found,), _ = exchange(world, [sorted_names], cuts, names.round_bytes)
    theirs = exchange_ragged(
        world, Ragged.from_strings([mine[name] for name in sorted_names.tolist()]), cuts, names.round_bytes
    )
    smallest: dict[int, bytes] = {}
    for name, url in zip(found.tolist(), theirs, strict=True):
        if name not in smallest or url < smallest[name]:
            smallest[name] = url
    return smallest
