"""How much memory a rank may use: what the user says, else its share of what the node gives."""

import os
import re
import resource
from collections.abc import Mapping
from pathlib import Path

from hpcreuse.parallel.cgroups import memory_limits
from hpcreuse.parallel.world import World

# Python, NumPy, HDF5 and MPI take some themselves, and others run on the node too
SHARE_OF_NODE = 0.5


def default_budget(world: World) -> int:
    """Collective. Share out what Slurm, the cgroup or the node allows among the ranks on this node."""
    from mpi4py import MPI

    node = world.comm.Split_type(MPI.COMM_TYPE_SHARED)
    neighbours = node.Get_size()
    node.Free()
    return int(node_memory() * SHARE_OF_NODE / neighbours)


def node_memory() -> int:
    """Tell the memory that this job may use on this node."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    found += slurm_memory(os.environ)
    found += memory_limits()
    return min(found)


def slurm_memory(environment: Mapping[str, str]) -> list[int]:
    """Tell the memory that Slurm gives on this node, if it says: --mem, or --mem-per-cpu times the job's CPUs."""

    def value(name: str) -> int:
        text = environment.get(name, "")
        return int(text) if text.isdigit() else 0

    # 0 means all of the node
    given = (value("SLURM_MEM_PER_NODE"), value("SLURM_MEM_PER_CPU") * value("SLURM_CPUS_ON_NODE"))
    return [megabytes << 20 for megabytes in given if megabytes]


def peak_resident() -> int:
    """Tell the largest resident size this process had so far.

    From the kernel's own account: getrusage starts with what the process that started this one had.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        status = ""
    if found := re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE):
        return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
