"""What lies on disk: shards, counts, labels, results; versions; atomic writes."""

import platform
from contextlib import suppress

# h5py asks `platform` for the name of the machine, which for that runs the program `uname -p`: a process more on each
# of all ranks, from one in which MPI has begun. Only the processor's name comes from it, and nobody needs that.
with suppress(AttributeError, TypeError):
    vars(platform.uname()).setdefault("processor", "")
