"""HTTP responses: header, transfer encoding, content encoding."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse.crawl.encodings import Undecodable
from hpcreuse.crawl.http import MAX_HEADER, dechunk, read_response

LIMIT = 1 << 20
TEXT = b"<html><p>some text that repeats, some text that repeats</p></html>" * 5


def payload(block: bytes, limit: int = LIMIT) -> bytes:
    return read_response(block, 0, len(block), limit).payload


def response(body: bytes, *headers: str, newline: bytes = b"\r\n") -> bytes:
    lines = [b"HTTP/1.1 200 OK", *(header.encode("latin-1") for header in headers), b"", b""]
    return newline.join(lines) + body


def raw_deflate(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-15)
    return coder.compress(data) + coder.flush()


CODINGS = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "GZIP": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "deflate ": raw_deflate(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
    "identity": TEXT,
    "none": TEXT,
    "utf-8": TEXT,
    "": TEXT,
}


@pytest.mark.parametrize("coding", CODINGS)
def test_content_codings_are_removed(coding: str) -> None:
    assert payload(response(CODINGS[coding], f"Content-Encoding: {coding}")) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate", "br", "zstd", "br, gzip"])
def test_a_body_that_was_stored_decoded_is_taken_as_it_is(coding: str) -> None:
    assert payload(response(TEXT, f"Content-Encoding: {coding}")) == TEXT
    assert payload(response(b"", f"Content-Encoding: {coding}")) == b""


@pytest.mark.parametrize("first", [chr(code) for code in range(33, 127)])
@pytest.mark.parametrize("coding", ["deflate", "br"])
def test_text_of_any_beginning_is_not_mistaken_for_a_coding_without_magic(first: str, coding: str) -> None:
    for text in (b'"a": [1, 2, 3], "text": "words"}', b"html>\n<p>words</p>", b"onst x = 1;\nfunction f() {}"):
        body = first.encode() + text * 3
        assert payload(response(body, f"Content-Encoding: {coding}")) == body


def test_two_headers_count_as_one_list() -> None:
    body = zlib.compress(gzip.compress(TEXT))
    assert payload(response(body, "Content-Encoding: gzip", "content-encoding: deflate")) == TEXT


def test_several_gzip_members_are_one_body() -> None:
    assert payload(response(gzip.compress(b"a") + gzip.compress(b"b"), "Content-Encoding: gzip")) == b"ab"


@pytest.mark.parametrize(
    ("coding", "reason"),
    [
        ("gzip", "gzip content encoding: data ends early"),
        ("deflate", "deflate content encoding: data ends early"),
        ("br", "br content encoding: data ends early"),
        ("zstd", "zstd content encoding: data ends early"),
    ],
)
def test_a_cut_body_is_refused(coding: str, reason: str) -> None:
    with pytest.raises(Undecodable, match=reason):
        payload(response(CODINGS[coding][:-9], f"Content-Encoding: {coding}"))


def test_a_wrong_checksum_is_refused() -> None:
    body = bytearray(gzip.compress(TEXT))
    body[-7] ^= 1
    with pytest.raises(Undecodable, match="gzip content encoding: incorrect checksum"):
        payload(response(bytes(body), "Content-Encoding: gzip"))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_decodes_to_too_much_is_refused(coding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstandard.compress}
    body = pack[coding](bytes(50 << 20))
    with pytest.raises(Undecodable, match="payload over 1 MiB"):
        payload(response(body, f"Content-Encoding: {coding}"))


def test_transfer_encoding_goes_before_content_encoding() -> None:
    body = gzip.compress(TEXT)
    chunked = b"5\r\n" + body[:5] + b"\r\n" + b"%x;ext=1\r\n" % len(body[5:]) + body[5:] + b"\r\n0\r\n\r\n"
    headers = ["Transfer-Encoding: chunked", "Content-Encoding: gzip"]
    assert payload(response(chunked, *headers)) == TEXT
    assert payload(response(body, *headers)) == TEXT
    assert payload(response(TEXT, *headers)) == TEXT
    assert payload(response(chunked, "Transfer-Encoding: gzip, chunked")) == TEXT


@pytest.mark.parametrize(
    "body",
    [
        b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        b"3\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
        b"3\nabc\n2\nde\n0\n\n",
        b"0003  \r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        b"3\r\nabc\r\n2\r\nde\r\n",
        b"3\r\nabc\r\n2\r\nde",
    ],
)
def test_chunks_are_joined(body: bytes) -> None:
    assert dechunk(body) == b"abcde"


@pytest.mark.parametrize("body", [b"3\r\nabc\r\n9\r\nde", b"3\r\nabc\r\nxyz\r\nde\r\n", b"3\r\nabcdefghijklmnop"])
def test_broken_chunks_are_refused(body: bytes) -> None:
    with pytest.raises(Undecodable, match="chunked transfer encoding"):
        dechunk(body)


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=300)))
def test_chunks_of_any_content_come_back(chunks: list[bytes]) -> None:
    body = b"".join(b"%X\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    assert dechunk(body) == b"".join(chunks)


@pytest.mark.parametrize("newline", [b"\r\n", b"\n", b"\r\r\n"])
def test_headers_end_at_the_first_empty_line(newline: bytes) -> None:
    block = response(b"body\r\n\r\nrest\n\nend", "Content-Type: text/html; charset=x", newline=newline)
    assert read_response(block, 0, len(block), LIMIT) == (b"body\r\n\r\nrest\n\nend", b"text/html; charset=x")


def test_odd_headers_are_no_obstacle() -> None:
    block = b"HTTP/1.0 200\r\nX-Name: \xff\xfe\r\nno colon here\r\nCONTENT-TYPE :\r\n text/html\r\n\r\nbody"
    message = read_response(block, 0, len(block), LIMIT)
    assert message.payload == b"body"
    assert message.content_type.strip() == b"text/html"  # type: ignore[union-attr]


def test_without_a_status_line_the_whole_block_is_payload() -> None:
    assert read_response(b"<html>\n\n", 0, 8, LIMIT) == (b"<html>\n\n", None)


def test_a_header_without_end_leaves_no_payload() -> None:
    assert payload(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n") == b""


def test_a_huge_header_is_refused() -> None:
    with pytest.raises(Undecodable, match="HTTP header over 1 MiB"):
        payload(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * (MAX_HEADER // 4))


@settings(deadline=None)
@given(st.binary(max_size=2000), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, deflate"]))
def test_arbitrary_bodies_are_payload_or_refused(body: bytes, coding: str) -> None:
    for start in (b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"5\r\n"):
        try:
            payload(response(start + body, f"Content-Encoding: {coding}", "Transfer-Encoding: chunked"))
        except Undecodable as reason:
            assert "encoding" in str(reason) or "over" in str(reason)
