"""Strong and weak scaling of hash, discover and detect over a list of rank counts, in one command.

    python bench/scaling.py                                   # 1 and 2 ranks on the corpus of the benches
    python bench/scaling.py --ranks 1 2 4 8 16 --input /scratch/crawl/*.warc.gz
    python bench/scaling.py --same 3 5 16 64                  # and: the same tables on so many ranks?
    sbatch -N 4 slurm/scaling.sh                              # on a cluster: 1, 2, 4, ... all ranks of the job

Strong: the same crawl on more ranks; ideal is a time that falls as 1 / ranks. Weak: a crawl that grows with the
ranks (the pages once more per rank with a mark in every chunk; of --input so many more archives); ideal is the same
time. Rank counts take turns in each repeat. The tables that every rank count of the strong scaling makes are compared
with those of the first. Times are those of the summary: start-up of Python and MPI is shown apart.

Writes bench/results/scaling.json, and scaling.svg with speed-up and efficiency where matplotlib is installed.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import corpus
import measure
from jobs import BIN, STAGES, chain
from measure import Spread

Chain = dict[str, dict[str, Any]]

TOTAL = "all"
# Phases in which ranks depend on each other, so that their largest over their mean says nothing about sharing out
SHARED_PHASES = ("wait", "other", "open", "reduce")


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2], help="others are held against the first")
    parser.add_argument("--modes", nargs="+", choices=("strong", "weak"), default=["strong", "weak"])
    parser.add_argument("--same", nargs="*", type=int, default=[], help="run these once, only to compare the tables")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threshold", type=int, default=20)
    parser.add_argument("--memory", default="1G", help="per rank")
    parser.add_argument(
        "--work",
        type=Path,
        default=Path.cwd() if "SLURM_JOB_ID" in os.environ else None,
        help="folder for runs and results, seen by all nodes (default: the current one in a Slurm job, else /tmp)",
    )
    return parser.parse_args()


def weak_input(wanted: argparse.Namespace, ranks: int) -> list[Path]:
    """Give a crawl that is as much larger as there are more ranks than in the first count."""
    if not wanted.input:
        return corpus.archives(wanted.pages, wanted.parts * ranks, wanted.copies * ranks)
    share = len(wanted.input) * ranks // max(wanted.ranks)
    if not share:
        raise SystemExit(f"--input: {len(wanted.input)} archives are too few to scale with {max(wanted.ranks)} ranks")
    return sorted(wanted.input)[:share]


@contextmanager
def folder(wanted: argparse.Namespace) -> Iterator[Path]:
    """Make a folder for what a chain makes, and remove it."""
    made = Path(tempfile.mkdtemp(prefix="hpcreuse-scaling-", dir=wanted.work))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def run_once(wanted: argparse.Namespace, inputs: list[Path], ranks: int, reference: Path | None = None) -> Chain:
    """Run the chain; compare its tables with those of a reference, or leave them there if it is still empty."""
    with folder(wanted) as made:
        done = chain(inputs, made, ranks, wanted.threshold, "--memory", wanted.memory)
        if reference and not any(reference.iterdir()):
            for path in made.iterdir():
                shutil.move(path, reference / path.name)
        elif reference:
            must_be_same(reference, made, ranks)
    return done


def must_be_same(reference: Path, made: Path, ranks: int) -> None:
    """End with an error when a table differs."""
    for name in ("run", "labels.h5", "result"):
        line = [BIN / "hpcreuse", "verify", reference / name, made / name]
        done = subprocess.run(list(map(str, line)), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name} on {ranks} ranks is not the same:\n{done.stdout}{done.stderr}")


def measure_mode(wanted: argparse.Namespace, mode: str) -> dict[int, list[Chain]]:
    """Run all rank counts of one mode, in turns."""
    strong = corpus.chosen(wanted)
    with folder(wanted) as reference:
        turns = {
            str(ranks): lambda ranks=ranks: run_once(
                wanted,
                strong if mode == "strong" else weak_input(wanted, ranks),
                ranks,
                reference if mode == "strong" else None,
            )
            for ranks in wanted.ranks
        }
        measured = measure.take_turns(turns, wanted.repeats)
        for ranks in wanted.same if mode == "strong" else ():
            run_once(wanted, strong, ranks, reference)
            print(f"same tables on {ranks} ranks as on {wanted.ranks[0]}", flush=True)
    return {int(ranks): runs for ranks, runs in measured.items()}


def seconds(runs: Sequence[Chain], stage: str) -> list[float]:
    """Give the time of a stage, or of all, in each repeat."""
    stages = STAGES if stage == TOTAL else (stage,)
    return [sum(run[each]["seconds"] for each in stages) for run in runs]


def speed(mode: str, measured: dict[int, list[Chain]], stage: str, ranks: int) -> tuple[Spread, Spread]:
    """Give speed-up and efficiency, repeat by repeat; ideal are the number of ranks, and 1."""
    base = next(iter(measured))
    gain = measure.ratios(seconds(measured[base], stage), seconds(measured[ranks], stage))
    factor = base if mode == "strong" else ranks
    speed_up = Spread(*(factor * value for value in gain))
    return speed_up, Spread(*(value / ranks for value in speed_up))


def phases(runs: Sequence[Chain], stage: str) -> dict[str, dict[str, float]]:
    """Give the phases of a stage over the repeats: median of the slowest rank's seconds, and of max / mean."""
    found = {}
    for name in runs[0][stage]["phases"]:
        each = [run[stage]["phases"].get(name, {"max": 0.0, "mean": 0.0}) for run in runs]
        found[name] = {
            "seconds": Spread.of([phase["max"] for phase in each]).median,
            "imbalance": Spread.of([phase["max"] / phase["mean"] if phase["mean"] else 1.0 for phase in each]).median,
        }
    return found


def stage_record(mode: str, measured: dict[int, list[Chain]], stage: str, ranks: int) -> dict[str, Any]:
    """Put together what is known of a stage on so many ranks."""
    runs = measured[ranks]
    speed_up, efficiency = speed(mode, measured, stage, ranks)
    record: dict[str, Any] = {
        "mode": mode,
        "stage": stage,
        "ranks": ranks,
        "seconds": Spread.of(seconds(runs, stage))._asdict(),
        "speed_up": speed_up._asdict(),
        "efficiency": efficiency._asdict(),
    }
    if stage != TOTAL:
        record |= {
            "start_seconds": Spread.of([run[stage]["start_seconds"] for run in runs]).median,
            "sent_bytes": runs[0][stage]["sent_bytes"],
            "received_bytes": runs[0][stage]["received_bytes"],
            "peak_resident_bytes": max(run[stage]["peak_resident_bytes"] for run in runs),
            "phases": phases(runs, stage),
        }
    return record


def print_records(records: Sequence[dict[str, Any]]) -> None:
    """Print a line per stage and rank count, with the phases that took longest."""
    print(f"\n{'':<7}{'stage':<9}{'ranks':>5}{'seconds':>9}{'speed-up':>22}{'efficiency':>11}{'sent MB':>9}  phases")
    for record in records:
        speed_up = Spread(**record["speed_up"])
        sent = f"{record['sent_bytes']['mean'] * record['ranks'] / 1e6:.1f}" if "sent_bytes" in record else ""
        slowest = sorted(record.get("phases", {}).items(), key=lambda item: -item[1]["seconds"])[:4]
        shown = ", ".join(
            f"{name} {phase['seconds']:.2f}"
            + (f" x{phase['imbalance']:.2f}" if name not in SHARED_PHASES and record["ranks"] > 1 else "")
            for name, phase in slowest
        )
        print(
            f"{record['mode']:<7}{record['stage']:<9}{record['ranks']:>5}{record['seconds']['median']:>9.2f}"
            f"{speed_up!s:>22}{record['efficiency']['median']:>11.2f}{sent:>9}  {shown}"
        )
    print("phases: seconds of the slowest rank, x: largest over mean of the ranks")


def draw(records: Sequence[dict[str, Any]], panels: Any) -> None:
    """Draw speed-up and efficiency of each stage against the number of ranks, with the ideal."""
    for column, (key, title) in enumerate((("speed_up", "speed-up"), ("efficiency", "efficiency"))):
        axes = panels[column]
        ranks = sorted({record["ranks"] for record in records})
        axes.plot(ranks, ranks if key == "speed_up" else [1] * len(ranks), "k--", linewidth=1, label="ideal")
        for mode, line in (("strong", "-"), ("weak", ":")):
            for number, stage in enumerate((*STAGES, TOTAL)):
                mine = [record for record in records if (record["mode"], record["stage"]) == (mode, stage)]
                if mine:
                    middle = [record[key]["median"] for record in mine]
                    low = [record[key]["median"] - record[key]["least"] for record in mine]
                    high = [record[key]["most"] - record[key]["median"] for record in mine]
                    axes.errorbar(
                        [record["ranks"] for record in mine],
                        middle,
                        [low, high],
                        linestyle=line,
                        marker="o",
                        markersize=3,
                        capsize=2,
                        color=f"C{number}",
                        label=f"{stage}, {mode}",
                    )
        axes.set_xscale("log", base=2)
        axes.set_xticks(ranks, [str(count) for count in ranks])
        axes.set_xlabel("ranks")
        axes.set_ylabel(title)
        if key == "speed_up":
            axes.set_yscale("log", base=2)
            axes.set_yticks(ranks, [str(count) for count in ranks])
        else:
            axes.set_ylim(bottom=0)
    panels[0].legend(fontsize="small")


def main() -> None:
    """Measure, print and write."""
    wanted, where = options(), measure.machine()
    records = []
    for mode in wanted.modes:
        measured = measure_mode(wanted, mode)
        records += [stage_record(mode, measured, stage, ranks) for stage in (*STAGES, TOTAL) for ranks in wanted.ranks]
    print_records(records)
    setting = {key: str(value) if isinstance(value, Path) else value for key, value in vars(wanted).items()}
    setting["input"] = list(map(str, wanted.input or []))
    measure.write_results(
        "scaling", where, {"options": setting, "scaling": records}, lambda panels: draw(records, panels), panels=2
    )


if __name__ == "__main__":
    main()
