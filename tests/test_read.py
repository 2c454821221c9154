"""Any input to pages and back: what is recognised, what is refused, what is found again."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest
import zstandard

from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read, reread

DATA = Path(__file__).parents[2] / "shared" / "data"
LIMITS = Limits()
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
    ".lz4": lz4.frame.compress,
    ".xz": lzma.compress,
}
FILES = {"index.html": b"<p>home", "sub/page.html": b"<p>page", "sub/notes.txt": b"notes"}


@pytest.fixture
def archives() -> Path:
    if not (DATA / "archives").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the real archives are missing: {DATA / 'archives'}")
        pytest.skip(f"no real archives in {DATA / 'archives'}")
    return DATA / "archives"


def warc_record(url: str, payload: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + payload
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def arc(*pages: tuple[str, bytes]) -> list[bytes]:
    head = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
    records = [b"filedesc://x.arc 0.0.0.0 20200101000000 text/plain %d\n%s\n" % (len(head), head)]
    for url, payload in pages:
        http = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + payload
        line = f"{url} 10.0.0.1 20200101000000 text/html {len(http)}\n".encode()
        records.append(line + http + b"\n")
    return records


WARC = [warc_record(f"http://host/{name}", f"<p>{name}".encode()) for name in "abc"]
ARC = arc(*((f"http://host/{name}", f"<p>{name}".encode()) for name in "abc"))


def tar_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as container:
        for name, content in files.items():
            container.writestr(name, content)
    return out.getvalue()


def read_all(*inputs: Path, prefix: str | None = None, limits: Limits = LIMITS) -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    parts = plan([str(path) for path in inputs], prefix)
    return [page for part in parts for page in read(part, ledger, limits)], ledger


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def assert_found_again(pages: list[Page], prefix: str | None = None) -> None:
    for page in pages:
        assert reread(page.archive, page.offset, page.url, LIMITS, prefix) == page


# Recognising


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("kind", "records"), [("warc", WARC), ("arc", ARC)])
def test_web_archives_are_known_by_content(
    tmp_path: Path, kind: str, records: list[bytes], suffix: str, named: bool
) -> None:
    name = f"x.{kind}{suffix}" if named else "without-a-telling-name"
    path = write(tmp_path / name, COMPRESSIONS[suffix](b"".join(records)))
    pages, ledger = read_all(path)
    assert [(page.url, page.payload) for page in pages] == [(f"http://host/{n}", b"<p>%c" % ord(n)) for n in "abc"]
    assert ledger.quarantined == []
    assert_found_again(pages)


@pytest.mark.parametrize(("kind", "records"), [("warc", WARC), ("arc", ARC)])
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_pages_of_archives_compressed_by_record_are_found_without_reading_what_is_before(
    tmp_path: Path, kind: str, records: list[bytes], suffix: str
) -> None:
    path = write(tmp_path / f"x.{kind}{suffix}", b"".join(map(COMPRESSIONS[suffix], records)))
    pages, _ = read_all(path)
    assert_found_again(pages)
    # With all before it destroyed, the last page can only come from its own place.
    last = pages[-1]
    path.write_bytes(bytes(last.offset) + path.read_bytes()[last.offset :])
    assert reread(last.archive, last.offset, last.url, LIMITS) == last


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_tars_are_read_in_any_compression(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"site.tar{suffix}", COMPRESSIONS[suffix](tar_of(FILES)))
    pages, ledger = read_all(path)
    assert {page.url: page.payload for page in pages} == {
        f"http://site.tar{suffix}/{name}": content for name, content in FILES.items()
    }
    assert {page.archive for page in pages} == {str(path)}
    assert [page.plain for page in pages] == [False, False, True]
    assert ledger == Ledger()
    assert_found_again(pages)


def test_zips_are_read_and_found_again(tmp_path: Path) -> None:
    path = write(tmp_path / "site.zip", zip_of(FILES))
    pages, ledger = read_all(path)
    assert [page.url for page in pages] == [f"http://site.zip/{name}" for name in FILES]
    assert ledger == Ledger()
    assert_found_again(pages)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("name", ["pages.jsonl", "pages.ndjson", "pages.json"])
def test_json_lines_are_read_in_any_compression(tmp_path: Path, name: str, suffix: str) -> None:
    lines = [{"url": "http://host/a", "text": "alpha"}, {"id": "b", "html": "<p>beta"}]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path = write(tmp_path / (name + suffix), COMPRESSIONS[suffix](data))
    pages, ledger = read_all(path)
    assert [(page.url, page.payload) for page in pages] == [
        ("http://host/a", b"alpha"),
        (f"http://{name}{suffix}/b", b"<p>beta"),
    ]
    assert ledger == Ledger()
    assert_found_again(pages)


@pytest.mark.parametrize("content", [b'{"a": 1}\n', b'{\n "text": "pretty"\n}\n', b"{ color: red }", b"", b"<p>hello"])
def test_any_other_file_is_a_page_under_the_name_of_its_folder(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "pages" / "one file.dat", content)
    pages, ledger = read_all(path)
    assert pages == [Page("http://pages/one%20file.dat", content, "", str(path), 0)]
    assert ledger == Ledger()
    assert_found_again(pages)


def test_a_folder_is_read_and_its_files_are_found_again(tmp_path: Path) -> None:
    for name, content in FILES.items():
        write(tmp_path / "site" / name, content)
    write(tmp_path / "site" / "pack.zip", zip_of(FILES))
    write(tmp_path / "site" / "sub" / "x.warc", b"".join(WARC))
    pages, ledger = read_all(tmp_path / "site")
    assert [page.url for page in pages] == [
        "http://site/index.html",
        "http://site/pack.zip",
        "http://site/sub/notes.txt",
        "http://site/sub/page.html",
        *(f"http://host/{name}" for name in "abc"),
    ]
    assert ledger == Ledger()
    assert_found_again(pages)


def test_a_prefix_renames_folders_tars_and_single_files_but_not_web_archives(tmp_path: Path) -> None:
    write(tmp_path / "tree" / "host.org" / "a.html", b"a")
    write(tmp_path / "x.tar", tar_of({"host.org/b.html": b"b"}))
    write(tmp_path / "x.warc", warc_record("http://own/c", b"c"))
    pages, _ = read_all(tmp_path / "tree", tmp_path / "x.tar", tmp_path / "x.warc", prefix="http://")
    assert {page.url for page in pages} == {
        "http://host.org/a.html",
        "http://host.org/b.html",
        "http://own/c",
    }
    assert_found_again(pages, "http://")


# WACZ


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", ["x.wacz", "x.zip", "what!is.it"])
def test_a_zip_with_warcs_in_archive_is_a_wacz(tmp_path: Path, name: str, method: int) -> None:
    members = {
        "datapackage.json": b"{}",
        "archive/data.warc.gz": b"".join(map(gzip.compress, WARC)),
        "archive/more.warc": warc_record("http://host/d", b"<p>d"),
        "pages/pages.jsonl": b"{}",
    }
    path = write(tmp_path / name, zip_of(members, method))
    pages, ledger = read_all(path)
    assert [page.url for page in pages] == [f"http://host/{name}" for name in "abcd"]
    assert pages[0].archive == f"{path}!archive/data.warc.gz"
    assert pages[1].offset == len(gzip.compress(WARC[0]))
    assert ledger.quarantined == []
    assert_found_again(pages)


def test_a_wacz_without_warcs_is_quarantined(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wacz", zip_of({"datapackage.json": b"{}"}))
    pages, ledger = read_all(path)
    assert pages == []
    assert [entry.reason for entry in ledger.quarantined] == ["WACZ without a WARC file in archive/"]


def test_a_wrong_checksum_in_a_wacz_is_listed_and_costs_no_page(tmp_path: Path) -> None:
    packed = zip_of({"archive/data.warc": b"".join(WARC)}, zipfile.ZIP_STORED)
    path = write(tmp_path / "b.wacz", packed.replace(b"<p>a", b"<p>A", 1))
    pages, ledger = read_all(path)
    assert len(pages) == 3
    assert [entry.archive for entry in ledger.quarantined] == [f"{path}!archive/data.warc"]
    assert "CRC" in ledger.quarantined[0].reason


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_that_breaks_off_keeps_the_records_before(tmp_path: Path, method: int) -> None:
    noise = [warc_record(f"http://host/{n}", os.urandom(3000)) for n in range(9)]
    packed = zip_of({"datapackage.json": b"{}", "archive/data.warc": b"".join(noise)}, method)
    path = write(tmp_path / "b.wacz", packed[: len(packed) // 2])
    pages, ledger = read_all(path)
    assert [page.url for page in pages] == [f"http://host/{n}" for n in range(4)]
    assert "read by the headers of its members" in ledger.quarantined[0].reason
    assert_found_again(pages)


def test_real_wacz_files_are_read_and_their_pages_found_again(archives: Path) -> None:
    counts = {}
    for path in sorted(archives.glob("*.wacz")):
        pages, _ = read_all(path)
        counts[path.name] = len(pages)
        assert_found_again(pages[:5] + pages[-5:])
    assert counts["invalid_example_1.wacz"] == 0
    assert all(count for name, count in counts.items() if not name.startswith("invalid_example"))


# Damage


@pytest.mark.parametrize(
    "content", [b"", b"garbage" * 100, b"\0" * 5000, gzip.compress(b"garbage", mtime=0), b"\x1f\x8b\x08garbage"]
)
@pytest.mark.parametrize(
    "name",
    [
        "x.warc",
        "x.warc.gz",
        "x.arc",
        "x.wacz",
        "x.zip",
        "x.tar",
        "x.tar.gz",
        "x.tgz",
        "x.jsonl",
        "x.jsonl.gz",
    ],
)
def test_a_broken_archive_is_quarantined_and_gives_no_page(tmp_path: Path, name: str, content: bytes) -> None:
    path = write(tmp_path / name, content)
    pages, ledger = read_all(path)
    assert pages == []
    assert ledger.quarantined
    assert {entry.archive for entry in ledger.quarantined} == {str(path)}
    assert all(entry.reason for entry in ledger.quarantined)


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [(kind, suffix) for kind in ("warc", "arc", "tar", "jsonl") for suffix in COMPRESSIONS],
)
def test_archives_cut_anywhere_never_raise_and_keep_what_came_before(tmp_path: Path, kind: str, suffix: str) -> None:
    lines = b"".join(b'{"url": "http://host/%d", "text": "%d"}\n' % (n, n) for n in range(9))
    content = {"warc": b"".join(WARC), "arc": b"".join(ARC), "tar": tar_of(FILES), "jsonl": lines}[kind]
    data = COMPRESSIONS[suffix](content)
    path = write(tmp_path / f"x.{kind}{suffix}", data)
    whole, _ = read_all(path)
    for cut in range(0, len(data), max(1, len(data) // 40)):
        path.write_bytes(data[:cut])
        pages, ledger = read_all(path)
        if not suffix:
            assert pages == whole[: len(pages)]
        assert len(pages) <= len(whole)
        assert pages or ledger.quarantined or ledger.skipped


def test_a_wrong_checksum_of_a_compressed_tar_is_noticed(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(tar_of(FILES)))
    data[-6] ^= 1
    _, ledger = read_all(write(tmp_path / "x.tar.gz", bytes(data)))
    assert len(ledger.quarantined) == 1


def test_an_archive_that_vanished_after_the_plan_is_quarantined(tmp_path: Path) -> None:
    path = write(tmp_path / "x.warc", WARC[0])
    (part,) = plan([str(path)], None)
    path.unlink()
    ledger = Ledger()
    assert list(read(part, ledger, LIMITS)) == []
    assert ledger.quarantined[0].reason == "cannot be opened: No such file or directory"
    assert reread(str(path), 0, "http://host/a", LIMITS) is None


def test_a_link_to_nothing_that_a_pattern_matched_is_quarantined(tmp_path: Path) -> None:
    (tmp_path / "x.warc").symlink_to("absent")
    _, ledger = read_all(Path(f"{tmp_path}/*.warc"))
    assert "cannot be opened" in ledger.quarantined[0].reason


def test_a_page_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    path = write(tmp_path / "x.warc", b"".join(WARC))
    assert reread(str(path), 0, "http://host/b", LIMITS) is None
    assert reread(str(path), 7, "http://host/a", LIMITS) is None


def test_payloads_over_the_limit_are_quarantined_in_every_container(tmp_path: Path) -> None:
    big, limits = b"x" * 2000, Limits(max_payload=1000)
    write(tmp_path / "tree" / "big.html", big)
    write(tmp_path / "x.tar.gz", gzip.compress(tar_of({"big.html": big})))
    write(tmp_path / "x.zip", zip_of({"big.html": big}))
    write(tmp_path / "x.warc", warc_record("http://host/big.html", big))
    write(tmp_path / "x.jsonl", json.dumps({"url": "http://host/big.html", "text": big.decode()}).encode())
    pages, ledger = read_all(*tmp_path.iterdir(), limits=limits)
    assert pages == []
    assert len(ledger.quarantined) == 5
    assert all(entry.url.endswith("/big.html") for entry in ledger.quarantined)


# Cleaning


def test_recursion_errors_are_dropped_from_every_kind_of_input_with_their_reason(tmp_path: Path) -> None:
    loop = "a/b/a/c/a/d/a/e.html"
    write(tmp_path / "tree" / loop, b"1")
    write(tmp_path / "x.tar", tar_of({loop: b"2", "fine.html": b"3"}))
    write(tmp_path / "x.warc", warc_record(f"http://host/{loop}", b"4"))
    pages, ledger = read_all(*tmp_path.iterdir())
    assert [page.payload for page in pages] == [b"3"]
    assert [entry.reason for entry in ledger.quarantined] == ["recursion error: path component 'a' occurs 4 times"] * 3
    assert ledger.quarantined[0].url == f"http://tree/{loop}"


# Everything


def test_all_real_archives_as_one_folder_are_read_and_accounted_for(archives: Path) -> None:
    files = [path for path in archives.iterdir() if path.is_file()]
    parts = plan([str(archives)], None)
    assert len(parts) >= len(files)
    total = 0
    for part in parts:
        ledger = Ledger()
        pages = list(read(part, ledger, LIMITS))
        assert pages or ledger.skipped or ledger.quarantined, part.source
        for page in pages:
            page.url.encode("utf-8")
            assert page.url.lower().startswith(("http://", "https://"))
            assert Path(page.archive.partition("!")[0]).is_file()
        assert len({(page.archive, page.offset, page.url) for page in pages}) == len(pages), part.source
        total += len(pages)
        if pages:
            assert_found_again([pages[0], pages[len(pages) // 2], pages[-1]])
    assert total > 1000
