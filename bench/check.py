"""Milliseconds that one page costs a crawler, against labels in the millions; taken in one run.

    python bench/check.py --labels 100000 1000000 5000000

Labels are made up, but for those of every tenth page. For each number of them it prints how long opening takes, then
the median, mean and 99th percentile over the pages of: cutting and hashing alone, `LabelSet.check` with labels, with a
filter in front of them, and with the filter alone. Writes bench/results/check.json.
"""

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import corpus
import measure
import numpy as np
from corpus import SourcePage

from hpcreuse import LabelSet
from hpcreuse.crawl.types import decide_type, is_textual
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.digest import digest_page
from hpcreuse.page.options import DigestOptions
from hpcreuse.store.counts import Histogram
from hpcreuse.store.filters import write_filter
from hpcreuse.store.labels import create_labels
from hpcreuse.store.shard import Counted

GOAL = measure.Goal(most=1.0)


def hash_alone(page: SourcePage, options: DigestOptions) -> bytes:
    """Cut and hash a page: what no look-up can save."""
    mime = decide_type("text/html", page.payload, page.url)
    return digest_page(page.payload, mime, is_textual(mime), mime == "text/plain", options).chunks


def make_labels(path: Path, count: int, pages: list[SourcePage], options: DigestOptions) -> None:
    """Write labels: random digests, and the chunks of some pages."""
    rng = np.random.default_rng(count)
    own = dg.from_bytes(b"".join(hash_alone(page, options) for page in pages), options.width)
    digests = np.concatenate([own, rng.integers(0, 256, (count, options.width), np.uint8)])
    every = Counted(digests, np.ones(len(digests), np.int64), np.full(len(digests), 100))
    labels = Counted.combine([every])
    urls = Ragged.from_strings([b"http://label.example/%09d" % n for n in range(1000)])
    header = {"digest_options": options.record(), "objects": "chunk", "method": "informed"}
    size = (len(labels), options.width, Histogram.of(labels.counts), len(urls), len(urls.values))
    with create_labels(path, header, *size) as writer:
        writer.append(labels, np.arange(len(labels)) % 1000 + 1)
        writer.append_sources(urls)


def milliseconds(check: Callable[[SourcePage], object], pages: list[SourcePage]) -> list[float]:
    """Time each page."""
    taken = []
    for page in pages:
        begin = time.perf_counter()
        check(page)
        taken.append(1000 * (time.perf_counter() - begin))
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", nargs="+", type=int, default=[100_000, 1_000_000, 5_000_000])
    parser.add_argument("--pages", type=int, default=1000, help="how many pages are checked")
    options = parser.parse_args()
    where, digest_options = measure.machine(), DigestOptions()
    pages = list(itertools.islice(corpus.source_pages(), options.pages))
    total = sum(len(page.payload) for page in pages)
    print(f"{len(pages):,} pages of {total / len(pages) / 1000:.0f} kB on average\n")
    print(f"{'labels':>10}  {'what':<18}{'open ms':>9}{'median':>9}{'mean':>9}{'99 %':>9}  ms a page")
    measured = {}
    for count in options.labels:
        with tempfile.TemporaryDirectory() as folder:
            path, small = Path(folder) / "labels.h5", Path(folder) / "filter"
            make_labels(path, count, pages[::10], digest_options)
            write_filter(path, small)
            sets: dict[str, tuple[float, Callable[[SourcePage], object]]] = {
                "hash alone": (0.0, lambda page: hash_alone(page, digest_options))
            }
            for name, arguments in (
                ("labels", {"path": path}),
                ("filter and labels", {"path": small, "exact": path}),
                ("filter alone", {"path": small}),
            ):
                begin = time.perf_counter()
                opened = LabelSet.open(**arguments)
                sets[name] = (
                    1000 * (time.perf_counter() - begin),
                    lambda page, opened=opened: opened.check(page.payload, page.url, "text/html"),
                )
            turns = {name: lambda check=check: milliseconds(check, pages) for name, (_, check) in sets.items()}
            times = measure.take_turns(turns, 3)
            for name, (opening, _) in sets.items():
                # Of each page the least of its turns: what others do on this machine is not the page's cost
                each = np.min(times[name], axis=0)
                row = [float(value) for value in (np.median(each), each.mean(), np.percentile(each, 99))]
                print(f"{count:>10,}  {name:<18}{opening:>9.2f}{row[0]:>9.3f}{row[1]:>9.3f}{row[2]:>9.3f}")
                measured[f"{count} {name}"] = dict(zip(("open", "median", "mean", "p99"), [opening, *row], strict=True))
            sizes = [file.stat().st_size / 1e6 for file in (path, small)]
            print(f"{'':>10}  labels {sizes[0]:.0f} MB, filter {sizes[1]:.1f} MB")
    worst = max(row["mean"] for name, row in measured.items() if not name.endswith("alone"))
    print(f"\nmean over pages, worst case: {worst:.3f} ms, goal {GOAL} ms: {GOAL.verdict(worst)}")
    measure.write_results("check", where, measured)


if __name__ == "__main__":
    main()
