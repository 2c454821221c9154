"""Every archive of ../shared/data/archives has an expected outcome: pages, what is skipped, what is quarantined, why.

The table was made by the reader once and then reviewed: the number of pages against warcio and FastWARC, every
quarantined place against the bytes of the file. Its last column says what is wrong with a file, or where others read it
differently. To see what a change does to it: `python tests/test_expected_archives.py FOLDER`.
"""

import csv
import sys
from pathlib import Path

import pytest

from hpcreuse.crawl.pages import Ledger, Limits
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read

TABLE = Path(__file__).with_name("expected_archives.tsv")
LISTING = "FILES.tsv"


def expected() -> dict[str, dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def outcome(path: Path) -> dict[str, str]:
    (partition,) = plan([str(path)], None)
    ledger = Ledger()
    pages = sum(1 for _ in read(partition, ledger, Limits()))
    return {
        "file": path.name,
        "pages": str(pages),
        "skipped": ", ".join(f"{count} {kind}" for kind, count in sorted(ledger.skipped.items())),
        "quarantined": str(len(ledger.quarantined)),
        "reasons": "; ".join(f"at {entry.offset}: {entry.reason}" for entry in ledger.quarantined),
    }


def archives(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != LISTING)


def test_every_archive_has_an_entry(shared_data: Path) -> None:
    assert [path.name for path in archives(shared_data / "archives")] == sorted(expected())


def test_whatever_is_quarantined_is_explained() -> None:
    assert [row["file"] for row in expected().values() if row["quarantined"] != "0" and not row["note"]] == []


@pytest.mark.parametrize("row", expected().values(), ids=lambda row: row["file"])
def test_an_archive_is_read_as_expected(row: dict[str, str], shared_data: Path) -> None:
    found = outcome(shared_data / "archives" / row["file"])
    assert found == {name: row[name] for name in found}


if __name__ == "__main__":
    known = expected() if TABLE.exists() else {}
    columns = ("file", "pages", "skipped", "quarantined", "reasons", "note")
    print("\t".join(columns))
    for archive in archives(Path(sys.argv[1])):
        row = outcome(archive)
        row["note"] = known.get(archive.name, {}).get("note", "")
        print("\t".join(row[name] for name in columns))
