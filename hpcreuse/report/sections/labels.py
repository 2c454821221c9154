"""Discovery: how often objects occur, from where on they are labelled, and the most frequent with their content."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.report.blocks import ExamplesBlock, FactsBlock, NoteBlock, Sample, Section
from hpcreuse.report.book import Book
from hpcreuse.report.contents import Content, read_contents
from hpcreuse.report.given import Given, find_run
from hpcreuse.report.ranking import Top, greatest
from hpcreuse.report.wording import number, percent
from hpcreuse.store.counts import Histogram, counts_folder, find_counts
from hpcreuse.store.labels import UNKNOWN_LENGTH, Labels
from hpcreuse.store.run import Run, ShardInfo, fingerprint
from hpcreuse.store.tables import columns, text

BLOCK_ROWS = 1 << 18
# Points of a frequency plot in its table
LONGEST = 10_000

HISTOGRAM = columns(objects=int, duplicates=int, occurrences=int)
LABELS = columns(digest=str, count=int, length=int, source=str)


@dataclass(frozen=True)
class Label:
    """One of the most frequent labels."""

    digest: str
    count: int
    length: int
    source: str


def section(given: Given, book: Book) -> Section:
    """Show labels given as such, or those that a result was made with."""
    path = given.path if given.kind == "labels" else given.path / "labels.h5"
    with Labels.open(path) as labels:
        header, objects, total = labels.header, labels.objects, len(labels)
        histogram = read_histogram(labels)
        top = most_frequent(labels, book.listed)
        sources = len(labels.sources) - 1
    blind = header.get("method") == "blind"
    part = Section(
        f"labels{given.suffix}",
        f"Discovery: {objects}s that are copied{given.of}",
        f"Each {objects} that occurs often enough in the whole crawl is labelled: the set L that detection looks for."
        if blind
        else f"Every {objects} of content that was named is labelled: the set L that detection looks for.",
    )
    part.blocks.append(FactsBlock(facts(header, objects, total, sources, histogram, top)))
    if len(histogram.duplicates):
        part.blocks.append(frequency(book, given, histogram, objects, threshold_of(header, top)))
    part.blocks += other_frequency(book, given, objects)
    if top:
        run = find_run(given, book.given) or find_run_of(header, given, book)
        part.blocks.append(samples(book, given, top, run, objects))
    return part


def read_histogram(labels: Labels) -> Histogram:
    """Read how many objects occur how often; of labels that were named there is none."""
    group = labels.file["histogram"]
    return Histogram(group["duplicates"][:], group["objects"][:])


def most_frequent(labels: Labels, wanted: int) -> list[Label]:
    """Find the labels with the greatest counts, reading block by block."""
    top, numbers = Top(wanted), labels.file["source"]
    sources = labels.sources
    for first in range(0, len(labels), BLOCK_ROWS):
        counts = labels.file["count"][first : first + BLOCK_ROWS]
        found = []
        for place in greatest(wanted, counts).tolist():
            row = first + place
            digest, length = labels.file["digest"][row].tobytes().hex(), int(labels.file["length"][row])
            label = Label(digest, int(counts[place]), length, text(sources[numbers[row]]))
            found.append(((label.count,), label))
        top.add(found)
    return list(top.rows())


def threshold_of(header: dict[str, Any], top: list[Label]) -> int | None:
    """Give the number of duplicates that labels exceed, however they were chosen."""
    if header.get("threshold") is not None:
        return int(header["threshold"])
    return top[-1].count - 1 if header.get("top") and len(top) == header["top"] else None


def facts(
    header: dict[str, Any], objects: str, total: int, sources: int, histogram: Histogram, top: list[Label]
) -> list[tuple[str, Any]]:
    """Say how many there are."""
    pairs: list[tuple[str, Any]] = [("labels", total)]
    if sources:
        pairs.append(("pages they come from", sources))
    if header.get("threshold") is not None:
        pairs.append(("threshold", f"more than {header['threshold']:,} occurrences"))
    if header.get("top"):
        pairs.append(("chosen", f"the {header['top']:,} most frequent"))
    if len(histogram.duplicates):
        distinct, occurrences = histogram.objects.sum(), (histogram.objects * histogram.duplicates).sum()
        unique = histogram.objects[histogram.duplicates == 1].sum()
        pairs += [
            (f"{objects}s, with every occurrence", int(occurrences)),
            ("distinct", int(distinct)),
            ("occur once only", f"{int(unique):,} ({percent(unique, distinct)} of the distinct)"),
        ]
    if header.get("min_length"):
        pairs.append(("stop rule", f"shorter than {header['min_length']:,} bytes"))
    if header.get("stop_digests"):
        pairs.append(("stop list", f"{header['stop_digests']:,} digests"))
    return pairs


def frequency(book: Book, given: Given, histogram: Histogram, objects: str, threshold: int | None) -> Any:
    """Draw the frequency-occurrence plot, and keep its points."""
    from hpcreuse.report.figures.frequency import draw_frequency, thinned

    name = f"frequency-{objects}s{given.suffix}"
    # A long one is kept as it is drawn: `export` gives all of it
    listed = histogram if len(histogram.duplicates) <= LONGEST else thinned(histogram)
    rows = ((o, d, o * d) for o, d in zip(listed.objects.tolist(), listed.duplicates.tolist(), strict=True))
    book.table(name, HISTOGRAM, rows)
    return book.figure(
        name,
        lambda: draw_frequency(histogram, threshold, objects),
        f"How often {objects}s occur: for each number of duplicates, how many distinct {objects}s have so many"
        + (", and the threshold above which they are labelled." if threshold is not None else "."),
        alt=f"Frequency of {objects}s on logarithmic axes, from {int(histogram.duplicates.min()):,} "
        f"to {int(histogram.duplicates.max()):,} duplicates",
    )


def other_frequency(book: Book, given: Given, objects: str) -> list[Any]:
    """Draw the same for files when chunks are labelled, and the other way round, if the run has counted them."""
    run = find_run(given, book.given)
    if run is None:
        return []
    other = "file" if objects == "chunk" else "chunk"
    if any(one.kind == "labels" and one.header["objects"] == other for one in book.given):
        # They have a section of their own
        return []
    if not (counts_folder(run.path, other) / "counts.json").exists():
        return []
    shards = run.in_order([ShardInfo.read(path) for path in run.shard_paths()])
    counts = find_counts(counts_folder(run.path, other), fingerprint(shards))
    if counts is None or not len(counts.histogram.duplicates):
        return []
    return [frequency(book, given, counts.histogram, other, None)]


def find_run_of(header: dict[str, Any], given: Given, book: Book) -> Run | None:
    """Find the run that the labels of a result were discovered in, or any that was given."""
    named = Path(header["run"]) if header.get("run") else None
    if named and (named / "run.json").exists():
        return Run.open(named)
    return next((Run.open(other.path) for other in book.given if other.kind == "run"), None)


def samples(book: Book, given: Given, top: list[Label], run: Run | None, objects: str) -> ExamplesBlock:
    """Show the most frequent labels with the beginning of their content."""
    file = book.table(f"labels{given.suffix}", LABELS, ((x.digest, x.count, x.length, x.source) for x in top))
    shown = top[: book.top]
    contents = read_contents(run, [label.digest for label in shown], objects)
    return ExamplesBlock(
        "samples",
        f"The {len(shown)} most frequent",
        [sample(label, contents[label.digest]) for label in shown],
        file,
        "Content as it stands in the crawl, the beginning of each; whoever wrote it, nothing of it runs here.",
    )


def sample(label: Label, content: Content) -> Sample:
    """Describe one."""
    facts = [("times", number(label.count))]
    if label.length != UNKNOWN_LENGTH:
        facts.append(("bytes", number(label.length)))
    if label.source:
        facts.append(("source", label.source))
    if content.url:
        facts.append(("for one in", content.url))
    return Sample(label.digest, facts, content.text, content.problem)


def frequencies_of_run(given: Given, book: Book) -> Section | None:
    """Show what a run has counted, when no labels were given."""
    run = Run.open(given.path)
    shards = run.in_order([ShardInfo.read(path) for path in run.shard_paths()])
    blocks: list[Any] = []
    for objects in ("chunk", "file"):
        counts = find_counts(counts_folder(run.path, objects), fingerprint(shards))
        if counts is not None and len(counts.histogram.duplicates):
            blocks.append(frequency(book, given, counts.histogram, objects, None))
    if not blocks:
        return None
    lead = "How often files and chunks occur in the whole crawl, as `discover` has counted them."
    part = Section(f"frequencies{given.suffix}", f"Copies in the crawl{given.of}", lead, blocks)
    part.blocks.append(NoteBlock("Name the labels as well to see what is copied."))
    return part
