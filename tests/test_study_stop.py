"""The study of stop chunks: what detection finds with and without them, by the real chain and by the oracle."""

import csv
from pathlib import Path

import oracle
from archives import write_warc
from command import hpcreuse, summary

STOP = b"<p>\r\n"
COPIED = b"<p>a paragraph that several sites have copied from each other</p>"
PAGES = [
    (
        f"http://s{n}.example/{'a/' * (n % 3)}x.html",
        b"<html>%d" % n + STOP * (n % 4) + COPIED * (n % 5 == 0) + b"<p>own %d" % n * (n % 3 + 1),
    )
    for n in range(40)
]


def test_neighborhoods_turn_bad_when_stop_chunks_are_kept(tmp_path: Path) -> None:
    write_warc(tmp_path / "crawl.warc.gz", PAGES)
    (tmp_path / "stop.html").write_bytes(STOP)
    rule = ("--threshold", "5", "--stop", tmp_path / "stop.html", "--no-figures")
    done = summary("study", "stop", tmp_path / "crawl.warc.gz", *rule, "--out", tmp_path / "one")

    files, chunks = oracle.run_tables([(url, payload, "text/html", "a", n) for n, (url, payload) in enumerate(PAGES)])
    stop = {digest for _, _, digest in oracle.chunks(STOP)}
    found, bars = {}, []
    for name, stopped in (("removed", stop), ("kept", set())):
        labels, _ = oracle.discover(files, chunks, threshold=5, stop=stopped)
        tables = oracle.detect(files, chunks, [label["digest"] for label in labels], stop=stopped)
        found[name] = {row["prefix"]: row for row in tables["neighborhoods"]}
        bars.append(tables["summary"][0]["neighborhood_threshold"])
    bar = bars[0]
    turned = {
        prefix
        for prefix, row in found["kept"].items()
        if (row["badness"] > bar) != (found["removed"][prefix]["badness"] > bar)
    }
    with (tmp_path / "one" / "turned.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert {row["prefix"] for row in rows} == turned and turned
    bad = sum(row["badness"] > bar for row in found["removed"].values())
    assert done["both"] + done["only_removed"] == bad
    assert done["more"] == sum(row["badness"] > bar for row in found["kept"].values()) - bad
    assert done["detections"][0]["threshold"] == bar == done["detections"][1]["threshold"]
    assert done["stop_occurrences"] == sum(n % 4 for n in range(40))

    for ranks in (2, 3, 5):
        out = tmp_path / f"ranks{ranks}"
        hpcreuse("study", "stop", tmp_path / "one" / "crawl", *rule, "--out", out, ranks=ranks)
        for name in ("turned.csv", "detections.csv", "histogram.csv"):
            assert (out / name).read_bytes() == (tmp_path / "one" / name).read_bytes(), name


def test_figure_and_lines_for_people(tmp_path: Path) -> None:
    write_warc(tmp_path / "crawl.warc.gz", PAGES)
    done = hpcreuse("study", "stop", tmp_path / "crawl.warc.gz", "--threshold", "5", "--out", tmp_path / "out")
    assert "published 1,880,000 (2.35 %)" in done.stdout
    assert (tmp_path / "out" / "stop.svg").stat().st_size > 10_000
