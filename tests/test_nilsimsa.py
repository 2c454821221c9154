"""Nilsimsa equals the published vectors, PyPI's package and its own plain twin; the nearest digest is the nearest."""

from pathlib import Path

import nilsimsa
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse import kernels
from hpcreuse.kernels import plain_nilsimsa as plain

WHOLE = np.zeros(1, np.uint32)
TEXTS = st.binary(max_size=40) | st.text(max_size=300).map(str.encode)
DIGESTS = st.lists(st.binary(min_size=32, max_size=32) | st.sampled_from([bytes(32), b"\xff" * 32]), max_size=20)


def test_published_documents_have_their_published_digests(shared_data: Path) -> None:
    for line in (shared_data / "lsh" / "nilsimsa-vectors.tsv").read_text().splitlines():
        name, size, digest = line.split("\t")
        document = (shared_data / "lsh" / "documents" / name).read_bytes()
        assert len(document) == int(size)
        assert kernels.range_nilsimsas(document, WHOLE).hex() == digest


@given(TEXTS)
def test_digests_equal_those_of_the_package_on_pypi(text: bytes) -> None:
    expected = bytes(nilsimsa.Nilsimsa(text).digest)
    assert plain.range_nilsimsas(text, WHOLE) == expected
    assert kernels.range_nilsimsas(text, WHOLE) == expected


@given(TEXTS, st.data())
def test_ranges_are_digested_one_by_one(text: bytes, data: st.DataObject) -> None:
    places = data.draw(st.sets(st.integers(0, max(0, len(text) - 1)), max_size=10)) if text else set()
    starts = np.array(sorted(places), np.uint32)
    assert kernels.range_nilsimsas(text, starts) == plain.range_nilsimsas(text, starts)


@given(DIGESTS, DIGESTS)
def test_the_nearest_is_that_of_the_twin_and_its_score_that_of_the_package(
    queries: list[bytes], table: list[bytes]
) -> None:
    asked, rows = (np.frombuffer(b"".join(many), np.uint8).reshape(-1, 32) for many in (queries, table))
    distances, places = kernels.nearest(asked, rows)
    for one, two in zip((distances, places), plain.nearest(asked, rows), strict=True):
        np.testing.assert_array_equal(one, two)
        assert one.dtype == two.dtype
    for query, distance in zip(queries, distances.tolist(), strict=True):
        scores = [nilsimsa.compare_digests(query.hex(), row.hex()) for row in table]
        assert 128 - distance == max(scores, default=-128)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(1, 2000))
def test_large_tables_are_searched_whole_and_ties_go_to_the_first(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.repeat(rng.integers(0, 256, (rows, 32), np.uint8), 2, axis=0)
    wanted = rng.integers(0, rows, 50)
    distances, places = kernels.nearest(table[2 * wanted + 1], table)
    assert not distances.any() and (places % 2 == 0).all()
    np.testing.assert_array_equal(places, 2 * wanted)


@pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were installed without a compiler")
def test_the_twins_are_not_what_is_tested() -> None:
    assert kernels.range_nilsimsas is not plain.range_nilsimsas and kernels.nearest is not plain.nearest
