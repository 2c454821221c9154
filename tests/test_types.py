"""Media types: declared, missing, wrong."""

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.crawl.types import decide_type, is_textual

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
BINARIES = {
    "image/png": PNG,
    "image/gif": b"GIF89a\x01\0",
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "application/pdf": b"%PDF-1.4\n%\xe2\xe3",
    "application/zip": b"PK\x03\x04\x14\0",
    "application/gzip": b"\x1f\x8b\x08\0\0",
    "audio/ogg": b"OggS\0\x02",
    "video/mp4": b"\0\0\0\x18ftypmp42",
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "font/woff2": b"wOF2\0\x01\0\0",
    "image/x-icon": b"\0\0\x01\0\x01\0",
    "application/x-msdownload": b"MZ\x90\0\x03\0",
    "application/java-vm": b"\xca\xfe\xba\xbe\0\0\x002",
    "application/x-shockwave-flash": b"CWS\x0a\x10\x20\0\0",
    "image/bmp": b"BM\x10\x20\0\0\0\0\0\0\x36",
    "image/tiff": b"II*\0\x08\0",
    "application/vnd.rar": b"Rar!\x1a\x07\x01\0",
    "application/x-7z-compressed": b"7z\xbc\xaf\x27\x1c\0\x04",
    "application/x-executable": b"\x7fELF\x02\x01",
}


@pytest.mark.parametrize("mime", BINARIES)
def test_binary_content_declared_as_html_gets_its_own_type(mime: str) -> None:
    assert decide_type("text/html", BINARIES[mime]) == mime


@pytest.mark.parametrize("mime", BINARIES)
def test_binary_content_without_a_type_gets_its_own_type(mime: str) -> None:
    assert decide_type("", BINARIES[mime]) == mime


@pytest.mark.parametrize("text", [b"BMW drives", b"MZ is short", b"RIFF in D", b"CWS 2020", b"ID3 tags", b"FWS"])
def test_text_that_begins_like_a_binary_format_stays_text(text: bytes) -> None:
    assert decide_type("text/plain", text) == "text/plain"
    assert decide_type("", text) == "text/plain"


def test_a_declared_type_loses_case_and_parameters() -> None:
    assert decide_type("Text/HTML; charset=UTF-8", b"hello") == "text/html"
    assert decide_type("text/html,text/html", b"hello") == "text/html"


def test_nuls_make_declared_text_binary() -> None:
    assert decide_type("text/html", b"abc\0\0\0\x01def") == "application/octet-stream"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_wide_encodings_are_text(encoding: str) -> None:
    page = "<html><body>Grüße aus dem alten Netz</body></html>".encode(encoding)
    assert decide_type("text/html", page) == "text/html"
    if encoding != "utf-32":
        assert decide_type("", page) == "text/html"


def test_html_with_a_stray_nul_stays_html() -> None:
    assert decide_type("text/html", b"<!DOCTYPE html><html>\0</html>") == "text/html"


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "none",
        "text",
        "application/octet-stream",
        "unknown/unknown",
        "binary/octet-stream",
        "text/",
        "/html",
    ],
)
@pytest.mark.parametrize(
    ("payload", "mime"),
    [
        (b"<!DOCTYPE HTML PUBLIC>", "text/html"),
        (b"\xef\xbb\xbf \r\n<HtMl>", "text/html"),
        (b"<p>old page", "text/html"),
        (b"<!-- saved from -->", "text/html"),
        (b"<h1>Hello</h1>", "text/html"),
        (b"<?xml version='1.0'?>\n<notes/>", "application/xml"),
        (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html>", "application/xhtml+xml"),
        (b"<?xml version='1.0'?>\n<rss version='2.0'>", "application/rss+xml"),
        (b"<?xml version='1.0'?>\n<feed xmlns='a'>", "application/atom+xml"),
        (b"<svg xmlns='a'>", "image/svg+xml"),
        (b'{"a": 1}', "application/json"),
        (b"hello", "text/plain"),
        (b"<pear", "text/plain"),
        (b"\x01\x02\x03\x04", "application/octet-stream"),
    ],
)
def test_a_missing_or_generic_type_is_sniffed(declared: str, payload: bytes, mime: str) -> None:
    assert decide_type(declared, payload) == mime


def test_what_content_cannot_tell_the_extension_does() -> None:
    assert decide_type("", b"body { margin: 0 }", "http://host/a/style.CSS?v=2") == "text/css"
    assert decide_type("", b"var a = 1;", "dir.d/app.js") == "text/javascript"
    assert decide_type("", b"hello", "http://host.js") == "text/plain"


def test_an_extension_of_text_does_not_hide_binary_content() -> None:
    assert decide_type("", b"\x01\0\x02\0\0\x03", "a.html") == "application/octet-stream"


@pytest.mark.parametrize("declared", ["image/png", "application/pdf", "text/plain", "application/json", "font/woff"])
def test_an_error_page_in_place_of_something_else_is_html(declared: str) -> None:
    assert decide_type(declared, b"\n<!doctype html><title>404</title>") == "text/html"


def test_xml_declared_as_such_is_not_turned_into_html() -> None:
    assert decide_type("application/xhtml+xml", b"<html xmlns='a'>") == "application/xhtml+xml"


def test_an_empty_payload_keeps_its_type_or_is_called_empty() -> None:
    assert decide_type("image/png", b"") == "image/png"
    assert decide_type("", b"") == "application/x-empty"


@pytest.mark.parametrize(
    "mime",
    ["text/html", "text/plain", "text/css", "text/javascript", "application/xhtml+xml", "application/xml",
     "application/rss+xml", "application/atom+xml", "application/javascript", "application/x-javascript",
     "image/svg+xml", "text/x-anything"],
)  # fmt: skip
def test_textual_types_are_chunked(mime: str) -> None:
    assert is_textual(mime)


@pytest.mark.parametrize("mime", ["application/json", "image/png", "application/pdf", "application/x-empty", ""])
def test_other_types_are_not(mime: str) -> None:
    assert not is_textual(mime)


@given(st.text(max_size=40), st.binary(max_size=300), st.text(max_size=40))
def test_any_input_gives_a_lower_case_type(declared: str, payload: bytes, name: str) -> None:
    mime = decide_type(declared, payload, name)
    assert "/" in mime
    assert mime == mime.lower()
    assert ";" not in mime


def test_the_usual_case_takes_microseconds() -> None:
    page = b"<!doctype html><html>" + b"x" * 50_000
    runs = timeit.repeat(lambda: decide_type("text/html; charset=utf-8", page), number=1000, repeat=5)
    assert min(runs) / 1000 < 20e-6
