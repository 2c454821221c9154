"""Connected components of hard graphs, against union-find; and clusters numbered by their smallest URL."""

import sys

import numpy as np

from hpcreuse.corpus.clusters import number_clusters
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.components import connected_components, shuffled, spanning_edges, unshuffled
from hpcreuse.parallel.world import start_world

world = start_world()
random = np.random.default_rng(int(sys.argv[1]))


def slow_components(vertices: int, edges: np.ndarray) -> list[int]:
    """Union-find, the smallest vertex as root."""
    parent = list(range(vertices))

    def find(v: int) -> int:
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]
        return v

    for a, b in edges.tolist():
        a, b = find(a), find(b)
        parent[max(a, b)] = min(a, b)
    return [find(v) for v in range(vertices)]


def check(name: str, vertices: int, edges: np.ndarray) -> None:
    edges = edges.astype(np.int64).reshape(-1, 2)
    mine = edges[random.integers(0, world.size, len(edges)) == world.rank]
    found = connected_components(world, vertices, mine[:, 0], mine[:, 1], round_bytes=1000)
    fewer = connected_components(world, vertices, *spanning_edges(mine[:, 0], mine[:, 1]))
    assert np.array_equal(found.mine, fewer.mine), f"{name}: spanning edges join something else"
    everyones = np.concatenate(world.comm.allgather(found.mine))
    expected = np.array(slow_components(vertices, edges), np.int64)
    assert np.array_equal(everyones, expected), f"{name}: components differ"
    members = np.flatnonzero(np.bincount(expected, minlength=vertices)[expected] > 1)
    # Some URLs stand twice, even in different clusters
    url = {int(v): b"http://h/%d" % (int(v) * 7919 % max(1, vertices - 3)) for v in members}
    own = members[np.arange(len(members)) % world.size == world.rank]
    numbers = number_clusters(found, own, Ragged.from_strings([url[int(v)] for v in own]))
    order = sorted(
        {int(c) for c in expected[members]}, key=lambda c: (min(url[int(v)] for v in members if expected[v] == c), c)
    )
    place = {cluster: number for number, cluster in enumerate(order)}
    assert numbers.tolist() == [place[int(expected[v])] for v in own], f"{name}: numbers differ"


n = 300
line = np.arange(n - 1)
shuffle = random.permutation(n)
check("none", 7, np.empty((0, 2)))
check("no vertices", 0, np.empty((0, 2)))
check("loop", 3, np.array([[1, 1]]))
check("chain", n, np.stack([line, line + 1], 1))
check("shuffled chain", n, shuffle[np.stack([line, line + 1], 1)])
check("star", n, np.stack([np.full(n - 1, n - 1), line], 1))
check("star twice", n, np.tile(np.stack([np.zeros(n - 1), line + 1], 1), (2, 1)))
check("complete", 40, np.argwhere(np.ones((40, 40))))
check(
    "comb",
    n,
    np.concatenate([np.stack([line[:149], line[:149] + 1], 1), np.stack([np.arange(150), np.arange(150) + 150], 1)]),
)
check("pairs", n, np.stack([np.arange(0, n, 2), np.arange(1, n, 2)], 1))
for density in (0.2, 0.5, 1.0, 3.0):
    check(f"random {density}", n, random.integers(0, n, (int(density * n), 2)))
some = random.integers(0, 1 << 62, 1000)
for number in range(5):
    assert np.array_equal(unshuffled(shuffled(some, number), number), some)

# Large components of any shape take few rounds: each at least halves, in the mean, what is left
calls = 0


class Counting:
    """A communicator that counts the reductions: one per round, and one per step of compressing in it."""

    def __init__(self, comm: object):
        self.comm = comm

    def __getattr__(self, name: str) -> object:
        global calls
        calls += name == "allreduce"
        return getattr(self.comm, name)


world.comm = Counting(world.comm)
many = 1 << 14
line = np.arange(many - 1)
graphs = {
    "chain": np.stack([line, line + 1], 1),
    "shuffled chain": random.permutation(many)[np.stack([line, line + 1], 1)],
    "star": np.stack([np.full(many - 1, 77), line + (line >= 77)], 1),
    "giant": np.concatenate(
        [random.integers(0, many, (2 * many, 2)), np.stack([line[: many // 2], line[: many // 2] + 1], 1)]
    ),
    "tree": np.stack([(line + 1) // 2, line + 1], 1),
}
for name, edges in graphs.items():
    calls = 0
    mine = edges[np.arange(len(edges)) % world.size == world.rank]
    found = connected_components(world, many, mine[:, 0], mine[:, 1])
    # 14 rounds halve 2^14 to one; compressing takes no more steps than the logarithm of a tree's depth
    assert calls <= 14 * 6, f"{name}: {calls} reductions"
    everyones = np.concatenate(world.comm.allgather(found.mine))
    assert np.array_equal(everyones, np.array(slow_components(many, edges))), f"{name}: components differ"
