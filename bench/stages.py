"""Time of each stage on 1 and more ranks, and the speed-up, all taken in one run.

    python bench/stages.py --ranks 1 2 --repeats 3

Prints the median over the repeats with the spread, and writes bench/results/stages.json.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import corpus
import measure
from jobs import STAGES, chain


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus.add_options(parser)
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threshold", type=int, default=20)
    options = parser.parse_args()
    inputs, where = corpus.chosen(options), measure.machine()

    def once(ranks: int) -> dict[str, dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            return chain(inputs, Path(folder), ranks, options.threshold)

    turns = {str(ranks): lambda ranks=ranks: once(ranks) for ranks in options.ranks}
    measured = measure.take_turns(turns, options.repeats)

    table = {}
    print(f"{'stage':<10}{'ranks':>6}{'seconds':>24}{'MB/s':>8}{'speed-up':>24}{'peak MB':>9}")
    for stage in STAGES:
        base = [run[stage]["seconds"] for run in measured[str(options.ranks[0])]]
        for ranks, runs in measured.items():
            seconds = [run[stage]["seconds"] for run in runs]
            time, speedup = measure.Spread.of(seconds), measure.ratios(base, seconds)
            rate = f"{runs[0][stage]['payload_bytes'] / time.median / 1e6:.0f}" if stage == "hash" else ""
            peak = max(run[stage]["peak_resident_bytes"] for run in runs) / 1e6
            print(f"{stage:<10}{ranks:>6}{time!s:>24}{rate:>8}{speedup!s:>24}{peak:>9.0f}")
            table[f"{stage} {ranks}"] = {"seconds": seconds, "phases": runs[0][stage]["phases"]}
    measure.write_results("stages", where, table)


if __name__ == "__main__":
    main()
