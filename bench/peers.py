"""The same job done with what people use instead, on the same cores and the same pages.

    python bench/peers.py --repeats 3 --copies 4
    python bench/peers.py --only dicts duck

The job: count every chunk of the crawl, label those above a threshold, the ratio of every page, the badness of every
site, means and deviations. Peers: regex + hashlib + dicts in one process per core (the authors' way), hashlib into
Parquet + DuckDB, PySpark local[2] as guides show it and tuned, datatrove's sentence dedup (the nearest it has).
hpcreuse does `hash`, `discover` and `detect` under mpiexec; it also hashes whole files and adds up every URL prefix,
and writes all to disk.

Times are without start-up (interpreter, MPI, JVM), which is shown apart; the ratio with start-up is shown too. Where a
peer is exact its labels with counts, the ratio of each page, means and deviations must be those of hpcreuse.
"""

import argparse
import importlib.util
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import corpus
import measure
from jobs import BIN, chain
from measure import Goal, Spread, ratios

PEER_FOLDER = Path(__file__).parent / "peer"


class Peer(NamedTuple):
    """Another way to do the job."""

    title: str
    goal: Goal | None
    modules: tuple[str, ...]
    exact: bool = True


PEERS = {
    "dicts": Peer("regex + hashlib + dicts", Goal(least=2), ("fastwarc",)),
    "duck": Peer("hashlib + Parquet + DuckDB", Goal(least=2), ("fastwarc", "duckdb", "pyarrow")),
    "spark_rows": Peer("PySpark", Goal(least=8), ("fastwarc", "pyspark", "pyarrow")),
    "trove": Peer(
        "datatrove sentence dedup",
        Goal(least=10),
        ("datatrove", "warcio", "cchardet", "magic", "regex", "tokenizers"),
        False,
    ),
    # Tuned beyond what guides show: beside it, without a goal
    "spark": Peer("PySpark, tuned", None, ("fastwarc", "pyspark", "pyarrow", "pandas")),
}


class Run(NamedTuple):
    """One run of the job: what came out, seconds of work, seconds before the work began."""

    outcome: dict[str, Any]
    seconds: float
    startup: float


def missing(name: str) -> list[str]:
    """Tell what a peer lacks on this machine."""
    lacking = [module for module in PEERS[name].modules if importlib.util.find_spec(module) is None]
    if name.startswith("spark") and not shutil.which("java"):
        lacking.append("java (scripts/install-java.sh)")
    return lacking


def run_peer(name: str, archives: Sequence[Path], processes: int, threshold: int) -> Run:
    """Run a peer in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        scratch, out = Path(folder) / "scratch", Path(folder) / "outcome.json"
        scratch.mkdir()
        line = [sys.executable, PEER_FOLDER / f"{name}.py", *archives, "--scratch", scratch, "--out", out]
        line += ["--processes", processes, "--threshold", threshold]
        begin = time.time()
        done = subprocess.run(list(map(str, line)), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name} gave {done.returncode}\n{done.stderr[-3000:]}")
        told = json.loads(out.read_text())
        return Run(told["outcome"], told["end"] - told["begin"], told["begin"] - begin)


def run_hpcreuse(archives: Sequence[Path], processes: int, threshold: int) -> Run:
    """Run the three stages; export what is to be compared, untimed."""
    with tempfile.TemporaryDirectory() as folder:
        stages = chain(archives, Path(folder), processes, threshold)
        seconds = sum(stage["seconds"] for stage in stages.values())
        startup = sum(stage["wall_seconds"] for stage in stages.values()) - seconds
        outcome = {
            "stages": {name: stage["seconds"] for name, stage in stages.items()},
            "phases": {name: stage["phases"] for name, stage in stages.items()},
            "labels": {row["digest"]: row["count"] for row in export(Path(folder) / "labels.h5", "labels")},
            "pages": [[row["url"], row["chunks"], row["bad"]] for row in export(Path(folder) / "result", "files")],
            "sites": {
                row["prefix"]: row["badness"]
                for row in export(Path(folder) / "result", "neighborhoods")
                if row["depth"] == 1
            },
            "mean": stages["detect"]["file_mean"],
            "deviation": stages["detect"]["file_deviation"],
            "chunks": stages["hash"]["chunks"],
            "distinct": stages["discover"]["distinct"],
            "payload_bytes": stages["hash"]["payload_bytes"],
        }
        return Run(outcome, seconds, startup)


def export(path: Path, table: str) -> list[dict[str, Any]]:
    """Take a table out."""
    done = subprocess.run([str(BIN / "hpcreuse"), "export", path, table], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Say in what an exact peer's outcome is another one; floating point may differ in the last digits."""
    found = []
    if ours["labels"] != theirs["labels"]:
        found.append(f"labels: {len(ours['labels'])} against {len(theirs['labels'])}")
    if sorted(map(tuple, ours["pages"])) != sorted(map(tuple, theirs["pages"])):
        found.append(f"pages: {len(ours['pages'])} against {len(theirs['pages'])}")
    if ours["sites"].keys() != theirs["sites"].keys():
        found.append(f"sites: {len(ours['sites'])} against {len(theirs['sites'])}")
    elif not all(close(badness, theirs["sites"][site]) for site, badness in ours["sites"].items()):
        found.append("badness of sites")
    values = list(ours["sites"].values())
    site_mean = math.fsum(values) / len(values)
    site_deviation = math.sqrt(math.fsum((value - site_mean) ** 2 for value in values) / len(values))
    mine = {**ours, "site_mean": site_mean, "site_deviation": site_deviation}
    names = ("mean", "deviation", "site_mean", "site_deviation")
    return found + [f"{n}: {mine[n]} against {theirs[n]}" for n in names if not close(mine[n], theirs[n])]


def close(a: float, b: float) -> bool:
    """Tell whether two numbers differ by no more than rounding."""
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def compare(name: str, ours: list[Run], theirs: list[Run]) -> dict[str, Any]:
    """Set a peer against hpcreuse: repeat by repeat."""
    peer = PEERS[name]
    ratio = ratios([run.seconds for run in theirs], [run.seconds for run in ours])
    whole = ratios([run.seconds + run.startup for run in theirs], [run.seconds + run.startup for run in ours])
    different = differences(ours[0].outcome, theirs[0].outcome) if peer.exact else None
    if different is None:
        said = "another job, see peer/trove.py"
    else:
        said = "DIFFERENT" if different else "same results"
    print(
        f"{peer.title:<28}{Spread.of([run.seconds for run in theirs])!s:>22} s"
        f"{Spread.of([run.startup for run in theirs])!s:>24} s{ratio!s:>22}{whole!s:>22}"
        f"{peer.goal or ''!s:>7}  {peer.goal.verdict(ratio.median) if peer.goal else '':<9}{said}"
    )
    return {
        "seconds": [run.seconds for run in theirs],
        "startup": [run.startup for run in theirs],
        "ratio": ratio._asdict(),
        "ratio_with_startup": whole._asdict(),
        "goal": str(peer.goal) if peer.goal else None,
        "met": peer.goal.met(ratio.median) if peer.goal else None,
        "differences": different,
        "outcome": None if peer.exact else theirs[0].outcome,
    }


def draw(measured: dict[str, list[Run]], axes: Any) -> None:
    """Draw the time of each, work and start-up."""
    names = list(reversed(measured))
    titles = [PEERS[name].title if name in PEERS else "hpcreuse" for name in names]
    seconds = [Spread.of([run.seconds for run in measured[name]]) for name in names]
    startup = [Spread.of([run.startup for run in measured[name]]).median for name in names]
    errors = [[s.median - s.least for s in seconds], [s.most - s.median for s in seconds]]
    bars = axes.barh(titles, [s.median for s in seconds], xerr=errors, label="work")
    axes.barh(titles, startup, left=[s.median for s in seconds], label="start-up", color="lightgray")
    ours = seconds[names.index("hpcreuse")].median
    axes.bar_label(bars, [f"  {s.median:.1f} s, {s.median / ours:.1f}x" for s in seconds], padding=4)
    axes.set_xlabel("seconds")
    axes.margins(x=0.2)
    axes.legend()
    axes.set_title("The same job on the same cores")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threshold", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS))
    options = parser.parse_args()
    archives, where = corpus.chosen(options), measure.machine()

    turns: dict[str, Callable[[], Run]] = {
        "hpcreuse": partial(run_hpcreuse, archives, options.processes, options.threshold)
    }
    for name in options.only:
        if lacking := missing(name):
            print(f"{PEERS[name].title} is left out: {', '.join(lacking)} is missing, pip install 'hpcreuse[bench]'")
        else:
            turns[name] = partial(run_peer, name, archives, options.processes, options.threshold)
    measured = measure.take_turns(turns, options.repeats)

    ours = measured["hpcreuse"]
    work = {name: ours[0].outcome[name] for name in ("payload_bytes", "chunks", "distinct")}
    work |= {"pages": len(ours[0].outcome["pages"]), "labels": len(ours[0].outcome["labels"])}
    print(", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in work.items()))
    print(f"{'':<28}{'work':>24}{'start-up':>26}{'times hpcreuse':>22}{'with start-up':>22}{'goal':>7}")
    print(
        f"{'hpcreuse, ' + str(options.processes) + ' ranks':<28}{Spread.of([run.seconds for run in ours])!s:>22} s"
        f"{Spread.of([run.startup for run in ours])!s:>24} s"
    )
    for stage in ours[0].outcome["stages"]:
        print(f"  {stage:<26}{Spread.of([run.outcome['stages'][stage] for run in ours])!s:>22} s")
    compared = {name: compare(name, ours, measured[name]) for name in measured if name != "hpcreuse"}
    record = {
        "work": work,
        "hpcreuse": [{"seconds": r.seconds, "startup": r.startup, "stages": r.outcome["stages"]} for r in ours],
        "phases": ours[-1].outcome["phases"],
        "peers": compared,
    }
    measure.write_results("peers", where, record, partial(draw, measured))
    if any(each["differences"] for each in compared.values()):
        raise SystemExit("results differ: see the JSON")


if __name__ == "__main__":
    main()
