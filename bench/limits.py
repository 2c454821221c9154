"""How near hpcreuse is to what this machine can do at best, all measured in the same run.

    python bench/limits.py --repeats 5

Floors: inflate alone, read alone, scan and SHA-1 of the same chunks in C, memory copy, `np.unique` of the same keys,
MPI alltoall of the same bytes, disk write. The floor of `hash` reads, scans and hashes files and chunks in C and keeps
nothing: with FastWARC, and with ISA-L's inflate told where each record begins. The faster of the two counts.

Rates are of page bytes after decompression. Start-up of Python and MPI is not part of a ratio; it is shown apart.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import floor
import measure
from floor import CHUNKS, FILES_AND_CHUNKS, NO_HASH, Rate
from isal import isal_zlib
from jobs import BIN, hpcreuse
from measure import Goal, Spread, ratios

RANKS = (1, 2)
RANK_TURNS = 3


@dataclass(frozen=True)
class Row:
    """One line of the table: a floor, or a stage of hpcreuse, or the two set against each other."""

    name: str
    value: Spread
    unit: str
    goal: Goal | None = None

    def __str__(self) -> str:
        verdict = f"{self.goal!s:>10}  {self.goal.verdict(self.value.median)}" if self.goal else ""
        return f"{self.name:<62}{self.value!s:>24} {self.unit:<7}{verdict}"

    def record(self) -> dict[str, Any]:
        """Give it for the JSON."""
        met = {"goal": str(self.goal), "met": self.goal.met(self.value.median)} if self.goal else {}
        return {**asdict(self), "value": self.value._asdict(), **met}


def single_floors(archives: list[Path], folder: Path) -> dict[str, Callable[[], Rate]]:
    """Name what one process can do."""
    members = floor.find_members(archives)
    pages = list(floor.isal_pages(members))
    work = {
        "inflate, zlib": lambda: floor.drain(floor.inflate_all(members, zlib.decompress)),
        "inflate, ISA-L": lambda: floor.drain(floor.inflate_all(members, isal_zlib.decompress)),
        "read, FastWARC": lambda: floor.drain(floor.fastwarc_pages(archives)),
        "read, hpcreuse's reader": lambda: floor.drain(floor.our_pages(archives)),
        "scan in memory": lambda: floor.scan_all(pages, NO_HASH),
        "scan + SHA-1 of chunks in memory": lambda: floor.scan_all(pages, CHUNKS),
        "scan + SHA-1 of chunks and files in memory": lambda: floor.scan_all(pages, FILES_AND_CHUNKS),
        "copy in memory": lambda: floor.copy_all(pages),
        "write to disk": lambda: floor.write_disk(folder, 1 << 28),
        "floor of hash, FastWARC": lambda: floor.scan_all(floor.fastwarc_pages(archives), FILES_AND_CHUNKS),
        "floor of hash, ISA-L": lambda: floor.scan_all(floor.isal_pages(members), FILES_AND_CHUNKS),
    }
    return {name: partial(floor.timed, thing) for name, thing in work.items()}


def on_ranks(run: Path, ranks: int) -> dict[str, Any]:
    """Run the floors that take several ranks."""
    line = [BIN / "mpiexec", "-n", ranks, sys.executable, Path(__file__).with_name("ranks.py"), run]
    line += ["--repeats", RANK_TURNS]
    done = subprocess.run(list(map(str, line)), check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    # The first turn warms up what is cold (a virtual machine gets memory back only when it is used again)
    measured["seconds"] = {name: min(seconds[1:]) for name, seconds in measured["seconds"].items()}
    return measured


class Bench:
    """The things that take turns, and what they need."""

    def __init__(self, archives: list[Path], folder: Path):
        self.archives, self.folder = archives, folder
        self.run = folder / "run"
        hpcreuse("hash", *archives, "--out", self.run, ranks=RANKS[-1])
        self.one_page = corpus.archives(pages=1, parts=1)

    def hash(self, archives: list[Path], ranks: int) -> dict[str, Any]:
        """Hash into a run of its own."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return hpcreuse("hash", *archives, "--out", Path(folder) / "run", ranks=ranks)

    def discover(self, ranks: int) -> dict[str, Any]:
        """Count anew."""
        labels = self.folder / "labels.h5"
        line = ("discover", self.run, "--threshold", "20", "--fresh", "--out", labels)
        # As its floor: the first turn warms up, the best of the others counts
        turns = [hpcreuse(*line, ranks=ranks) for _ in range(RANK_TURNS)]
        return min(turns[1:], key=lambda turn: float(turn["seconds"]))

    def turns(self) -> dict[str, Callable[[], Any]]:
        """Name all things to do in a turn."""
        turns: dict[str, Callable[[], Any]] = dict(single_floors(self.archives, self.folder))
        turns["start"] = partial(self.hash, self.one_page, 1)
        for ranks in RANKS:
            turns[f"hash {ranks}"] = partial(self.hash, self.archives, ranks)
            turns[f"ranks {ranks}"] = partial(on_ranks, self.run, ranks)
            turns[f"discover {ranks}"] = partial(self.discover, ranks)
        return turns


def rows_of(measured: dict[str, list[Any]]) -> list[Row]:
    """Set what was measured side by side."""
    rows = [
        Row(name, Spread.of([rate.megabytes for rate in rates]), "MB/s")
        for name, rates in measured.items()
        if isinstance(rates[0], Rate)
    ]
    return rows + start_rows(measured) + hash_rows(measured) + discover_rows(measured) + exchange_rows(measured)


def start_rows(measured: dict[str, list[Any]]) -> list[Row]:
    """Show what a command costs before it does anything."""
    seconds = [summary["wall_seconds"] - summary["seconds"] for summary in measured["start"]]
    return [Row("start of mpiexec, Python and MPI, one rank", Spread.of(seconds), "s")]


def hash_rows(measured: dict[str, list[Any]]) -> list[Row]:
    """Set `hash` against its floor, and two ranks against one."""
    floors = [
        max(pair, key=lambda rate: rate.megabytes)
        for pair in zip(measured["floor of hash, FastWARC"], measured["floor of hash, ISA-L"], strict=True)
    ]
    one, two = measured["hash 1"], measured["hash 2"]
    # The processor time of starting is that of hashing one page
    cpu = [job["cpu_seconds"] - start["cpu_seconds"] for job, start in zip(one, measured["start"], strict=True)]
    payload = one[0]["payload_bytes"]
    rate = [payload / job["seconds"] / 1e6 for job in one]
    return [
        Row("hpcreuse hash, one rank", Spread.of(rate), "MB/s"),
        Row("hpcreuse hash, two ranks", Spread.of([payload / job["seconds"] / 1e6 for job in two]), "MB/s"),
        Row("hash, one rank / floor of hash", ratios(rate, [f.megabytes for f in floors]), "", Goal(least=0.75)),
        Row(
            "  the same by processor time",
            ratios([payload / seconds / 1e6 for seconds in cpu], [f.megabytes_of_cpu for f in floors]),
            "",
        ),
        Row(
            "hash, two ranks / one rank",
            ratios([job["seconds"] for job in one], [job["seconds"] for job in two]),
            "",
            Goal(least=1.85),
        ),
    ]


def discover_rows(measured: dict[str, list[Any]]) -> list[Row]:
    """Set `discover` against reading the distinct digests and np.unique of them, one process per rank."""
    rows = []
    for ranks in RANKS:
        floors = [once["seconds"] for once in measured[f"ranks {ranks}"]]
        jobs = [job["seconds"] for job in measured[f"discover {ranks}"]]
        of = f"{ranks} rank{'s' * (ranks > 1)}"
        strict, whole = ([each[name] for each in floors] for name in ("read_unique", "read_unique_digests"))
        rows += [
            Row(f"np.unique of the keys alone, {of}", Spread.of([each["unique"] for each in floors]), "s"),
            Row(f"read + np.unique of 64-bit prefixes, {of}", Spread.of(strict), "s"),
            Row(f"read + np.unique of whole digests, {of}", Spread.of(whole), "s"),
            Row(f"hpcreuse discover, {of}", Spread.of(jobs), "s"),
            # Not exact, and not the goal: what 64 bits would cost
            Row(f"discover / read + np.unique of prefixes, {of}", ratios(jobs, strict), ""),
            Row(f"discover / read + np.unique of whole digests, {of}", ratios(jobs, whole), "", Goal(most=1.5)),
        ]
    return rows


def exchange_rows(measured: dict[str, list[Any]]) -> list[Row]:
    """Set the exchange against one bare MPI alltoall of the same bytes."""
    ranks = RANKS[-1]
    turns = measured[f"ranks {ranks}"]
    size = turns[0]["bytes"]
    bare, anew, ours = ([once["seconds"][name] for once in turns] for name in ("alltoall", "alltoall_anew", "exchange"))

    def rate(seconds: list[float]) -> Spread:
        return Spread.of([size / each / 1e6 for each in seconds])

    return [
        Row(f"bare alltoall, {ranks} ranks", rate(bare), "MB/s"),
        Row(f"bare alltoall into new memory, {ranks} ranks", rate(anew), "MB/s"),
        Row(f"hpcreuse exchange, {ranks} ranks", rate(ours), "MB/s"),
        Row("exchange / bare alltoall", ratios(bare, ours), "", Goal(least=0.6)),
        Row("exchange / bare alltoall into new memory", ratios(anew, ours), "", Goal(least=0.6)),
    ]


def draw(rows: list[Row], axes: Any) -> None:
    """Draw every ratio that has a goal as its share of the goal: 1 and more is met."""
    compared = [row for row in rows if row.goal]
    names, shares, errors = [], [], []
    for row in reversed(compared):
        goal = row.goal
        share = [
            value / goal.least if goal.least is not None else goal.most / value
            for value in (row.value.median, row.value.least, row.value.most)
        ]
        names.append(f"{row.name} (goal {goal})")
        shares.append(share[0])
        errors.append((share[0] - min(share), max(share) - share[0]))
    colors = ["tab:green" if share >= 1 else "tab:red" for share in shares]
    axes.barh(names, shares, xerr=list(zip(*errors, strict=True)), color=colors)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xlabel("share of the goal reached")
    axes.set_title("hpcreuse against the limits of the machine")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser, copies=8)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    archives, where = corpus.chosen(options), measure.machine()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(archives, Path(folder))
        measured = measure.take_turns(bench.turns(), options.repeats)
    rows = rows_of(measured)
    print(*rows, sep="\n")
    work = {"payload_bytes": measured["hash 1"][0]["payload_bytes"], "keys": measured["ranks 1"][0]["keys"]}
    record = {"work": work, "rows": [row.record() for row in rows], "measured": measured}
    measure.write_results("limits", where, record, partial(draw, rows))


if __name__ == "__main__":
    main()
