"""slurm/scaling.sh on a real Slurm of two nodes."""

import json
from pathlib import Path

import pytest
from cluster import NODES, TASKS_PER_NODE, Cluster
from jobs import make_crawl, submit

RANKS = len(NODES) * TASKS_PER_NODE


@pytest.mark.parametrize("launcher", ["srun", "mpiexec"])
def test_scaling_is_measured_on_all_ranks_of_the_job(launcher: str, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    crawl = make_crawl(tmp_path / "crawl", archives=4, pages=100)
    words = ("scaling.sh", "--input", *map(str, sorted(crawl.iterdir())), "--modes", "strong", "--repeats", "1")
    submit(cluster, tmp_path, *words, env={"HPCREUSE_LAUNCH": launcher}).finish()
    records = json.loads((tmp_path / "scaling.json").read_text())["scaling"]
    assert [record["ranks"] for record in records if record["stage"] == "detect"] == [1, 2, RANKS]
    assert not [path for path in tmp_path.glob("hpcreuse-scaling-*") if path.is_dir()], (
        "what was made to be measured is removed"
    )
