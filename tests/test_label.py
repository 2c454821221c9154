"""`label` as users run it, against the oracle: content, merging, subtracting, lists; on any number of ranks."""

import json
from pathlib import Path

import label_oracle
import oracle
import pytest
from archives import random_pages, write_warc
from command import hpcreuse, summary, table

# Two of a kind, every page with a paragraph of its own: the second holds copies of pages under smaller URLs
PAGES = [
    (url, body + b"<p>%d%s</p>" % (n, b" of its own" * (n % 9))) for n, (url, body) in enumerate(random_pages(1, 40))
]
COPIES = [(url.replace("http://s", "http://a"), body) for url, body in PAGES[::3]] + random_pages(2, 25)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two archives, and labels of each and of both, made by one rank."""
    folder = tmp_path_factory.mktemp("label")
    write_warc(folder / "a.warc.gz", PAGES)
    write_warc(folder / "b.warc.gz", COPIES)
    for names in ("a", "b", "ab"):
        summary("label", *(folder / f"{name}.warc.gz" for name in names), "--out", folder / f"{names}.h5")
    return folder


def tables_of(*archives: Path) -> tuple[list[oracle.Row], list[oracle.Row]]:
    """The oracle's files and chunks of archives."""
    return oracle.run_tables(page for archive in archives for page in oracle.pages(archive))


def test_labels_are_every_chunk_with_its_smallest_url(named: Path) -> None:
    files, chunks = tables_of(named / "a.warc.gz", named / "b.warc.gz")
    found = table(named / "ab.h5", "labels")
    assert found == label_oracle.label(files, chunks)
    assert any(row["source"].startswith("http://a") for row in found)
    assert any(row["source"].startswith("http://s") for row in found)
    assert table(named / "ab.h5", "histogram") == oracle.discover(files, chunks, threshold=0)[1]


@pytest.mark.parametrize(("ranks", "memory"), [(2, "512M"), (3, "1M"), (5, "512M"), (16, "1M")])
def test_labels_are_the_same_on_any_number_of_ranks(named: Path, tmp_path: Path, ranks: int, memory: str) -> None:
    inputs = (named / "a.warc.gz", named / "b.warc.gz")
    done = summary("label", *inputs, "--out", tmp_path / "ab.h5", "--memory", memory, ranks=ranks)
    assert done["ranks"] == ranks
    assert hpcreuse("verify", named / "ab.h5", tmp_path / "ab.h5", "--json").returncode == 0
    assert table(tmp_path / "ab.h5", "labels") == table(named / "ab.h5", "labels")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["ab.h5", "ab.h5.jobs.json"], "nothing is left behind but what the job cost"


def test_merged_labels_are_those_of_all_the_content(named: Path, tmp_path: Path) -> None:
    summary("label", named / "b.h5", named / "a.h5", "--out", tmp_path / "merged.h5", ranks=3)
    assert table(tmp_path / "merged.h5", "labels") == table(named / "ab.h5", "labels")
    assert table(tmp_path / "merged.h5", "histogram") == table(named / "ab.h5", "histogram")


def test_what_is_subtracted_or_too_short_is_no_label(named: Path, tmp_path: Path) -> None:
    arguments = (named / "a.warc.gz", "--subtract", named / "b.h5", "--min-length", "40", "--out", tmp_path / "left.h5")
    done = summary("label", *arguments)
    every = label_oracle.label(*tables_of(named / "a.warc.gz"))
    left = label_oracle.subtract([row for row in every if row["length"] >= 40], table(named / "b.h5", "labels"))
    assert table(tmp_path / "left.h5", "labels") == left
    assert 0 < len(left) == done["labels"] == len(every) - done["too_short"] - done["subtracted"]
    assert done["sources"] == len({row["source"] for row in left})


def test_whole_files_are_labelled(named: Path, tmp_path: Path) -> None:
    arguments = (named / "a.warc.gz", named / "b.warc.gz", "--objects", "file", "--out", tmp_path / "files.h5")
    summary("label", *arguments, ranks=2)
    files, chunks = tables_of(named / "a.warc.gz", named / "b.warc.gz")
    assert table(tmp_path / "files.h5", "labels") == label_oracle.label(files, chunks, objects="file")
    refused = hpcreuse("label", tmp_path / "files.h5", named / "a.h5", "--out", tmp_path / "x.h5", check=False)
    assert refused.returncode == 1
    assert "never match" in refused.stderr


def test_runs_are_labelled_too(named: Path, tmp_path: Path) -> None:
    hpcreuse("hash", named / "a.warc.gz", "--out", tmp_path / "run")
    summary("label", tmp_path / "run", "--out", tmp_path / "a.h5")
    assert table(tmp_path / "a.h5", "labels") == table(named / "a.h5", "labels")


@pytest.mark.parametrize("ranks", [1, 3, 16])
def test_detection_says_which_page_was_copied(named: Path, tmp_path: Path, ranks: int) -> None:
    run = named / "run-b"
    hpcreuse("hash", named / "b.warc.gz", "--out", run)
    # So little memory that the labels are spread over the ranks, in passes
    summary("detect", run, "--labels", named / "a.h5", "--memory", "1M", "--out", tmp_path / "result", ranks=ranks)
    expected = label_oracle.matches(*tables_of(named / "b.warc.gz"), table(named / "a.h5", "labels"))
    assert table(tmp_path / "result", "matches") == expected
    assert len({row["source"] for row in expected}) > 1


def test_lists_are_imported_with_counts_and_sources(named: Path, tmp_path: Path) -> None:
    rows = table(named / "a.h5", "labels")
    (tmp_path / "bare.tsv").write_text("".join(f"{row['digest']}\t{row['count']}\n" for row in rows))
    for suffix in ("csv", "jsonl"):
        hpcreuse("export", named / "a.h5", "labels", "-o", tmp_path / f"full.{suffix}")
        summary("label", tmp_path / f"full.{suffix}", "--out", tmp_path / f"{suffix}.h5")
        assert table(tmp_path / f"{suffix}.h5", "labels") == rows
    summary("label", tmp_path / "bare.tsv", "--min-length", "1000", "--out", tmp_path / "bare.h5")
    assert table(tmp_path / "bare.h5", "labels") == [{**row, "length": -1, "source": ""} for row in rows]
    # What is known wins over what is not
    summary("label", tmp_path / "bare.tsv", named / "a.h5", "--out", tmp_path / "both.h5")
    assert table(tmp_path / "both.h5", "labels") == [{**row, "count": 2 * row["count"]} for row in rows]


def test_published_lists_are_known_by_name(named: Path, tmp_path: Path, shared_data: Path) -> None:
    published = shared_data / "published"
    files = {
        "isi-geocities": "geocities-labels-2121.tsv",
        "isi-geocities-benign": "geocities-benign-783.tsv",
        "isi-commoncrawl002": "commoncrawl002-labels-7137.tsv",
    }
    for name, file in files.items():
        done = hpcreuse("label", name, "--out", tmp_path / f"{name}.h5")
        assert f"{name}: the list shipped with hpcreuse" in done.stderr
        pairs = [line.split("\t") for line in (published / file).read_text().splitlines()]
        found = table(tmp_path / f"{name}.h5", "labels")
        assert [(row["digest"], row["count"]) for row in found] == sorted((digest, int(n)) for digest, n in pairs)
    run = tmp_path / "run"
    write_warc(tmp_path / "p.warc", [("http://a.example/", b"<p>&nbsp;</p>\n<p>mine</p>")])
    hpcreuse("hash", tmp_path / "p.warc", "--out", run)
    done = hpcreuse("detect", run, "--labels", "isi-geocities", "--out", tmp_path / "result")
    assert "isi-geocities: the list shipped" in done.stderr
    found = table(tmp_path / "result", "matches")
    assert [row["digest"] for row in found] == ["7a43b7feac74bf6906202e94c02eed61c2fbcaf2"]


def test_a_plugins_list_carries_its_digest_options(named: Path, tmp_path: Path, shared_data: Path) -> None:
    eicar = shared_data / "published" / "hashes.eicar-test-1970-01-01.json"
    summary("label", eicar, "--out", tmp_path / "eicar.h5")
    found = table(tmp_path / "eicar.h5", "labels")
    assert [row["digest"] for row in found] == sorted(json.loads(eicar.read_text())["hashes"])
    assert {row["source"] for row in found} == {"http://eicar.test/"}
    page = b"<p>X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*</p>\n<p></p>\n"
    write_warc(tmp_path / "e.warc", [("http://copy.example/", page)])
    dom = ("--mode", "dom", "--digest", "sha256")
    hpcreuse("hash", tmp_path / "e.warc", *dom, "--out", tmp_path / "run")
    hpcreuse("detect", tmp_path / "run", "--labels", eicar, "--out", tmp_path / "result")
    assert {row["source"] for row in table(tmp_path / "result", "matches")} == {"http://eicar.test/"}
    # Labels made with other options are refused, naming both
    refused = hpcreuse("label", named / "a.h5", eicar, "--out", tmp_path / "x.h5", check=False)
    assert refused.returncode == 1
    for words in (str(named / "a.h5"), str(eicar), "--mode raw against dom", "--digest sha1 against sha256"):
        assert words in refused.stderr
    assert not (tmp_path / "x.h5").exists()
    merged = summary("label", tmp_path / "e.warc", eicar, *dom, "--out", tmp_path / "both.h5")
    assert merged["distinct"] == 4, "three chunks of the page, one of them in the list, which has another"


def test_what_another_job_left_is_not_labelled(named: Path, tmp_path: Path) -> None:
    # As a job of other inputs leaves it when it is killed: its content is hashed, its labels are not written
    hpcreuse("hash", named / "b.warc.gz", "--out", tmp_path / ".a.h5.label.tmp" / "run")
    summary("label", named / "a.warc.gz", "--out", tmp_path / "a.h5")
    assert table(tmp_path / "a.h5", "labels") == table(named / "a.h5", "labels")
    (tmp_path / "other.txt").write_text("mine")
    refused = hpcreuse("label", named / "a.h5", "--out", tmp_path / "other.txt", check=False)
    assert refused.returncode == 1
    assert "choose another --out" in refused.stderr
    assert (tmp_path / "other.txt").read_text() == "mine"
