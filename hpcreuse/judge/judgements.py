"""What judges said: JSON lines, appended and flushed to disk one by one; a line that was cut off harms no other.

{"record": "sample", "kind": ..., "seed": ..., "size": ..., "items": [...]}     what was drawn
{"record": "judgement", "kind": ..., "item": ..., "judge": ..., "label": ..., "note": ..., "time": ...}
{"record": "undo", "kind": ..., "judge": ..., "time": ...}                       takes the judge's last one back
"""

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.judge.sampling import Item, Sample
from hpcreuse.store.atomic import cannot_write

SUFFIX = ".judgements.jsonl"


def beside(result: Path) -> Path:
    """Name the judgements of a result: not inside it, for a result is replaced as a whole."""
    path = result.resolve()
    return path.with_name(path.name + SUFFIX)


@dataclass(frozen=True)
class Judgement:
    """What a judge says of an item; without a label it may still have a note."""

    item: str
    label: str | None
    note: str
    time: str


@dataclass
class History:
    """The judgements of one judge on one kind, as they stand, and what undoing would bring back."""

    standing: dict[str, Judgement]
    before: list[tuple[str, Judgement | None]]

    def judge(self, judgement: Judgement) -> None:
        """Let a judgement take the place of the one before."""
        self.before.append((judgement.item, self.standing.get(judgement.item)))
        self.standing[judgement.item] = judgement

    def undo(self) -> str | None:
        """Take the last judgement back; give the item it was about."""
        if not self.before:
            return None
        item, earlier = self.before.pop()
        if earlier is None:
            del self.standing[item]
        else:
            self.standing[item] = earlier
        return item

    @property
    def labels(self) -> dict[str, str]:
        """The items that have a label."""
        return {item: said.label for item, said in self.standing.items() if said.label is not None}


class Judgements:
    """A file of judgements; several judges may write to it at once."""

    def __init__(self, path: Path):
        self.path = path

    def append(self, record: dict[str, Any]) -> None:
        """Add a line; it is on disk when this returns."""
        line = json.dumps({**record, "time": now()}) + "\n"
        try:
            with self.path.open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        # Somebody was killed amid a line: it must not spoil this one
                        line = "\n" + line
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(cannot_write(self.path, error)) from error

    def records(self) -> Iterator[dict[str, Any]]:
        """Give the lines that are whole, in order."""
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record

    def add_sample(self, sample: Sample) -> None:
        """Write down what was drawn, so that nobody draws again."""
        self.append({"record": "sample", **asdict(sample)})

    def samples(self, kind: str) -> list[Sample]:
        """Give the samples that were drawn of a kind, the latest last."""
        return [
            Sample(
                kind=kind,
                seed=record["seed"],
                size=record["size"],
                population=record["population"],
                identity=record["identity"],
                items=tuple(Item(item["key"], item["row"]) for item in record["items"]),
            )
            for record in self.records()
            if (record.get("record"), record.get("kind")) == ("sample", kind)
        ]

    def judge(self, kind: str, item: str, judge: str, label: str | None, note: str) -> None:
        """Write down what a judge says."""
        said = {"kind": kind, "item": item, "judge": judge, "label": label, "note": note}
        self.append({"record": "judgement", **said})

    def undo(self, kind: str, judge: str) -> str | None:
        """Take a judge's last judgement back; give the item it was about, None when there is none left."""
        history = self.histories(kind).get(judge)
        item = history.undo() if history else None
        if item is not None:
            self.append({"record": "undo", "kind": kind, "judge": judge})
        return item

    def histories(self, kind: str) -> dict[str, History]:
        """Give what each judge says of a kind, by the judge's name, in the order of their first judgements."""
        found: dict[str, History] = {}
        for record in self.records():
            if record.get("kind") != kind or record.get("record") not in ("judgement", "undo"):
                continue
            history = found.setdefault(record["judge"], History({}, []))
            if record["record"] == "undo":
                history.undo()
            else:
                history.judge(Judgement(record["item"], record["label"], record["note"], record["time"]))
        return found


def now() -> str:
    """Give the time as it is written down."""
    return datetime.now(UTC).isoformat(timespec="seconds")
