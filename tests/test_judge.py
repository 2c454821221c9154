"""`judge`: the sample, what is saved, agreement and tables; who may ask the server and what it answers."""

import csv
import hashlib
import http.client
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from math import isclose, sqrt
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from archives import write_warc
from command import hpcreuse, summary, table
from hypothesis import given
from hypothesis import strategies as st
from judging import judging, make_findings

from hpcreuse.errors import StoreError, UsageError
from hpcreuse.judge.agreement import Z, cohens_kappa, wilson
from hpcreuse.judge.categories import DEFAULTS, KEYS, categories_of
from hpcreuse.judge.judgements import Judgements, beside
from hpcreuse.judge.marking import MOST_CHARACTERS, MOST_SEGMENTS, Segment, mark_chunks, mark_words
from hpcreuse.judge.pages import CrawledPage
from hpcreuse.judge.rendering import harmless, tint_words
from hpcreuse.judge.sampling import draw
from hpcreuse.judge.session import gatherer_of, take_sample
from hpcreuse.store.records import write_record


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_findings(tmp_path_factory.mktemp("findings"))


def test_a_sample_is_the_one_of_the_definition(findings: Path) -> None:
    urls = [row["url"] for row in table(findings / "result", "files") if row["target"]]
    order = sorted(urls, key=lambda url: hashlib.blake2b(f"7\0{url}".encode(), digest_size=12).digest())
    sample = draw(findings / "result", "files", 7, 10)
    assert [item.key for item in sample.items] == order[:10]
    assert sample.population == len(urls) == 24
    # A larger one begins with the smaller: judgements made so far stay in it
    assert [item.key for item in draw(findings / "result", "files", 7, 100).items] == order
    assert [item.key for item in draw(findings / "result", "files", 8, 10).items] != order[:10]


def test_a_sample_does_not_depend_on_how_the_result_was_made(findings: Path, tmp_path: Path) -> None:
    for ranks in (1, 3):
        out = tmp_path / f"{ranks}"
        hpcreuse("detect", findings / "run", "--labels", findings / "labels.h5", "--out", out, ranks=ranks)
    for kind in ("neighborhoods", "files", "chunks"):
        assert draw(tmp_path / "1", kind, 0, 9) == draw(tmp_path / "3", kind, 0, 9)


def test_only_what_was_found_is_sampled(findings: Path) -> None:
    chunks = draw(findings / "result", "chunks", 0, 100)
    counted: dict[str, int] = {}
    for row in table(findings / "result", "matches"):
        counted[row["digest"]] = counted.get(row["digest"], 0) + 1
    assert {item.key: item.row["copies"] for item in chunks.items} == counted
    clusters = draw(findings / "near", "clusters", 0, 100)
    members: dict[int, list[str]] = {}
    for row in table(findings / "near", "clusters"):
        members.setdefault(row["cluster"], []).append(row["url"])
    assert {item.row["cluster"]: item.row["pages"] for item in clusters.items} == {
        number: len(urls) for number, urls in members.items()
    }
    for item in clusters.items:
        shown, every = item.row["urls"], members[item.row["cluster"]]
        assert set(shown) <= set(every) and len(set(shown)) == min(len(every), 20)


def slow_kappa(pairs: list[tuple[str, str]]) -> Fraction | None:
    names = sorted({name for pair in pairs for name in pair})
    total = len(pairs)
    observed = Fraction(sum(pairs.count((name, name)) for name in names), total)
    chance = sum(
        Fraction(sum(a == name for a, _ in pairs), total) * Fraction(sum(b == name for _, b in pairs), total)
        for name in names
    )
    return None if chance == 1 else (observed - chance) / (1 - chance)


@given(st.lists(st.tuples(*[st.sampled_from(["spam", "clone", "benign"])] * 2), min_size=1, max_size=30))
def test_kappa_is_that_of_the_definition(pairs: list[tuple[str, str]]) -> None:
    expected = slow_kappa(pairs)
    found = cohens_kappa([a for a, _ in pairs], [b for _, b in pairs])
    assert found == expected or (expected is not None and found is not None and isclose(found, expected))


def test_kappa_of_an_example_in_the_literature() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4)
    assert cohens_kappa([], []) is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_shares_that_the_count_does_not_refute(counts: tuple[int, int]) -> None:
    part, whole = counts
    low, high = wilson(part, whole)

    def refuted(share: float) -> bool:
        return abs(part / whole - share) > Z * sqrt(share * (1 - share) / whole) + 1e-12

    assert 0 <= low <= part / whole <= high <= 1
    for inside in (low + 1e-9, (low + high) / 2, high - 1e-9):
        assert not refuted(inside)
    assert low == 0 or refuted(low - 1e-6)
    assert high == 1 or refuted(high + 1e-6)


def test_what_was_said_survives_a_line_that_was_cut_off(tmp_path: Path) -> None:
    file = Judgements(tmp_path / "j.jsonl")
    file.judge("files", "a", "anna", "spam", "")
    file.judge("files", "b", "anna", "clone", "a note")
    whole = file.path.read_bytes()
    for cut in range(1, len(whole.splitlines()[1]) + 1):
        file.path.write_bytes(whole[:-cut])
        file.judge("files", "c", "anna", "benign", "")
        labels = file.histories("files")["anna"].labels
        # The newline alone may be missing
        assert labels == {"a": "spam", "c": "benign"} | ({"b": "clone"} if cut == 1 else {})


def test_labels_are_replaced_and_taken_back_one_by_one(tmp_path: Path) -> None:
    file = Judgements(tmp_path / "j.jsonl")
    for item, label in (("a", "spam"), ("b", "clone"), ("a", "benign")):
        file.judge("files", item, "anna", label, "")
    file.judge("files", "a", "ben", "spam", "")
    file.judge("chunks", "a", "anna", "forms", "")
    assert file.undo("files", "anna") == "a"
    assert file.histories("files")["anna"].labels == {"a": "spam", "b": "clone"}
    assert [file.undo("files", "anna") for _ in range(3)] == ["b", "a", None]
    assert file.histories("files")["anna"].labels == {}
    assert file.histories("files")["ben"].labels == {"a": "spam"}
    assert file.histories("chunks")["anna"].labels == {"a": "forms"}


def test_judges_may_write_at_once(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from hpcreuse.judge.judgements import Judgements\n"
        "for n in range(100): Judgements(Path(sys.argv[1])).judge('files', str(n), sys.argv[2], 'spam', 'x' * 999)"
    )
    line = [sys.executable, "-c", script, str(tmp_path / "j.jsonl")]
    jobs = [subprocess.Popen([*line, name]) for name in ("anna", "ben", "cleo")]
    assert [job.wait(timeout=60) for job in jobs] == [0, 0, 0]
    histories = Judgements(tmp_path / "j.jsonl").histories("files")
    assert {name: len(history.labels) for name, history in histories.items()} == dict.fromkeys(
        ("anna", "ben", "cleo"), 100
    )


def test_categories_come_from_the_papers_or_from_the_settings() -> None:
    for kind in DEFAULTS:
        categories = categories_of(kind)
        assert len({c.key for c in categories}) == len(categories) and all(c.type for c in categories)
    assert [vars(c) for c in categories_of("files", ["bad: worse", "fine"])] == [
        {"name": "bad", "type": "worse", "key": "1"},
        {"name": "fine", "type": "", "key": "2"},
    ]
    for wrong in (["a", "a"], [""], [f"c{n}" for n in range(len(KEYS) + 1)]):
        with pytest.raises(UsageError):
            categories_of("files", wrong)


def test_words_are_marked_in_the_text_and_in_the_drawing() -> None:
    words = ("the", "design", "of", "mobile", "computers")
    page = CrawledPage("http://a/", visible="The Design, of\nmobile computers!", words=words)
    owners = [None, 1, 1, 2, None]
    assert mark_words(page, owners) == [
        Segment("The "),
        Segment("Design, of", 1),
        Segment("\n"),
        Segment("mobile", 2),
        Segment(" computers!"),
    ]
    # Without the archive the bare words remain
    bare = CrawledPage("http://a/", "gone", words=words)
    assert "".join(s.text for s in mark_words(bare, owners)) == "the design of mobile computers"
    assert [s.text for s in mark_words(bare, owners) if s.mark] == ["design of", "mobile"]
    drawn = harmless("<p title='a>b'>The De<b>sign</b>, of <i>mobile</i> &lt;computers&gt;")
    assert drawn is not None
    body = tint_words(drawn, words, owners).partition("<body>")[2]
    assert body.startswith(
        '<p title="a&gt;b">The <mark data-hpcreuse="0">De</mark><b><mark data-hpcreuse="0">sign</mark></b>, '
        '<mark data-hpcreuse="0">of</mark> <i><mark data-hpcreuse="1">mobile</mark></i> &lt;computers&gt;'
    )


@pytest.mark.parametrize(("chunk", "chunks"), [(b"<p>" + b"word " * 500, 200), (b"<p>x", 9000)])
def test_of_a_large_page_the_beginning_is_shown_and_what_is_left_out_is_told(chunk: bytes, chunks: int) -> None:
    ranges = tuple((n * len(chunk), len(chunk)) for n in range(chunks))
    page = CrawledPage("http://large.example/", chunked=chunk * chunks, chunks=ranges)
    for as_source in (False, True):
        *shown, last = mark_chunks(page, {0: 1}, as_source)
        assert shown[0].mark == 1 and sum(len(segment.text) for segment in shown) <= MOST_CHARACTERS + 50
        read = min(MOST_SEGMENTS, MOST_CHARACTERS // len(shown[0].text) + 1)
        assert last.text == f"\n… {chunks - read:,} more chunks"


def test_a_page_that_is_gone_is_said_and_the_others_are_shown(tmp_path: Path) -> None:
    shared = b"<p>the same paragraph on every page of them all</p>"
    for name in ("a", "b"):
        pages = [(f"http://{name}{n}.example/", shared + b"<p>own %d" % n) for n in range(3)]
        write_warc(tmp_path / f"{name}.warc.gz", pages)
    hpcreuse("hash", "a.warc.gz", "b.warc.gz", "--out", "run", cwd=tmp_path)
    hpcreuse("discover", "run", "--threshold", "2", "--out", "l.h5", cwd=tmp_path)
    hpcreuse("detect", "run", "--labels", "l.h5", "--file-threshold", "0.1", "--out", "result", cwd=tmp_path)
    (tmp_path / "b.warc.gz").unlink()
    sample = take_sample(tmp_path / "result", "files", 0, 10, Judgements(tmp_path / "j"))
    gatherer = gatherer_of(tmp_path / "result", sample, None)
    for item in sample.items:
        (panel,) = gatherer.gather(item).pages
        if item.key.startswith("http://a"):
            assert [s.text.strip() for s in panel.text if s.mark] == ["the same paragraph on every page of them all"]
            assert not panel.problem
        else:
            assert "b.warc.gz has no page http://b" in panel.problem and not panel.text


def test_chunks_are_shown_on_pages_of_several_sites(findings: Path) -> None:
    sample = take_sample(findings / "result", "chunks", 0, 3, Judgements(findings / "chunks.jsonl"))
    for item in sample.items:
        evidence = gatherer_of(findings / "result", sample, None).gather(item)
        (chunk,) = evidence.pages
        content = "".join(s.text for s in chunk.source if s.mark)
        assert hashlib.sha1(content.encode()).hexdigest() == item.key
        assert len({panel.title.split("/")[2] for panel in evidence.sources}) == len(evidence.sources) == 4
        for panel in evidence.sources:
            assert [s.text for s in panel.source if s.mark] == [content]


def test_the_run_is_found_beside_the_result_and_a_wrong_one_is_refused(findings: Path, tmp_path: Path) -> None:
    sample = take_sample(findings / "quilts", "quilts", 0, 3, Judgements(tmp_path / "j"))
    evidence = gatherer_of(findings / "quilts", sample, None).gather(sample.items[0])
    assert len(evidence.sources) == 5
    marked = {s.mark for s in evidence.pages[0].text} - {None}
    assert marked == {panel.mark for panel in evidence.sources} == {1, 2, 3, 4, 5}
    # Moved together, the name of the run leads nowhere any more
    for name in ("run", "quilts"):
        shutil.copytree(findings / name, tmp_path / "moved" / name)
    record = json.loads((tmp_path / "moved" / "quilts" / "result.json").read_text())
    record["header"]["run"] = str(tmp_path / "gone" / "run")
    write_record(tmp_path / "moved" / "quilts" / "result.json", {k: v for k, v in record.items() if k != "crc32"})
    assert len(gatherer_of(tmp_path / "moved" / "quilts", sample, None).gather(sample.items[0]).sources) == 5
    hpcreuse("hash", write_warc(tmp_path / "a.warc", [("http://a/", b"x")]), "--out", tmp_path / "other", "--text")
    with pytest.raises(StoreError, match="is not the run that"):
        gatherer_of(findings / "quilts", sample, tmp_path / "other")


def test_labels_of_another_result_are_not_mixed_in(findings: Path, tmp_path: Path) -> None:
    file = Judgements(tmp_path / "j")
    take_sample(findings / "quilts", "quilts", 0, 3, file)
    hpcreuse("quilt", findings / "run", "-c", "2", "--out", tmp_path / "quilts")
    with pytest.raises(StoreError, match="name another file with --judgements"):
        take_sample(tmp_path / "quilts", "quilts", 0, 3, file)


def say(file: Judgements, kind: str, judge: str, labels: list[str], keys: list[str]) -> None:
    for key, label in zip(keys, labels, strict=True):
        file.judge(kind, key, judge, label, f"by {judge}")


def test_table_and_export_need_no_browser(findings: Path, tmp_path: Path) -> None:
    file = Judgements(tmp_path / "j.jsonl")
    keys = [item.key for item in take_sample(findings / "result", "files", 0, 8, file).items]
    say(file, "files", "anna", ["link farm"] * 5 + ["spam"] * 3, keys)
    say(file, "files", "ben", ["link farm"] * 4 + ["spam"] * 3, keys[:7])
    words = ("judge", findings / "result", "--targets", "files", "--judgements", file.path)
    found = summary(*words, "--table")
    first = found["judges"][0]
    farm = next(row for row in first["categories"] if row["name"] == "link farm")
    assert (farm["count"], farm["share"]) == (5, 0.625)
    assert (farm["low"], farm["high"]) == wilson(5, 8)
    assert {row["name"]: row["count"] for row in first["types"]} == {
        "benign": 0,
        "profit": 5,
        "malicious": 3,
        "ambiguous": 0,
    }
    (pair,) = found["agreement"]
    assert (pair["judged"], pair["agree"]) == (7, 6)
    assert pair["kappa"] == pytest.approx(float(slow_kappa([("f", "f")] * 4 + [("f", "s")] + [("s", "s")] * 2) or 0))
    text = hpcreuse(*words, "--table").stdout
    assert "link farm" in text and "62.5" in text and "30.6 to  86.3" in text and "Cohen's kappa 0.696" in text
    hpcreuse(*words, "--export", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as out:
        rows = list(csv.DictReader(out))
    assert [(row["order"], row["item"], row["judge"]) for row in rows[:8]] == [
        (str(n), key, "anna") for n, key in enumerate(keys, 1)
    ]
    assert (rows[7]["label"], rows[7]["type"], rows[7]["note"]) == ("spam", "malicious", "by anna")
    assert len(rows) == 15


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["run"], 2, "judge a result of detect, quilt"),
        (["quilts", "--targets", "files"], 2, "has no files to judge: it has quilts"),
        (["quilts", "--sample", "0"], 2, "leaves nothing to judge"),
        (["quilts", "--table"], 1, "begin with `hpcreuse judge quilts`"),
        (["quilts", "--judge", " "], 2, "is no name"),
        (["nowhere"], 1, "does not exist"),
        (["quilts", "--run", "result"], 1, "is not a run"),
        (["quilts", "--port", "70000"], 2, "is no port"),
    ],
)
def test_mistakes_are_told_with_what_to_do(words: list[str], code: int, message: str, findings: Path) -> None:
    done = hpcreuse("judge", *words, "--judgements", findings / "mistakes.jsonl", cwd=findings, check=False)
    if "--table" in words:
        (findings / "mistakes.jsonl").unlink(missing_ok=True)
        done = hpcreuse("judge", *words, "--judgements", findings / "none.jsonl", cwd=findings, check=False)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_labels_lie_beside_the_result(findings: Path) -> None:
    assert beside(findings / "quilts") == findings / "quilts.judgements.jsonl"


@pytest.fixture(scope="module")
def address(findings: Path) -> Iterator[str]:
    with judging(findings / "quilts", "--judge", "guard", "--judgements", findings / "guard.jsonl") as found:
        yield found


def request(
    address: str, method: str, path: str, body: str | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    """Ask the server as no browser would; keywords are headers."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read().decode()


def test_who_has_no_token_is_refused(address: str) -> None:
    parts = urlsplit(address)
    token = parts.path.strip("/")
    assert request(address, "GET", f"/{token}/state")[0] == 200
    wrong = ["/", "/state", f"/{token[:-1]}/state", f"/{token}x/", f"/{token.swapcase()}/", "/%ff%00/", "//"]
    for path in wrong:
        status, headers, text = request(address, "GET", path)
        assert (status, "printed" in text) == (403, True), path
        assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_a_foreign_name_for_this_machine_is_refused(address: str) -> None:
    path = urlsplit(address).path
    for host, status in (("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200)):
        assert request(address, "GET", path, Host=host)[0] == status
    for host in ("evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "0.0.0.0"):
        assert request(address, "GET", path, Host=host)[0] == 403


def test_no_other_page_may_judge(address: str) -> None:
    parts = urlsplit(address)
    good = {"Origin": f"http://{parts.netloc}", "Content_Type": "application/json"}
    body = json.dumps({"number": 0, "label": "spam", "note": ""})
    for change in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://{parts.netloc}"},
        {"Content_Type": "text/plain"},
        {"Sec_Fetch_Site": "cross-site"},
    ):
        assert request(address, "POST", f"{parts.path}judge", body, **{**good, **change})[0] == 403
    assert request(address, "POST", f"{parts.path}judge", body, Content_Type="application/json")[0] == 403
    assert request(address, "GET", f"{parts.path}judge")[0] == 404
    state = json.loads(request(address, "GET", f"{parts.path}state")[2])
    assert all(item["label"] is None for item in state["items"])
    status, _, text = request(address, "POST", f"{parts.path}judge", body, **good)
    assert status == 200 and json.loads(text)["items"][0]["label"] == "spam"
    for wrong in ({"number": 0, "label": "made up", "note": ""}, {"number": 99, "label": "spam", "note": ""}, {}):
        status, _, _ = request(address, "POST", f"{parts.path}judge", json.dumps(wrong), **good)
        assert status in (400, 404)


def test_a_judgement_that_cannot_be_written_is_told(address: str, findings: Path) -> None:
    parts = urlsplit(address)
    good = {"Origin": f"http://{parts.netloc}", "Content_Type": "application/json"}
    file = findings / "guard.jsonl"
    kept = file.rename(findings / "kept.jsonl")
    file.mkdir()
    body = json.dumps({"number": 1, "label": "spam", "note": ""})
    status, _, text = request(address, "POST", f"{parts.path}judge", body, **good)
    assert status == 500 and "guard.jsonl cannot be written (Is a directory)" in text
    file.rmdir()
    kept.rename(file)
    assert request(address, "POST", f"{parts.path}judge", body, **good)[0] == 200


def test_what_was_confirmed_survives_a_kill(findings: Path, tmp_path: Path) -> None:
    words = (findings / "quilts", "--judge", "anna", "--judgements", tmp_path / "j.jsonl")
    for number in range(3):
        with judging(*words, ending=signal.SIGKILL) as address:
            parts = urlsplit(address)
            good = {"Origin": f"http://{parts.netloc}", "Content_Type": "application/json"}
            body = json.dumps({"number": number, "label": "spam", "note": f"{number}"})
            assert request(address, "POST", f"{parts.path}judge", body, **good)[0] == 200
    with judging(*words) as address:
        state = json.loads(request(address, "GET", f"{urlsplit(address).path}state")[2])
    assert [item["note"] for item in state["items"]] == ["0", "1", "2", "", "", ""]


def test_every_answer_says_what_a_browser_may_do_with_it(address: str) -> None:
    path = urlsplit(address).path
    for name in ("", "judge.js", "judge.css", "state", "item/0", "results", "judgements.csv", "nothing", "item/999"):
        _, headers, _ = request(address, "GET", path + name)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "'unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
    status, headers, text = request(address, "GET", f"{path}drawing/0/pages/0")
    policy = headers["Content-Security-Policy"].split("; ")
    assert status == 200 and policy[0] == "sandbox" and "default-src 'none'" in policy
    assert "<script" not in text and "onload" not in text and "127.0.0.1:9/link" not in text


def test_a_phish_is_shown_with_what_it_has_of_the_original(tmp_path: Path) -> None:
    form = "<div>Log in to your account at the bank of examples</div>"
    own = write_warc(tmp_path / "own.warc.gz", [("http://bank.example/", f"<p>Welcome{form}".encode())])
    pages = [("http://evil.test/", f"<p>Hurry{form}".encode()), ("http://fine.test/", b"<p>nothing of the kind here")]
    crawl = write_warc(tmp_path / "crawl.warc.gz", pages)
    hpcreuse("label", own, "--mode", "dom", "--min-length", "26", "--out", "labels.h5", cwd=tmp_path)
    hpcreuse("hash", crawl, "--mode", "dom", "--text", "--out", "run", cwd=tmp_path)
    hpcreuse("phish", "run", "--labels", "labels.h5", "--out", "phish", cwd=tmp_path)
    sample = take_sample(tmp_path / "phish", "pages", 0, 10, Judgements(tmp_path / "j"))
    (item,) = sample.items
    evidence = gatherer_of(tmp_path / "phish", sample, None).gather(item)
    assert item.key == "http://evil.test/" and ("copied from", "http://bank.example/") in evidence.facts
    (page,), (copied,) = evidence.pages, evidence.sources
    for panel in (page, copied):
        assert [s.text.strip() for s in panel.text if s.mark] == ["Log in to your account at the bank of examples"]
    assert "taken from http://bank.example/" in copied.text[0].text
    hpcreuse("phish", crawl, "--labels", "labels.h5", "--out", "direct", cwd=tmp_path)
    done = hpcreuse("judge", "direct", cwd=tmp_path, check=False)
    assert done.returncode == 1 and "name that with --run RUN" in done.stderr
