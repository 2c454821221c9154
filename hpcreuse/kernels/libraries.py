"""Libraries that other packages bring along: used from there, no headers are needed to build the kernels."""

import ctypes


class Library:
    """A shared library, by the addresses of its functions."""

    def __init__(self, file: str, name: str, function: str):
        """Open what an extension module holds or is linked with; the system's library where that lacks a function.

        Raises:
            ImportError: where neither has it.
        """
        self._library = ctypes.CDLL(file)
        if not hasattr(self._library, function):
            # Starts other programs to find it, on every rank: only if need be
            from ctypes.util import find_library

            self._library = ctypes.CDLL(find_library(name))
            if not hasattr(self._library, function):
                raise ImportError(f"no lib{name} to be found")

    def address(self, function: str) -> int:
        """Give the address of a function."""
        found = ctypes.cast(getattr(self._library, function), ctypes.c_void_p).value
        assert found is not None
        return found
