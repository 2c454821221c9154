"""The authors' way: regex, hashlib and dicts, in as many processes as cores.

Each process hashes its share of the archives, keeps the digests of its pages in memory and counts them in a dict. The
dicts are added up in the first process, the labels go back, and each process computes the ratios of its pages.
"""

import math
import multiprocessing
from collections import Counter
from multiprocessing.connection import Connection

from pages import Arguments, Outcome, PageChunks, arguments, hashed_pages, report, site


def work_on(archives: list[str], parent: Connection) -> None:
    """Count, tell the counts, learn the labels, tell the ratios."""
    counts: Counter[bytes] = Counter()
    kept: list[PageChunks] = []
    for path in archives:
        for page in hashed_pages(path):
            counts.update(page.digests)
            kept.append(page)
    parent.send(dict(counts))
    labels = parent.recv()
    parent.send([(page.url, len(page.digests), sum(map(labels.__contains__, page.digests))) for page in kept])


def run(job: Arguments) -> Outcome:
    """Do the whole job."""
    # Fork is the cheapest way to start a process, and nothing here has threads
    context = multiprocessing.get_context("fork")
    workers = []
    for number in range(job.processes):
        mine, theirs = context.Pipe()
        process = context.Process(target=work_on, args=(job.archives[number :: job.processes], theirs))
        process.start()
        workers.append((process, mine))

    counts: dict[bytes, int] = {}
    for _, pipe in workers:
        if counts:
            for digest, count in pipe.recv().items():
                counts[digest] = counts.get(digest, 0) + count
        else:
            counts = pipe.recv()
    labels = {digest: count for digest, count in counts.items() if count > job.threshold}
    for _, pipe in workers:
        pipe.send(labels)
    pages = [page for _, pipe in workers for page in pipe.recv()]
    for process, _ in workers:
        process.join()

    ratios = [bad / chunks for _, chunks, bad in pages]
    by_site: dict[str, list[float]] = {}
    for (url, _, _), ratio in zip(pages, ratios, strict=True):
        by_site.setdefault(site(url), []).append(ratio)
    sites = {name: sum(inside) / len(inside) for name, inside in by_site.items()}
    return Outcome(labels, pages, sites, *moments(ratios), *moments(list(sites.values())))


def moments(values: list[float]) -> tuple[float, float]:
    """Give mean and population deviation."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


if __name__ == "__main__":
    job, out = arguments(__doc__)
    report(out, lambda: run(job))
