"""Evidence of the methods that go by words: a quilt beside its sources, a member of a cluster beside others."""

from collections.abc import Sequence

from hpcreuse.judge.evidence import Evidence, panel_of_words
from hpcreuse.judge.marking import alike
from hpcreuse.judge.pages import CrawledPage, RunPages
from hpcreuse.judge.sampling import Item
from hpcreuse.quilt.showing import grams_of, owners_of

SOURCES, MEMBERS = 12, 6


class QuiltGatherer:
    """Looks up quilts and their sources in the run."""

    def __init__(self, pages: RunPages, k: int):
        self.pages, self.k = pages, k

    def gather(self, item: Item) -> Evidence:
        """Give a quilt, each patch in the colour of its source."""
        row, sources = item.row, item.row["sources"][:SOURCES]
        quilt, *others = read_pages(self.pages, [row["url"], *sources])
        own = grams_of(list(quilt.words or ()), self.k)
        grams = [grams_of(list(page.words or ()), self.k) for page in others]
        facts = [
            ("patch grams", f"{row['patch_grams']:,} of {row['grams']:,} ({100 * row['patchfrac']:.0f} %)"),
            ("sources", f"{row['all_sources']:,}"),
        ]
        if row["all_sources"] > len(sources):
            facts.append(("shown", f"the first {len(sources)} of them"))
        right = []
        for number, (page, share) in enumerate(zip(others, row["shares"], strict=False), 1):
            shared = owners_of(list(page.words or ()), [own], self.k)
            marks = [None if owner is None else number for owner in shared]
            right.append(panel_of_words(page, marks, f"{100 * share:.1f} % of the patch grams", number))
        owners = [None if o is None else o + 1 for o in owners_of(list(quilt.words or ()), grams, self.k)]
        return Evidence(item.key, facts, [panel_of_words(quilt, owners, "the quilt")], right)


class ClusterGatherer:
    """Looks up members of clusters in the run."""

    def __init__(self, pages: RunPages):
        self.pages = pages

    def gather(self, item: Item) -> Evidence:
        """Give a member drawn at random beside others; what two have in common is marked."""
        row = item.row
        one, *others = read_pages(self.pages, row["urls"][: MEMBERS + 1])
        left, right = [], []
        for number, other in enumerate(others, 1):
            mine, theirs = alike(one.words or (), other.words or (), number)
            common = sum(mark is not None for mark in mine)
            detail = f"{common:,} words in common, of {len(mine):,} and {len(theirs):,}"
            left.append(panel_of_words(one, mine, "drawn at random"))
            right.append(panel_of_words(other, theirs, detail, number))
        facts = [("kind", row["kind"]), ("pages", f"{row['pages']:,}")]
        if row["pages"] > len(others) + 1:
            facts.append(("shown", f"{len(others) + 1} of them, drawn at random"))
        return Evidence(one.url, facts, left, right, paired=True)


def read_pages(pages: RunPages, urls: Sequence[str]) -> list[CrawledPage]:
    """Read pages by URL; one that is not in the run says so."""
    numbers = pages.numbers(urls)
    return [
        pages.page(numbers[url]) if url in numbers else CrawledPage(url, "it is not in the run any more")
        for url in urls
    ]
