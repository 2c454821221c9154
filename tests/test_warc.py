"""WARC records, sound and broken: what becomes a page, what is skipped, what is listed."""

import bz2
import gzip
import io
import tracemalloc
from pathlib import Path
from random import Random

import lz4.frame
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.streams import open_stream
from hpcreuse.crawl.warc import read_warc


def read(data: bytes, limits: Limits | None = None, start: int = 0) -> tuple[list[Page], Ledger]:
    raw, ledger = io.BytesIO(data), Ledger()
    raw.seek(start)
    return list(read_warc(open_stream(raw), "a.warc", ledger, limits or Limits())), ledger


def reasons(ledger: Ledger) -> list[str]:
    return [entry.reason for entry in ledger.quarantined]


def record(
    block: bytes,
    url: str | bytes = "http://a.example/",
    kind: str = "response",
    version: str = "1.0",
    length: object = None,
    newline: bytes = b"\r\n",
    more: bytes = b"",
    content_type: str = "application/http; msgtype=response",
    end: bytes | None = None,
) -> bytes:
    """One record, with any of its parts wrong on demand."""
    url = url if isinstance(url, bytes) else url.encode()
    lines = [
        b"WARC/" + version.encode(),
        b"WARC-Type: " + kind.encode(),
        b"WARC-Target-URI: " + url,
        b"Content-Type: " + content_type.encode(),
        b"Content-Length: " + str(len(block) if length is None else length).encode(),
    ]
    head = newline.join(lines) + newline + more + newline
    return head + block + (newline * 2 if end is None else end)


def http(body: bytes, newline: bytes = b"\r\n") -> bytes:
    return newline.join([b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"Server: x", b"", b""]) + body


def site(count: int) -> list[bytes]:
    """Records with bodies that differ in length and ends."""
    return [record(http(b"<p>page %d</p>" % n + b"\n" * (n % 4)), f"http://a.example/{n}") for n in range(count)]


def bodies(count: int) -> list[bytes]:
    return [b"<p>page %d</p>" % n + b"\n" * (n % 4) for n in range(count)]


# What is a page


def test_only_web_responses_resources_and_conversions_are_pages() -> None:
    data = b"".join(
        [
            record(b"software: x", kind="warcinfo", url=""),
            record(b"GET / HTTP/1.1\r\n\r\n", kind="request"),
            record(http(b"1")),
            record(b"2", kind="resource", url="https://a.example/r", content_type="image/png"),
            record(b"3", kind="conversion", content_type="text/plain"),
            record(b"", kind="revisit"),
            record(b"x", kind="metadata"),
            record(b"x", kind="continuation"),
            record(b"x", url="dns:a.example"),
            record(b"x", kind="resource", url="urn:x:y"),
            record(b"x", kind="Own-Type"),
        ]
    )
    pages, ledger = read(data)
    assert [(page.payload, page.content_type, page.plain) for page in pages] == [
        (b"1", "text/html", False),
        (b"2", "image/png", False),
        (b"3", "text/plain", True),
    ]
    assert ledger.skipped == {
        "warcinfo": 1,
        "request": 1,
        "revisit": 1,
        "metadata": 1,
        "continuation": 1,
        "response not http": 1,
        "resource not http": 1,
        "own-type": 1,
    }
    assert not ledger.quarantined


def test_any_status_and_the_same_url_twice_are_pages() -> None:
    block = b"HTTP/1.1 404 Not Found\r\n\r\ngone"
    pages, _ = read(record(block) * 2)
    assert [page.payload for page in pages] == [b"gone", b"gone"]


@pytest.mark.parametrize("version", ["0.17", "0.18", "1.0", "1.1", "2.7"])
def test_every_version_is_read(version: str) -> None:
    pages, ledger = read(record(http(b"x"), version=version) * 3)
    assert [page.payload for page in pages] == [b"x"] * 3
    assert not ledger.quarantined


@pytest.mark.parametrize(
    ("raw", "url"),
    [
        (b"<http://a.example/x>", "http://a.example/x"),
        (b"  http://a.example/a b  ", "http://a.example/a b"),
        ("http://a.example/ü".encode(), "http://a.example/ü"),
        (b"http://a.example/\xfc", "http://a.example/%FC"),
        (b"http://a.example/\x00\t\x7fz", "http://a.example/%00%09%7Fz"),
        (b"http://a.example/a\nb?c=http://d", "http://a.example/a%0Ab?c=http://d"),
        (b"HTTP://A.example/%zz", "HTTP://A.example/%zz"),
    ],
)
def test_urls_become_valid_text_and_are_left_alone_otherwise(raw: bytes, url: str) -> None:
    pages, ledger = read(record(http(b"x"), url=raw))
    assert [page.url for page in pages] == [url], ledger
    assert pages[0].url.encode()


def test_the_address_is_kept() -> None:
    pages, _ = read(record(http(b"x"), more=b"WARC-IP-Address: 192.0.2.1\r\n"))
    assert pages[0].ip == "192.0.2.1"


# Offsets


def test_offsets_of_records_compressed_one_by_one_are_those_of_the_members() -> None:
    for pack in (gzip.compress, zstandard.compress):
        parts = [pack(part) for part in site(5)]
        pages, ledger = read(b"".join(parts))
        starts = [sum(map(len, parts[:n])) for n in range(5)]
        assert [page.offset for page in pages] == starts
        for page in pages:
            again, _ = read(b"".join(parts), start=page.offset)
            assert again[0] == page
        assert not ledger.quarantined


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress, lz4.frame.compress, bytes])
def test_offsets_in_an_archive_compressed_as_a_whole_are_those_of_the_content(pack) -> None:
    parts = site(5)
    pages, ledger = read(pack(b"".join(parts)))
    assert [page.offset for page in pages] == [sum(map(len, parts[:n])) for n in range(5)]
    assert [page.payload for page in pages] == bodies(5)
    assert not ledger.quarantined


def test_a_plain_archive_can_be_entered_at_a_record() -> None:
    data = b"".join(site(5))
    pages, _ = read(data)
    assert read(data, start=pages[3].offset)[0] == pages[3:]


def test_records_of_a_later_member_share_its_offset() -> None:
    one, two, three = site(3)
    pages, _ = read(gzip.compress(one) + gzip.compress(two + three))
    assert [page.offset for page in pages] == [0, len(gzip.compress(one)), len(gzip.compress(one))]


def test_members_that_cut_records_anywhere_are_one_stream() -> None:
    data = b"".join(site(20))
    packed = b"".join(gzip.compress(data[at : at + 100]) for at in range(0, len(data), 100))
    pages, ledger = read(packed)
    assert [page.payload for page in pages] == bodies(20)
    assert [page.offset for page in pages] == [page.offset for page in read(data)[0]]
    assert not ledger.quarantined


# Headers that are not as they should be


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_blank_lines_before_records_are_passed(newline: bytes) -> None:
    data = newline * 3 + b"".join(record(http(b"x"), newline=newline, end=newline * 7) for _ in range(3))
    pages, ledger = read(data)
    assert [page.payload for page in pages] == [b"x"] * 3
    assert not ledger.quarantined


def test_lines_without_colon_and_folded_lines_are_tolerated() -> None:
    pages, ledger = read(record(http(b"x"), more=b"no colon\r\nX-Long: a\r\n  b: c\r\n"))
    assert [page.payload for page in pages] == [b"x"]
    assert not ledger.quarantined


def test_lower_case_headers_are_read() -> None:
    data = record(http(b"x")).replace(b"WARC-Type", b"warc-type").replace(b"Content-Length", b"content-length")
    assert [page.payload for page in read(data)[0]] == [b"x"]


@pytest.mark.parametrize("length", ["-5", "abc", "", "9" * 30, "1e3"])
@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_a_useless_length_costs_one_record(length: str, pack) -> None:
    one, two, three = site(3)
    broken = two.replace(b"Content-Length: %d" % (len(http(bodies(2)[1]))), b"Content-Length: " + length.encode())
    pages, ledger = read(b"".join(map(pack, [one, broken, three])))
    assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/2"]
    assert [entry.url for entry in ledger.quarantined] == ["http://a.example/1"]


def test_a_gigantic_length_costs_one_record() -> None:
    one, two, three = site(3)
    for length in (1 << 40, 100 << 20):
        broken = two.replace(b"Content-Length: ", b"Content-Length: %d" % length + b"\r\nX: ")
        for data in (one + broken + three, gzip.compress(one + broken + three)):
            pages, ledger = read(data)
            assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/2"]
            assert reasons(ledger) == [f"Content-Length {length} runs past the next record"]


def test_a_huge_header_costs_one_record_and_no_memory() -> None:
    one, two, three = site(3)
    huge = two.replace(b"Content-Type:", b"X-Pad: " + b"y" * (40 << 20) + b"\r\nContent-Type:", 1)
    packed = gzip.compress(one + huge + three, 1)
    tracemalloc.start()
    pages, ledger = read(packed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/2"]
    assert reasons(ledger) == ["WARC header over 1 MiB"]
    assert peak < 16 << 20


def test_a_header_that_runs_into_the_next_record_costs_one_record() -> None:
    one, two, three = site(3)
    broken = two[: two.index(b"Content-Type")]
    pages, ledger = read(one + broken + three)
    assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/2"]
    assert reasons(ledger) == ["WARC header has no end"]


# Lengths that are wrong


def clueweb(body: bytes, number: int) -> bytes:
    """A record as ClueWeb09 has them: the length was counted before CRLF became LF."""
    block = http(body, b"\n")
    length = len(http(body, b"\r\n"))
    return record(block, f"http://a.example/{number}", version="0.18", length=length, newline=b"\n")


@pytest.mark.parametrize("ends", [b"", b"\n", b"\n\n", b"\r\n"])
@pytest.mark.parametrize("form", ["members", "whole", "plain"])
def test_clueweb_lengths_that_are_too_long_give_exact_payloads(ends: bytes, form: str) -> None:
    texts = [b"<html>\n%d\n</html>" % n + ends for n in range(6)]
    parts = [clueweb(text, n) for n, text in enumerate(texts)]
    data = {
        "members": b"".join(map(gzip.compress, parts)),
        "whole": gzip.compress(b"".join(parts)),
        "plain": b"".join(parts),
    }[form]
    pages, ledger = read(data)
    assert [page.payload for page in pages] == texts
    assert not ledger.quarantined


@pytest.mark.parametrize("version", ["0.18", "1.0"])
def test_a_length_that_is_too_long_ends_at_the_next_record(version: str) -> None:
    block = http(b"text")
    data = record(block, version=version, length=len(block) + 60) + record(http(b"next"))
    pages, ledger = read(data)
    assert [page.payload for page in pages] == [b"text", b"next"]
    assert not ledger.quarantined


def test_a_length_that_is_too_short_is_mended_before_version_1_and_listed_after() -> None:
    block = http(b"x" * 100)
    for version, payload in (("0.18", b"x" * 100), ("1.0", b"x" * 63)):
        data = record(block, version=version, length=len(block) - 37) + record(http(b"next"))
        pages, ledger = read(data)
        assert [page.payload for page in pages] == [payload, b"next"]
        expected = [] if version == "0.18" else ["37 bytes between records are not a record"]
        assert reasons(ledger) == expected


def test_a_warc_inside_a_sound_record_is_only_its_content() -> None:
    inner = b"".join(site(3))
    pages, ledger = read(record(http(inner)) + b"garbage\r\n\r\n" + record(http(b"next")))
    assert [page.payload for page in pages] == [inner, b"next"]
    assert reasons(ledger) == ["7 bytes between records are not a record"]


# Damage


def test_a_plain_file_cut_inside_a_block_keeps_what_came_before() -> None:
    one, two = site(2)
    pages, ledger = read(one + two[:-12])
    assert [page.url for page in pages] == ["http://a.example/0"]
    length = len(http(bodies(2)[1]))
    assert reasons(ledger) == [f"record cut short: {length - 8} of {length} bytes"]
    assert ledger.quarantined[0].offset == len(one)


def test_a_plain_file_cut_inside_a_header_keeps_what_came_before() -> None:
    one, two = site(2)
    pages, ledger = read(one + two[:60])
    assert len(pages) == 1
    assert reasons(ledger) == ["record cut short in its header"]


def test_a_truncated_gzip_keeps_what_came_before() -> None:
    parts = list(map(gzip.compress, site(3)))
    pages, ledger = read(b"".join(parts)[: -len(parts[2]) // 2])
    assert [page.payload for page in pages] == bodies(2)
    assert ledger.quarantined[0].offset == len(parts[0]) + len(parts[1])
    assert "gzip member ends early" in reasons(ledger)[0]
    assert len(ledger.quarantined) == 1


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress])
def test_reading_goes_on_behind_a_damaged_member(pack) -> None:
    bulky = record(http(bytes(range(256)) * 30), "http://a.example/bulky")
    parts = [pack(part) for part in [*site(2), bulky, *site(2)]]
    broken = bytearray(parts[2])
    broken[60:90] = b"\xff" * 30
    pages, ledger = read(b"".join([*parts[:2], bytes(broken), *parts[3:]]))
    assert [page.payload for page in pages] == bodies(2) * 2
    assert [entry.offset for entry in ledger.quarantined] == [len(parts[0]) + len(parts[1])]


def test_a_wrong_checksum_spoils_the_record_it_covers() -> None:
    parts = list(map(gzip.compress, site(3)))
    broken = bytearray(parts[1])
    broken[-7] ^= 1
    pages, ledger = read(parts[0] + bytes(broken) + parts[2])
    assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/2"]
    assert [entry.url for entry in ledger.quarantined] == ["http://a.example/1"]
    assert "checksum" in reasons(ledger)[0]


def test_garbage_between_members_is_listed() -> None:
    one, two = map(gzip.compress, site(2))
    pages, ledger = read(one + b"garbage" + two)
    assert [page.payload for page in pages] == bodies(2)
    assert reasons(ledger) == ["7 bytes between gzip members are not gzip"]
    assert ledger.quarantined[0].offset == len(one)


def test_garbage_between_records_is_listed() -> None:
    one, two = site(2)
    pages, ledger = read(one + b"x" * 37 + b"\r\n" + two)
    assert [page.payload for page in pages] == bodies(2)
    assert reasons(ledger) == ["37 bytes between records are not a record"]
    assert ledger.quarantined[0].offset == len(one)


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_listed(data: bytes) -> None:
    assert reasons(read(data)[1]) == ["empty file"]


@pytest.mark.parametrize("data", [b"<html>", b"x" * 3_000_000, gzip.compress(b"nothing\nhere\n", mtime=0), b"\r\n\r\n"])
def test_a_file_without_a_record_is_listed_once(data: bytes) -> None:
    assert reasons(read(data)[1]) == ["no WARC record found"]


# Limits


def test_an_undecodable_payload_is_listed_whole() -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"x" * 100)[:-9]
    pages, ledger = read(record(block) + record(http(b"next")))
    assert [page.payload for page in pages] == [b"next"]
    assert reasons(ledger) == ["gzip content encoding: data ends early"]


@pytest.mark.parametrize("kind", ["response", "metadata"])
@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_a_block_over_the_limit_is_never_held(kind: str, pack, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    huge = record(http(bytes(80 << 20)), "http://a.example/huge", kind=kind)
    path.write_bytes(b"".join(pack(part) for part in [site(1)[0], huge, site(1)[0]]))
    del huge
    ledger = Ledger()
    tracemalloc.start()
    with path.open("rb") as raw:
        pages = list(read_warc(open_stream(raw), "a.warc", ledger, Limits()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [page.payload for page in pages] == bodies(1) * 2
    assert reasons(ledger) == (["payload over 64 MiB"] if kind == "response" else [])
    assert ledger.skipped["metadata"] == (kind == "metadata")
    assert peak < 16 << 20


def test_a_payload_that_decodes_to_too_much_is_listed() -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(2 << 20))
    pages, ledger = read(record(block) + record(http(b"next")), Limits(max_payload=1 << 20))
    assert [page.payload for page in pages] == [b"next"]
    assert reasons(ledger) == ["payload over 1 MiB"]


# Against warcio

URLS = st.text("abc/?&=%~", max_size=20).map(lambda path: "http://a.example/" + path)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["response", "resource", "metadata"]),
        URLS,
        st.one_of(
            st.binary(max_size=3000),
            st.text("\r\n WARC/1.0:-Type", max_size=60).map(str.encode),
            st.just(bytes(400_000)),
        ),
    ),
    min_size=1,
    max_size=8,
)


def written(records: list[tuple[str, str, bytes]], packed: bool) -> bytes:
    raw = io.BytesIO()
    writer = WARCWriter(raw, gzip=packed)
    for kind, url, payload in records:
        headers = None
        if kind == "response":
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.0")
        writer.write_record(writer.create_warc_record(url, kind, payload=io.BytesIO(payload), http_headers=headers))
    return raw.getvalue()


def as_warcio_reads(data: bytes) -> list[tuple[str, bytes, int]]:
    found = []
    archive = ArchiveIterator(io.BytesIO(data))
    for entry in archive:
        if entry.rec_type in ("response", "resource"):
            payload = entry.content_stream().read()
            url = entry.rec_headers.get_header("WARC-Target-URI")
            found.append((url, payload, archive.get_record_offset()))
    return found


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.booleans())
def test_sound_archives_are_read_as_warcio_reads_them(records: list[tuple[str, str, bytes]], packed: bool) -> None:
    data = written(records, packed)
    pages, ledger = read(data)
    assert [(page.url, page.payload, page.offset) for page in pages] == as_warcio_reads(data)
    assert ledger.skipped.total() == sum(kind == "metadata" for kind, _, _ in records)
    assert not ledger.quarantined


@settings(max_examples=80, deadline=None)
@given(RECORDS, st.booleans(), st.integers(0, 1 << 32))
def test_no_damage_lets_an_exception_out(records, packed: bool, seed: int) -> None:
    random = Random(seed)
    data = bytearray(written(records, packed))
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(data))
        if random.random() < 0.5:
            data[at] = random.randrange(256)
        else:
            del data[at : at + random.randrange(1, 50)]
        if not data:
            return
    pages, ledger = read(bytes(data))
    assert pages or ledger.skipped or ledger.quarantined
