"""The kernels that bring equal digests together equal their plain twins; prefixes that clash are made on purpose."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_digests import DIGESTS, array

from hpcreuse import kernels
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels import plain_distinct
from hpcreuse.store.shard import Counted

RUNS = st.lists(DIGESTS.map(set).map(sorted), min_size=1, max_size=9)


def same(one: object, other: object) -> bool:
    """Compare arrays, numbers, and lists of them."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))  # type: ignore[arg-type]
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)  # type: ignore[arg-type]


@pytest.mark.parametrize("reduce", ["+<", "+<<>"])
@given(RUNS, st.integers(0, 3), st.integers(0, 1 << 30))
def test_merged_runs_are_those_of_the_twin(reduce: str, runs: list[list[bytes]], least: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    types = [random.choice([np.uint32, np.int64]) for _ in runs]
    parts = [
        [array(run), *(random.integers(0, 4, len(run)).astype(kind) for _ in reduce)]
        for run, kind in zip(runs, types, strict=True)
    ]
    assert same(kernels.merge_runs(parts, reduce, least), plain_distinct.merge_runs(parts, reduce, least))


@given(RUNS)
def test_merged_counts_are_those_of_a_counter(runs: list[list[bytes]]) -> None:
    ones = [Counted(array(run), *np.ones((2, len(run)), np.int64)) for run in runs]
    merged, unique = Counted.merge(ones, least=2)
    counter = Counter(digest for run in runs for digest in run)
    wanted = sorted((digest, count) for digest, count in counter.items() if count > 1)
    assert [(d.tobytes(), n) for d, n in zip(merged.digests, merged.counts.tolist(), strict=True)] == wanted
    assert unique == len(counter) - len(wanted)


def test_counts_beyond_32_bits_are_added_up() -> None:
    most = np.array([(1 << 32) - 1], np.uint32)
    merged, _ = Counted.merge([Counted.empty(20)] + [Counted(array([bytes(20)]), most, most)] * 3)
    assert (merged.counts.tolist(), merged.lengths.tolist()) == ([3 * ((1 << 32) - 1)], [(1 << 32) - 1])


@given(DIGESTS, st.integers(0, 1 << 30))
def test_numbers_of_distinct_digests_are_those_of_the_twin(digests: list[bytes], seed: int) -> None:
    digests = digests + digests[::2]
    lengths = np.random.default_rng(seed).integers(0, 9, len(digests)).astype(np.uint32)
    found = dg.number(array(digests), lengths)
    none = np.empty(0, np.uint64)
    assert same(tuple(found), plain_distinct.number_distinct(none, 0, array(digests), lengths))


@pytest.mark.parametrize("width", [8, 20, 32])
def test_many_digests_of_one_prefix_are_numbered(width: int) -> None:
    tails = np.random.default_rng(1).integers(0, 256, 3000)
    digests = [(b"\7" * 8 + bytes(width) + bytes([n]))[-width:] for n in tails]
    found = dg.number(array(digests, width), np.arange(3000, dtype=np.uint32))
    wanted = sorted(set(digests))
    assert [digest.tobytes() for digest in found.digests] == wanted
    assert found.numbers.tolist() == [wanted.index(digest) for digest in digests]
    assert found.lengths.tolist() == [digests.index(digest) for digest in wanted]


def test_two_digests_made_alike_on_purpose_do_not_hold_up_a_shard() -> None:
    """Chunks whose digests begin alike are soon found; a page may hold each as often as it likes, by turns."""
    pair = np.frombuffer(bytes(19) + b"\1" + bytes(19) + b"\0", np.uint8).reshape(2, 20)
    found = dg.number(np.tile(pair, (300_000, 1)), np.ones(600_000, np.uint32))
    assert found.digests.tolist() == pair[::-1].tolist()
    assert found.numbers.tolist() == [1, 0] * 300_000


FILES = st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=8)


@given(FILES, st.lists(st.integers(-1, 3), min_size=6, max_size=6), st.integers(0, 5), st.integers(0, 1 << 30))
def test_matches_are_those_of_the_twin(files: list[list[int]], labels: list[int], least: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    numbers = np.array([number for file in files for number in file], np.uint32)
    starts = np.cumsum([0, *map(len, files)])
    stopped, lengths = random.random(6) < 0.3, random.integers(0, 9, len(numbers)).astype(np.uint32)
    arguments = (numbers, starts, np.array(labels, np.int64), stopped, lengths, least)
    assert same(kernels.match_files(*arguments), plain_distinct.match_files(*arguments))
