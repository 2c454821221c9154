"""The hot loops: compiled where there was a compiler, else their plain twins. They know neither files nor MPI."""

from hpcreuse.kernels.plain import normalize_whitespace

try:
    from hpcreuse.kernels._blocks import separate_blocks
    from hpcreuse.kernels._scan import TagScanner
    from hpcreuse.kernels._search import find_sorted
    from hpcreuse.kernels._sha import range_digests
    from hpcreuse.kernels._signatures import signatures
    from hpcreuse.kernels._units import overlaps, unit_starts
    from hpcreuse.kernels._words import WordTable

    COMPILED = True
except ImportError:
    from hpcreuse.kernels.plain import (
        TagScanner,
        WordTable,
        find_sorted,
        overlaps,
        range_digests,
        separate_blocks,
        signatures,
        unit_starts,
    )

    COMPILED = False

__all__ = [
    "COMPILED",
    "TagScanner",
    "WordTable",
    "backend",
    "find_sorted",
    "normalize_whitespace",
    "overlaps",
    "range_digests",
    "separate_blocks",
    "signatures",
    "unit_starts",
]


def backend() -> str:
    """Tell which implementation of the kernels is in use."""
    return "compiled (Cython, libcrypto)" if COMPILED else "plain Python: no compiler was found when installing"
