"""hpcreuse info: what is installed and how it was built, for a bug report."""

import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import option
from hpcreuse.version import __version__

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "print versions, MPI library, HDF5, kernels and CPU features, for a bug report"
EXAMPLES = """\
  hpcreuse info
  mpiexec -n 4 hpcreuse info --json
  hpcreuse info --imports     (what starting each verb asks of the file system)
"""

PACKAGES = ("mpi4py", "numpy", "h5py", "isal", "selectolax", "warcio", "mpich", "pyarrow", "matplotlib")
CPU_FLAGS = ("sha_ni", "avx2", "avx512f", "bmi2")


@dataclass(frozen=True)
class Options:
    """What `info` takes."""

    imports: bool = option("count the files that each verb opens at its start", False)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Gather what there is to say."""
    return {"starts": world.on_root(starts)} if options.imports else installed(world, shared)


def starts() -> dict[str, dict[str, Any]]:
    """Start every verb and count."""
    from hpcreuse.startup.count import count_starts

    return count_starts()


def installed(world: "World", shared: SharedOptions) -> dict[str, Any]:
    """Collective. Tell versions and the machine."""
    import h5py
    from mpi4py import MPI

    from hpcreuse.commands.jobs import memory_budget
    from hpcreuse.kernels import backend

    nodes = world.comm.allgather(MPI.Get_processor_name())
    return {
        "hpcreuse": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "cpu": cpu(),
        "packages": {name: version_of(name) for name in PACKAGES},
        "mpi_library": MPI.Get_library_version().splitlines()[0].strip("\0 "),
        "mpi_standard": ".".join(map(str, MPI.Get_version())),
        "hdf5": h5py.version.hdf5_version,
        "kernels": backend(),
        "ranks": world.size,
        "nodes": sorted(set(nodes)),
        "memory_per_rank": memory_budget(world, shared),
    }


def cpu() -> str:
    """Name the processor and which of the features we use it has."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    values = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = values.get("flags", "").split()
    return f"{values.get('model name', 'unknown')} ({', '.join(f for f in CPU_FLAGS if f in flags)})"


def version_of(package: str) -> str:
    """Give the version of a package, or say that it is not there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say it all."""
    if "starts" in summary:
        return start_lines(summary["starts"])
    from hpcreuse.parallel.progress import size

    packages = [(name, version) for name, version in summary["packages"].items()]
    plain = [(k.replace("_", " "), str(summary[k])) for k in ("hpcreuse", "python", "system", "cpu")]
    mpi = [(k.replace("_", " "), str(summary[k])) for k in ("mpi_library", "mpi_standard", "hdf5", "kernels", "ranks")]
    tail = [("nodes", ", ".join(summary["nodes"])), ("memory per rank", size(summary["memory_per_rank"]))]
    return [*plain, *packages, *mpi, *tail]


START_COLUMNS = ("modules", "files", "libraries", "stats", "listings", "processes")


def start_lines(starts: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Show what every verb asks of the file system before it does anything."""
    head = "".join(f"{name:>11}" for name in START_COLUMNS) + f"{'ms':>8}"
    rows = [
        (verb, "".join(f"{found[name]:>11,}" for name in START_COLUMNS) + f"{1000 * found['seconds']:>8,.0f}")
        for verb, found in starts.items()
    ]
    return [
        ("start of", head),
        *rows,
        ("", ""),
        ("files", "opened: modules, libraries, what they read; stats and listings: asked by imports. On each rank."),
    ]
