"""HDF5 files on disks that may fill up.

After a failed write the HDF5 library can neither go on nor close the file: it prints tracebacks and crashes at the
end of the process. So it never learns of one: what it writes goes through a file of ours that keeps the first error
and takes all that follows for written. The error is raised when the library has closed the file.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py


class Sink(io.FileIO):
    """A file whose writes never fail; `error` says whether one did."""

    error: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write all of it, or keep why it cannot be."""
        view = memoryview(data).cast("B")
        size = len(view)
        try:
            while view and self.error is None:
                view = view[super().write(view) :]
        except OSError as error:
            self.error = error
        return size

    def truncate(self, size: int | None = None, /) -> int:
        """Set the size of the file."""
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return size or 0


@contextmanager
def create_hdf5(path: Path, library_version: str) -> Iterator[h5py.File]:
    """Create an HDF5 file; raises OSError when it could not be written whole."""
    with Sink(path, "w+") as sink:
        try:
            with h5py.File(sink, "w", libver=library_version) as file:
                yield file
        except Exception:
            # With parts of the file missing the library may well complain; the cause is what counts
            if sink.error is None:
                raise
        if sink.error is not None:
            raise sink.error
