"""HDF5 files of ours: arrays with checksums, and a header that says what made them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.atomic import atomic_path
from hpcreuse.store.sink import create_hdf5
from hpcreuse.version import __version__

# Object headers of this generation carry their own checksums; ours cover the data. Text of variable length
# would lie in a heap without any: attributes are of fixed length
LIBRARY_VERSION = "v110"

# What h5py raises, depending on where in a file the damage is
DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, MemoryError)


@contextmanager
def create(path: Path, format_name: str, version: int, header: Mapping[str, Any]) -> Iterator[h5py.File]:
    """Create an HDF5 file atomically; `header` must be writable as JSON."""
    with atomic_path(path) as scratch, create_hdf5(scratch, LIBRARY_VERSION) as file:
        text = json.dumps(header, sort_keys=True).encode()
        file.attrs["format"] = np.bytes_(format_name.encode())
        file.attrs["version"] = version
        file.attrs["creator"] = np.bytes_(f"hpcreuse {__version__}".encode())
        file.attrs["header"] = np.bytes_(text)
        file.attrs["crc32"] = isal_zlib.crc32(text)
        yield file


@contextmanager
def open_container(path: Path, format_name: str, version: int) -> Iterator[h5py.File]:
    """Open one of our files for reading, after a check that it is what it should be."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not {format_name}")
    try:
        file = h5py.File(path, "r", locking=False)
    except FileNotFoundError:
        raise StoreError(f"{path} does not exist") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read as HDF5 ({error}): damaged, or not made by hpcreuse") from error
    with file:
        try:
            _must_be(file, path, format_name, version)
        except DAMAGE as error:
            raise StoreError(f"{path} is damaged ({error}): make it anew") from error
        try:
            yield file
        except (OSError, RuntimeError, KeyError) as error:
            # HDF5 says so in its own words; anything else is not about this file
            if "Unable to" in str(error) or "Can't" in str(error):
                raise StoreError(f"{path} is damaged ({error}): make it anew") from error
            raise


def _must_be(file: h5py.File, path: Path, format_name: str, version: int) -> None:
    found = text_of(file, "format")
    if found == "hpcreuse filter" and found != format_name:
        raise StoreError(
            f"{path} was made with `label --compact` and serves only `check`: give the labels that it was made of"
        )
    if found != format_name:
        raise StoreError(f"{path} is not {format_name} but {found or 'a foreign HDF5 file'}")
    if file.attrs["version"] != version:
        raise StoreError(
            f"{path} has format version {file.attrs['version']}, this hpcreuse reads version {version}: "
            f"use the hpcreuse that wrote it ({text_of(file, 'creator')}) or make it anew"
        )
    header = text_of(file, "header")
    if header is None or isal_zlib.crc32(header.encode()) != file.attrs.get("crc32", -1):
        raise StoreError(f"{path} is damaged: its header does not fit its checksum. Make it anew")


def text_of(file: h5py.File, name: str) -> str | None:
    """Give an attribute of the file as text."""
    value = file.attrs.get(name)
    return value.decode() if isinstance(value, bytes) else value


def read_header(file: h5py.File) -> dict[str, Any]:
    """Give the header that `create` stored."""
    header: dict[str, Any] = json.loads(file.attrs["header"])
    return header


def write_array(group: h5py.Group, name: str, array: NDArray) -> None:
    """Write an array contiguously with its checksum: digests do not compress."""
    array = np.ascontiguousarray(array)
    dataset = group.create_dataset(name, data=array)
    dataset.attrs["crc32"] = isal_zlib.crc32(array)


def write_ragged(group: h5py.Group, name: str, strings: Ragged) -> None:
    """Write strings as a blob and offsets."""
    write_array(group, name, strings.values)
    write_array(group, name + "_offsets", strings.offsets)


def read_ragged(group: h5py.Group, name: str, first: int = 0, last: int | None = None) -> Ragged:
    """Read strings first to last-1 back."""
    offsets = group[name + "_offsets"]
    last = len(offsets) - 1 if last is None else last
    bounds = offsets[first : last + 1]
    return Ragged(group[name][bounds[0] : bounds[-1]], bounds - bounds[0])


def map_array(group: h5py.Group, name: str) -> NDArray:
    """Map an array into memory instead of reading it: what is not looked at costs nothing, and processes share it."""
    dataset = group[name]
    place = dataset.id.get_offset()
    if place is None:
        # Empty, or not contiguous
        array: NDArray = dataset[:]
        return array
    # As a plain array: each look at a memmap makes another one
    return np.asarray(np.memmap(group.file.filename, dataset.dtype, "r", place, dataset.shape))


def map_ragged(group: h5py.Group, name: str) -> Ragged:
    """Map strings into memory."""
    return Ragged(map_array(group, name), map_array(group, name + "_offsets"))
