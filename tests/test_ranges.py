"""Ranges of an archive: read apart and put together they are the archive, and where they are not, that is noticed."""

import io
import os
from itertools import pairwise
from pathlib import Path

from archives import write_warc
from command import hpcreuse, summary
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.crawl.read import read


def read_all(partition: Partition) -> tuple[list[Page], Ledger]:
    ledger = Ledger()
    return list(read(partition, ledger, Limits())), ledger


def put_together(whole: Partition, cuts: list[int]) -> tuple[list[Page], list[Ledger]]:
    bounds = [0, *sorted(cuts), whole.stop]
    ranges = [whole.between(low, high) for low, high in pairwise(bounds)]
    found = [read_all(part) for part in ranges]
    return [page for pages, _ in found for page in pages], [ledger for _, ledger in found]


def meet(ledgers: list[Ledger], size: int) -> bool:
    ends = [0, *(ledger.end for ledger in ledgers)]
    return ends[-1] == size and all(ledger.begin == end for ledger, end in zip(ledgers, ends, strict=False))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_ranges_put_together_are_the_archive(data: st.DataObject) -> None:
    import tempfile

    sizes = data.draw(st.lists(st.integers(0, 400), min_size=1, max_size=25))
    with tempfile.TemporaryDirectory() as folder:
        pages = [(f"http://a.example/{n}", os.urandom(size)) for n, size in enumerate(sizes)]
        archive = write_warc(Path(folder) / "a.warc.gz", pages)
        (whole,) = plan([str(archive)], None)
        cuts = data.draw(st.lists(st.integers(1, whole.stop - 1), max_size=6, unique=True))
        together, ledgers = put_together(whole, cuts)
        assert together == read_all(whole)[0]
        assert meet(ledgers, whole.stop)


def test_ranges_of_a_real_crawl_put_together_are_the_crawl(shared_data: Path) -> None:
    for name in (
        "crawl/webkb1997.warc.gz",
        "archives/small-sample-1262850551027_8.arc",
        "archives/lil-projects.warc.gz",
    ):
        (whole,) = plan([str(shared_data / name)], None)
        together, ledgers = put_together(whole, [whole.stop * n // 7 for n in range(1, 7)])
        assert together == read_all(whole)[0]
        assert meet(ledgers, whole.stop)


def test_an_archive_compressed_as_a_whole_is_read_by_its_first_range(tmp_path: Path) -> None:
    import gzip

    plain = write_warc(tmp_path / "a.warc", [(f"http://a.example/{n}", os.urandom(1000)) for n in range(50)])
    packed = tmp_path / "b.warc.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    (whole,) = plan([str(packed)], None)
    together, ledgers = put_together(whole, [whole.stop // 3, whole.stop // 2])
    assert len(together) == 50
    assert meet(ledgers, whole.stop)


def test_damage_at_the_border_of_ranges_is_listed_once_or_the_ranges_do_not_meet(tmp_path: Path) -> None:
    archive = write_warc(tmp_path / "a.warc.gz", [(f"http://a.example/{n}", os.urandom(500)) for n in range(20)])
    (whole,) = plan([str(archive)], None)
    offsets = [page.offset for page in read_all(whole)[0]]
    data = bytearray(archive.read_bytes())
    data[offsets[7] + 300 : offsets[7] + 310] = b"\xff" * 10
    archive.write_bytes(data)
    pages, ledger = read_all(whole)
    for cut in (offsets[7] - 1, offsets[7], offsets[7] + 1, offsets[7] + 305, offsets[8]):
        together, ledgers = put_together(whole, [cut])
        assert together == pages
        listed = [entry for part in ledgers for entry in part.quarantined]
        assert listed == ledger.quarantined or not meet(ledgers, whole.stop)
        assert meet(ledgers, whole.stop) or cut <= offsets[7]


def nested(folder: Path) -> Path:
    """An archive with a page that is an archive itself: its records look like records of the outer one."""
    inner = write_warc(
        folder / "inner.warc.gz", [(f"http://inner.example/{n}", os.urandom(20_000)) for n in range(900)]
    )
    pages = [("http://a.example/1", b"<p>one</p>"), ("http://a.example/x.warc.gz", inner.read_bytes())]
    return write_warc(folder / "outer.warc.gz", [*pages, ("http://a.example/2", b"<p>two</p>")])


def test_a_page_that_is_an_archive_makes_ranges_that_do_not_meet(tmp_path: Path) -> None:
    (whole,) = plan([str(nested(tmp_path))], None)
    _, ledgers = put_together(whole, [whole.stop // 2])
    assert not meet(ledgers, whole.stop)


def test_such_an_archive_is_read_again_as_a_whole(tmp_path: Path) -> None:
    outer = nested(tmp_path)
    for ranks in (1, 3):
        done = summary("hash", outer, "--out", tmp_path / f"run{ranks}", ranks=ranks)
        assert (done["files"], done["records"]) == (3, 3)
    one, three = (hpcreuse("export", tmp_path / f"run{ranks}", "files").stdout for ranks in (1, 3))
    assert one == three


def test_one_large_archive_keeps_all_ranks_busy(tmp_path: Path) -> None:
    pages = [(f"http://a.example/{n}", os.urandom(100_000)) for n in range(400)]
    archive = write_warc(tmp_path / "large.warc.gz", pages, content_type="image/png")
    done = summary("hash", archive, "--out", tmp_path / "run", ranks=2)
    assert done["partitions"] >= 4
    assert done["files"] == 400
    again = summary("hash", archive, "--out", tmp_path / "run", ranks=3)
    assert (again["partitions"], again["partitions_done_before"]) == (0, done["partitions"])


def test_gaps_that_another_number_of_ranks_left_are_filled(tmp_path: Path) -> None:
    pages = [(f"http://a.example/{n}", os.urandom(100_000)) for n in range(400)]
    archive = write_warc(tmp_path / "large.warc.gz", pages, content_type="image/png")
    summary("hash", archive, "--out", tmp_path / "run", ranks=2)
    shards = sorted((tmp_path / "run" / "shards").iterdir())
    for shard in shards[1:3]:
        shard.unlink()
    done = hpcreuse("discover", tmp_path / "run", "--threshold", "1", "--out", tmp_path / "l.h5", check=False)
    assert done.returncode == 1 and "not complete" in done.stderr
    again = summary("hash", archive, "--out", tmp_path / "run")
    assert again["partitions_done_before"] == len(shards) - 2
    assert 0 < again["files"] < 400 and again["run_files"] == 400
    hpcreuse("hash", archive, "--out", tmp_path / "whole")
    both = [hpcreuse("export", tmp_path / name, "files").stdout for name in ("run", "whole")]
    assert both[0] == both[1]


def test_a_stream_may_be_entered_at_its_first_record(tmp_path: Path) -> None:
    from hpcreuse.crawl.ranges import first_record

    archive = write_warc(tmp_path / "a.warc.gz", [("http://a.example/", b"x"), ("http://a.example/2", b"y")])
    raw = io.BytesIO(archive.read_bytes())
    second = first_record(raw, 1)
    assert second is not None and first_record(raw, second) == second
    assert first_record(raw, second + 1) is None
