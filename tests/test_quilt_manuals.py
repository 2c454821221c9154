"""`quilt` on manuals of Debian: pages made from templates share far more with each other than those of a crawl."""

from pathlib import Path
from typing import Any

import pytest
from command import hpcreuse, summary, table
from mpi import THOROUGH
from quilt_oracle import Page, quilts
from quilt_runs import flags, pages_of

MANUALS = Path(__file__).resolve().parents[1] / "build" / "debian-manuals"
FOLDERS = (
    MANUALS / "libboost1.81-doc/usr/share/doc/libboost1.81-doc/doc/html/boost",
    MANUALS / "debian-policy/usr/share/doc/debian-policy",
)
RANKS = (1, 2, 3, 5, 16) if THOROUGH else (1, 3)


@pytest.fixture(scope="module")
def manuals(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Page]]:
    """The reference of Boost, a page for every class and function, and the policy of Debian."""
    if not all(folder.is_dir() for folder in FOLDERS):
        pytest.skip("manuals of Debian are not here: run scripts/fetch-debian-manuals.sh")
    run = tmp_path_factory.mktemp("manuals") / "run"
    hpcreuse("hash", *FOLDERS, "--text", "--out", run, ranks=2)
    pages = pages_of(run)
    assert len(pages) > 3000
    return run, pages


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"k": 8, "m": 20, "c": 2, "theta": 0.3},
        {"k": 3, "m": 5, "c": 1, "theta": 0.1, "min_share": 0.05},
        {"m": 500, "c": 3, "theta": 0.9, "exact_duplicates": "drop"},
    ],
)
def test_quilts_of_manuals_are_those_of_the_definition(
    manuals: tuple[Path, list[Page]], tmp_path: Path, parameters: dict[str, Any]
) -> None:
    run, pages = manuals
    expected = quilts(pages, **parameters)
    assert len(expected) > 50
    for ranks in RANKS:
        # Even numbers of ranks and one have memory for one pass, the others must make several
        memory = "4M" if ranks in (3, 5) else "1G"
        found = summary("quilt", run, "--out", tmp_path / "out", *flags(**parameters), "--memory", memory, ranks=ranks)
        assert (found["passes"] > 1) == (memory == "4M")
        assert table(tmp_path / "out", "quilts") == expected
