"""The hot loops: compiled where there was a compiler, else their plain twins. They know neither files nor MPI."""

from hpcreuse.kernels.plain import normalize_whitespace

try:
    from hpcreuse.kernels._scan import TagScanner
    from hpcreuse.kernels._sha import range_digests

    COMPILED = True
except ImportError:
    from hpcreuse.kernels.plain import TagScanner, range_digests

    COMPILED = False

__all__ = ["COMPILED", "TagScanner", "backend", "normalize_whitespace", "range_digests"]


def backend() -> str:
    """Tell which implementation of the kernels is in use."""
    return "compiled (Cython, libcrypto)" if COMPILED else "plain Python: no compiler was found when installing"
