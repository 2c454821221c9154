"""Work is shared out while it is done: whoever is free takes the next item from rank 0, which works too.

Rank 0 serves the others between its own pages (`attend`), so nobody waits longer than one page takes,
and no rank is lost to mastering. Give the largest items first: the small ones then fill the gaps at the end.
"""

import heapq
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from hpcreuse.parallel.world import NAP, World

T = TypeVar("T")

ASK, NEWS, ANSWER = 1, 2, 3


class WorkQueue(Generic[T]):
    """Collective. Iterate on every rank over a share of the items; call `attend` often while working, not after."""

    def __init__(self, world: World, items: Sequence[T] | None, news_seconds: float = 1.0):
        """Begin sharing out.

        Args:
            items: on rank 0 all items in the order to hand them out; ignored elsewhere.
            news_seconds: how often the other ranks report how far they are.
        """
        self.world = world
        # Its own communicator: who is done early may ask the next queue before others have left this one
        self.comm = world.comm.Dup()
        self.items: deque[T] = deque(items or ())
        self.news: dict[int, Any] = {}
        """On rank 0: what each rank reported last."""
        self.idle = 0
        self._news_seconds = news_seconds
        self._news_due = 0.0
        self._answer: Any = None
        """Of the other ranks: what rank 0 will answer, when it was asked."""

    def __iter__(self) -> Iterator[T]:
        while (item := self._take()) is not None:
            yield item
        if self.world.root:
            # The others still need answers
            while self.idle < self.world.size - 1:
                self.attend(None)
                time.sleep(NAP)
        self.comm.Free()

    def attend(self, news: Any) -> None:
        """Serve whoever asks (rank 0), or report how far this rank is (the others)."""
        if self.world.root:
            self.news[0] = news if news is not None else self.news.get(0)
            while self.world.size > 1 and self._serve_one():
                pass
        elif time.monotonic() >= self._news_due:
            self._news_due = time.monotonic() + self._news_seconds
            self.comm.send(news, dest=0, tag=NEWS)

    def ask(self) -> None:
        """Ask for the next item ahead of time, before some work that ends this one: the answer comes meanwhile."""
        if self.world.root:
            self.attend(None)
        elif self._answer is None:
            self.comm.send(self.world.stopping, dest=0, tag=ASK)
            self._answer = self.comm.irecv(source=0, tag=ANSWER)

    def _take(self) -> T | None:
        """Get the next item, or None when there is no more or the job is to stop."""
        if self.world.root:
            if self.world.stopping:
                self.items.clear()
            return self.items.popleft() if self.items else None
        self.ask()
        while True:
            done, item = self._answer.test()
            if done:
                self._answer = None
                return item
            time.sleep(NAP / 10)

    def _serve_one(self) -> bool:
        """Take one message, if there is one."""
        from mpi4py import MPI

        status = MPI.Status()
        if not self.comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG, status):
            return False
        source, tag = status.Get_source(), status.Get_tag()
        message = self.comm.recv(source=source, tag=tag)
        if tag == NEWS:
            self.news[source] = message
            return True
        if message or self.world.stopping:
            self.items.clear()
        item = self.items.popleft() if self.items else None
        self.idle += item is None
        self.comm.send(item, dest=source, tag=ANSWER)
        return True


def assign(world: World, costs: Sequence[int]) -> list[int]:
    """Give this rank's share of items with known costs, the same on every call: the largest first, each to the
    rank with the least so far. Every rank must know all costs.
    """
    loads = [(0, rank) for rank in range(world.size)]
    mine = []
    for number in sorted(range(len(costs)), key=lambda i: (-costs[i], i)):
        load, rank = loads[0]
        heapq.heapreplace(loads, (load + costs[number] + 1, rank))
        if rank == world.rank:
            mine.append(number)
    return sorted(mine)
