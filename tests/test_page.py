"""One page to digests: the published vectors and the rules of chunking."""

import hashlib
from pathlib import Path

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.charsets import decode
from hpcreuse.page.digest import PageDigests, chunked_text, digest_page
from hpcreuse.page.options import DigestOptions

VECTORS = {
    b"<p>": "63ada55c0ba212a5b1f8d5a70890788f00972bf4",
    b"<p>&nbsp;</p>\r\n": "516209366e42307b3fd5bf26bad6634054ba92ba",
    b"<p>&nbsp;</p>\n": "7a43b7feac74bf6906202e94c02eed61c2fbcaf2",
    b"<p></p>": "515bd358bb7d990930f0e2b3de399db1787a2567",
    b"<P>\n": "69ba91b478b06e8df0a8f4ef3109179fbcc0039f",
    b'<p align="center">&nbsp;</p>\r\n': "809a5f0f448a2e6adde2314d04e4c30949e79a6b",
}
EICAR = rb"<p>X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*</p>" + b"\n<p></p>\n"


def digest(payload: bytes, mime: str = "text/html", **options: object) -> PageDigests:
    return digest_page(payload, mime, True, mime == "text/plain", DigestOptions(**options))  # type: ignore[arg-type]


def hexes(found: PageDigests, width: int = 20) -> list[str]:
    return [found.chunks[i : i + width].hex() for i in range(0, len(found.chunks), width)]


@pytest.mark.parametrize(("chunk", "expected"), VECTORS.items())
def test_the_authors_digests_come_out(chunk: bytes, expected: str) -> None:
    assert hexes(digest(b"head" + chunk))[1] == expected
    assert hexes(digest(chunk)) == [expected]


def test_the_plugins_digest_comes_out_of_dom_mode(shared_data: Path) -> None:
    (published,) = (shared_data / "published").glob("hashes.eicar-*.json")
    second = hexes(digest(EICAR, mode="dom", digest="sha256"), 32)[1]
    assert second == "8394eaf6060547d4f348b644583d3dcc3299082d29946b7e1e2690bf1948d515"
    assert second in published.read_text()


def test_dom_mode_reads_the_letters_of_pages_that_are_not_utf8() -> None:
    text = "<meta charset={}><p>Счёт заблокирован, введите пароль</p>"
    utf8, cyrillic = (hexes(digest(text.format(name).encode(name), mode="dom"))[1] for name in ("utf-8", "cp1251"))
    assert utf8 == cyrillic
    other = text.replace("пароль", "логин_").format("cp1251").encode("cp1251")
    assert hexes(digest(other, mode="dom"))[1] != cyrillic
    # Without a declaration it is Windows-1252; a byte order mark is none of the page's letters
    plain = hexes(digest("<p>déjà vu</p>".encode(), mode="dom"))
    assert hexes(digest("<p>déjà vu</p>".encode("latin-1"), mode="dom")) == plain
    assert hexes(digest("\ufeff<p>déjà vu</p>".encode(), mode="dom")) == plain
    assert hexes(digest("\ufeff<p>déjà vu</p>".encode("utf-16-le"), mode="dom")) == plain


def test_dom_mode_takes_the_charset_of_the_header_before_that_of_the_meta_tag() -> None:
    text = "<meta charset=koi8-r><p>Счёт заблокирован, введите пароль</p>"
    options = DigestOptions(mode="dom")
    wanted = hexes(digest(text.encode("koi8-r"), mode="dom"))
    for charset in ("windows-1251", "utf-8"):
        served = text.encode(charset)
        found = digest_page(served, "text/html", True, False, options, f"text/html; charset={charset}")
        assert hexes(found) == wanted != hexes(digest(served, mode="dom"))
    # A header that names nothing leaves it to the meta tag; whatever is named comes before what the bytes could be
    found = digest_page(text.encode("koi8-r"), "text/html", True, False, options, "text/html; charset=nonsense")
    assert hexes(found) == wanted
    letters = chunked_text("é".encode(), "text/html", options, "text/html; charset=iso-8859-1")
    assert "Ã©" in letters.decode()


@pytest.mark.parametrize("codec", ["cp1252", "cp1251", "cp874"])
def test_bytes_that_windows_leaves_out_are_read_as_browsers_do(codec: str) -> None:
    decoded = decode(bytes(range(256)), codec)
    for byte, character in enumerate(decoded):
        known = bytes([byte]).decode(codec, "replace")
        assert character == (chr(byte) if known == "\ufffd" and byte < 0xA0 else known)


def test_an_empty_file_has_a_digest_and_no_chunk() -> None:
    found = digest(b"")
    assert (found.file, found.chunks) == (hashlib.sha1(b"").digest(), b"")


def test_a_file_that_is_no_text_has_no_chunk() -> None:
    assert digest_page(b"<p>x", "image/png", False, False, DigestOptions()).chunks == b""


@pytest.mark.parametrize(
    ("plain", "lengths"), [("whole", [20]), ("line", [4, 1, 4, 2, 6, 3]), ("paragraph", [5, 6, 9])]
)
def test_text_without_markup_is_cut_as_asked(plain: str, lengths: list[int]) -> None:
    assert digest(b"one\n\n<p>\n \nthree\nend", "text/plain", plain=plain).lengths.tolist() == lengths


PAGES = st.lists(
    st.sampled_from([b"<p>", b"<P ", b"<div\n", b"<div>", b"</p>", b"\n\n", b" \t", b"x", b"<", b"<pre>"]), max_size=30
).map(b"".join)


@given(
    PAGES,
    st.sampled_from([("p", "div"), ("p",)]),
    st.sampled_from(["authors", "html"]),
    st.sampled_from(["none", "whitespace"]),
    st.sampled_from(["raw", "dom"]),
    st.sampled_from(["sha1", "sha256"]),
)
def test_chunks_equal_the_oracle(
    page: bytes, tags: tuple[str, ...], tag_ends: str, normalize: str, mode: str, name: str
) -> None:
    options = {"tags": tags, "tag_ends": tag_ends, "normalize": normalize, "mode": mode, "digest": name}
    found = digest(page, **options)
    rows = list(
        zip(found.offsets.tolist(), found.lengths.tolist(), hexes(found, 20 if name == "sha1" else 32), strict=True)
    )
    assert rows == oracle.chunks(page, **options)


@given(PAGES, st.sampled_from(["whole", "line", "paragraph"]))
def test_plain_chunks_equal_the_oracle(page: bytes, plain: str) -> None:
    found = digest(page, "text/plain", plain=plain)
    rows = list(zip(found.offsets.tolist(), found.lengths.tolist(), hexes(found), strict=True))
    assert rows == (oracle.chunks(page, plain=plain) if page else [])


@given(PAGES, st.sampled_from(["whole", "line", "paragraph"]))
def test_nothing_is_lost_between_chunks(page: bytes, plain: str) -> None:
    for mime in ("text/html", "text/plain"):
        found = digest(page, mime, plain=plain)
        pieces = zip(found.offsets.tolist(), found.lengths.tolist(), strict=True)
        assert b"".join(page[offset : offset + length] for offset, length in pieces) == page
        assert (found.lengths > 0).all()
