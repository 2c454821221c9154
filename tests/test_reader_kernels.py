"""The compiled kernels of the reader equal their plain twins, whatever the bytes."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse import kernels
from hpcreuse.kernels import plain_heads, plain_members

compiled = pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were installed without a compiler")

NEAR = 400
VALUES = st.sampled_from([b"", b"x", b"response", b"request", b"12", b"1x", b"1" * 19, b"http://a/", b"HTTPS://b"])
BLANKS = st.sampled_from([b" ", b"", b"\t", b"  ", b": "])
ENDS = st.sampled_from([b"\r\n"] * 8 + [b"\n", b"\r", b"\r\n ", b"\r\r\n", b"\r\n\r\n"])
ODD = st.binary(max_size=4)


def lines(names: list[bytes]) -> st.SearchStrategy[bytes]:
    """Lines of a head: mostly as they should be, sometimes not."""
    usual = st.sampled_from(names).map(lambda name: name + b"\r\n")
    odd = st.tuples(
        st.sampled_from([name.partition(b":")[0] for name in names]), BLANKS, st.just(b":"), BLANKS, VALUES, ENDS
    ).map(b"".join)
    return st.lists(usual | usual | odd, max_size=9).map(b"".join)


WARC_LINES = lines(
    [
        b"WARC-Type: response",
        b"WARC-Target-URI: http://a.example/",
        b"WARC-Target-URI: https://b.example/ c",
        b"Content-Length: 7",
        b"Content-Type: application/http; msgtype=response",
        b"WARC-IP-Address: 10.0.0.1",
        b"WARC-Date: 2018-01-01T00:00:00Z",
        b"content-length: 8",
        b"\xe4: 1",
    ]
)
WHOLE = b"WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: 3\r\n"
WARC_HEADS = st.tuples(
    ODD,
    st.sampled_from([b"WARC/1.0\r\n", b"WARC/1.1\r\n", b"WARC/0.18\r\n", b"WARC/1.0\n", b""]),
    st.sampled_from([WHOLE, WHOLE, b""]),
    WARC_LINES,
    st.sampled_from([b"\r\n", b"\r\n", b"\n", b""]),
    ODD,
)
HTTP_HEADS = st.tuples(
    ODD,
    st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 200\r\n", b"HTTP/", b"ICY 200 OK\r\n"]),
    lines(
        [
            b"Content-Type: text/html; charset=utf-8",
            b"content-TYPE:text/plain",
            b"Content-Type: ",
            b"Content-Types: no",
            b"Content-Length: 3",
            b"Server: x",
            b"Content-Encoding: gzip",
            b"Transfer-Encoding: chunked",
        ]
    ),
    st.sampled_from([b"\r\n", b"\r\n", b"\n", b""]),
    ODD,
)


@compiled
@given(WARC_HEADS, st.sampled_from([NEAR, 60, 0]))
def test_heads_of_records_are_taken_apart_as_the_twin_does(parts: tuple[bytes, ...], near: int) -> None:
    buf, start = b"".join(parts), len(parts[0])
    assert kernels.warc_head(buf, start, near) == plain_heads.warc_head(buf, start, near)


@compiled
@given(HTTP_HEADS, st.sampled_from([NEAR, 40, 0]), st.integers(0, 9))
def test_heads_of_responses_are_taken_apart_as_the_twin_does(parts: tuple[bytes, ...], near: int, cut: int) -> None:
    buf, start = b"".join(parts), len(parts[0])
    end = max(start, len(buf) - cut)
    assert kernels.http_head(buf, start, end, near) == plain_heads.http_head(buf, start, end, near)


@pytest.mark.parametrize("heads", [kernels, plain_heads])
def test_a_usual_head_is_taken_apart(heads: object) -> None:
    record = b"\r\nWARC/1.0\r\n" + WHOLE + b"WARC-IP-Address: 10.0.0.1\r\nContent-Type: application/http\r\n\r\nabc"
    size = len(record) - 5
    assert heads.warc_head(record, 2, NEAR) == (size, 3, b"http://a/", b"application/http", b"10.0.0.1")  # type: ignore[attr-defined]
    response = b"..HTTP/1.1 200 OK\r\nServer: x\r\ncontent-type : text/html\r\n\r\n<p>"
    assert heads.http_head(response, 2, len(response), NEAR) == (len(response) - 3, b"text/html")  # type: ignore[attr-defined]


ROOM = 1 << 12
CONTENTS = st.binary(max_size=60) | st.integers(0, 2 * ROOM).map(lambda size: b"ab" * (size // 2))


def member(content: bytes, level: int, name: bytes) -> bytes:
    """One gzip member, with or without a name in its header."""
    packed = gzip.compress(content, level, mtime=0)
    return packed[:3] + b"\x08" + packed[4:10] + name + b"\0" + packed[10:] if name else packed


MEMBERS = st.lists(
    st.builds(member, CONTENTS, st.sampled_from([0, 1, 9]), st.sampled_from([b"", b"page.html"])), max_size=6
).map(b"".join)


@compiled
@given(ODD, MEMBERS, ODD, st.integers(0, 20), st.sampled_from([1, 100, 1 << 20]), st.data())
def test_members_are_inflated_as_the_twin_does(
    before: bytes, members: bytes, behind: bytes, cut: int, enough: int, data: st.DataObject
) -> None:
    packed = bytearray(members[: len(members) - cut] + behind)
    if packed and data.draw(st.booleans()):
        packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    buf = before + bytes(packed)
    found = kernels.MemberInflater(ROOM).inflate(buf, len(before), enough)
    assert found == plain_members.MemberInflater(ROOM).inflate(buf, len(before), enough)
    at = len(before)
    for content, end in found:
        assert zlib.decompress(buf[at:end], 31) == content
        at = end


@compiled
def test_every_byte_of_a_header_means_the_same_to_the_twin() -> None:
    packed = gzip.compress(b"content" * 9, mtime=0)
    for place in range(10):
        for value in range(256):
            buf = packed[:place] + bytes([value]) + packed[place + 1 :]
            found = kernels.MemberInflater(ROOM).inflate(buf, 0, 1)
            assert found == plain_members.MemberInflater(ROOM).inflate(buf, 0, 1), (place, value)


@pytest.mark.parametrize("inflaters", [kernels, plain_members])
def test_members_up_to_the_room_are_inflated(inflaters: object) -> None:
    small, large = gzip.compress(b"x" * ROOM), gzip.compress(b"x" * (ROOM + 1))
    inflater = inflaters.MemberInflater(ROOM)  # type: ignore[attr-defined]
    ends = [(b"x" * ROOM, len(small)), (b"x" * ROOM, 2 * len(small))]
    assert inflater.inflate(small + small + large, 0, 1 << 20) == ends
    assert inflater.inflate(small + small, 0, 1) == ends[:1]
    assert inflater.inflate(large, 0, 1) == []
    assert inflater.inflate(b"", 0, 1) == []
