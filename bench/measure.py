"""Measuring: repeats that take turns, medians with their spread, the machine, and where results go.

Absolute times depend on the machine and on who else uses it. So the things to compare take turns within one run, and
what is claimed is the median over the repeats of the ratio within each repeat.
"""

import datetime
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(os.environ.get("HPCREUSE_BENCH_RESULTS", ROOT / "bench" / "results"))


class Spread(NamedTuple):
    """What repeats gave."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Take the median and both ends."""
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.least:.3g}-{self.most:.3g})"


def take_turns(things: Mapping[str, Callable[[], T]], repeats: int) -> dict[str, list[T]]:
    """Do each thing so often, in turns: a slow minute of the machine hits all alike."""
    outcomes: dict[str, list[T]] = {name: [] for name in things}
    for _ in range(repeats):
        for name, thing in things.items():
            outcomes[name].append(thing())
    return outcomes


def ratios(above: Sequence[float], below: Sequence[float]) -> Spread:
    """Divide repeat by repeat."""
    return Spread.of([a / b for a, b in zip(above, below, strict=True)])


class Goal(NamedTuple):
    """What a ratio should be: at least, or at most, so much."""

    least: float | None = None
    most: float | None = None

    def met(self, value: float) -> bool:
        """Tell whether a value reaches it."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    def verdict(self, value: float) -> str:
        """Say it in words."""
        return "met" if self.met(value) else "NOT MET"


def machine() -> dict[str, Any]:
    """Describe where and when this was measured, and what was measured."""
    cpu = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    memory = [line.split()[1] for line in _lines("/proc/meminfo") if line.startswith("MemTotal")]
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu[0] if cpu else platform.processor(),
        "cores": os.cpu_count(),
        "memory_bytes": int(memory[0]) * 1024 if memory else None,
        "load_before": os.getloadavg()[0],
        "python": platform.python_version(),
        "commit": commit.stdout.strip(),
        "environment": {name: value for name, value in os.environ.items() if name.startswith(("MPIR_", "MPICH_"))},
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []


def write_results(
    name: str, where: dict[str, Any], measured: Any, draw: Callable[[Any], None] | None = None, panels: int = 1
) -> None:
    """Write results as JSON and, when matplotlib is there, a figure that `draw` puts on the axes it is given."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": where, **measured}, indent=2) + "\n")
    print(f"\nwritten: {path}")
    if draw is None:
        return
    try:
        import matplotlib
    except ImportError:
        print("no figure: matplotlib is missing, pip install 'hpcreuse[bench]'")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, panels, figsize=(9, 5), layout="constrained")
    draw(axes)
    figure.savefig(RESULTS / f"{name}.svg")
    figure.savefig(RESULTS / f"{name}.png", dpi=120)
    plt.close(figure)
    print(f"written: {RESULTS / name}.svg, .png")
