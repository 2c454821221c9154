"""What launchers tell by environment variables: who speaks when the launch was wrong, and how much memory there is."""

import pytest
from command import hpcreuse

from hpcreuse.parallel.memory import slurm_memory

GIB = 1 << 30


@pytest.mark.parametrize("verb", ["info", "detect"])
def test_of_ranks_that_were_started_wrongly_only_the_first_says_so(verb: str) -> None:
    # `srun --mpi=none` starts many that each believe to be alone; `detect` lacks its arguments
    step = {"SLURM_STEP_NUM_TASKS": "4"}
    first = hpcreuse(verb, env={**step, "SLURM_PROCID": "0"}, check=False)
    other = hpcreuse(verb, env={**step, "SLURM_PROCID": "3"}, check=False)
    assert first.returncode == other.returncode != 0
    assert first.stderr.count("hpcreuse:") == 1
    assert other.stderr == ""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, []),
        ({"SLURM_MEM_PER_NODE": "2048"}, [2 * GIB]),
        ({"SLURM_MEM_PER_NODE": "0"}, []),
        ({"SLURM_MEM_PER_CPU": "1024", "SLURM_CPUS_ON_NODE": "3"}, [3 * GIB]),
    ],
)
def test_memory_that_slurm_gives_is_found(environment: dict[str, str], expected: list[int]) -> None:
    assert slurm_memory(environment) == expected
