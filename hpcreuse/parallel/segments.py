"""Leave no shared memory behind, however a job ends.

MPICH 5 names the memory that ranks of a node share after the job's number and step, and removes it only when a job ends
well. What a killed job left, the same job requeued on that node would take for its own: it fails in MPI_Init, or hangs.
"""

from contextlib import suppress
from pathlib import Path

FOLDER = "/dev/shm/"
NAMES = ("mpich_shm_", "mpich_vci_")


def forget_names() -> None:
    """Remove the names of the shared memory of this rank, once all ranks have it: the memory itself lives on until
    its last user is gone.
    """
    for path in named_segments():
        # Another rank of this node may have been first
        with suppress(OSError):
            path.unlink()


def named_segments() -> set[Path]:
    """Find which of the segments that MPICH names this process has in its memory."""
    try:
        lines = Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        # Not Linux
        return set()
    paths = {Path(line[line.index(FOLDER) :]) for line in lines if FOLDER in line}
    return {path for path in paths if path.name.startswith(NAMES)}
