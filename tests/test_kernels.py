"""The compiled kernels equal their plain twins, whatever the page."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hpcreuse import kernels
from hpcreuse.kernels import plain, plain_nesting

compiled = pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were installed without a compiler")

PIECES = st.sampled_from(
    [
        b"<p>",
        b"<P ",
        b"<div\t",
        b"<DiV/",
        b"<p",
        b"<",
        b"<pre>",
        b"<p\n",
        b"<d",
        b"<div",
        b"\r\n",
        b" \t ",
        b"text",
        b"\0",
    ]
)
PAGES = st.lists(PIECES | st.binary(max_size=5), max_size=60).map(b"".join)
TAGS = st.sampled_from([("p", "div"), ("p",), ("div", "p", "pre"), ("h1", "li")])
ENDS = st.sampled_from([b" \t>/", b" \t>/\n\r\f"])


def test_the_kernels_are_compiled_where_there_is_a_compiler() -> None:
    """This project's own machines have one: the plain twins must not serve unnoticed."""
    assert kernels.COMPILED


@compiled
@given(PAGES, TAGS, ENDS)
def test_tags_are_found_where_the_twin_finds_them(page: bytes, tags: tuple[str, ...], ends: bytes) -> None:
    assert kernels.TagScanner(tags, ends).starts(page).tolist() == plain.TagScanner(tags, ends).starts(page).tolist()


@compiled
def test_many_tags_are_found_in_a_large_page() -> None:
    page = b"<p>a" * 100_000
    assert kernels.TagScanner(("p",), b">").starts(page).tolist() == list(range(0, 400_000, 4))


@pytest.fixture(params=["AVX-512", "SHA-NI", "libcrypto"])
def sha1(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """SHA-1 in each of the ways that processors can do it."""
    from hpcreuse.kernels import _sha

    if request.param not in _sha.ENGINES:
        pytest.skip(f"this processor cannot take SHA-1 in {request.param}")
    monkeypatch.setattr(_sha, "ENGINE", request.param)


CutPages = list[tuple[bytes, bytes, NDArray[np.uint32]]]


def same_digests(pages: CutPages, digest: str) -> bool:
    """Tell whether kernel and twin agree."""
    found, wanted = kernels.page_digests(pages, digest), plain.page_digests(pages, digest)
    lengths = [(each[2].dtype, each[2].tolist()) for each in found]
    return [each[:2] for each in found] == [each[:2] for each in wanted] and lengths == [
        (np.dtype(np.uint32), each[2].tolist()) for each in wanted
    ]


@st.composite
def cut_pages(draw: st.DrawFn) -> tuple[bytes, bytes, NDArray[np.uint32]]:
    """A payload, a text, and some places in the text."""
    text = draw(PAGES)
    places = draw(st.sets(st.integers(0, len(text) - 1), max_size=10)) if text else set()
    return draw(st.binary(max_size=300)), text, np.array(sorted(places), np.uint32)


@compiled
@pytest.mark.usefixtures("sha1")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(cut_pages(), max_size=6), st.sampled_from(["sha1", "sha256"]))
def test_digests_equal_those_of_the_twin(pages: CutPages, digest: str) -> None:
    assert same_digests(pages, digest)


@compiled
@pytest.mark.usefixtures("sha1")
def test_digests_of_every_length_equal_those_of_the_twin() -> None:
    """Blocks of 64 bytes and their padding, in chunks that end before, with and behind the file; alone and together."""
    text = bytes(range(256)) * 3
    pages = []
    for length in range(300):
        pages.append((text[:length], text[: 299 - length], np.arange(0, 299 - length, 170, np.uint32)))
        pages.append((text, text[:length], np.arange(0, length, 70, np.uint32)))
    assert same_digests(pages, "sha1")
    assert all(same_digests([page], "sha1") for page in pages)


@compiled
@pytest.mark.usefixtures("sha1")
@pytest.mark.parametrize("messages", [0, 1, 2, 3, 9, 10, 15, 16, 17, 40])
def test_any_number_of_messages_of_any_lengths_is_hashed(messages: int) -> None:
    """Lanes run out of messages at different times, with many and with few of them left."""
    sizes = np.random.default_rng(messages).integers(0, 20_000, messages).tolist()
    assert same_digests([(os.urandom(size), b"", np.empty(0, np.uint32)) for size in sizes], "sha1")
    assert same_digests([(bytes(10_000), b"", np.empty(0, np.uint32))] * messages, "sha1")


@compiled
@given(cut_pages())
def test_ranges_are_normalised_as_the_twin_does(page: tuple[bytes, bytes, NDArray[np.uint32]]) -> None:
    found, wanted = kernels.normalize_ranges(*page[1:]), plain.normalize_ranges(*page[1:])
    assert (found[0], found[1].tolist()) == (wanted[0], wanted[1].tolist())


@compiled
@given(PAGES)
def test_normalisation_equals_that_of_the_twin(text: bytes) -> None:
    assert kernels.normalize_whitespace(text) == plain.normalize_whitespace(text)


@given(PAGES)
def test_normalisation_goes_in_the_order_of_the_rule(page: bytes) -> None:
    """A slow reading of CCR 4.4: runs of spaces and tabs, then CR and LF, then the ends."""
    out = bytearray()
    for number, byte in enumerate(page):
        if byte in b" \t":
            if number == 0 or page[number - 1] not in b" \t":
                out += b" "
        else:
            out.append(byte)
    wanted = bytes(byte for byte in out if byte not in b"\r\n").strip()
    assert kernels.normalize_whitespace(page) == plain.normalize_whitespace(page) == wanted
    assert kernels.normalize_ranges(page, np.zeros(1, np.uint32))[0] == wanted


MARKUP = st.sampled_from(
    b"<div> </div> <DIV > <b> </b> </B> <b\n> <font/size=1> <p> <a> <table> <svg> </svg> <select> </select> <script> "
    b"</script> </scripture> <style> </style> <title> <!-- --> --!> <!--> <!---> -> <!x <? </ </> > < = \" ' <i\ta= "
    b"<i/b ='>' x <longer-than-eight> </longer-than-eight> </longer-than-eigth>".split(b" ")
) | st.sampled_from([b" ", b"\n", b" = ", b' "', b"='"])


@compiled
@given(st.lists(MARKUP | st.binary(max_size=2), max_size=80).map(b"".join), st.sampled_from([0, 500, 10**9]))
def test_the_work_of_parsing_is_bounded_as_the_twin_does(page: bytes, most: int) -> None:
    assert kernels.parsing_work(page, most) == plain_nesting.parsing_work(page, most)
