"""Ready `#SBATCH` lines from a plan."""

import math

from hpcreuse.planning.stages import Stage

# Other nodes are slower, file systems are shared, crawls are uneven: ask for more than the model says
TIME_FACTOR = 2.0
MEMORY_FACTOR = 1.25
SHORTEST_MINUTES = 10
ROUND_MINUTES = 5
ROUND_MEMORY = 256 << 20


def asked_minutes(seconds: float) -> int:
    """Give the time limit to ask for."""
    minutes = math.ceil(TIME_FACTOR * seconds / 60 / ROUND_MINUTES) * ROUND_MINUTES
    return max(SHORTEST_MINUTES, minutes)


def asked_megabytes(peak: float) -> int:
    """Give the memory per rank to ask for."""
    return (math.ceil(MEMORY_FACTOR * peak / ROUND_MEMORY) * ROUND_MEMORY) >> 20


def time_text(minutes: int) -> str:
    """Write a time limit as Slurm reads it: days-hours:minutes:seconds."""
    days, rest = divmod(minutes, 24 * 60)
    clock = f"{rest // 60:02d}:{rest % 60:02d}:00"
    return f"{days}-{clock}" if days else clock


def sbatch_lines(stage: Stage, ranks: int, ranks_per_node: int) -> list[str]:
    """Give the lines for the head of a batch script."""
    per_node = min(ranks, ranks_per_node)
    return [
        f"#SBATCH --job-name=hpcreuse-{stage.name}",
        f"#SBATCH --nodes={-(-ranks // per_node)}",
        f"#SBATCH --ntasks={ranks}",
        f"#SBATCH --ntasks-per-node={per_node}",
        "#SBATCH --cpus-per-task=1",
        f"#SBATCH --mem-per-cpu={asked_megabytes(stage.memory)}M",
        f"#SBATCH --time={time_text(asked_minutes(stage.seconds))}",
    ]
