"""Chunks and digests: nothing lost between chunks, whatever the bytes and the options."""

import hashlib

import atheris

with atheris.instrument_imports(include=["hpcreuse"]):
    from hpcreuse.kernels.plain import normalize_whitespace
    from hpcreuse.page.digest import chunked_text, digest_page
    from hpcreuse.page.options import DigestOptions

from harness import archive_seeds, fuzz

CHOICES = [
    DigestOptions(tags, ends, normalize, mode, digest, plain)
    for tags, ends, plain in (
        (("p", "div"), "authors", "whole"),
        (("p",), "html", "line"),
        (("a",), "html", "paragraph"),
    )
    for normalize in ("none", "whitespace")
    for mode in ("raw", "dom")
    for digest in ("sha1", "sha256")
]


def test_one(data: bytes) -> None:
    # The first two bytes choose the options and what kind of text it is
    if len(data) < 2:
        return
    options, plain, payload = CHOICES[data[0] % len(CHOICES)], bool(data[1] & 1), data[2:]
    mime = "text/plain" if plain else "text/html"
    new = getattr(hashlib, options.digest)
    found = digest_page(payload, mime, True, plain, options)
    text = chunked_text(payload, mime, options)
    assert found.file == new(payload).digest()
    assert int(found.lengths.sum()) == len(text)
    pieces, place = [], 0
    for offset, length in zip(found.offsets.tolist(), found.lengths.tolist(), strict=True):
        assert offset == place and length > 0
        place += length
        pieces.append(text[offset:place])
    if options.normalize == "whitespace":
        pieces = [normalize_whitespace(piece) for piece in pieces]
    assert found.chunks == b"".join(new(piece).digest() for piece in pieces)


if __name__ == "__main__":
    pages = [*archive_seeds(".warc"), b"<P>a<p/>b<DIV\tc<div\n>d<p", b"one\n\ntwo\r\n \r\nthree", b"<p>" * 50]
    fuzz(test_one, [bytes([number, number & 1]) + page for number, page in enumerate(pages)])
