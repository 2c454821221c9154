"""Memory that is freed stays with the process: arrays of the next pass find it ready.

The C library gives large blocks back to the system when they are freed and asks for them anew; each page then has to
be cleared and mapped again, which costs as much as sorting or sending what is put there.
"""

import ctypes
import sys

# Of glibc's malloc.h
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER = -1


def keep_freed_memory() -> None:
    """Tell the C library to keep what is freed; where it is not glibc, nothing changes but speed."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(M_MMAP_MAX, 0)
            mallopt(M_TRIM_THRESHOLD, NEVER)
