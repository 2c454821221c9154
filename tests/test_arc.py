"""ARC records of both versions, sound and broken."""

import gzip
import io

import pytest

from hpcreuse.crawl.arc import read_arc
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.streams import open_stream

HTTP = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"


def read(data: bytes, start: int = 0) -> tuple[list[Page], Ledger]:
    raw, ledger = io.BytesIO(data), Ledger()
    raw.seek(start)
    return list(read_arc(open_stream(raw), "a.arc", ledger, Limits())), ledger


def reasons(ledger: Ledger) -> list[str]:
    return [entry.reason for entry in ledger.quarantined]


def record(block: bytes, url: str = "http://a.example/", kind: str = "text/html", length: object = None) -> bytes:
    declared = len(block) if length is None else length
    return f"{url} 192.0.2.1 20080102030405 {kind} {declared}\n".encode() + block + b"\n"


def record2(block: bytes, url: str = "http://a.example/") -> bytes:
    line = f"{url} 192.0.2.1 20080102030405 text/html 200 checksum - 1234 a.arc {len(block)}\n"
    return line.encode() + block + b"\n"


def filedesc(version: int = 1) -> bytes:
    block = b"%d 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n" % version
    return record(block, "filedesc://a.arc", "text/plain")


def test_web_records_are_pages_and_the_others_are_counted() -> None:
    data = filedesc() + record(b"x", "dns:a.example", "text/dns") + record(HTTP + b"<p>1</p>")
    pages, ledger = read(data)
    assert [(page.url, page.payload, page.content_type, page.ip) for page in pages] == [
        ("http://a.example/", b"<p>1</p>", "text/html", "192.0.2.1")
    ]
    assert ledger.skipped == {"filedesc": 1, "dns": 1}
    assert not ledger.quarantined


def test_version_2_lines_have_more_fields() -> None:
    pages, ledger = read(filedesc(2) + record2(HTTP + b"1") + record2(HTTP + b"2", "http://a.example/x y"))
    assert [(page.url, page.payload) for page in pages] == [
        ("http://a.example/", b"1"),
        ("http://a.example/x y", b"2"),
    ]
    assert not ledger.quarantined


@pytest.mark.parametrize("url", ["http://a.example/a b c", "http://a.example/20080102030405 x", "http://a/?q=a: b"])
def test_blanks_in_urls_are_part_of_them(url: str) -> None:
    pages, _ = read(record(HTTP + b"1", url) + record(HTTP + b"2"))
    assert [page.url for page in pages] == [url, "http://a.example/"]


def test_the_type_of_the_line_stands_in_for_a_missing_one() -> None:
    pages, _ = read(record(b"HTTP/1.0 200 OK\r\n\r\n<p>", kind="text/x") + record(b"<p>", kind="no-type"))
    assert [(page.payload, page.content_type) for page in pages] == [(b"<p>", "text/x"), (b"<p>", "")]


def test_offsets_lead_back_to_the_record() -> None:
    parts = [filedesc(), *(record(HTTP + b"%d" % n, f"http://a.example/{n}") for n in range(4))]
    for data in (b"".join(parts), b"".join(map(gzip.compress, parts))):
        pages, ledger = read(data)
        assert [page.payload for page in pages] == [b"0", b"1", b"2", b"3"]
        assert not ledger.quarantined
        for page in pages:
            assert read(data, page.offset)[0][0] == page


def test_blank_lines_before_records_are_passed() -> None:
    pages, ledger = read(b"\n\n" + record(HTTP + b"1") + b"\n\n\n" + record(HTTP + b"2"))
    assert [page.payload for page in pages] == [b"1", b"2"]
    assert not ledger.quarantined


@pytest.mark.parametrize("off", [-20, -3, -1, 2, 5, 40])
@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_a_wrong_length_is_mended(off: int, pack) -> None:
    block = HTTP + b"<html>some text of a page</html>"
    parts = [filedesc(), record(block, length=len(block) + off), record(HTTP + b"next", "http://b.example/")]
    pages, ledger = read(b"".join(map(pack, parts)))
    assert [page.payload for page in pages] == [block[len(HTTP) :], b"next"]
    assert not ledger.quarantined


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 30])
def test_a_useless_length_costs_one_record(length: str) -> None:
    data = record(HTTP + b"1", "http://a/1", length=length) + record(HTTP + b"2", "http://a/2")
    pages, ledger = read(filedesc() + data)
    assert [page.payload for page in pages] == [b"2"]
    assert [(entry.url, entry.reason[:30]) for entry in ledger.quarantined] == [
        ("http://a/1", "ARC length is not a length: '" + length[0])
    ]


def test_a_cut_file_keeps_what_came_before() -> None:
    whole = record(HTTP + b"1") + record(HTTP + bytes(1000), "http://a.example/cut")
    pages, ledger = read(whole[:-500])
    assert [page.payload for page in pages] == [b"1"]
    assert [entry.url for entry in ledger.quarantined] == ["http://a.example/cut"]
    assert reasons(ledger)[0].startswith("record cut short: ")


def test_reading_goes_on_behind_a_damaged_member() -> None:
    bulky = record(HTTP + bytes(range(256)) * 30, "http://a.example/bulky")
    parts = [gzip.compress(part) for part in [filedesc(), bulky, record(HTTP + b"next")]]
    broken = bytearray(parts[1])
    broken[100:140] = b"\xff" * 40
    pages, ledger = read(parts[0] + bytes(broken) + parts[2])
    assert [page.payload for page in pages] == [b"next"]
    assert [entry.offset for entry in ledger.quarantined] == [len(parts[0])]


@pytest.mark.parametrize(("data", "reason"), [(b"", "empty file"), (b"nothing", "no ARC record found")])
def test_a_file_without_records_is_listed_once(data: bytes, reason: str) -> None:
    assert reasons(read(data)[1]) == [reason]
