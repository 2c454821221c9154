"""The ranks of a job: who am I, how many are we, and what to do when one of us fails."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from hpcreuse import signals
from hpcreuse.errors import HpcreuseError, ParallelError, Stopped
from hpcreuse.parallel.allocation import keep_freed_memory
from hpcreuse.parallel.segments import forget_names

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

# How long a rank sleeps at most between looks while it waits for others: they may need its core
NAP = 0.002


@dataclass
class World:
    """All ranks of the job, as seen from one of them."""

    comm: Any
    rank: int
    size: int
    _stop: list[str] = field(default_factory=list)
    sent_bytes: int = 0
    """What this rank has sent to others in exchanges,"""
    received_bytes: int = 0
    """and what it has received from them."""

    @property
    def root(self) -> bool:
        """Whether this is rank 0, the one that talks."""
        return self.rank == 0

    @property
    def stopping(self) -> bool:
        """Whether this rank was told to stop."""
        return bool(self._stop)

    def leave(self) -> None:
        """Take no more signals: one that meets a rank on its way out would kill it and hide its exit code, as would
        `srun -K`, which ends the rest when the first leaves with another code than 0.
        """
        signals.ignore(*signals.STOP_SIGNALS)

    def stop_if_asked(self) -> None:
        """Collective. Raise Stopped on every rank if any was told to stop."""
        told = self.comm.allgather(self._stop[0] if self._stop else "")
        reasons = sorted(set(filter(None, told)))
        if reasons:
            stopped = Stopped(f"stopped on {', '.join(reasons)}: run the same command again to go on")
            stopped.shared = True
            raise stopped

    def on_root(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Collective. Do something on rank 0 alone and give its outcome, or its error, to every rank."""
        outcome: tuple[Any, HpcreuseError | None] = (None, None)
        if self.root:
            try:
                outcome = (function(*args, **kwargs), None)
            except HpcreuseError as error:
                outcome = (None, error)
        self.wait()
        result, problem = self.comm.bcast(outcome)
        if problem is not None:
            problem.shared = True
            raise problem
        return result

    def on_root_only(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Collective. Do something on rank 0 and leave the outcome there; its error is everyone's."""
        kept: list[T] = []
        self.on_root(lambda: kept.append(function(*args, **kwargs)))
        return kept[0] if kept else None

    def map(self, function: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """Collective. Apply a function to each item, every rank to its slice, and give all outcomes to all."""
        mine = [function(item) for item in items[self.rank :: self.size]]
        everyones = self.comm.allgather(mine)
        return [everyones[i % self.size][i // self.size] for i in range(len(items))]

    def wait(self) -> None:
        """Collective. Wait for all without burning the core that others may need."""
        if self.size == 1:
            return
        request = self.comm.Ibarrier()
        naps = growing_naps()
        while not request.Test():
            time.sleep(next(naps))


def growing_naps() -> Iterator[float]:
    """Give how long to sleep before each look: shortly at first, for most waits are short."""
    nap = NAP / 64
    while True:
        yield nap
        nap = min(NAP, nap * 1.5)


def start_world() -> World:
    """Start MPI and look around.

    Raises ParallelError when there is no MPI library, or when the launcher started many processes and each believes
    to be alone.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ParallelError(
            f"no MPI library can be loaded: {error}. Set MPI4PY_LIBMPI to the site's libmpi.so (docs/clusters.md), "
            "or install one with `pip install 'hpcreuse[mpich]'`"
        ) from error

    world = World(MPI.COMM_WORLD, MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size(), signals.heard)
    # All have taken part in starting it, so all have what they share
    world.wait()
    forget_names()
    expected = launched_ranks()
    if expected > 1 and world.size == 1:
        raise ParallelError(
            f"{expected} processes were started but MPI sees one rank: each would do the whole job. "
            "The launcher and the MPI library do not fit. Under Slurm try `srun --mpi=pmi2` for MPICH or "
            "`srun --mpi=pmix` for Open MPI (`srun --mpi=list` shows what there is); else use the mpiexec of "
            "the library that `hpcreuse info` names"
        )
    signals.listen(*signals.STOP_SIGNALS)
    keep_freed_memory()
    return world


def launched_ranks() -> int:
    """Tell how many processes the launcher says it started."""
    for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 1
