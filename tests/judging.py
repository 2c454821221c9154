"""A judge at work, for tests: a small crawl with findings of every method, and `hpcreuse judge` as a user starts it."""

import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from archives import write_warc
from command import HPCREUSE, hpcreuse


def hostile(away: str) -> str:
    """Give the beginning of a page that tries all that a page can on its own; `away` is where it wants to go."""
    return f"""<html><head><title>quiet</title><base href="{away}/base/">
<meta http-equiv="refresh" content="0;url={away}/refresh"><link rel="stylesheet" href="{away}/a.css">
<link rel="preload" href="{away}/preload" as="image"><script src="{away}/a.js"></script>
<style>@import url({away}/b.css); body {{ background: url({away}/b.png) }}</style></head>
<body onload="alert('load')"><script>alert('script'); top.document.title = 'owned'; fetch('{away}/fetch')</script>
<img src="{away}/i.png" onerror="alert('error')"><svg onload="alert('svg')"><script>alert('in svg')</script></svg>
<iframe src="{away}/frame"></iframe><iframe srcdoc="<script>alert('srcdoc')</script>"></iframe>
<object data="{away}/object"></object><video src="{away}/video" autoplay></video>
<form action="{away}/form"><input autofocus onfocus="alert('focus')"></form>
<a id="away" href="{away}/link">away</a> <a href="javascript:alert('link')">acts</a>
"""


class Listener(ThreadingHTTPServer):
    """Keeps what reaches it: whatever a browser says of requests, here is what it really sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.heard: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    """Notes an address, and answers with a script."""

    def do_GET(self) -> None:
        self.server.heard.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<script>alert('away')</script>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen for whoever gets away."""
    with Listener() as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        try:
            yield listener
        finally:
            listener.shutdown()
            thread.join()


def paragraph(choose: random.Random, words: int = 40) -> str:
    return " ".join("".join(choose.choices("abcdefghijklmnop", k=6)) for _ in range(words))


def make_findings(folder: Path, away: str = "http://127.0.0.1:9") -> Path:
    """Make a crawl of a link farm, hostile pages among it, quilts and near duplicates, and find them."""
    choose = random.Random(9)
    farm = [f"<p>{paragraph(choose)}</p>" for _ in range(6)]
    pages: list[tuple[str, str]] = []
    for site in range(8):
        for page in range(3):
            head = hostile(away) if site % 2 else ""
            body = "".join(farm) + f"<p>{paragraph(choose)} &lt;b&gt; & caf\u00e9</p>"
            pages.append((f"http://farm{site}.example/ads/{page}.html", head + body))
    stock = {f"http://www.site{n}.org/a.html": [paragraph(choose) for _ in range(4)] for n in range(24)}
    pages += [(url, "".join(f"<p>{text}</p>" for text in texts)) for url, texts in stock.items()]
    left = {url: texts[1:] for url, texts in stock.items()}
    for n in range(6):
        taken = choose.sample(sorted(url for url in left if left[url]), 5)
        pages.append((f"http://quilt{n}.com/", hostile(away) + "".join(f"<p>{left[url].pop()}</p>" for url in taken)))
    for n in range(4):
        story = paragraph(choose, 120)
        pages += [(f"http://near{n}.net/{copy}", f"<p>{story} addition{copy}</p>") for copy in range(3)]
    crawl = write_warc(
        folder / "crawl.warc.gz", [(url, text.encode()) for url, text in pages], "text/html; charset=utf-8"
    )
    hpcreuse("hash", crawl, "--out", "run", "--text", cwd=folder)
    hpcreuse("discover", "run", "--threshold", "10", "--out", "labels.h5", cwd=folder)
    hpcreuse("detect", "run", "--labels", "labels.h5", "--out", "result", cwd=folder)
    hpcreuse("quilt", "run", "--out", "quilts", cwd=folder)
    hpcreuse("imatch", "run", "--out", "near", cwd=folder)
    return folder


@contextmanager
def judging(*arguments: str | Path, ending: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """Start a judge and give its address; at the end it is interrupted, as by Ctrl-C, and must end well; or killed."""
    line = [str(HPCREUSE), "judge", *map(str, arguments)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        address, said = "", ""
        for text in process.stdout:
            said += text
            if text.startswith("open "):
                address = text.split()[1]
            if "Ctrl-C" in text:
                break
        try:
            assert address, said + process.stderr.read()
            yield address
        finally:
            process.send_signal(ending)
            try:
                _, complaints = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert process.returncode == (0 if ending == signal.SIGINT else -ending), complaints
