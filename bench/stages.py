"""Time of each stage on 1 and more ranks, and the speed-up, all taken in one run.

    python bench/stages.py ../shared/data/crawl/alexa2018-000.warc.gz --ranks 1 2 --repeats 3

Prints the median over the repeats with the spread, and writes bench/results/stages.json.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
STAGES = ("hash", "discover", "detect")


def run(verb: str, ranks: int, *arguments: str) -> dict[str, Any]:
    """Run a verb under mpiexec and give its summary."""
    line = [
        str(BIN / "mpiexec"),
        "-n",
        str(ranks),
        str(BIN / "hpcreuse"),
        verb,
        *arguments,
        "--json",
        "--progress",
        "0",
    ]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def chain(inputs: list[str], ranks: int, threshold: str) -> dict[str, dict[str, Any]]:
    """Run the three stages once, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        made = [f"{folder}/{name}" for name in ("run", "labels.h5", "result")]
        return {
            "hash": run("hash", ranks, *inputs, "--out", made[0]),
            "discover": run("discover", ranks, made[0], "--threshold", threshold, "--out", made[1]),
            "detect": run("detect", ranks, made[0], "--labels", made[1], "--out", made[2]),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threshold", default="20")
    options = parser.parse_args()

    # Repeats go round over the rank counts, so that a slow minute of the machine hits all alike
    measured: dict[int, list[dict[str, dict[str, Any]]]] = {ranks: [] for ranks in options.ranks}
    for _ in range(options.repeats):
        for ranks in options.ranks:
            measured[ranks].append(chain(options.inputs, ranks, options.threshold))

    table = {}
    base = options.ranks[0]
    print(
        f"{'stage':<10}{'ranks':>6}{'seconds':>10}{'spread':>16}{'MB/s':>8}{'files/s':>9}{'speed-up':>10}{'peak MB':>9}"
    )
    for stage in STAGES:
        for ranks in options.ranks:
            runs = [once[stage] for once in measured[ranks]]
            seconds = [each["seconds"] for each in runs]
            middle = statistics.median(seconds)
            speedup = statistics.median(once[stage]["seconds"] for once in measured[base]) / middle
            hashed = runs[0] if stage == "hash" else {"payload_bytes": 0, "files": 0}
            rate, files = hashed["payload_bytes"] / middle / 1e6, hashed["files"] / middle
            peak = max(each["peak_resident_bytes"] for each in runs) / 1e6
            spread = f"{min(seconds):.2f}-{max(seconds):.2f}"
            rates = f"{rate:>8.0f}{files:>9.0f}" if stage == "hash" else " " * 17
            print(f"{stage:<10}{ranks:>6}{middle:>10.2f}{spread:>16}{rates}{speedup:>10.2f}{peak:>9.0f}")
            table[f"{stage} {ranks}"] = {"seconds": seconds, "phases": runs[0]["phases"]}
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "stages.json").write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
