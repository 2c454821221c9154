"""How much memory a rank may use, by what Slurm and the kernel say."""

from pathlib import Path

import pytest

from hpcreuse.parallel.cgroups import memory_limits
from hpcreuse.parallel.memory import node_memory, slurm_memory

GIB = 1 << 30


def make(root: Path, membership: str, limits: dict[str, str]) -> tuple[Path, Path]:
    """What the kernel shows: which group this process is in, and the limits of groups."""
    (root / "cgroup").write_text(membership)
    for name, text in limits.items():
        file = root / "fs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root / "cgroup", root / "fs"


@pytest.mark.parametrize(
    ("membership", "limits", "found"),
    [
        # Slurm on version 2: the step says nothing, the job does, and another job is none of ours
        (
            "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_1\n",
            {
                "system.slice/slurmstepd.scope/job_7/memory.max": str(4 * GIB),
                "system.slice/slurmstepd.scope/job_7/step_0/memory.max": "max",
                "system.slice/slurmstepd.scope/job_8/memory.max": str(GIB),
            },
            [4 * GIB],
        ),
        # Version 1, all controllers in one line or several; the memory of others does not count
        (
            "9:cpu,cpuacct:/\n4:memory:/slurm/uid_1000/job_7\n0::/\n",
            {
                "memory/memory.limit_in_bytes": "9223372036854771712",
                "memory/slurm/uid_1000/memory.limit_in_bytes": str(8 * GIB),
                "memory/slurm/uid_1000/job_7/memory.limit_in_bytes": str(2 * GIB),
                "memory/slurm/uid_1001/memory.limit_in_bytes": str(GIB),
            },
            [2 * GIB, 8 * GIB, 9223372036854771712],
        ),
        # In a container: the group is named as outside, its limit is that of the mounted root
        ("0::/../../docker/abc\n", {"memory.max": str(GIB)}, [GIB]),
        ("3:hugetlb,memory:/docker/abc\n", {"memory/memory.limit_in_bytes": str(GIB)}, [GIB]),
        # Both versions at once
        ("1:name=systemd:/a\n0::/b:c\n", {"unified/b:c/memory.max": str(GIB)}, [GIB]),
        ("nonsense\n\n", {"memory.max": "many"}, []),
    ],
    ids=["v2", "v1", "v2-container", "v1-container", "hybrid", "nonsense"],
)
def test_the_limits_of_all_groups_around_the_process_are_found(
    membership: str, limits: dict[str, str], found: list[int], tmp_path: Path
) -> None:
    assert list(memory_limits(*make(tmp_path, membership, limits))) == found


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert list(memory_limits(tmp_path / "missing", tmp_path)) == []


def test_this_process_is_within_its_own_limits() -> None:
    assert 0 < node_memory() <= min(memory_limits(), default=1 << 62)


def test_slurm_says_memory_per_node_or_per_cpu() -> None:
    assert slurm_memory({"SLURM_MEM_PER_NODE": "2048"}) == [2 * GIB]
    assert slurm_memory({"SLURM_MEM_PER_CPU": "1024", "SLURM_CPUS_ON_NODE": "4"}) == [4 * GIB]
    assert slurm_memory({"SLURM_MEM_PER_NODE": "0", "SLURM_MEM_PER_CPU": "x"}) == []
