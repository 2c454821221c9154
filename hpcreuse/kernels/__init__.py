"""The hot loops: compiled where there was a compiler, else their plain twins. They know neither files nor MPI."""

try:
    from hpcreuse.kernels._blocks import separate_blocks
    from hpcreuse.kernels._cover import greedy_covers
    from hpcreuse.kernels._dealing import collect, deal
    from hpcreuse.kernels._gather import gather
    from hpcreuse.kernels._grams import page_grams
    from hpcreuse.kernels._heads import http_head, warc_head
    from hpcreuse.kernels._matching import match_files
    from hpcreuse.kernels._merge import merge_runs
    from hpcreuse.kernels._nearest import nearest
    from hpcreuse.kernels._nesting import parsing_work
    from hpcreuse.kernels._nilsimsa import range_nilsimsas
    from hpcreuse.kernels._numbering import number_distinct
    from hpcreuse.kernels._repeats import may_repeat
    from hpcreuse.kernels._scan import TagScanner
    from hpcreuse.kernels._search import find_sorted
    from hpcreuse.kernels._sha import ENGINE, page_digests
    from hpcreuse.kernels._signatures import signatures
    from hpcreuse.kernels._terms import page_terms
    from hpcreuse.kernels._units import overlaps, unit_starts
    from hpcreuse.kernels._whitespace import normalize_ranges, normalize_whitespace
    from hpcreuse.kernels._words import WordTable

    COMPILED = True
except ImportError:
    from hpcreuse.kernels.plain import (
        TagScanner,
        WordTable,
        find_sorted,
        normalize_ranges,
        normalize_whitespace,
        overlaps,
        page_digests,
        separate_blocks,
        signatures,
        unit_starts,
    )
    from hpcreuse.kernels.plain_distinct import match_files, merge_runs, number_distinct
    from hpcreuse.kernels.plain_grams import greedy_covers, page_grams
    from hpcreuse.kernels.plain_heads import http_head, warc_head
    from hpcreuse.kernels.plain_nesting import parsing_work
    from hpcreuse.kernels.plain_nilsimsa import nearest, range_nilsimsas
    from hpcreuse.kernels.plain_repeats import collect, deal, may_repeat
    from hpcreuse.kernels.plain_terms import gather, page_terms

    COMPILED, ENGINE = False, "hashlib"

try:
    from hpcreuse.kernels._members import MemberInflater

    INFLATE = "libdeflate"
except ImportError:
    from hpcreuse.kernels.plain_members import MemberInflater

    INFLATE = "ISA-L"

__all__ = [
    "COMPILED",
    "INFLATE",
    "MemberInflater",
    "TagScanner",
    "WordTable",
    "backend",
    "collect",
    "deal",
    "find_sorted",
    "gather",
    "greedy_covers",
    "http_head",
    "match_files",
    "may_repeat",
    "merge_runs",
    "nearest",
    "normalize_ranges",
    "normalize_whitespace",
    "number_distinct",
    "overlaps",
    "page_digests",
    "page_grams",
    "page_terms",
    "parsing_work",
    "range_nilsimsas",
    "separate_blocks",
    "signatures",
    "unit_starts",
    "warc_head",
]


def backend() -> str:
    """Tell which implementation of the kernels is in use."""
    if not COMPILED:
        return "plain Python: no compiler was found when installing"
    return f"compiled (Cython, {INFLATE}, SHA-1 by {ENGINE})"
