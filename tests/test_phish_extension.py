"""The extension in a real Chromium: the same digests as in Python on real pages; copies are stopped, others are not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from archives import write_warc
from command import hpcreuse
from extension import STILL, Guarded, guarded
from warcio.archiveiterator import ArchiveIterator

from hpcreuse.page.charset import charset
from hpcreuse.page.digest import digest_page
from hpcreuse.page.options import DigestOptions

OPTIONS = DigestOptions(mode="dom", digest="sha256")
EICAR = rb"<p>X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*</p>" + b"\n<p></p>\n"
PUBLISHED = "8394eaf6060547d4f348b644583d3dcc3299082d29946b7e1e2690bf1948d515"

# What serialisers disagree about
ODD = [
    b"\xef\xbb\xbf<!-- before --><!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>a<table><tr><td>b</table>",
    b"<!doctype html><p>a&nbsp;b \xc2\xa0 &lt;&amp;amp; <a title='\"<&nbsp;>&amp;' href=x>q</a></html><!-- after -->",
    b"<head><noscript><link rel=x><style>a>b</style></noscript></head><p>x<noscript><img alt='&lt;'>&lt;</noscript>",
    b"<head><title>t</title><noscript><img src=x></noscript><meta name=a></head><div>moved into the body",
    b"<script>a < b && '<p>'</script><style>p > a</style><textarea>\n\n <p> </textarea><pre>\n\nx</pre><xmp><p></xmp>",
    b"<svg viewBox='0 0 1 1' xlink:href='#a'><path d=''/><foreignObject><p>x</foreignObject></svg><math><mi>x</math>",
    b"<template><p>in</template><iframe><p></iframe><p/><div/>x<br/><P CLASS=A>y<DIV\tID=b>\x0c z \t\n w</DIV>",
    b"<table><p>fostered<tr><td><form><div><form></div>x</table><b><p>mis</b>nested</p><select><div><option>o</select>",
    b"<p>" + "Straße, 漢字, \U0001f600 and \u200b".encode() + b"</p><plaintext><p>as it is",
    b"",
]


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A browser whose extension knows no page, and in which no script of a page runs."""
    folder = tmp_path_factory.mktemp("silent")
    (folder / "none.tsv").write_text("0" * 64 + "\n")
    hpcreuse("phish", "--extension", folder / "extension", "--labels", folder / "none.tsv", "--digest", "sha256")
    with guarded(folder / "extension", folder / "profile", STILL) as guard:
        yield guard


def hexes(payload: bytes, content_type: str = "") -> list[str]:
    """The digests that Python gives."""
    found = digest_page(payload, "text/html", True, False, OPTIONS, content_type)
    return [found.chunks[i : i + 32].hex() for i in range(0, len(found.chunks), 32)]


def differing(guard: Guarded, pages: list[tuple[bytes, str]]) -> list[int]:
    """Show pages to the browser, as declared, and give the numbers of those whose digests differ from Python's."""
    wrong = []
    for number, (payload, content_type) in enumerate(pages):
        url = f"http://page{len(guard.pages)}.test/"
        guard.pages[url] = payload
        guard.types[url] = content_type
        # An empty page is one with the three elements that every document has, in the browser
        expected = hexes(payload, content_type) or hexes(b"<html>")
        if guard.digests(url) != expected:
            wrong.append(number)
    return wrong


def test_the_plugins_digest_comes_out_of_the_browser(silent: Guarded) -> None:
    silent.pages["http://eicar.test/"] = EICAR
    assert silent.digests("http://eicar.test/")[1] == hexes(EICAR)[1] == PUBLISHED


def test_digests_of_odd_pages_are_those_of_python(silent: Guarded) -> None:
    assert differing(silent, [(page, "text/html; charset=utf-8") for page in ODD]) == []


def test_charsets_are_those_of_the_browser(silent: Guarded) -> None:
    every_byte = b"<p>" + bytes(range(0x80, 0x100))
    letters = "<p>Zażółć gęślą jaźń</p>"
    pages = [
        *((every_byte, f"text/html; charset={name}") for name in ("iso-8859-1", "windows-1251", "tis-620", "koi8-r")),
        (b"<meta charset=utf-8>" + letters.encode("iso-8859-2"), "text/html; charset=ISO-8859-2"),
        (b"<meta charset=iso-8859-2>" + letters.encode("iso-8859-2"), "text/html"),
        (b"<meta charset=iso-8859-2>" + letters.encode(), "text/html; charset=utf-8"),
        (b"<meta charset=iso-8859-2>" + letters.encode(), "text/html; charset=nonsense"),
        (letters.encode("utf-16"), "text/html; charset=iso-8859-2"),
        ("<p>文字コード".encode("shift_jis"), 'text/html; charset="Shift_JIS"'),
        ("<p>文字".encode("gb2312"), "text/html;charset=gb2312"),
    ]
    assert differing(silent, pages) == []


@pytest.mark.parametrize(("archive", "every"), [("webkb1997", 137), ("alexa2018-000", 97)])
def test_digests_of_real_pages_are_those_of_python(
    silent: Guarded, shared_data: Path, archive: str, every: int
) -> None:
    pages = []
    with (shared_data / "crawl" / f"{archive}.warc.gz").open("rb") as stream:
        for number, record in enumerate(ArchiveIterator(stream)):
            payload = record.content_stream().read() if number % every == 0 else b""
            # Pages that go elsewhere are gone before they can be asked; nested noscript depends on whether scripts run
            moving = re.search(rb"http-equiv=.?refresh|<noscript>(?:(?!</noscript).)*<noscript", payload, re.I | re.S)
            if payload and record.rec_type == "response" and not moving:
                declared = record.http_headers.get_header("Content-Type") or ""
                named = charset(payload, declared, markup=True)
                # What nobody declared a browser guesses in ways of its own
                pages.append(
                    (payload, declared if named != charset(payload, "", False) else f"text/html; charset={named}")
                )
    assert len(pages) > 30
    assert differing(silent, pages) == []


def paragraph(name: str) -> bytes:
    return f"<p>The {name} paragraph of a page, long enough to count</p>".encode()


BANK = b"<!doctype html><title>Bank</title><h1>Bank</h1>" + paragraph("first") + paragraph("second") + b"<p>end"
THIEF = b"<!doctype html><title>Log in</title>" + paragraph("second") + b"<div>now</div>"
PAGES = {
    "http://www.bank.example/": BANK,
    "https://bank.example/login": BANK,
    "http://honest.example/": b"<title>Honest</title>" + paragraph("honest") + b"<p>end",
    "http://thief.example/a?b": THIEF,
    "http://late.example/": b"<title>Late</title><body><script>setTimeout(() => document.body.innerHTML = unescape('"
    + b"".join(b"%%%02x" % byte for byte in THIEF)
    + b"'), 700)</script>",
    "http://restless.example/": b"<title>Restless</title><body><p>x<script>let n = 0; setInterval(() => {"
    + b"document.querySelector('p').textContent = n++; if (n === 20) document.body.innerHTML += unescape('"
    + b"".join(b"%%%02x" % byte for byte in THIEF)
    + b"')}, 100)</script>",
    "http://shop.example/": b"<title>Shop</title>" + paragraph("shop's own") + b"<p>end",
    "http://fake-shop.example/": b"<title>Fake</title>" + paragraph("shop's own") + b"<div>x",
    "http://branch.example/": b"<title>Branch</title>" + paragraph("first") + b"<div>x",
}


@pytest.fixture(params=["sha256", "sha1"])
def guard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Guarded]:
    """A browser with an extension that knows a bank."""
    write_warc(tmp_path / "bank.warc", [("http://www.bank.example/", BANK)])
    hpcreuse(
        *("label", tmp_path / "bank.warc", "--mode", "dom", "--digest", request.param),
        *("--min-length", "26", "--out", tmp_path / "bank.h5"),
    )
    hpcreuse("phish", "--extension", tmp_path / "extension", "--labels", tmp_path / "bank.h5")
    with guarded(tmp_path / "extension", tmp_path / "profile") as guard:
        guard.pages.update(PAGES)
        yield guard


def visit(guard: Guarded, url: str, until: str = "**") -> str:
    """Go to a page, wait until the tab shows an address, and give its text."""
    guard.page.goto(url)
    guard.page.wait_for_url(until)
    # Long enough for every look of the content script at a page that stays
    guard.page.wait_for_timeout(0 if "warning" in until else 800)
    guard.page.wait_for_selector("body[data-ready]" if "warning" in until else "body")
    return guard.page.inner_text("body")


def test_a_copy_is_stopped_and_the_user_decides(guard: Guarded) -> None:
    # The original, wherever its site shows it, and a page of its own are shown
    for url, title in (("http://www.bank.example/", "Bank"), ("https://bank.example/login", "Bank")):
        assert title in visit(guard, url)
        assert guard.page.url == url
    assert "honest" in visit(guard, "http://honest.example/")
    assert guard.page.url == "http://honest.example/"

    # A copy is not, nor one that scripts write later
    text = visit(guard, "http://thief.example/a?b", "**/warning.html")
    assert "http://thief.example/a?b" in text and "http://www.bank.example/" in text and "1 of 3 paragraphs" in text
    text = visit(guard, "http://late.example/", "**/warning.html")
    assert "http://late.example/ shows content of http://www.bank.example/" in text
    text = visit(guard, "http://restless.example/", "**/warning.html")
    assert "http://restless.example/ shows content of http://www.bank.example/" in text
    text = visit(guard, "http://late.example/", "**/warning.html")

    # Going on holds for that site alone
    guard.page.click("#on")
    guard.page.wait_for_url("http://late.example/")
    guard.page.wait_for_selector("text=second paragraph")
    guard.page.wait_for_timeout(800)
    assert guard.page.url == "http://late.example/"
    visit(guard, "http://thief.example/a?b", "**/warning.html")

    # A site that is the bank's, too, is added from the warning: it is shown from now on
    visit(guard, "http://branch.example/", "**/warning.html")
    guard.page.click("#add")
    guard.page.wait_for_url("http://branch.example/")
    visit(guard, "http://branch.example/")
    assert guard.page.url == "http://branch.example/"


def test_a_site_that_the_user_adds_is_guarded_too(guard: Guarded) -> None:
    visit(guard, "http://fake-shop.example/")
    assert guard.page.url == "http://fake-shop.example/"
    visit(guard, "http://shop.example/")
    tab = guard.worker.evaluate("async () => (await chrome.tabs.query({ active: true }))[0].id")
    popup = guard.context.new_page()
    popup.goto(guard.worker.url.replace("worker.js", f"popup.html?tab={tab}"))
    popup.click("#add")
    popup.wait_for_selector("text=Added.")
    popup.close()
    text = visit(guard, "http://fake-shop.example/", "**/warning.html")
    assert "shows content of http://shop.example/" in text
    visit(guard, "http://shop.example/")
    assert guard.page.url == "http://shop.example/"
    kept = guard.worker.evaluate("() => chrome.storage.local.get()")
    assert kept["sites"] == ["shop.example"]


def test_an_extension_replaces_only_an_extension(tmp_path: Path) -> None:
    (tmp_path / "labels.tsv").write_text("0" * 40 + "\n")
    write = ("phish", "--labels", tmp_path / "labels.tsv", "--allow", "Bank.example", "--extension")
    for _ in range(2):
        found = json.loads(hpcreuse(*write, tmp_path / "extension", "--json").stdout)
    assert (found["labels"], found["domains"]) == (1, ["bank.example"])
    assert json.loads((tmp_path / "extension" / "manifest.json").read_text())["manifest_version"] == 3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    done = hpcreuse(*write, tmp_path / "mine", check=False)
    assert (done.returncode, "choose another" in done.stderr) == (1, True)
    assert "looks at no pages" in hpcreuse(*write, tmp_path / "extension", "--out", tmp_path / "x", check=False).stderr
