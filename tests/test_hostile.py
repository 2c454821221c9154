"""Input made to do harm, through the real command: it is hashed or quarantined with a reason, in bounded memory.

The bound that every case is held to: the budget (`--memory 64M`), four times the largest payload (64 MiB: the window
of the archive, the payload, and what becomes of it), and 150 MiB for Python, NumPy, HDF5 and MPI.
"""

import gzip
import io
import json
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import hpcreuse

from hpcreuse.store.tables import find_table

MEMORY, PAYLOAD, ITSELF = 64 << 20, 64 << 20, 150 << 20
MOST_MEMORY = MEMORY + 4 * PAYLOAD + ITSELF


def hash_all(path: Path, run: Path, *options: str) -> tuple[dict[str, Any], dict[str, tuple], dict[str, list[str]]]:
    """Hash an input; give the summary, the files by URL, and the reasons of the quarantine by URL."""
    done = hpcreuse("hash", path, "--out", run, "--memory", "64M", "--json", "--progress", "0", *options)
    summary = json.loads(done.stdout)
    assert "Traceback" not in done.stderr
    assert summary["peak_resident_bytes"] < MOST_MEMORY, f"{summary['peak_resident_bytes'] >> 20} MiB"
    files = {row[0]: row for row in map(tuple, find_table(run, "files").rows(run))}
    quarantine: dict[str, list[str]] = {}
    for _, _, url, reason in find_table(run, "quarantine").rows(run):
        quarantine.setdefault(url, []).append(reason)
    listed = sum(map(len, quarantine.values()))
    assert (summary["files"], summary["quarantined"]) == (len(files), listed)
    assert summary["records"] == len(files) + listed + sum(summary["skipped"].values())
    return summary, files, quarantine


def response(url: bytes, body: bytes, *http: bytes, length: bytes | None = None, warc: bytes = b"") -> bytes:
    """One record as bytes, with whatever headers."""
    block = b"\r\n".join([b"HTTP/1.1 200 OK", *(http or (b"Content-Type: text/html",)), b"", b""]) + body
    size = str(len(block)).encode() if length is None else length
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n%sContent-Length: %s\r\n\r\n" % (url, warc, size)
    return head + block + b"\r\n\r\n"


GOOD = response(b"http://good.example/", b"<p>good")


def write(path: Path, *records: bytes) -> Path:
    """An archive whose last record is a good one: what comes before must not take it along."""
    path.write_bytes(b"".join([*records, GOOD]))
    return path


def zeros(gigabytes: float, wbits: int = 31) -> bytes:
    """Compressed zeros that inflate to so much: one block again and again (its checksum is wrong, but far away)."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    piece = bytes(1 << 20)
    first = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * (int(gigabytes * 1024) - 1) + packer.flush()


def test_gzip_bombs_in_responses_stop_at_the_largest_payload(tmp_path: Path) -> None:
    bomb = zeros(10)
    twice = gzip.compress(bomb)
    archive = write(
        tmp_path / "bombs.warc",
        response(b"http://bomb.example/gzip", bomb, b"Content-Encoding: gzip"),
        response(b"http://bomb.example/deflate", zeros(10, 15), b"Content-Encoding: deflate"),
        response(b"http://bomb.example/members", gzip.compress(bytes(10 << 20)) * 1000, b"Content-Encoding: gzip"),
        response(b"http://bomb.example/twice", twice, b"Content-Encoding: gzip, gzip"),
        response(b"http://bomb.example/transfer", bomb, b"Transfer-Encoding: gzip"),
        response(b"http://bomb.example/undeclared", twice),
    )
    _, files, quarantine = hash_all(archive, tmp_path / "run")
    assert set(files) == {"http://good.example/", "http://bomb.example/undeclared"}
    names = ("gzip", "deflate", "members", "twice", "transfer")
    assert quarantine == {f"http://bomb.example/{name}": ["payload over 64 MiB"] for name in names}


def test_an_archive_that_is_a_bomb_is_passed_in_pieces(tmp_path: Path) -> None:
    """A record of 1 GiB of zeros, compressed to 1 MB; and the file breaks off behind it."""
    head = response(b"http://bomb.example/", b"", length=b"%d" % (1 << 40))[:-4]
    archive = tmp_path / "bomb.warc.gz"
    archive.write_bytes(gzip.compress(GOOD) + gzip.compress(head) + zeros(1))
    summary, files, quarantine = hash_all(archive, tmp_path / "run")
    assert set(files) == {"http://good.example/"}
    assert summary["quarantined"] >= 1 and "http://bomb.example/" in quarantine


def test_codings_nested_deep_or_named_endlessly_do_not_hold_up(tmp_path: Path) -> None:
    body = b"<p>text</p>"
    for _ in range(30):
        body = gzip.compress(body)
    archive = write(
        tmp_path / "nested.warc",
        response(b"http://a.example/thirty", body, b"Content-Encoding: " + b", ".join([b"gzip"] * 30)),
        response(b"http://a.example/endless", b"<p>plain", b"Content-Encoding: " + b",".join([b"gzip"] * 100_000)),
        response(b"http://a.example/mixed", b"<p>plain", b"Content-Encoding: " + b"br,deflate,zstd," * 20_000),
        response(b"http://a.example/chunks", b"1\r\nx\r\n" * 500_000 + b"0\r\n\r\n", b"Transfer-Encoding: chunked"),
        response(b"http://a.example/chunk", b"FFFFFFFFFFFFFFFF\r\nx", b"Transfer-Encoding: chunked"),
    )
    _, files, quarantine = hash_all(archive, tmp_path / "run")
    lengths = {url.rpartition("/")[2]: row[2] for url, row in files.items()}
    assert lengths == {"thirty": 11, "endless": 8, "mixed": 8, "chunks": 500_000, "": 7}
    assert list(quarantine) == ["http://a.example/chunk"]


def test_zip_bombs_are_bounded_member_by_member(tmp_path: Path) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("good.html", "<p>good")
        out.writestr("large.html", bytes(PAYLOAD + 1))
        out.writestr("liar.html", bytes(32 << 20))
        out.writestr("last.html", "<p>last")
    data = archive.read_bytes()
    # One member says that it is small, in its own header and in the directory
    data = data.replace(struct.pack("<L", 32 << 20), struct.pack("<L", 1000))
    archive.write_bytes(data)
    _, files, quarantine = hash_all(archive, tmp_path / "run")
    assert {url.rpartition("/")[2] for url in files} == {"good.html", "last.html"}
    assert "over the limit" in quarantine["http://bomb.zip/large.html"][0]
    assert "damaged zip member" in quarantine["http://bomb.zip/liar.html"][0]


def test_members_of_a_zip_that_share_their_bytes_are_read_once(tmp_path: Path) -> None:
    """Thousands of directory entries for one member inflate to terabytes (Fifield, A better zip bomb, 2019)."""
    archive = tmp_path / "overlap.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("first.html", bytes(32 << 20))
        (first,) = out.filelist
        out.filelist = [first] * 3000
        out._didModify = True
    summary, _, quarantine = hash_all(archive, tmp_path / "run")
    assert (summary["files"], summary["quarantined"]) == (1, 2999)
    assert set(quarantine["http://overlap.zip/first.html"]) == {"overlaps the member before it"}
    assert summary["seconds"] < 30


def test_headers_without_end_are_passed(tmp_path: Path) -> None:
    long = b"X-Long: " + b"x" * (100 << 20) + b"\r\n"
    many = b"X-Many: x\r\n" * 1_000_000
    archive = write(
        tmp_path / "headers.warc",
        response(b"http://a.example/long", b"<p>", warc=long),
        response(b"http://a.example/many", b"<p>", warc=many),
        response(b"http://a.example/http", b"<p>", b"X-Long: " + b"x" * (10 << 20)),
    )
    _, files, quarantine = hash_all(archive, tmp_path / "run")
    assert set(files) == {"http://good.example/"}
    reasons = {url.rpartition("/")[2]: entry for url, entry in quarantine.items()}
    assert reasons == {
        "long": ["WARC header over 1 MiB"],
        "many": ["WARC header over 1 MiB"],
        "http": ["HTTP header over 1 MiB"],
    }


@pytest.mark.parametrize(
    "length",
    [
        b"-1",
        b"-9223372036854775808",
        b"9223372036854775807",
        b"1" + b"0" * 30,
        b"9" * 5000,
        b"0x10",
        b"1e3",
        b"",
        b"\0",
    ],
    ids=lambda length: length[:22].decode(),
)
def test_lengths_that_are_none_cost_no_other_record(length: bytes, tmp_path: Path) -> None:
    archive = write(
        tmp_path / "lengths.warc",
        GOOD.replace(b"good.", b"first."),
        response(b"http://a.example/", b"<p>a", length=length),
    )
    _, files, quarantine = hash_all(archive, tmp_path / "run")
    assert set(files) == {"http://first.example/", "http://good.example/"}
    assert list(quarantine) == ["http://a.example/"]


def test_urls_of_any_kind_go_through_the_whole_chain(tmp_path: Path) -> None:
    urls = {
        b"http://nul.example/a\0b": "http://nul.example/a%00b",
        b"http://line.example/a\n b": None,
        b"http://bytes.example/\xff\xfe": "http://bytes.example/%FF%FE",
        b"http://\xc3\xa4.example/\xe2\x80\xa8\xed\xa0\x80": None,
        b"http://long.example/" + b"x" * 1_000_000: None,
        b"http://query.example/?" + b"a/" * 100_000: None,
        b"http://slashes.example" + b"/" * 200_000: None,
        b"http://[::1/": None,
        b"http://": None,
        b"http:///etc/passwd": None,
        b"http://user:pass@host.example:99999/..%2f../../x": None,
    }
    deep = b"http://deep.example/" + b"/".join(b"%d" % n for n in range(10_000))
    loop = b"http://loop.example" + b"/a/b" * 40
    body = b"<p>the same everywhere"
    archive = write(tmp_path / "urls.warc", *(response(url, body) for url in [*urls, deep, loop]))
    run, labels, result = tmp_path / "run", tmp_path / "labels.h5", tmp_path / "result"
    _, files, quarantine = hash_all(archive, run)
    assert len(files) + sum(map(len, quarantine.values())) == len(urls) + 3
    assert {url for url in urls.values() if url} <= set(files)
    assert quarantine[deep.decode()] == ["recursion error: path has 10000 components"]
    assert "occurs 40 times" in quarantine[loop.decode()][0]
    assert any(len(url) > 1_000_000 for url in files)
    assert not any(character < " " for url in files for character in url)
    hpcreuse("discover", run, "--threshold", "2", "--out", labels, "--memory", "64M")
    done = hpcreuse("detect", run, "--labels", labels, "--out", result, "--memory", "64M", "--json", ranks=2)
    assert json.loads(done.stdout)["peak_resident_bytes"] < MOST_MEMORY
    for path, name in ((run, "files"), (run, "quarantine"), (result, "files"), (result, "neighborhoods")):
        lines = hpcreuse("export", path, name).stdout.splitlines()
        assert [json.loads(line) for line in lines]
        hpcreuse("export", path, name, "--format", "csv", "-o", tmp_path / f"{name}.csv")


# Each is harmless a thousand times; then a parser takes time, or memory, by the square of how often it stands there
BUSY = {
    "div": b"<div>",
    "mixed": b"<b><i><table><p>",
    "formatting": b"<b>",
    "distinct": b"<font size=%d>",
    "opened-again": b"<p><b id=%d>",
    "links": b"<a href=%d><div>",
    "adoption": b"<b><div></b>",
    "lists": b"<ul><li>",
    "foreign": b"<svg>",
    "options": b"<optgroup><option>",
    "ends-in-comments": b"<div><!--></div>--></div>",
    "ends-in-quotes": b"<div title='</div>'>",
    "ends-in-scripts": b"<div><script></div></script>",
    "ends-out-of-scope": b"<div><table><td></div></table>",
    "script-in-select": b"<select><style></select><div>",
    "quoted-by-nothing": b'<div ="></div =">',
    "attributes": b"a%d=1 ",
    "ends": b"</p></b>",
    "open": b"<",
    "comment": b"<!--",
    "text": b"x \n",
}


def busy(name: str, count: int) -> bytes:
    """One of the above so many times, with numbers in the place of %d."""
    unit = BUSY[name]
    body = b"".join([unit % n for n in range(count)]) if b"%d" in unit else unit * count
    return {"attributes": b"<div " + body + b">", "ends": b"<span>" * 1000 + body}.get(name, body)


def test_html_made_to_keep_a_parser_busy_is_hashed(tmp_path: Path) -> None:
    """Alone, the parser of dom mode takes 35 s for 100,000 nested elements, and 535 MB for 8,000 bold paragraphs."""
    records = [
        response(b"http://busy.example/%s/%d" % (name.encode(), count), busy(name, count))
        for name in BUSY
        for count in (3_000, 100_000)
    ]
    million = response(b"http://busy.example/million", b"<div>" * 1_000_000)
    archive = write(tmp_path / "busy.warc", *records, million)
    for options in (("--mode", "raw", "--text"), ("--mode", "dom")):
        summary, files, quarantine = hash_all(archive, tmp_path / options[1], *options)
        assert (summary["files"], quarantine) == (len(records) + 2, {})
        # Too deep to parse: chunks are those of the page as it is
        assert files["http://busy.example/million"][3] == 1_000_000
        assert files["http://busy.example/div/100000"][3] == 100_000


def test_dom_mode_parses_every_real_page(shared_data: Path) -> None:
    """The limit on parsing is far from what people write: the worst of 12,000 pages takes a twenty-fifth of it."""
    from warcio.archiveiterator import ArchiveIterator

    from hpcreuse.kernels import parsing_work
    from hpcreuse.page.parsing import MOST_WORK

    most = 0
    for name in ("alexa2018-000", "webkb1997"):
        with (shared_data / "crawl" / f"{name}.warc.gz").open("rb") as stream:
            for record in ArchiveIterator(stream):
                most = max(most, parsing_work(record.content_stream().read(), MOST_WORK))
    assert 0 < 10 * most < MOST_WORK


def test_members_that_climb_out_or_lead_elsewhere_are_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>secret")
    names = ("../secret.html", "/etc/passwd", "a/../../secret.html", "./../secret.html", "..")
    folder = tmp_path / "in"
    folder.mkdir()
    with tarfile.open(folder / "x.tar", "w") as out:
        for name in (*names, "inside/../ok.html"):
            info = tarfile.TarInfo(name)
            info.size = 5
            out.addfile(info, io.BytesIO(b"<p>in"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo("link.html")
            info.type, info.linkname = kind, str(secret)
            out.addfile(info)
    with zipfile.ZipFile(folder / "x.zip", "w") as out:
        for name in (*names, "inside/../ok.html"):
            out.writestr(name, "<p>in")
        link = zipfile.ZipInfo("link.html")
        link.external_attr, link.create_system = (stat.S_IFLNK | 0o777) << 16, 3
        out.writestr(link, str(secret))
    site = tmp_path / "site"
    site.mkdir()
    (site / "out.html").symlink_to(secret)
    (site / "loop.html").symlink_to("loop.html")
    (site / "nowhere.html").symlink_to("nowhere")
    (site / "ok.html").write_text("<p>ok")
    for path, pages, climbing, skipped in (
        (folder / "x.tar", 1, len(names), {"link": 2, "device": 1, "fifo": 1}),
        (folder / "x.zip", 1, len(names), {"link": 1}),
        (site, 1, 0, {"link": 3}),
    ):
        summary, files, quarantine = hash_all(path, tmp_path / f"run-{path.name}")
        assert (len(files), summary["skipped"]) == (pages, skipped)
        reasons = Counter(reason for entry in quarantine.values() for reason in entry)
        assert reasons == ({"name climbs out of the archive": climbing} if climbing else {})


def test_bytes_that_are_not_what_they_say_are_hashed_as_they_are(tmp_path: Path) -> None:
    bodies = {
        b"utf16": "<p>sixteen</p>".encode("utf-16"),
        b"latin": "<p>caf\xe9</p>".encode("latin-1"),
        b"bad": b"<p>\xff\xfe\xed\xa0\x80\xf5\0\0</p>",
        b"nul": b"<p>a\0b</p>\0\0",
        b"bom": b"\xef\xbb\xbf<p>bom",
        b"png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    }
    kinds = (b"text/html; charset=utf-8", b"text/html; charset=no-such-thing", b"text/html; charset=utf-7;charset=\xff")
    records = [
        response(b"http://a.example/%s/%d" % (name, number), body, b"Content-Type: " + kind)
        for name, body in bodies.items()
        for number, kind in enumerate(kinds)
    ]
    archive = write(tmp_path / "charsets.warc", *records)
    for mode in ("raw", "dom"):
        _, files, quarantine = hash_all(archive, tmp_path / f"run-{mode}", "--mode", mode)
        assert not quarantine
        for name, body in bodies.items():
            assert {files[f"http://a.example/{name.decode()}/{n}"][2] for n in range(3)} == {len(body)}


def test_a_million_chunks_in_a_page_and_a_chunk_of_sixty_megabytes(tmp_path: Path) -> None:
    archive = write(
        tmp_path / "chunks.warc",
        response(b"http://many.example/same", b"<p>" * 1_000_000),
        response(b"http://many.example/distinct", b"".join(b"<p>%d" % n for n in range(1_000_000))),
        response(b"http://large.example/one", b"<p>" + b"x" * (60 << 20)),
        response(b"http://large.example/none", b"x" * (60 << 20), b"Content-Type: text/plain"),
    )
    run, labels = tmp_path / "run", tmp_path / "labels.h5"
    _, files, quarantine = hash_all(archive, run)
    chunks = {url: row[3] for url, row in files.items()}
    assert chunks == {
        "http://many.example/same": 1_000_000,
        "http://many.example/distinct": 1_000_000,
        "http://large.example/one": 1,
        "http://large.example/none": 1,
        "http://good.example/": 1,
    }
    assert not quarantine
    done = hpcreuse("discover", run, "--threshold", "1", "--out", labels, "--memory", "64M", "--json")
    found = json.loads(done.stdout)
    assert (found["labels"], found["distinct"]) == (1, 1_000_004)
    done = hpcreuse("detect", run, "--labels", labels, "--out", tmp_path / "result", "--memory", "64M", "--json")
    assert json.loads(done.stdout)["bad_chunks"] == 1_000_000


@pytest.mark.parametrize("name", ["huge.jsonl", "huge.tar", "page.html", "bomb.tar.gz", "bomb.jsonl.gz"])
def test_other_inputs_keep_to_the_same_bounds(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    line = json.dumps({"url": "http://good.example/", "html": "<p>good"}).encode() + b"\n"
    if name == "huge.jsonl":
        path.write_bytes(
            b'{"url":"http://a.example/","text":"' + b"x" * (70 << 20) + b'"}\n' + b"[" * 100_000 + b"\n" + line
        )
    elif name == "bomb.jsonl.gz":
        path.write_bytes(gzip.compress(line) + zeros(0.5))
    elif name == "page.html":
        with path.open("wb") as file:
            file.truncate(10 << 30)
    elif name == "huge.tar":
        with path.open("wb") as file:
            info = tarfile.TarInfo("huge.html")
            info.size = 512 << 20
            file.write(info.tobuf())
            file.seek(info.size, io.SEEK_CUR)
            good = tarfile.TarInfo("good.html")
            good.size = 7
            file.write(good.tobuf() + b"<p>good".ljust(512, b"\0") + bytes(1024))
    else:
        info = tarfile.TarInfo("huge.html")
        info.size = 1 << 30
        path.write_bytes(gzip.compress(info.tobuf()) + zeros(1))
    summary, _, _ = hash_all(path, tmp_path / "run")
    good = {"huge.jsonl": 1, "bomb.jsonl.gz": 1, "huge.tar": 1}.get(name, 0)
    bad = {"huge.jsonl": 2}.get(name, 1)
    assert summary["files"] == good
    assert summary["quarantined"] >= bad
