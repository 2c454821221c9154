"""Folders, tars, zips and JSON lines: URLs, offsets, and what is wrong with them."""

import io
import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse.crawl.containers import climbs_out, page_url
from hpcreuse.crawl.jsonl import read_jsonl
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.tarball import read_tar
from hpcreuse.crawl.tree import read_tree
from hpcreuse.crawl.zipfiles import open_zip, read_zip

LIMITS = Limits()


def tar_pages(data: bytes, limits: Limits = LIMITS, prefix: str = "") -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    return list(read_tar(io.BytesIO(data), "/crawls/site.tar", prefix, ledger, limits)), ledger


def zip_pages(data: bytes, limits: Limits = LIMITS, prefix: str = "") -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    container = open_zip(io.BytesIO(data), "/crawls/site.zip", ledger)
    if container is None:
        return [], ledger
    return list(read_zip(container, "/crawls/site.zip", prefix, ledger, limits)), ledger


def json_pages(data: bytes, limits: Limits = LIMITS) -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    return list(read_jsonl(io.BytesIO(data), "/crawls/pages.jsonl", "", ledger, limits)), ledger


def make_tar(files: dict[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def make_zip(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as container:
        for name, content in files.items():
            container.writestr(name, content)
    return out.getvalue()


def reasons(ledger: Ledger) -> list[str]:
    return [entry.reason for entry in ledger.quarantined]


# URLs


@pytest.mark.parametrize(
    ("container", "path", "prefix", "url"),
    [
        ("/data/site", "a/b.html", "", "http://site/a/b.html"),
        ("/data/site.tar.gz", "a/b.html", "", "http://site.tar.gz/a/b.html"),
        ("/data/My Site", "index.html", "", "http://My%20Site/index.html"),
        ("/data/a:b@c[1]", "x", "", "http://a%3Ab%40c%5B1%5D/x"),
        ("/data/site", "host.org/a", "http://", "http://host.org/a"),
        ("/data/site", "a", "http://host.org", "http://host.org/a"),
        ("/data/site", "a", "http://host.org/", "http://host.org/a"),
        ("/data/site", "a", "https://host.org/sub//", "https://host.org/sub/a"),
        ("/data/site", "a b?c#d%20e\n", "", "http://site/a%20b%3Fc%23d%2520e%0A"),
        ("/data/site", "größe.html", "", "http://site/größe.html"),
        ("/data/site", os.fsdecode(b"gr\xf6\xdfe"), "", "http://site/gr%F6%DFe"),
        ("/data/site", "a\x85b\u2028", "", "http://site/a%C2%85b%E2%80%A8"),
        ("/", "etc/motd", "", "http://root/etc/motd"),
    ],
)
def test_a_path_inside_a_container_has_a_url(container: str, path: str, prefix: str, url: str) -> None:
    assert page_url(container, path, prefix) == url


@given(st.text(st.characters(codec=None, categories=None), max_size=30), st.text(max_size=10))
def test_every_path_gives_a_url_that_can_be_stored_and_keeps_its_slashes(path: str, name: str) -> None:
    url = page_url("/" + name.replace("/", ""), path, "")
    url.encode("utf-8")
    assert not any(char in url for char in "?#\n ")
    assert url.count("/") == 3 + path.count("/")


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "./../x"])
def test_names_that_leave_the_container_are_seen(path: str) -> None:
    assert climbs_out(path)


@pytest.mark.parametrize("path", ["a/../b", "..a", "a..", "./a", "a//b"])
def test_names_that_stay_inside_are_fine(path: str) -> None:
    assert not climbs_out(path)


# Folders


def test_files_of_a_folder_are_pages_under_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "sub").mkdir(parents=True)
    (folder / "index.html").write_bytes(b"<p>home")
    (folder / "sub" / "Notes.TXT").write_bytes(b"plain")
    ledger = Ledger()
    pages = list(read_tree(str(folder), ["index.html", "sub/Notes.TXT"], "", ledger, LIMITS))
    assert pages == [
        Page("http://site/index.html", b"<p>home", "", f"{folder}/index.html", 0),
        Page("http://site/sub/Notes.TXT", b"plain", "", f"{folder}/sub/Notes.TXT", 0, plain=True),
    ]
    assert ledger == Ledger()


def test_links_are_followed_inside_the_folder_only_and_the_rest_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "a.html").write_bytes(b"page")
    (folder / "b.html").symlink_to("a.html")
    (folder / "out.html").symlink_to("/etc/hostname")
    (folder / "self").symlink_to(folder)
    (folder / "nowhere").symlink_to("absent")
    (folder / "round").symlink_to("round")
    (folder / "x.warc").write_bytes(b"WARC/1.0")
    (folder / "latest.warc").symlink_to("x.warc")
    os.mkfifo(folder / "pipe")
    found = ["a.html", "b.html", "latest.warc", "nowhere", "out.html", "pipe", "round", "self"]
    ledger = Ledger()
    pages = list(read_tree(str(folder), found, "", ledger, LIMITS))
    assert [(page.url, page.payload) for page in pages] == [
        ("http://site/a.html", b"page"),
        ("http://site/b.html", b"page"),
    ]
    assert ledger.skipped == {"link": 5, "fifo": 1}


def test_large_and_vanished_files_of_a_folder_are_quarantined(tmp_path: Path) -> None:
    (tmp_path / "big.html").write_bytes(b"x" * 11)
    (tmp_path / "fits.html").write_bytes(b"x" * 10)
    ledger = Ledger()
    names = ["big.html", "fits.html", "gone.html"]
    pages = list(read_tree(str(tmp_path), names, "http://h", ledger, Limits(max_payload=10)))
    assert [page.url for page in pages] == ["http://h/fits.html"]
    assert reasons(ledger) == [
        "payload of 11 bytes is over the limit of 10",
        "cannot be opened: No such file or directory",
    ]
    assert ledger.quarantined[0].archive == str(tmp_path / "big.html")


# Tars

NAMES = st.text(st.characters(min_codepoint=97, max_codepoint=400), min_size=1, max_size=150)


@settings(max_examples=60)
@given(
    st.dictionaries(NAMES, st.binary(max_size=1500), max_size=6),
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
)
def test_tars_of_both_formats_give_what_went_in(files: dict[str, bytes], format: int) -> None:
    data = make_tar(files, format)
    pages, ledger = tar_pages(data)
    assert [(page.url, page.payload) for page in pages] == [
        (page_url("site.tar", name, ""), content) for name, content in files.items()
    ]
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert [page.offset for page in pages] == [member.offset for member in tar.getmembers()]
    assert ledger == Ledger()


def test_old_tars_without_magic_are_read() -> None:
    info = tarfile.TarInfo("old.html")
    info.size = 3
    block = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    block[257:512] = bytes(255)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    pages, ledger = tar_pages(bytes(block) + b"abc".ljust(512, b"\0"))
    assert [(page.url, page.payload) for page in pages] == [("http://site.tar/old.html", b"abc")]
    assert ledger == Ledger()


def test_leading_dots_of_tar_names_are_dropped_and_prefixes_joined() -> None:
    pages, _ = tar_pages(make_tar({"./host.org/a.txt": b"a"}), prefix="http://")
    assert pages[0].url == "http://host.org/a.txt"
    assert pages[0].plain


def test_links_devices_and_folders_of_a_tar_are_counted() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo("x")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    pages, ledger = tar_pages(out.getvalue())
    assert pages == []
    assert ledger.skipped == {"directory": 1, "link": 2, "device": 1, "fifo": 1}
    assert ledger.quarantined == []


def test_names_that_climb_out_of_a_tar_are_quarantined_and_the_rest_is_read() -> None:
    pages, ledger = tar_pages(make_tar({"../evil": b"1", "/etc/passwd": b"2", "good": b"3"}))
    assert [page.payload for page in pages] == [b"3"]
    assert reasons(ledger) == ["name climbs out of the archive"] * 2


def test_a_truncated_tar_keeps_what_came_before() -> None:
    data = make_tar({"a": b"a" * 600, "b": b"b" * 600})
    pages, ledger = tar_pages(data[: 512 + 1024 + 512 + 100])
    assert [page.payload for page in pages] == [b"a" * 600]
    assert reasons(ledger) == ["truncated tar: 100 of 600 bytes"]
    assert ledger.quarantined[0].offset == 1536


def test_reading_goes_on_behind_a_damaged_tar_header() -> None:
    data = bytearray(make_tar({name: name.encode() * 600 for name in "abc"}, tarfile.USTAR_FORMAT))
    data[1536:1636] = b"#" * 100
    pages, ledger = tar_pages(bytes(data))
    assert [page.url[-1] for page in pages] == ["a", "c"]
    assert len(ledger.quarantined) == 1
    assert ledger.quarantined[0].offset == 1536


def test_a_header_that_lies_about_its_size_costs_no_memory() -> None:
    info = tarfile.TarInfo("bomb")
    info.size = 1 << 40
    pages, ledger = tar_pages(info.tobuf() + b"x" * 512, Limits(max_payload=1 << 50))
    assert pages == []
    assert reasons(ledger) == [f"truncated tar: 512 of {1 << 40} bytes"]
    assert "over the limit" in reasons(tar_pages(info.tobuf())[1])[0]


@pytest.mark.parametrize("length", [b"0", b"000", b"1", b"x", b"", b"-5", b"99999999999", "²".encode()])
def test_extended_headers_with_a_wrong_length_end_there(length: bytes) -> None:
    info = tarfile.TarInfo("pax")
    info.type, content = tarfile.XHDTYPE, length + b" path=other\n"
    info.size = len(content)
    pages, _ = tar_pages(info.tobuf() + content.ljust(512, b"\0") + make_tar({"page": b"x"}))
    assert [page.payload for page in pages] == [b"x"]


@given(st.binary(max_size=3000))
def test_no_bytes_make_the_tar_reader_fail(noise: bytes) -> None:
    tar_pages(noise)
    tar_pages(make_tar({"a": b"1"})[:512] + noise)


@given(st.data())
def test_no_flipped_byte_makes_the_tar_reader_fail(data: st.DataObject) -> None:
    tar = bytearray(make_tar({"a" * 120: b"1" * 700, "ä": b"2"}))
    for _ in range(data.draw(st.integers(1, 4))):
        tar[data.draw(st.integers(0, len(tar) - 1))] = data.draw(st.integers(0, 255))
    tar_pages(bytes(tar))


# Zips


@settings(max_examples=60)
@given(
    st.dictionaries(NAMES, st.binary(max_size=1500), max_size=6),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]),
)
def test_zips_give_what_went_in(files: dict[str, bytes], method: int) -> None:
    data = make_zip(files, method)
    pages, ledger = zip_pages(data)
    assert [(page.url, page.payload) for page in pages] == [
        (page_url("site.zip", name, ""), content) for name, content in files.items()
    ]
    assert all(data[page.offset : page.offset + 4] == b"PK\x03\x04" for page in pages)
    assert ledger == Ledger()


def test_zip_names_in_other_encodings_keep_their_bytes() -> None:
    data = make_zip({"gr__e.html": b"x"}).replace(b"gr__e", b"gr\xf6\xdfe")
    assert zip_pages(data)[0][0].url == "http://site.zip/gr%F6%DFe.html"
    data = make_zip({"gr____e.html": b"x"}).replace(b"gr____e", "größe".encode())
    assert zip_pages(data)[0][0].url == "http://site.zip/größe.html"


def test_folders_and_links_of_a_zip_are_counted_and_climbing_names_quarantined() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as container:
        container.writestr("dir/", b"")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        container.writestr(link, b"/etc/passwd")
        container.writestr("../evil", b"1")
        container.writestr("dir/good.txt", b"2")
    pages, ledger = zip_pages(out.getvalue())
    assert [(page.url, page.plain) for page in pages] == [("http://site.zip/dir/good.txt", True)]
    assert ledger.skipped == {"directory": 1, "link": 1}
    assert reasons(ledger) == ["name climbs out of the archive"]


def test_encrypted_damaged_and_unsupported_zip_members_are_quarantined() -> None:
    data = make_zip({"a": b"first" * 50, "b": b"second", "c": b"third"}, zipfile.ZIP_STORED)
    directory = data.index(b"PK\x01\x02")
    encrypted = bytearray(data)
    encrypted[directory + 8] |= 1
    unsupported = bytearray(data)
    unsupported[directory + 10] = 97
    damaged = data.replace(b"first", b"FIRST", 1)
    for broken, reason in ((encrypted, "encrypted"), (unsupported, "compression"), (damaged, "CRC")):
        pages, ledger = zip_pages(bytes(broken))
        assert [page.payload for page in pages] == [b"second", b"third"]
        assert len(ledger.quarantined) == 1
        assert reason in reasons(ledger)[0]
        assert ledger.quarantined[0].url == "http://site.zip/a"


def test_a_zip_bomb_is_refused_by_its_size_and_cannot_lie_about_it() -> None:
    data = make_zip({"bomb": bytes(1 << 20), "b": b"fine"})
    pages, ledger = zip_pages(data, Limits(max_payload=1000))
    assert [page.payload for page in pages] == [b"fine"]
    assert "over the limit" in reasons(ledger)[0]
    lying = data.replace((1 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    pages, ledger = zip_pages(lying, Limits(max_payload=1000))
    assert [page.payload for page in pages] == [b"fine"]
    assert "damaged zip member" in reasons(ledger)[0]


class Pipe(io.BytesIO):
    """Something a packer cannot go back in: sizes come behind the data."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize("out", [io.BytesIO, Pipe])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_that_lost_its_directory_keeps_the_members_before_the_cut(out: type[io.BytesIO], method: int) -> None:
    target = out()
    with zipfile.ZipFile(target, "w", method) as container:
        for name in "abc":
            container.writestr(f"{name}.html", name.encode() * 500)
    data = target.getvalue()
    whole, _ = zip_pages(data)
    assert len(whole) == 3
    for cut in range(data.index(b"PK\x01\x02") + 1):
        pages, ledger = zip_pages(data[:cut])
        assert pages == whole[: len(pages)]
        assert "damaged zip" in reasons(ledger)[0]
        assert len(pages) == sum(cut >= page.offset for page in whole[1:]) + (cut == data.index(b"PK\x01\x02"))


@given(st.data())
def test_no_flipped_byte_makes_the_zip_reader_fail(data: st.DataObject) -> None:
    packed = bytearray(make_zip({"a.html": b"1" * 300, "ä": b"2"}))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    zip_pages(bytes(packed))


# JSON lines


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_text_and_html_of_json_lines_become_pages() -> None:
    first = line(url="http://host/a", text="Grüße")
    pages, ledger = json_pages(first + b"\n  \r\n" + line(id="http://host/b", html="<p>hi"))
    assert pages == [
        Page("http://host/a", "Grüße".encode(), "text/plain; charset=utf-8", "/crawls/pages.jsonl", 0, plain=True),
        Page("http://host/b", b"<p>hi", "text/html; charset=utf-8", "/crawls/pages.jsonl", len(first) + 5),
    ]
    assert ledger == Ledger()


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"id": "doc 1/ä?"}, "http://pages.jsonl/doc%201/ä%3F"),
        ({"id": 17}, "http://pages.jsonl/17"),
        ({"url": "HTTPS://Host/x"}, "HTTPS://Host/x"),
        ({"url": " http://host/a b\n"}, "http://host/a%20b"),
        ({"url": "", "id": "x"}, "http://pages.jsonl/x"),
        ({"url": None, "metadata": {"url": "http://host/m"}, "id": "x"}, "http://host/m"),
        ({"metadata": "none"}, "http://pages.jsonl/1"),
        ({"id": True}, "http://pages.jsonl/1"),
        ({"id": "\ud800"}, "http://pages.jsonl/%ED%A0%80"),
    ],
)
def test_a_record_has_a_url(fields: dict[str, object], url: str) -> None:
    pages, _ = json_pages(line(text="x", **fields))
    assert [page.url for page in pages] == [url]


def test_records_without_a_name_are_called_by_their_line() -> None:
    pages, _ = json_pages(line(text="a") + b"\n" + line(text="b"))
    assert [page.url for page in pages] == ["http://pages.jsonl/1", "http://pages.jsonl/3"]


def test_markup_is_preferred_when_it_is_there() -> None:
    pages, _ = json_pages(line(text="t", html="<p>h") + line(text="t", html=None) + line(text="t", html=""))
    assert [page.payload for page in pages] == [b"<p>h", b"t", b"t"]


def test_lone_surrogates_of_json_survive() -> None:
    pages, _ = json_pages(b'{"text": "a\\ud800b"}\n')
    assert pages[0].payload == b"a\xed\xa0\x80b"


def test_lines_that_are_no_records_are_quarantined_where_they_stand() -> None:
    bad = [
        b"{broken\n",
        b"17\n",
        b'{"url": "http://h/"}\n',
        b'{"text": 5}\n',
        b'{"text": "\xff"}\n',
        b"[" * 9999 + b"\n",
    ]
    pages, ledger = json_pages(line(text="a") + b"".join(bad) + line(text="z"))
    assert [page.payload for page in pages] == [b"a", b"z"]
    assert len(ledger.quarantined) == len(bad)
    assert "invalid JSON in line 2" in reasons(ledger)[0]
    assert reasons(ledger)[1] == "line 3 is not a JSON object"
    assert reasons(ledger)[2] == "line 4 has neither `text` nor `html`"
    assert ledger.quarantined[1].offset == len(line(text="a") + bad[0])


def test_a_json_array_is_refused_with_advice() -> None:
    pages, ledger = json_pages(b'[\n{"text": "a"},\n{"text": "b"}\n]')
    assert pages == []
    assert reasons(ledger) == ["a JSON array is not supported: write JSON lines, one object a line"]


def test_lines_and_texts_over_the_limit_are_passed_in_bounded_memory() -> None:
    limits = Limits(max_payload=1000)
    data = line(text="x" * 1001) + b'{"text": "' + b"y" * (5 << 20) + b'"}\n' + line(text="z" * 1000)
    pages, ledger = json_pages(data, limits)
    assert [len(page.payload) for page in pages] == [1000]
    assert [reason.partition(" is over")[0] for reason in reasons(ledger)] == [
        "payload of 1001 bytes",
        f"line of {(5 << 20) + 12} bytes",
    ]


@settings(max_examples=30)
@given(st.lists(st.text(max_size=80)), st.integers(1, 50))
def test_lines_are_found_however_the_stream_is_cut(texts: list[str], step: int) -> None:
    class Dripping(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(step)

    data = b"".join(line(text=text) for text in texts)
    pages = list(read_jsonl(Dripping(data), "/p.jsonl", "", Ledger(), LIMITS))
    assert [page.payload.decode() for page in pages] == texts
    assert all(data[page.offset : page.offset + 1] == b"{" for page in pages)
