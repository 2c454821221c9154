"""One judge at work: the sample, the labels so far, and the evidence, gathered when it is looked at."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from hpcreuse.errors import HpcreuseError, StoreError
from hpcreuse.judge.categories import Category
from hpcreuse.judge.evidence import Evidence, Gatherer, Panel
from hpcreuse.judge.judgements import History, Judgements
from hpcreuse.judge.of_phish import PhishGatherer
from hpcreuse.judge.of_reuse import ReuseGatherer
from hpcreuse.judge.of_words import ClusterGatherer, QuiltGatherer
from hpcreuse.judge.pages import find_run
from hpcreuse.judge.result_files import ResultFiles
from hpcreuse.judge.sampling import Sample, draw, identity_of
from hpcreuse.judge.tabulation import tabulate
from hpcreuse.store.result_record import read_result_record

# Evidence of so many items is kept: those around the one that is looked at
KEPT = 8


@dataclass
class Session:
    """What the page asks and tells."""

    result: Path
    judge: str
    sample: Sample
    categories: tuple[Category, ...]
    judgements: Judgements
    gatherer: Gatherer
    _kept: OrderedDict[int, Evidence] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def history(self) -> History:
        """What this judge has said; other judges are none of the page's business."""
        return self.judgements.histories(self.sample.kind).get(self.judge, History({}, []))

    def state(self) -> dict[str, Any]:
        """Give all that the page shows around the evidence."""
        standing = self.history.standing
        items = []
        for item in self.sample.items:
            said = standing.get(item.key)
            items.append({"key": item.key, "label": said.label if said else None, "note": said.note if said else ""})
        return {
            "result": self.result.name,
            "judge": self.judge,
            "kind": self.sample.kind,
            "population": self.sample.population,
            "seed": self.sample.seed,
            "categories": [vars(category) for category in self.categories],
            "items": items,
        }

    def evidence(self, number: int) -> Evidence:
        """Give the evidence of an item of the sample."""
        # HDF5 is read by one thread at a time
        with self._lock:
            if number not in self._kept:
                item = self.sample.items[number]
                try:
                    self._kept[number] = self.gatherer.gather(item)
                except HpcreuseError as error:
                    self._kept[number] = Evidence(item.key, [], [Panel(item.key, problem=str(error))], [])
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(number)
            return self._kept[number]

    def say(self, number: int, label: str | None, note: str) -> None:
        """Write a judgement down."""
        self.judgements.judge(self.sample.kind, self.sample.items[number].key, self.judge, label, note)

    def undo(self) -> int | None:
        """Take the last judgement back; give the number of its item, if it is in this sample."""
        key = self.judgements.undo(self.sample.kind, self.judge)
        return next((number for number, item in enumerate(self.sample.items) if item.key == key), None)

    def close(self) -> None:
        """Wait until nobody reads HDF5, and let nobody begin: a thread that does while Python ends would block it."""
        self._lock.acquire()

    def results(self) -> dict[str, Any]:
        """Give the tables: those of other judges when this one is done, for they would sway."""
        histories = self.judgements.histories(self.sample.kind)
        done = all(item.key in self.history.labels for item in self.sample.items)
        seen = {judge: said for judge, said in histories.items() if done or judge == self.judge}
        return {**tabulate(self.sample, self.categories, seen), "hidden": len(histories.keys() - seen.keys())}


def take_sample(result: Path, kind: str, seed: int, size: int, judgements: Judgements) -> Sample:
    """Give the sample that was drawn before, or draw it now.

    Raises StoreError when the result was made anew since: labels of another are not to be mixed in.
    """
    identity = identity_of(result)
    before = judgements.samples(kind)
    if any(sample.identity != identity for sample in before):
        raise StoreError(
            f"{result} has changed since {judgements.path} was begun: name another file with --judgements, or judge "
            "the result it belongs to"
        )
    for sample in before:
        if (sample.seed, sample.size) == (seed, size):
            return sample
    sample = draw(result, kind, seed, size)
    if not sample.items:
        raise StoreError(f"{result} has no {kind} to judge: nothing was found")
    judgements.add_sample(sample)
    return sample


def gatherer_of(result: Path, sample: Sample, run: Path | None) -> Gatherer:
    """Open the run of a result, and say how its evidence is found."""
    record = read_result_record(result)
    header = record["header"]
    pages = find_run(result, header.get("run"), header.get("run_fingerprint"), run)
    if sample.kind in ("neighborhoods", "files", "chunks"):
        return ReuseGatherer(sample.kind, ResultFiles(result), pages, sample.seed)
    if sample.kind == "quilts":
        return QuiltGatherer(pages, header["k"])
    if sample.kind == "clusters":
        return ClusterGatherer(pages)
    return PhishGatherer(pages, result, header["labels"])


def open_session(
    result: Path, judge: str, sample: Sample, categories: Sequence[Category], judgements: Judgements, run: Path | None
) -> Session:
    """Open what a judge needs."""
    return Session(result, judge, sample, tuple(categories), judgements, gatherer_of(result, sample, run))
