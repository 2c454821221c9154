"""HTTP responses: the payload, or a reason why it cannot be had, within the limit."""

import gzip
import zlib

import atheris

with atheris.instrument_imports(include=["hpcreuse"]):
    from hpcreuse.crawl.encodings import Undecodable
    from hpcreuse.crawl.http import read_response
    from hpcreuse.crawl.types import decide_type

from harness import fuzz

LIMIT = 1 << 16


def test_one(data: bytes) -> None:
    try:
        payload, content_type = read_response(data, 0, len(data), LIMIT)
    except Undecodable as reason:
        assert str(reason)
        return
    assert len(payload) <= LIMIT or not data.startswith(b"HTTP/")
    assert decide_type((content_type or b"").decode("latin-1"), payload, "http://a.example/")


def responses() -> list[bytes]:
    body = b"<p>some text</p>" * 4
    coded = {
        b"gzip": gzip.compress(body),
        b"deflate": zlib.compress(body),
        b"br": b"\x0b\x02\x80<p>x\x03",
        b"zstd": b"(\xb5/\xfd\x04X\x19\x00\x00<p>\x0e\x9a\xd4\x0c",
        b"identity": body,
        b"gzip, gzip": gzip.compress(gzip.compress(body)),
    }
    chunked = b"10\r\n<p>some text</p>\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    seeds = [head + b"Content-Encoding: " + name + b"\r\n\r\n" + data for name, data in coded.items()]
    return [*seeds, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunked, head + b"\r\n" + body, body]


if __name__ == "__main__":
    fuzz(test_one, responses())
