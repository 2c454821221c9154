"""What verbs load at their start: every rank of a job does, from one shared file system."""

import json
from typing import Any

import pytest
from command import hpcreuse

from hpcreuse.cli import VERBS

# Libraries of formats, figures and tables that a start needs not, and what starts or searches much by itself
HEAVY = {
    "matplotlib",
    "PIL",
    "warcio",
    "rich",
    "pyarrow",
    "selectolax",
    "fastwarc",
    "lz4",
    "brotli",
    "zstandard",
    "publicsuffixlist",
    "pycld2",
    "asyncio",
    "concurrent",
    "multiprocessing",
    "subprocess",
    "tempfile",
    "email",
}

# The demo writes archives and starts the other verbs; info tells versions; these two print, where others find no input
NEEDED = {
    "demo": {"warcio", "brotli", "subprocess", "email", "tempfile"},
    "info": {"rich", "email", "subprocess", "tempfile"},
    "verify": {"rich"},
    "plan": {"tempfile"},
    "phish": {"publicsuffixlist"},
    # It lists the options of all verbs
    "completion": {"rich", "email", "subprocess", "tempfile"},
}

PARALLEL = {"mpi4py", "numpy", "h5py"}


@pytest.fixture(scope="module")
def starts() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(hpcreuse("info", "--imports", "--json").stdout)["starts"]
    return found


def test_every_verb_is_counted(starts: dict[str, dict[str, Any]]) -> None:
    assert set(starts) == {"--help", *VERBS}
    for found in starts.values():
        assert found["exit_code"] in (0, 1), f"not started: {found['line']}"
        assert found["files"] > found["libraries"] > 0
        assert found["modules"] == sum(found["packages"].values())
        assert found["stats"] > found["packages"]["hpcreuse"] > 0
    assert starts["hash"]["line"] == "hpcreuse hash 'crawl/*.warc.gz' --out run"


def test_no_verb_loads_what_it_does_not_need(starts: dict[str, dict[str, Any]]) -> None:
    loaded = {verb: HEAVY & set(found["packages"]) - NEEDED.get(verb, set()) for verb, found in starts.items()}
    assert not any(loaded.values()), loaded


def test_help_loads_neither_mpi_nor_numpy_nor_hdf5(starts: dict[str, dict[str, Any]]) -> None:
    assert not PARALLEL & set(starts["--help"]["packages"])
    assert set(starts["hash"]["packages"]) >= PARALLEL, "it is the start of a verb that is counted"


def test_no_verb_starts_another_program(starts: dict[str, dict[str, Any]]) -> None:
    assert {verb for verb, found in starts.items() if found["processes"]} <= {"info"}
