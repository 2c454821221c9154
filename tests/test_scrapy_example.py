"""The example middleware in a real Scrapy crawl of a real server; skipped where Scrapy is not installed."""

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from archives import write_warc
from command import summary

EXAMPLES = Path(__file__).parents[1] / "examples"

if importlib.util.find_spec("scrapy") is None:
    pytest.skip("Scrapy is not installed (pip install scrapy): its middleware is not tried", allow_module_level=True)

SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    async def start(self):
        for page in ("copy", "quote", "new"):
            yield scrapy.Request(f"{sys.argv[1]}/{page}.html")
    def parse(self, response):
        checked = response.meta["labels"]
        yield {"url": response.url, "verdict": checked.verdict, "sources": checked.sources}

items = []
process = CrawlerProcess({
    "SPIDER_MIDDLEWARES": {"scrapy_labels.LabelsMiddleware": 50},
    "HPCREUSE_LABELS": sys.argv[2],
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(Pages)
crawler.signals.connect(lambda item: items.append(item), signal=scrapy.signals.item_scraped, weak=False)
process.crawl(crawler)
process.start()
stats = {key: value for key, value in crawler.stats.get_stats().items() if key.startswith("labels/")}
print(json.dumps({"items": sorted(items, key=lambda item: item["url"]), "stats": stats}))
"""

BODY = b"".join(b"<p>Paragraph %d of the original</p>" % n for n in range(9))


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A server with a copy, a page that quotes one paragraph, and a page of its own."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "copy.html").write_bytes(b"<div>ads</div>" + BODY)
    (folder / "quote.html").write_bytes(b"<p>Paragraph 3 of the original</p><p>mine</p><p>mine too</p>")
    (folder / "new.html").write_bytes(b"<p>news</p>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_crawl_drops_copies_and_tells_spiders_about_the_rest(site: str, tmp_path: Path) -> None:
    original = "http://original.example/page.html"
    write_warc(tmp_path / "original.warc", [(original, BODY)])
    summary("label", tmp_path / "original.warc", "--out", tmp_path / "labels.h5")
    done = subprocess.run(
        [sys.executable, "-c", SPIDER, site, tmp_path / "labels.h5"],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["items"] == [
        {"url": f"{site}/new.html", "verdict": "clean", "sources": []},
        {"url": f"{site}/quote.html", "verdict": "clean", "sources": [original]},
    ]
    assert found["stats"] == {"labels/copied": 1, "labels/clean": 2}
    assert f"dropped: {site}/copy.html copies {original}" in done.stderr
