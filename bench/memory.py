"""Does memory stay within bounds, and does time grow no faster than the pages do?

    python bench/memory.py --memory 16 --repeats 3

Memory: a crawl whose distinct digests weigh 10 times what `--memory` gives a rank goes through `hash`, `discover` and
`detect`. The peak resident size of the largest rank (VmHWM, as the kernel counts it) must stay within `--memory` +
150 MB. Shards and passes show how it is done: in several goes.

Growth: 1, 2, 4 and 8 times the pages through the same three stages with memory enough.
"""

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import measure
from jobs import STAGES, chain
from measure import Goal, Spread

ALLOWANCE = 150 << 20
DIGEST_BYTES = 20


def goes(folder: Path, ranks: int) -> dict[str, str]:
    """Tell in how many goes each stage did its work, by the files it left."""
    shards = len(list((folder / "run" / "shards").rglob("*.h5")))
    pieces, files, neighborhoods = (
        len(list(folder.glob(pattern))) // ranks
        for pattern in ("run/counts/**/piece-*.h5", "result/files/part-*.h5", "result/neighborhoods/part-*.h5")
    )
    return {
        "hash": f"{shards} shards",
        "discover": f"{pieces} passes",
        "detect": f"{files} passes over files, {neighborhoods} over directories",
    }


def bound_memory(megabytes: int, times: int, ranks: int) -> dict[str, Any]:
    """Send more digests through than the memory holds, and look at the peak."""
    memory = megabytes << 20
    archives = corpus.dense_archives(-(-times * memory // DIGEST_BYTES))
    with tempfile.TemporaryDirectory() as folder:
        stages = chain(archives, Path(folder), ranks, 1, "--memory", f"{megabytes}M")
        how = goes(Path(folder), ranks)
    distinct = stages["discover"]["distinct"]
    goal = Goal(most=(memory + ALLOWANCE) / 1e6)
    weight = distinct * DIGEST_BYTES
    print(
        f"--memory {megabytes}M on {ranks} ranks: {distinct:,} distinct digests, {weight / 1e6:,.0f} MB, "
        f"{weight / memory:.1f} times the memory; {stages['discover']['labels']:,} labels"
    )
    table = {}
    for stage in STAGES:
        peak = stages[stage]["peak_resident_bytes"] / 1e6
        print(
            f"  {stage:<10}{peak:>7.0f} MB  allowed {goal.most:.0f} MB  {goal.verdict(peak):<8}{how[stage]}, "
            f"{stages[stage]['seconds']:.1f} s"
        )
        table[stage] = {"peak_megabytes": peak, "met": goal.met(peak), "goes": how[stage], **stages[stage]}
    return {"memory_bytes": memory, "ranks": ranks, "distinct": distinct, "goal_megabytes": goal.most, "stages": table}


def grow(pages: int | None, sizes: list[int], ranks: int, repeats: int) -> dict[str, Any]:
    """Run the three stages on ever more pages."""

    def once(size: int) -> dict[str, dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            return chain(corpus.archives(pages, copies=size), Path(folder), ranks, 20)

    for size in sizes:
        corpus.archives(pages, copies=size)
    measured = measure.take_turns({str(size): partial(once, size) for size in sizes}, repeats)
    print(f"\n{'pages':>8}{'MB':>8}" + "".join(f"{stage:>24}" for stage in (*STAGES, "all")) + f"{'all, per page':>24}")
    table = {}
    for size, runs in measured.items():
        files, megabytes = runs[0]["hash"]["files"], runs[0]["hash"]["payload_bytes"] / 1e6
        seconds = {stage: [run[stage]["seconds"] for run in runs] for stage in STAGES}
        seconds["all"] = [sum(run[stage]["seconds"] for stage in STAGES) for run in runs]
        per_page = Spread.of([1e6 * each / files for each in seconds["all"]])
        shown = "".join(f"{Spread.of(each)!s:>22} s" for each in seconds.values())
        print(f"{files:>8,}{megabytes:>8,.0f}{shown}{per_page!s:>21} µs")
        table[size] = {"pages": files, "payload_megabytes": megabytes, "seconds": seconds}
    # Between the two largest, where what a stage costs before it begins weighs least
    half, whole = (table[str(size)]["seconds"]["all"] for size in sizes[-2:])
    growth = measure.ratios(whole, half)
    goal = Goal(most=1.1 * sizes[-1] / sizes[-2])
    verdict = goal.verdict(growth.median)
    print(f"time of {sizes[-1]}x the pages / time of {sizes[-2]}x: {growth} {goal} {verdict}")
    return {
        "ranks": ranks,
        "sizes": table,
        "growth": growth._asdict(),
        "goal": str(goal),
        "met": goal.met(growth.median),
    }


def draw(growth: dict[str, Any], axes: Any) -> None:
    """Draw time over pages, with the straight line through the largest."""
    sizes = list(growth["sizes"].values())
    pages = [size["pages"] for size in sizes]
    for stage in (*STAGES, "all"):
        spreads = [Spread.of(size["seconds"][stage]) for size in sizes]
        errors = [[s.median - s.least for s in spreads], [s.most - s.median for s in spreads]]
        axes.errorbar(pages, [s.median for s in spreads], yerr=errors, marker="o", capsize=3, label=stage)
    whole = Spread.of(sizes[-1]["seconds"]["all"]).median
    axes.plot([0, pages[-1]], [0, whole], linestyle=":", color="gray", label="linear")
    axes.set_xlabel("pages")
    axes.set_ylabel("seconds")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.set_title(f"Time over pages, {growth['ranks']} ranks")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", type=int, default=16, help="megabytes that a rank is given")
    parser.add_argument("--times", type=int, default=10, help="digests weigh so many times the memory")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 2, 4, 8], help="so many times the pages, rising")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--pages", type=int, help="only the first so many pages of the corpus as 1x")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    where = measure.machine()
    bound = bound_memory(options.memory, options.times, options.ranks)
    growth = grow(options.pages, options.sizes, options.ranks, options.repeats)
    measure.write_results("memory", where, {"bound": bound, "growth": growth}, partial(draw, growth))


if __name__ == "__main__":
    main()
