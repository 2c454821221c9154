"""What Python opens is what `export` writes, read lazily and without MPI."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from archives import write_warc
from command import hpcreuse, table

import hpcreuse as api
from hpcreuse.errors import StoreError, UsageError

TABLES = {
    "run": ["files", "chunks", "texts", "quarantine"],
    "labels.h5": ["labels", "histogram"],
    "result": ["files", "matches", "neighborhoods", "summary"],
    "quilts": ["quilts"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two archives, labels, a result and quilts."""
    folder = tmp_path_factory.mktemp("made")
    for archive in range(2):
        pages = [
            (f"http://{archive}.example/{n}", b"<p>the same words everywhere and again</p><p>%d of %d" % (n, archive))
            for n in range(5)
        ]
        write_warc(folder / f"{archive}.warc", pages)
    hpcreuse("hash", folder / "0.warc", folder / "1.warc", "--text", "--out", folder / "run")
    hpcreuse("discover", folder / "run", "--threshold", "3", "--out", folder / "labels.h5")
    hpcreuse("detect", folder / "run", "--labels", folder / "labels.h5", "--out", folder / "result")
    hpcreuse("quilt", folder / "run", "-c", "1", "--out", folder / "quilts")
    return folder


@pytest.mark.parametrize(("name", "tables"), TABLES.items())
def test_tables_are_those_of_export(name: str, tables: list[str], made: Path) -> None:
    opened = api.open(made / name)
    assert list(opened.tables) == tables
    for each in tables:
        exported, view = table(made / name, each), opened.table(each)
        assert [row._asdict() for row in view] == exported and len(view) == len(exported)
        assert view.arrow().to_pylist() == exported
        assert view.pandas().to_dict("records") == exported
        for column in view.columns:
            assert view[column].tolist() == [row[column] for row in exported]


def test_numbers_are_numbers_also_in_an_empty_table(made: Path) -> None:
    empty = api.open_run(made / "run").quarantine
    assert len(empty) == 0 and empty["offset"].dtype == np.int64
    assert empty.pandas()["offset"].dtype == np.int64


def test_arrays_of_shards_say_the_same_as_tables(made: Path) -> None:
    run = api.open_run(made / "run")
    shards = list(run.shards())
    assert len(shards) == 2
    urls = [url.decode() for shard in shards for url in shard.files.url]
    assert urls == run.files["url"].tolist()
    digests = [shard.distinct.digests[number].tobytes().hex() for shard in shards for number in shard.chunks.number]
    assert digests == run.chunks["digest"].tolist()
    assert np.concatenate([shard.chunks.length for shard in shards]).tolist() == run.chunks["length"].tolist()
    wanted, counts = np.unique(run.chunks["digest"].astype(str), return_counts=True)
    assert [row.tobytes().hex() for row in run.distinct.digests] == wanted.tolist()
    assert run.distinct.counts.tolist() == counts.tolist()


def test_what_is_something_else_is_refused_with_what_it_is(made: Path) -> None:
    with pytest.raises(StoreError, match="is not a run"):
        api.open_run(made / "result")
    with pytest.raises(StoreError, match="is not a result"):
        api.open_result(made / "run")
    with pytest.raises(StoreError, match="is a folder"):
        api.open_labels(made / "run")
    with pytest.raises(StoreError, match="does not exist"):
        api.open(made / "nowhere")
    with pytest.raises(UsageError, match="it has files, chunks"):
        api.open(made / "run").table("labels")
    with pytest.raises(UsageError, match="no column 'lenght': it has url, digest"):
        api.open_run(made / "run").files["lenght"]


def test_neither_mpi_nor_more_than_needed_is_loaded(made: Path) -> None:
    program = (
        "import sys, hpcreuse; assert not {'numpy', 'h5py'} & set(sys.modules)\n"
        f"list(hpcreuse.open({str(made / 'result')!r}).files)\n"
        "assert not {'mpi4py', 'pandas', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
