"""Partitions: what becomes one, in which order, and what is taken once."""

import contextlib
import gzip
import itertools
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse.crawl import partitions
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.errors import CrawlError, UsageError


def write(path: Path, content: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("index.html", "b/two.html", "a.html", "a/one.html", "b.txt", "a-b.html"):
        write(tmp_path / "site" / name, name.encode())
    return tmp_path / "site"


def names(parts: list[Partition]) -> list[str]:
    return [name for part in parts for name in part.names]


def test_a_folder_is_one_slice_of_its_files_in_bytewise_order(site: Path) -> None:
    (part,) = plan([str(site)], None)
    assert part.source == str(site)
    assert part.names == ("a-b.html", "a.html", "a/one.html", "b.txt", "b/two.html", "index.html")
    assert part.bytes == sum(len(name) for name in part.names)
    assert part.number == 0


@pytest.mark.parametrize(
    "name",
    [
        "x.warc",
        "x.WARC.GZ",
        "x.arc.gz",
        "x.warc.wet.gz",
        "x.wacz",
        "x.jsonl.zst",
        "x.ndjson",
        "x.arc.bz2",
        "x.wet.lz4",
    ],
)
def test_archives_in_a_folder_are_partitions_of_their_own(site: Path, name: str) -> None:
    archive = write(site / "deep" / name)
    parts = plan([str(site)], None)
    assert [part.source for part in parts] == [str(site), str(archive)]
    assert parts[1].names == ()
    assert f"deep/{name}" not in parts[0].names


def test_zips_and_tars_in_a_folder_are_pages(site: Path) -> None:
    write(site / "pack.zip")
    write(site / "pack.tar.gz")
    (part,) = plan([str(site)], None)
    assert {"pack.zip", "pack.tar.gz"} <= set(part.names)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 40), max_size=20), st.integers(1, 60))
def test_slices_hold_every_file_once_and_keep_the_limit(sizes: list[int], limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, size in enumerate(sizes):
            (Path(folder) / f"{number:03}.html").write_bytes(b"x" * size)
        parts = plan([folder], None, limit)
    assert names(parts) == [f"{number:03}.html" for number in range(len(sizes))]
    assert [part.number for part in parts] == list(range(len(parts)))
    assert all(part.bytes <= limit or len(part.names) == 1 for part in parts)
    # Greedy: no slice could have taken the first file of the next one.
    for one, other in itertools.pairwise(parts):
        assert one.bytes + sizes[int(other.names[0][:3])] > limit


def test_slices_hold_a_bounded_number_of_files(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "FILES_PER_PARTITION", 4)
    assert [len(part.names) for part in plan([str(site)], None)] == [4, 2]


def test_the_order_of_inputs_does_not_matter(site: Path) -> None:
    inputs = [str(site), str(site / "a"), str(site / "b" / "two.html"), str(write(site.parent / "x.warc"))]
    plans = [plan(order, None) for order in itertools.permutations(inputs)]
    assert all(one == plans[0] for one in plans)
    assert len(names(plans[0])) == 6


def test_a_file_reached_twice_is_taken_once(site: Path) -> None:
    archive = write(site.parent / "x.warc.gz")
    link = site.parent / "alias.warc.gz"
    link.symlink_to(archive)
    relative = os.path.relpath(archive)
    parts = plan([str(archive), str(link), relative, f"{site.parent}/*.gz"], None)
    assert [part.source for part in parts] == [str(link)]


def test_a_folder_inside_another_input_keeps_the_outer_name(site: Path) -> None:
    (part,) = plan([str(site / "a"), str(site)], None)
    assert part.source == str(site)
    assert "a/one.html" in part.names


def test_patterns_are_expanded(site: Path) -> None:
    sources = [part.source for part in plan([f"{site}/**/*.html"], None)]
    assert f"{site}/a/one.html" in sources
    assert f"{site}/b.txt" not in sources


def test_a_pattern_that_matches_nothing_is_named(site: Path) -> None:
    with pytest.raises(CrawlError, match=r"nothing-\*\.warc"):
        plan([f"{site}/nothing-*.warc"], None)


def test_a_missing_input_is_named(site: Path) -> None:
    with pytest.raises(CrawlError, match="absent"):
        plan([str(site), str(site / "absent")], None)


def test_a_name_with_brackets_that_exists_is_no_pattern(tmp_path: Path) -> None:
    path = write(tmp_path / "dump[1].warc")
    assert [part.source for part in plan([str(path)], None)] == [str(path)]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_list_names_paths_relative_to_the_current_folder(site: Path, monkeypatch, compress) -> None:
    monkeypatch.chdir(site)
    listing = write(
        site.parent / "paths",
        compress(b"# comment\n\na.html\r\n  b/two.html  \n" + os.fsencode(site / "b.txt")),
    )
    sources = [part.source for part in plan([f"@{listing}"], None)]
    assert sources == [f"{site}/a.html", f"{site}/b.txt", f"{site}/b/two.html"]


def test_missing_files_of_a_list_are_counted_and_the_first_named(site: Path) -> None:
    listing = write(site.parent / "paths", b"".join(b"no-%d.warc\n" % n for n in range(9)) + os.fsencode(site))
    with pytest.raises(CrawlError, match=r"9 of 10 .*no-0\.warc, no-1\.warc, no-2\.warc, \.\.\."):
        plan([f"@{listing}"], None)


def test_a_list_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="absent"):
        plan([f"@{tmp_path}/absent"], None)


def test_an_archive_given_as_a_list_is_told_apart(tmp_path: Path) -> None:
    archive = write(tmp_path / "crawl.warc.gz", b"WARC/1.0\r\n")
    with pytest.raises(CrawlError, match=r"crawl\.warc\.gz is an archive, not a list: leave out the @"):
        plan([f"@{archive}"], None)


def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.html")).write_bytes(b"x")
    (part,) = plan([str(folder)], None)
    assert os.fsencode(part.names[0]) == b"caf\xe9.html"
    assert pickle.loads(pickle.dumps(part)) == part


def test_special_files_and_links_go_to_the_reader_and_linked_folders_are_not_walked(site: Path) -> None:
    os.mkfifo(site / "pipe")
    (site / "out").symlink_to("/etc/passwd")
    (site / "loop").symlink_to(site)
    (part,) = plan([str(site)], None)
    assert {"pipe", "out", "loop"} <= set(part.names)
    assert not any(name.startswith("loop/") for name in part.names)


def test_something_that_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CrawlError, match="neither"):
        plan([str(tmp_path / "pipe")], None)


def test_identity_changes_with_size_time_name_and_prefix_only(site: Path) -> None:
    page = site / "a.html"
    status = page.stat()
    identities = {plan([str(site)], None)[0].identity}
    assert plan([str(site)], None)[0].identity in identities
    os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    identities.add(plan([str(site)], None)[0].identity)
    write(page, b"longer than before")
    os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns))
    identities.add(plan([str(site)], None)[0].identity)
    identities.add(plan([str(site)], "http://")[0].identity)
    page.rename(site / "c.html")
    identities.add(plan([str(site)], None)[0].identity)
    assert len(identities) == 5


def test_a_prefix_without_a_scheme_is_refused(site: Path) -> None:
    with pytest.raises(UsageError, match="http://"):
        plan([str(site)], "example.org/")


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything: step down to see what others see."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_folder_that_cannot_be_listed_is_recorded_and_not_fatal() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        write(Path(folder) / "open.html")
        locked = write(Path(folder) / "locked" / "secret.html").parent
        locked.chmod(0)
        try:
            with as_nobody():
                parts = plan([folder], None)
        finally:
            locked.chmod(0o700)
    assert [(part.source, part.names) for part in parts] == [(folder, ("open.html",)), (str(locked), ())]
