"""verify: every flipped bit, lost file and mismatch is told in one line; two results are compared by their tables."""

import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from archives import write_warc
from command import hpcreuse
from mpi import PROGRAMS, mpiexec

FLIPS = int(os.environ.get("HPCREUSE_TEST_FLIPS", "20"))


def make(folder: Path, ranks: int = 0, threshold: int = 3, archives: tuple[str, ...] = ("0", "1")) -> Path:
    """Make a crawl (unless it is there) and run the chain on it."""
    crawls = []
    for name in archives:
        pages = [
            (
                f"http://site{n % 5}.example/{name}/{n % 3}/{n}.html",
                b"<p>shared</p><p>own %d</p><p>few %d</p>" % (n, n // 4),
            )
            for n in range(40)
        ]
        crawl = folder.parent / f"{name}.warc.gz"
        crawls.append(crawl if crawl.exists() else write_warc(crawl, pages))
    hpcreuse("hash", *crawls, "--out", folder / "run", "--text", ranks=ranks)
    hpcreuse("discover", folder / "run", "--threshold", str(threshold), "--out", folder / "labels.h5", ranks=ranks)
    hpcreuse("detect", folder / "run", "--labels", folder / "labels.h5", "--out", folder / "result", "-q", ranks=ranks)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("whole") / "a")


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "a"))


def verify(*paths: Path, ranks: int = 0) -> dict[str, Any]:
    """Verify and give the summary; the exit code must fit it, and there is never a traceback."""
    done = hpcreuse("verify", *paths, "--json", ranks=ranks, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (1 if found["problems"] else 0)
    assert not any("\n" in line for line in found["problems"])
    return found


def only_problem(*paths: Path, ranks: int = 0) -> str:
    (line,) = verify(*paths, ranks=ranks)["problems"]
    return str(line)


def shards(folder: Path) -> list[Path]:
    return sorted((folder / "run" / "shards").glob("*.h5"))


@pytest.mark.parametrize("ranks", [0, 3])
def test_what_is_whole_is_well(whole: Path, ranks: int) -> None:
    found = verify(whole / "run", whole / "labels.h5", whole / "result", ranks=ranks)
    assert (found["problems"], found["notes"], found["same"]) == ([], [], None)
    # 2 shards, 1 piece, 3 records of the run; the labels; 4 files and 1 record of the result
    assert found["checked"] == 12


def test_people_read_the_same_as_programs(copy: Path) -> None:
    assert "all is well" in hpcreuse("verify", copy / "labels.h5").stdout
    shards(copy)[0].unlink()
    done = hpcreuse("verify", copy / "run", check=False)
    assert done.returncode == 1 and "is missing: run `hpcreuse hash" in done.stdout
    assert "verdict  1 problem\n" in done.stdout
    quiet = hpcreuse("verify", copy / "run", "-q", check=False)
    assert quiet.stdout == "" and quiet.stderr.count("is missing: run `hpcreuse hash") == 1


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("run/run.json", "run"),
        ("run/shards.json", "run"),
        ("run/shards/0*.h5", "run"),
        ("run/counts/chunk/counts.json", "run"),
        ("run/counts/chunk/piece-00000.h5", "run"),
        ("labels.h5", "labels.h5"),
        ("result/result.json", "result"),
        ("result/labels.h5", "result"),
        ("result/files/part-00000.h5", "result"),
        ("result/neighborhoods/part-00000.h5", "result"),
        ("result/neighborhoods/borders.h5", "result"),
    ],
)
def test_a_flipped_bit_is_found_or_changes_nothing(file: str, place: str, copy: Path) -> None:
    (path,) = copy.glob(file)
    done = mpiexec(1, sys.executable, PROGRAMS / "flip_bits.py", path, "0", str(FLIPS), copy / place, timeout=300)
    found = json.loads(done.stdout)
    assert found["unseen"] == [] and found["raised"] == []
    # Unused bytes between the parts of an HDF5 file are few
    assert found["found"] >= 0.9 * min(FLIPS, found["bits"])


@pytest.mark.parametrize("ranks", [0, 3])
def test_a_flipped_bit_is_one_line_on_any_number_of_ranks(copy: Path, ranks: int) -> None:
    shard = shards(copy)[1]
    with h5py.File(shard, "r+") as file:
        file["chunks/number"][3] ^= 1
    line = only_problem(copy / "run", copy / "labels.h5", copy / "result", ranks=ranks)
    assert line.startswith(f"{shard}: the array chunks/number is damaged") and "hpcreuse hash" in line


def test_all_problems_are_listed(copy: Path) -> None:
    with h5py.File(shards(copy)[0], "r+") as file:
        file["files/length"][0] += 1
        file["distinct/count"][0] += 1
    (copy / "result" / "files" / "part-00000.h5").unlink()
    (copy / "labels.h5").write_bytes(b"not labels")
    found = verify(copy / "run", copy / "labels.h5", copy / "result", copy / "nothing", ranks=3)
    for what in ("files/length", "distinct/count", "part-00000.h5: is missing", "labels.h5: cannot", "does not exist"):
        assert sum(what in line for line in found["problems"]) == 1, found["problems"]


@pytest.mark.parametrize("keep", [0, 10, 2000, -1])
def test_a_truncated_shard_is_found(copy: Path, keep: int) -> None:
    shard = shards(copy)[0]
    shard.write_bytes(shard.read_bytes()[:keep])
    assert only_problem(copy / "run").startswith(f"{shard}: ")


def test_a_missing_shard_is_found_and_refused_by_the_next_command(copy: Path) -> None:
    shard = shards(copy)[0]
    shard.unlink()
    assert "is missing" in only_problem(copy / "run", copy / "labels.h5")
    done = hpcreuse("discover", copy / "run", "--threshold", "1", "--out", copy / "l.h5", check=False)
    assert done.returncode == 1 and shard.name in done.stderr


def test_a_lost_shard_is_not_forgotten_when_other_archives_are_added(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    shard = shards(folder)[0]
    shard.unlink()
    more = write_warc(tmp_path / "2.warc.gz", [("http://more.example/", b"<p>more</p>")])
    hpcreuse("hash", more, "--out", folder / "run", "--text")
    assert only_problem(folder / "run").startswith(f"{shard}: is missing")
    hpcreuse("hash", tmp_path / "0.warc.gz", "--out", folder / "run", "--text", ranks=2)
    assert verify(folder / "run")["problems"] == []


def test_a_missing_part_of_a_partition_is_found(tmp_path: Path) -> None:
    pages = [(f"http://a.example/{n}", b"".join(b"<p>%d %d</p>" % (n, i) for i in range(60))) for n in range(300)]
    crawl = write_warc(tmp_path / "big.warc", pages)
    hpcreuse("hash", crawl, "--out", tmp_path / "run", "--memory", "1M")
    parts = shards(tmp_path)
    assert len(parts) > 2 and verify(tmp_path / "run", ranks=2)["problems"] == []
    (tmp_path / "run" / "shards.json").unlink()
    parts[1].unlink()
    found = verify(tmp_path / "run")["problems"]
    assert len(found) == 2 and "part 1 of the partition at 0 is missing" in found[1]


@pytest.mark.parametrize(
    "file",
    [
        "run/run.json",
        "run/shards.json",
        "run/counts/chunk/piece-00000.h5",
        "result/result.json",
        "result/labels.h5",
        "result/files/part-00000.h5",
        "result/neighborhoods/part-00000.h5",
        "result/neighborhoods/borders.h5",
    ],
)
def test_every_missing_file_is_found(copy: Path, file: str) -> None:
    (copy / file).unlink()
    assert f"{copy / file}: is missing" in only_problem(copy / file.partition("/")[0])


def test_another_version_is_told(copy: Path) -> None:
    with h5py.File(shards(copy)[0], "r+") as file:
        file.attrs["version"] = 99
    assert "format version 99" in only_problem(copy / "run")
    record = json.loads((copy / "result" / "result.json").read_text())
    (copy / "result" / "result.json").write_text(
        json.dumps({**record, "version": 99, "crc32": crc({**record, "version": 99})})
    )
    assert "version 99" in only_problem(copy / "result")


def crc(record: dict[str, Any]) -> int:
    import zlib

    content = {name: value for name, value in record.items() if name != "crc32"}
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def test_foreign_files_are_told_and_leftovers_mentioned(copy: Path) -> None:
    with h5py.File(copy / "run" / "shards" / "foreign.h5", "w") as file:
        file["data"] = np.arange(3)
    (copy / "run" / "shards" / "notes.txt").write_text("mine")
    (copy / "result" / "files" / "part-00077.h5").write_bytes(b"")
    (copy / "run" / "shards" / ".0.h5.node-1.tmp").write_bytes(b"half")
    (copy / ".result.tmp").mkdir()
    found = verify(copy / "run", copy / "result")
    assert sorted(Path(line.split(":")[0]).name for line in found["problems"]) == [
        "foreign.h5",
        "notes.txt",
        "part-00077.h5",
    ]
    assert [Path(line.split(":")[0]).name for line in found["notes"]] == [".0.h5.node-1.tmp", ".result.tmp"]
    assert only_problem(copy).startswith(f"{copy}: is neither")


def rewrite(path: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Change an array and its checksum with it: what only a program could do."""
    import zlib

    with h5py.File(path, "r+") as file:
        file[name][...] = change(file[name][:])
        file[name].attrs["crc32"] = zlib.crc32(file[name][:].tobytes())


@pytest.mark.parametrize(
    ("file", "array", "change", "message"),
    [
        ("run/shards/0*.h5", "distinct/digest", lambda a: a[::-1], "not sorted"),
        ("run/shards/0*.h5", "distinct/count", lambda a: a + 1, "how often"),
        ("run/shards/0*.h5", "distinct/length", lambda a: a + 1, "shortest"),
        ("run/shards/0*.h5", "distinct/index", lambda a: a * 0, "distinct/index"),
        ("run/shards/0*.h5", "chunks/number", lambda a: a + 9999, "beyond"),
        ("run/shards/0*.h5", "files/chunk_start", lambda a: a[::-1], "chunk_start"),
        ("run/shards/0*.h5", "files/url_offsets", lambda a: a[::-1], "url_offsets"),
        ("run/shards/0*.h5", "files/by_url", lambda a: a * 0, "by_url"),
        ("run/shards/0*.h5", "files/by_url", lambda a: a[::-1], "order of the URLs"),
        ("run/shards/0*.h5", "files/mime", lambda a: a + 7, "beyond"),
        ("run/shards/0*.h5", "files/length", lambda a: a + 1, "bytes, the header says"),
        ("run/counts/chunk/piece-00000.h5", "digest", lambda a: a * 0, "not sorted, or not distinct"),
        ("run/counts/chunk/piece-00000.h5", "count", lambda a: a + 1, "add up"),
        ("result/labels.h5", "source", lambda a: a + 1, "beyond"),
        ("result/files/part-00000.h5", "number", lambda a: a + 1, None),
        ("result/files/part-00000.h5", "bad", lambda a: a + 9, "more bad chunks"),
        ("result/files/part-00000.h5", "chunks", lambda a: a + 1, "file_mean"),
        ("result/files/part-00000.h5", "matches", lambda a: a[::-1], "positions"),
        ("result/neighborhoods/borders.h5", "badness", lambda a: a * 0, "neighborhood_mean"),
        ("result/neighborhoods/borders.h5", "prefix", lambda a: a[::-1], "prefix is not sorted"),
        ("result/neighborhoods/part-00000.h5", "files", lambda a: a * 0, "below 1"),
    ],
)
def test_what_makes_no_sense_is_told_even_with_a_good_checksum(
    copy: Path, file: str, array: str, change: Callable[[Any], Any], message: str | None
) -> None:
    (path,) = copy.glob(file)
    rewrite(path, array, change)
    problems = verify(copy / file.partition("/")[0])["problems"]
    assert not problems if message is None else any(message in line for line in problems), problems


def test_labels_of_another_run_do_not_fit(whole: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "b", archives=("0", "1", "2"))
    found = verify(whole / "run", other / "labels.h5", other / "result", ranks=3)["problems"]
    assert len(found) == 2
    assert all("was not made from" in line and str(other / "run") in line for line in found)
    line = only_problem(whole / "labels.h5", other / "result")
    assert "was not made with the labels" in line


def test_labels_with_other_digest_options_do_not_fit(whole: Path, tmp_path: Path) -> None:
    hpcreuse("hash", whole.parent / "0.warc.gz", "--out", tmp_path / "run", "--tags", "p")
    assert "--tags p,div against p" in only_problem(tmp_path / "run", whole / "labels.h5")


def test_a_run_that_grew_no_longer_fits_its_labels(copy: Path, tmp_path: Path) -> None:
    more = write_warc(tmp_path / "2.warc.gz", [("http://more.example/", b"<p>more</p>")])
    hpcreuse("hash", more, "--out", copy / "run", "--text")
    found = verify(copy / "run", copy / "labels.h5")
    assert "the run has changed since" in found["problems"][0] and len(found["problems"]) == 1
    assert "counts an earlier state" in found["notes"][0]


@pytest.mark.parametrize("ranks", [0, 3])
def test_the_same_crawl_on_other_ranks_is_the_same(whole: Path, ranks: int) -> None:
    other = make(whole.parent / f"again{ranks}", ranks=3)
    assert len(list((other / "result" / "files").iterdir())) == 3
    for name in ("run", "labels.h5", "result"):
        found = verify(whole / name, other / name, ranks=ranks)
        assert (found["same"], found["problems"]) == (True, []), name
    shutil.rmtree(other)


@pytest.mark.parametrize("ranks", [0, 3])
def test_what_differs_is_told_with_its_first_place(whole: Path, tmp_path: Path, ranks: int) -> None:
    other = make(tmp_path / "b", threshold=30)
    found = verify(whole / "result", other / "result", ranks=ranks)
    assert found["same"] is False
    (line,) = found["problems"]
    assert "matches at row 2" in line and "against" in line and "summary" in line
    found = verify(whole / "labels.h5", other / "labels.h5", ranks=ranks)
    assert found["same"] is False and "labels at row 1" in found["problems"][0]
    assert "are different" in hpcreuse("verify", whole / "labels.h5", other / "labels.h5", check=False).stdout


def test_runs_without_text_compare_as_those_with(tmp_path: Path) -> None:
    # Large enough that three ranks cut it into ranges
    noise = random.Random(1)
    pages = [(f"http://site{n % 5}.example/{n}", b"<p>own %d</p>" % n + noise.randbytes(90_000)) for n in range(100)]
    crawl = write_warc(tmp_path / "crawl.warc.gz", pages)
    for name, ranks in (("one", 1), ("three", 3)):
        hpcreuse("hash", crawl, "--out", tmp_path / name, ranks=ranks)
    hpcreuse("hash", crawl, "--out", tmp_path / "text", "--text")
    one, three = (list((tmp_path / name / "shards").iterdir()) for name in ("one", "three"))
    assert len(one) < len(three) and verify(tmp_path / "one", tmp_path / "three")["same"]
    for pair in (("one", "text"), ("text", "one")):
        a, b = (tmp_path / name for name in pair)
        assert only_problem(a, b) == f"{a} and {b} differ: {tmp_path / 'text'} has text, {tmp_path / 'one'} has not"


def test_results_of_two_methods_differ(whole: Path, tmp_path: Path) -> None:
    for method in ("quilt", "imatch"):
        hpcreuse(method, whole / "run", "--out", tmp_path / method)
    told = only_problem(tmp_path / "quilt", tmp_path / "imatch")
    assert told.endswith("differ: results of `hpcreuse quilt` and of `hpcreuse imatch`")


def test_three_of_a_kind_are_not_compared_and_that_is_told(whole: Path) -> None:
    found = verify(*3 * [whole / "result"])
    assert (found["same"], found["notes"]) == (None, ["not compared: to compare, give two"])


def test_damaged_results_are_not_compared(copy: Path, whole: Path) -> None:
    with h5py.File(copy / "result" / "files" / "part-00000.h5", "r+") as file:
        file["bad"][0] += 1
    found = verify(whole / "result", copy / "result")
    assert found["same"] is None and len(found["problems"]) == 1
    assert "not compared" in found["notes"][0]
