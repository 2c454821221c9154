"""Tables that methods write: in order, the same on any number of ranks, whole under `verify`."""

import json
import shlex
from pathlib import Path

import pytest
from archives import write_warc
from command import hpcreuse
from mpi import TABLE_RANKS, program


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    for name, count in (("a", 300), ("b", 3), ("c", 40)):
        pages = [(f"http://{name}.org/{i * 7919 % 97}", b"<p>" + b"word " * (i % 13)) for i in range(count)]
        write_warc(folder / f"{name}.warc.gz", pages)
    hpcreuse("hash", *(folder / f"{name}.warc.gz" for name in "abc"), "--out", folder / "run", "--text", ranks=2)
    return folder / "run"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_method_replaces_the_result_of_another(run: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.h5"
    hpcreuse("discover", run, "--threshold", "2", "--out", labels)
    lines: dict[str, list[str | Path]] = {
        "detect": ["detect", run, "--labels", labels],
        "quilt": ["quilt", run],
        "imatch": ["imatch", run],
    }
    for method, line in lines.items():
        hpcreuse(*line, "--out", tmp_path / method)
    before = everything(tmp_path)
    for mine, theirs in (("quilt", "detect"), ("detect", "quilt"), ("imatch", "quilt"), ("quilt", "imatch")):
        refused = hpcreuse(*lines[mine], "--out", tmp_path / theirs, check=False)
        assert refused.returncode == 1
        assert f"{theirs} is a result of `hpcreuse {theirs}`: choose another --out, or remove it" in refused.stderr
        assert everything(tmp_path) == before
    for method, line in lines.items():
        hpcreuse(*line, "--out", tmp_path / method)


@pytest.mark.parametrize("record", [b'{"format": "theirs"}', b"[]", b"no JSON"])
def test_a_result_json_of_someone_else_is_not_replaced(run: Path, tmp_path: Path, record: bytes) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "result.json").write_bytes(record)
    for fresh in ((), ("--fresh",)):
        refused = hpcreuse("quilt", run, "--out", foreign, *fresh, check=False)
        assert refused.returncode == 1 and "choose another --out" in refused.stderr
        assert everything(foreign) == {"result.json": record}


@pytest.mark.parametrize(
    ("method", "damage"), [("detect", b""), ("quilt", b'{"format": "hpcreuse findings", "crc32": 1}')]
)
def test_a_damaged_result_is_made_anew_as_the_error_says(run: Path, tmp_path: Path, method: str, damage: bytes) -> None:
    out, labels = tmp_path / "out", tmp_path / "labels.h5"
    hpcreuse("discover", run, "--threshold", "2", "--out", labels)
    lines: dict[str, list[str | Path]] = {"detect": ["detect", run, "--labels", labels], "quilt": ["quilt", run]}
    line, other = lines.pop(method), *lines.values()
    hpcreuse(*line, "--out", out)
    sound = everything(out)
    (out / "result.json").write_bytes(damage)
    damaged = everything(out)

    # Whoever reads it is told what to run
    command = shlex.join(["hpcreuse", *map(str, line), "--out", str(out), "--fresh"])
    readers: list[list[str | Path]] = [["export", out, "files"], ["report", out, "--out", tmp_path], ["verify", out]]
    for reader in readers:
        told = hpcreuse(*reader, check=False)
        assert told.returncode == 1 and f"run `{command}`" in told.stdout + told.stderr, reader
    # Nothing is replaced that was not asked for, nor by another method
    assert "run this again with --fresh" in hpcreuse(*line, "--out", out, check=False).stderr
    refused = hpcreuse(*other, "--out", out, "--fresh", check=False)
    assert refused.returncode == 1 and "choose another --out" in refused.stderr
    assert everything(out) == damaged

    hpcreuse(*shlex.split(command)[1:])
    made = everything(out)
    assert made.pop("jobs.json") != sound.pop("jobs.json") and made == sound


def exported(path: Path) -> list[str]:
    return hpcreuse("export", path, "quilts").stdout.splitlines()


def test_rows_are_in_order_on_any_number_of_ranks(run: Path, tmp_path: Path) -> None:
    program(1, "findings.py", str(run), str(tmp_path / "one"), str(1 << 24))
    rows = [json.loads(line) for line in exported(tmp_path / "one")]
    assert len(rows) == 343
    assert [row["url"] for row in rows] == sorted(row["url"] for row in rows)
    assert all(len(row["sources"]) == len(row["shares"]) == row["patch_grams"] % 4 for row in rows)
    for ranks in TABLE_RANKS[1:]:
        program(ranks, "findings.py", str(run), str(tmp_path / f"{ranks}"), str(1 << 13))
        assert exported(tmp_path / f"{ranks}") == exported(tmp_path / "one")
    same = hpcreuse("verify", tmp_path / "one", tmp_path / f"{TABLE_RANKS[-1]}")
    assert "the same" in same.stdout


def test_verify_finds_damaged_and_lost_parts(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    program(2, "findings.py", str(run), str(out), str(1 << 24))
    part = out / "quilts" / "part-00001.h5"
    sound = part.read_bytes()
    place = sound.index(b"http://c.org/")
    part.write_bytes(sound[:place] + b"x" + sound[place + 1 :])
    assert "does not fit its checksum" in hpcreuse("verify", out, check=False).stdout
    part.unlink()
    assert "part-00001.h5: is missing" in hpcreuse("verify", out, check=False).stdout
    assert "1 of 2 parts" in hpcreuse("export", out, "quilts", check=False).stderr


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_lists_come_out_in_every_format(run: Path, tmp_path: Path, name: str) -> None:
    program(1, "findings.py", str(run), str(tmp_path / "one"), str(1 << 24))
    hpcreuse("export", tmp_path / "one", "quilts", "-o", tmp_path / f"out.{name}")
    if name == "csv":
        assert '"[""http://' in (tmp_path / "out.csv").read_text()
    else:
        import pyarrow.parquet as pq

        table = pq.read_table(tmp_path / "out.parquet").to_pylist()
        assert table == [json.loads(line) for line in exported(tmp_path / "one")]
