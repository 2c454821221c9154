"""The compiled kernels equal their plain twins, whatever the page."""

import hashlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


@pytest.fixture(params=["side by side", "libcrypto"])
def sha1(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """SHA-1 as this processor can do it, and as all can."""
    from hpcreuse.kernels import _sha

    if request.param == "libcrypto":
        monkeypatch.setattr(_sha, "sha1_beside", None)
    elif _sha.sha1_beside is None:
        pytest.skip("this processor has no SHA instructions")


def same_digests(payload: bytes, text: bytes, starts: list[int], normalized: bool, digest: str) -> bool:
    """Tell whether kernel and twin agree."""
    places = np.array(starts, np.uint32)
    found = kernels.page_digests(payload, text, places, normalized, digest)
    wanted = plain.page_digests(payload, text, places, normalized, digest)
    return found[:2] == wanted[:2] and found[2].dtype == np.uint32 and found[2].tolist() == wanted[2].tolist()


@compiled
@pytest.mark.usefixtures("sha1")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), PAGES, st.booleans(), st.sampled_from(["sha1", "sha256"]), st.data())
def test_digests_equal_those_of_the_twin(
    payload: bytes, text: bytes, normalized: bool, digest: str, data: st.DataObject
) -> None:
    places = data.draw(st.sets(st.integers(0, max(0, len(text) - 1)), max_size=10)) if text else set()
    assert same_digests(payload, text, sorted(places), normalized, digest)


@compiled
@pytest.mark.usefixtures("sha1")
def test_digests_of_every_length_equal_those_of_the_twin() -> None:
    """Blocks of 64 bytes and their padding, in chunks that end before, with and behind the file."""
    text = bytes(range(256)) * 3
    for length in range(300):
        assert same_digests(text[:length], text[: 299 - length], [*range(0, 299 - length, 170)], False, "sha1")
        assert same_digests(text, text[:length], [*range(0, length, 70)], False, "sha1")


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
    starts = np.zeros(1, np.uint32)
    if page:
        assert kernels.page_digests(b"", page, starts, True, "sha1")[1] == hashlib.sha1(wanted).digest()


MARKUP = st.sampled_from(
    b"<div> </div> <DIV > <b> </b> </B> <b\n> <font/size=1> <p> <a> <table> <svg> </svg> <select> </select> <script> "
    b"</script> </scripture> <style> </style> <title> <!-- --> --!> <!--> <!---> -> <!x <? </ </> > < = \" ' <i\ta= "
    b"<i/b ='>' x <longer-than-eight> </longer-than-eight> </longer-than-eigth>".split(b" ")
) | st.sampled_from([b" ", b"\n", b" = ", b' "', b"='"])


@compiled
@given(st.lists(MARKUP | st.binary(max_size=2), max_size=80).map(b"".join), st.sampled_from([0, 500, 10**9]))
def test_the_work_of_parsing_is_bounded_as_the_twin_does(page: bytes, most: int) -> None:
    assert kernels.parsing_work(page, most) == plain_nesting.parsing_work(page, most)
