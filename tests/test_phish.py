"""`phish` against an oracle: crawls and runs, own domains, digest lists, table 6, and pages in a real Chromium."""

import base64
import json
import signal
import socket
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import oracle
import pytest
from archives import write_warc
from browser import chromium_path
from command import HPCREUSE, hpcreuse, summary, table
from mpi import THOROUGH

from hpcreuse.phish.judging import domain_of

RANKS = (1, 2, 3, 5, 16) if THOROUGH else (1, 3)
DOM = ("--mode", "dom", "--digest", "sha256")
LEAST = 26


def words(seed: int) -> bytes:
    return b" ".join(b"word%d" % (seed * 31 + n * 7) for n in range(6))


def paragraph(seed: int) -> bytes:
    return b"<p>" + words(seed) + b"</p>\n"


END = b"<p>end"
"""What follows a copied chunk: the last one of a page ends with the page's own last tags."""

ORIGINALS = [
    (
        f"http://www.bank{n % 2}.co.uk/{n}.html",
        b"<title>%d</title><p>ok</p>" % n + paragraph(n) + paragraph(n + 50) + END,
    )
    for n in range(6)
]
SUSPECTS = [
    *((url.replace("www.", "secure."), payload) for url, payload in ORIGINALS),
    *((f"http://thief{n}.example/direct.html", b"<h1>%d</h1>" % n + paragraph(n) + END) for n in range(3)),
    ("http://thief3.example/spaced.html", b"<h1>3</h1>" + paragraph(3).replace(b" ", b" \t") + b"\r\n" + END),
    ("http://thief4.example/tags.html", b"<h1>4</h1><P>" + words(4) + END),
    ("http://evil.co.uk/other-suffix.html", b"<b>5</b>" + paragraph(5) + END),
    ("http://sister.example/allowed.html", b"<b>0</b>" + paragraph(0) + END),
    ("http://short.example/", b"<p>ok</p><p>ok</p>"),
    ("http://twice.example/", b"<i>1</i>" + paragraph(1) + b"<p>" + paragraph(1) + END),
    ("http://twice.example/", b"<i>2</i>" + paragraph(2) + END),
    *((f"http://honest{n}.example/", b"<p>hello" + paragraph(100 + n)) for n in range(20)),
    ("http://empty.example/a.html", b""),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("phish")
    write_warc(folder / "originals.warc.gz", ORIGINALS)
    for number in range(3):
        write_warc(folder / f"suspects{number}.warc.gz", SUSPECTS[number::3])
    write_warc(folder / "suspects3.warc.gz", [("http://thief0.example/style.css", paragraph(0))], "text/css")
    summary("label", folder / "originals.warc.gz", *DOM, "--min-length", str(LEAST), "--out", folder / "labels.h5")
    return folder


def suspects(folder: Path) -> list[Path]:
    return [folder / f"suspects{number}.warc.gz" for number in range(4)]


def expected() -> list[dict[str, Any]]:
    """The table of pages by the definition: parse, serialise, normalise, cut, compare."""
    source: dict[str, str] = {}
    for url, payload in ORIGINALS:
        for _, length, digest in oracle.chunks(payload, mode="dom", digest="sha256"):
            if length >= LEAST:
                source[digest] = min(url, source.get(digest, url))
    rows = []
    # Of two captures of one URL the one in the earlier archive comes first
    for url, payload in sorted(SUSPECTS, key=lambda page: (page[0], SUSPECTS.index(page) % 3)):
        chunks = [d for _, length, d in oracle.chunks(payload, mode="dom", digest="sha256") if length >= LEAST]
        hits = [source[digest] for digest in chunks if digest in source]
        host = urlsplit(url).hostname or ""
        own = host.endswith((".bank0.co.uk", ".bank1.co.uk")) or host == "sister.example"
        best = min(hits, key=lambda name: (-hits.count(name), name)) if hits else ""
        verdict = "own" if own else "phish" if hits else "clean"
        rows.append({"url": url, "chunks": len(chunks), "matched": len(hits), "verdict": verdict, "source": best})
    return rows


def test_crawls_and_runs_are_judged_as_defined_on_any_number_of_ranks(folder: Path) -> None:
    want = expected()
    assert {row["verdict"] for row in want} == {"own", "phish", "clean"}
    assert {row["url"] for row in want if row["verdict"] == "phish"} >= {"http://evil.co.uk/other-suffix.html"}
    hpcreuse("hash", *suspects(folder), *DOM, "--out", folder / "run", ranks=2)
    for name, inputs in (("crawl", suspects(folder)), ("run", [folder / "run"])):
        for ranks in RANKS:
            out = folder / f"{name}{ranks}"
            options = ("--labels", folder / "labels.h5", "--allow", "www.sister.example", "--out", out)
            found = summary("phish", *inputs, *options, ranks=ranks)
            assert table(out, "pages") == want
            assert (found["pages"], found["other_files"]) == (len(want), 1)
            assert sum(found[verdict] for verdict in ("phish", "clean", "own")) == len(want)
    assert "the same" in hpcreuse("verify", folder / "crawl1", folder / f"crawl{RANKS[-1]}").stdout
    assert table(folder / "crawl1", "truth") == table(folder / "crawl1", "classes") == []


def test_a_domain_is_what_was_registered() -> None:
    assert domain_of("http://user@WWW.Bank.co.uk:8080/a?b") == domain_of("bank.co.uk") == "bank.co.uk"
    assert domain_of("http://127.0.0.1:80/x") == "127.0.0.1"
    assert domain_of("") == ""


def test_the_plugins_list_finds_its_test_page(folder: Path, shared_data: Path, tmp_path: Path) -> None:
    (published,) = (shared_data / "published").glob("hashes.eicar-*.json")
    eicar = rb"<p>X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*</p>" + b"\n<p></p>\n"
    pages = [("http://eicar.test/", eicar), ("http://thief.example/", b"<body>" + eicar), ("http://a.example/", b"<p>")]
    write_warc(tmp_path / "pages.warc", pages)
    hpcreuse("phish", tmp_path / "pages.warc", "--labels", published, "--min-length", "0", "--out", tmp_path / "found")
    verdicts = {row["url"]: (row["verdict"], row["source"]) for row in table(tmp_path / "found", "pages")}
    assert verdicts == {
        "http://a.example/": ("clean", ""),
        "http://eicar.test/": ("own", "http://eicar.test/"),
        "http://thief.example/": ("phish", "http://eicar.test/"),
    }


def test_what_cannot_match_is_refused(folder: Path, tmp_path: Path) -> None:
    labels, out = ("--labels", folder / "labels.h5"), ("--out", tmp_path / "found")

    def refusal(*arguments: str | Path) -> str:
        done = hpcreuse("phish", *arguments, check=False)
        assert done.returncode in (1, 2)
        return done.stderr

    hpcreuse("hash", *suspects(folder), "--out", tmp_path / "raw")
    assert "--mode dom against raw, --digest sha256 against sha1" in refusal(tmp_path / "raw", *labels, *out)
    hpcreuse("label", folder / "originals.warc.gz", "--out", tmp_path / "raw.h5")
    assert "were made with --mode raw" in refusal(*suspects(folder), "--labels", tmp_path / "raw.h5", *out)
    whole = ("--objects", "file", *DOM, "--out", tmp_path / "files.h5")
    hpcreuse("label", folder / "originals.warc.gz", *whole)
    assert "of whole files" in refusal(*suspects(folder), "--labels", tmp_path / "files.h5", *out)
    assert "is a run made by hpcreuse" in refusal(*suspects(folder), tmp_path / "raw", *labels, *out)
    assert "has only digests" in refusal(tmp_path / "raw", "--render", *labels, *out)
    assert "RUN|INPUT is missing" in refusal(*labels, *out)
    assert "--out RESULT is missing" in refusal(*suspects(folder), *labels)
    assert "--allow" in refusal(*suspects(folder), *labels, *out, "--allow", "")
    assert not (tmp_path / "found").exists()


def test_table_6_tells_how_copies_were_found(folder: Path) -> None:
    truth = {url: "phish" for url, _ in SUSPECTS if "thief" in url or "twice" in url}
    truth |= {"honest1.example/": "phish", "http://evil.co.uk/other-suffix.html": "benign"}
    (folder / "truth.csv").write_text("url,class\n" + "".join(f"{url},{kind}\n" for url, kind in truth.items()))
    found = []
    for ranks in RANKS:
        options = ("--truth", folder / "truth.csv", "--originals", folder / "originals.warc.gz")
        options += ("--labels", folder / "labels.h5", "--allow", "sister.example", "--out", folder / f"truth{ranks}")
        found.append(summary("phish", *suspects(folder), *options, ranks=ranks))
        rows = {name: table(folder / f"truth{ranks}", name) for name in ("truth", "classes")}
        classes = {row["url"]: (row["truth"], row["class"]) for row in rows["truth"] if row["class"]}
        assert classes == {
            "http://evil.co.uk/other-suffix.html": ("benign", "mistaken"),
            "http://honest1.example/": ("phish", "missed"),
            "http://thief0.example/direct.html": ("phish", "direct"),
            "http://thief1.example/direct.html": ("phish", "direct"),
            "http://thief2.example/direct.html": ("phish", "direct"),
            "http://thief3.example/spaced.html": ("phish", "whitespace"),
            "http://thief4.example/tags.html": ("phish", "dom"),
            "http://twice.example/": ("phish", "direct"),
        }
        assert {row["class"]: row["pages"] for row in rows["classes"]} == {
            "pages": len(SUSPECTS),
            "other": len(SUSPECTS) - 8,
            "mistaken": 1,
            "phish": 8,
            "found": 7,
            "direct": 5,
            "whitespace": 1,
            "dom": 1,
            "missed": 1,
        }
    matrix = {name: found[0]["confusion"][name] for name in ("tp", "fn", "fp", "tn")}
    assert matrix == {"tp": 7, "fn": 1, "fp": 1, "tn": len(SUSPECTS) - 9}
    assert all(each["confusion"] == found[0]["confusion"] for each in found)


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """A server that nobody may reach, and who reached it."""
    reached: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        ended = threading.Event()

        def accept() -> None:
            while not ended.is_set():
                try:
                    connection, place = server.accept()
                except TimeoutError:
                    continue
                reached.append(place)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}", reached
        ended.set()
        thread.join()


def test_scripts_run_in_a_browser_that_reaches_nothing(
    folder: Path, tmp_path: Path, listener: tuple[str, list[object]]
) -> None:
    chromium_path()
    place, reached = listener
    copy = paragraph(1) + paragraph(51) + END
    ask = f"""fetch("//{place}/f"); new Image().src = "http://{place}/i"; new WebSocket("ws://{place}/w");
        navigator.sendBeacon("http://{place}/b"); window.open("http://{place}/o"); """
    write = b"<script>%s document.write(unescape('%s'))</script>" % (ask.encode(), quote(copy).encode())
    late = b"<script>setTimeout(() => { document.body.innerHTML = atob('%s') }, 100)</script>" % base64.b64encode(copy)
    here = b"<script>if (location.href == 'http://here.example/a?b') document.write(unescape('%s'))</script>"
    pages = [
        ("http://unescape.example/", b"<body><h1>Log in</h1>" + write),
        ("http://atob.example/", b"<body><h1>Log in</h1>" + late),
        ("http://here.example/a?b", b"<body><h1>Here</h1>" + here % quote(copy).encode()),
        (
            "http://away.example/",
            b"<body><h1>Away</h1>" + write + b"<script>location = '//%s/l'</script>" % place.encode(),
        ),
        ("http://loop.example/", b"<body><h1>For ever</h1><script>while (true) {}</script>"),
        ("http://dialog.example/", b"<body><script>alert(1); prompt(2)</script><p>%s" % words(200)),
        ("http://served.example/", b"<body>" + copy),
        ("http://www.bank1.co.uk/own", b"<body>" + write),
        ("http://honest.example/", b"<body><script>document.write('<p>mine')</script>"),
    ]
    write_warc(tmp_path / "a.warc", pages[:5])
    write_warc(tmp_path / "b.warc", pages[5:])
    crawl = (tmp_path / "a.warc", tmp_path / "b.warc", "--labels", folder / "labels.h5")
    hpcreuse("phish", *crawl, "--out", tmp_path / "still")
    assert {row["url"] for row in table(tmp_path / "still", "pages") if row["verdict"] == "phish"} == {pages[6][0]}
    (tmp_path / "truth").write_text("".join(f"{url}\tphish\n" for url, _ in pages[:4]) + "served.example/\tphish\n")
    options = ("--render", "--render-seconds", "4", "--truth", tmp_path / "truth", "--out", tmp_path / "run")
    found = summary("phish", *crawl, *options, ranks=2)
    verdicts = {row["url"]: row["verdict"] for row in table(tmp_path / "run", "pages")}
    assert {url for url, verdict in verdicts.items() if verdict == "phish"} == {url for url, _ in pages[:4]} | {
        "http://served.example/"
    }
    assert verdicts["http://www.bank1.co.uk/own"] == "own"
    assert table(tmp_path / "run", "unrendered") == [
        {"url": "http://loop.example/", "reason": "not done after 4 seconds"}
    ]
    # Neither the one on the original's own domain nor the one found as served needs the browser
    assert (found["rendered"], found["unrendered"]) == (6, 1)
    assert found["classes"] == {
        "pages": 9,
        "other": 4,
        "mistaken": 0,
        "phish": 5,
        "found": 5,
        "served": 1,
        "scripts": 4,
        "missed": 0,
    }
    assert reached == []


def test_a_page_that_crashes_is_listed_and_the_next_one_is_rendered(folder: Path, tmp_path: Path) -> None:
    wrapper = tmp_path / "chromium"
    wrapper.write_text(f'#!/bin/sh\nexec {chromium_path()} --js-flags=--max-old-space-size=24 "$@"\n')
    wrapper.chmod(0o755)
    glutton = b"<body>" + paragraph(300) + b"<script>a = []; while (true) a.push(new Array(100000).fill(1.5))</script>"
    hidden = b"<script>document.write(unescape('%s'))</script>" % quote(paragraph(1) + END).encode()
    pages = [("http://a.example/", b"<p>a"), ("http://b.example/", glutton), ("http://c.example/", b"<body>" + hidden)]
    write_warc(tmp_path / "pages.warc", pages)
    options = ("--labels", folder / "labels.h5", "--render", "--render-seconds", "20", "--out", tmp_path / "found")
    hpcreuse("phish", tmp_path / "pages.warc", *options, env={"HPCREUSE_CHROMIUM": str(wrapper)})
    assert table(tmp_path / "found", "unrendered") == [{"url": "http://b.example/", "reason": "the page crashed"}]
    found = [(row["verdict"], row["chunks"]) for row in table(tmp_path / "found", "pages")]
    # The one that crashed was judged as served: its head is too short to count, its paragraph is not
    assert found == [("clean", 0), ("clean", 1), ("phish", 2)]


def test_without_a_browser_it_is_said_how_to_get_one(folder: Path, tmp_path: Path) -> None:
    options = ("--labels", folder / "labels.h5", "--render", "--out", tmp_path / "found")
    env = {"HPCREUSE_CHROMIUM": str(tmp_path / "none")}
    done = hpcreuse("phish", *suspects(folder), *options, check=False, env=env)
    assert (done.returncode, "scripts/install-chromium.sh" in done.stderr) == (1, True)


def test_the_kits_of_real_phishers(shared_data: Path, tmp_path: Path) -> None:
    kits = shared_data / "phish"
    hpcreuse("label", kits / "originals", *DOM, "--min-length", str(LEAST), "--out", tmp_path / "labels.h5")
    hpcreuse("phish", kits / "copies", "--labels", tmp_path / "labels.h5", "--out", tmp_path / "found", ranks=2)
    rows = table(tmp_path / "found", "pages")
    assert len(rows) == len(list((kits / "copies").iterdir()))
    best = max(rows, key=lambda row: int(row["matched"]))
    assert "twitter" in best["url"] and best["source"].endswith("twitter.com.html")
    labels = {
        json.loads(line)["digest"] for line in hpcreuse("export", tmp_path / "labels.h5", "labels").stdout.splitlines()
    }
    for row in rows:
        payload = (kits / "copies" / row["url"].rpartition("/")[2]).read_bytes()
        chunks = [d for _, length, d in oracle.chunks(payload, mode="dom", digest="sha256") if length >= LEAST]
        assert (row["chunks"], row["matched"]) == (len(chunks), sum(digest in labels for digest in chunks))


def test_a_copy_in_another_charset_is_found_by_what_its_header_says(tmp_path: Path) -> None:
    text = "<p>Счёт заблокирован, введите пароль</p>"
    # Text of JSON is no more in the charset that it once declared
    original = {"url": "http://www.bank.example/", "html": "<meta charset=koi8-r>" + text}
    (tmp_path / "original.jsonl").write_text(json.dumps(original))
    copy = [("http://thief.example/", text.encode("koi8-r"))]
    for charset in ("koi8-r", "windows-1251"):
        write_warc(tmp_path / f"{charset}.warc", copy, f"text/html; charset={charset}")
    line = ("--mode", "dom", "--min-length", str(LEAST), "--out", tmp_path / "labels.h5")
    hpcreuse("label", tmp_path / "original.jsonl", *line)
    for charset, verdict in (("koi8-r", "phish"), ("windows-1251", "clean")):
        crawl, run, out = (tmp_path / f"{charset}{end}" for end in (".warc", "-run", "-found"))
        hpcreuse("hash", crawl, "--mode", "dom", "--out", run)
        for judged in (crawl, run):
            hpcreuse("phish", judged, "--labels", tmp_path / "labels.h5", "--out", out)
            assert [row["verdict"] for row in table(out, "pages")] == [verdict]


def test_a_killed_job_renders_no_page_again(folder: Path, tmp_path: Path) -> None:
    chromium_path()
    written = (
        b"<script>document.body.innerHTML = unescape('%3Cp%3E') + Date.now() + Math.random()</script>" + paragraph(300)
    )
    loop = b"<body>" + paragraph(301) + b"<script>while (true) {}</script>"
    pages = [(f"http://first{n}.example/", b"<body>" + written) for n in range(3)]
    write_warc(tmp_path / "pages.warc", [*pages, ("http://loop.example/", loop)])
    options = ("--labels", folder / "labels.h5", "--render", "--out", tmp_path / "found", "--progress", "0")
    line = ["phish", tmp_path / "pages.warc", *options]
    kept = tmp_path / ".found.rendered" / "00000"
    with subprocess.Popen([HPCREUSE, *line, "--render-seconds", "100"], stderr=subprocess.PIPE) as job:
        while len(list_rendered(kept)) < 3 and job.poll() is None:
            time.sleep(0.05)
        job.kill()
    first = list_rendered(kept)
    assert len(first) == 3
    # The last one was half written
    kept.write_bytes(kept.read_bytes()[:-1])
    with subprocess.Popen([HPCREUSE, *line, "--render-seconds", "100"], stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr is not None
        assert "2 pages were rendered by an earlier job and are not rendered again" in job.stderr.readline()
        while len(list_rendered(kept)) < 3 and job.poll() is None:
            time.sleep(0.05)
        job.kill()
    again = list_rendered(kept)
    assert again[:2] == first[:2] and again[2] != first[2]

    # With another time each page is another; what is complete leaves nothing
    done = hpcreuse(*line, "--render-seconds", "2", "--json")
    assert json.loads(done.stdout)["rendered"] == 3
    assert not kept.parent.exists()


def list_rendered(path: Path) -> list[bytes]:
    """The pages of a file: key and length before each."""
    content = path.read_bytes() if path.exists() else b""
    found = []
    while len(content) >= 28 and len(content) >= 28 + (length := int.from_bytes(content[20:28], "little")):
        found.append(zlib.decompress(content[28 : 28 + length]))
        content = content[28 + length :]
    return found


def test_a_wish_to_stop_is_heard_between_pages(folder: Path, tmp_path: Path) -> None:
    chromium_path()
    loop = b"<body>" + paragraph(300) + b"<script>while (true) {}</script>"
    write_warc(tmp_path / "pages.warc", [(f"http://loop{n}.example/", loop) for n in range(500)])
    options = ("--labels", folder / "labels.h5", "--render", "--render-seconds", "1", "--out", tmp_path / "found")
    line = [HPCREUSE, "phish", tmp_path / "pages.warc", *options, "--progress", "0.1"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr is not None
        # The first line says that a page is done, of 500 that would take minutes
        job.stderr.readline()
        job.send_signal(signal.SIGTERM)
        _, errors = job.communicate(timeout=100)
    assert (job.returncode, "stopped on SIGTERM" in errors) == (75, True)
    assert not (tmp_path / "found").exists()
