"""The job scripts on a real Slurm of two nodes: whatever happens to a job, the tables are those of a run without it."""

import re
import shutil
from pathlib import Path

import pytest
from cluster import NODES, TASKS_PER_NODE, Cluster
from command import HPCREUSE, hpcreuse
from jobs import RUN_TABLES, SCRIPTS, Job, environment, make_crawl, submit, tables, work_folder

Tables = dict[tuple[str, str], str]
LAUNCHERS = ("srun", "mpiexec")
RANKS = len(NODES) * TASKS_PER_NODE


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_crawl(tmp_path_factory.mktemp("crawl"), archives=6, pages=300)


@pytest.fixture(scope="session")
def expected(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = work_folder(tmp_path_factory.mktemp("expected"), crawl)
    for verb in ("hash", "discover", "detect"):
        hpcreuse(verb, cwd=folder)
    found = tables(folder)
    assert all(rows for (_, name), rows in found.items() if name != "quarantine")
    return found


@pytest.fixture(scope="session")
def long_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some ten seconds of work on two cores."""
    return make_crawl(tmp_path_factory.mktemp("long"), archives=48, pages=1500)


@pytest.fixture(scope="session")
def long_expected(long_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = work_folder(tmp_path_factory.mktemp("long-expected"), long_crawl)
    hpcreuse("hash", cwd=folder, ranks=2)
    return tables(folder, RUN_TABLES)


def chain(cluster: Cluster, folder: Path, *options: str, env: dict[str, str] | None = None) -> dict[str, Job]:
    """Submit the chain and give its jobs by verb."""
    printed = cluster.run(SCRIPTS / "pipeline.sh", *options, cwd=folder, env=environment(env))
    return {verb: Job(cluster, folder, number) for verb, number in re.findall(r"(\w+): job (\d+)", printed)}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_the_chain_on_two_nodes_gives_the_same_tables(
    launcher: str, cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    jobs = chain(cluster, work_folder(tmp_path, crawl), "--nodes=2", env={"HPCREUSE_LAUNCH": launcher})
    assert list(jobs) == ["hash", "discover", "detect"]
    for verb, job in jobs.items():
        output = job.finish().output
        assert f"on {RANKS} ranks" in output and "on node[1-2]" in output, output
        assert re.search(rf"^== in .*: {launcher} .*hpcreuse {verb}$", output, re.MULTILINE), output
    assert tables(tmp_path) == expected


def test_the_chain_may_be_submitted_as_a_job_itself(
    cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    folder = work_folder(tmp_path, crawl)
    printed = submit(cluster, folder, "pipeline.sh", "--nodes=2", nodes=None).finish().output
    for number in re.findall(r"job (\d+)", printed):
        Job(cluster, folder, number).finish()
    assert tables(tmp_path) == expected


def test_a_script_alone_takes_a_whole_node_and_all_settings_from_the_file(
    cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    output = submit(cluster, work_folder(tmp_path, crawl), "hash.sh", nodes=None).finish().output
    assert f"on {TASKS_PER_NODE} ranks" in output
    assert "srun -K --ntasks=2 --mpi=pmi2 hpcreuse hash" in output
    assert all(word in output for word in ("slurm-wlm", "mpi library", "kernels"))
    assert tables(tmp_path, RUN_TABLES) == {key: expected[key] for key in RUN_TABLES}


def test_arguments_and_variables_reach_hpcreuse(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    settings = tmp_path / "other name.toml"
    shutil.move(work_folder(tmp_path, crawl) / "hpcreuse.toml", settings)
    env = {"HPCREUSE_CONFIG": str(settings), "HPCREUSE_ARGS": "--json --strict"}
    output = submit(cluster, tmp_path, "hash.sh", "--out", "another run", env=env, nodes=1).finish().output
    assert '"out": "another run"' in output
    assert (tmp_path / "another run" / "run.json").exists()


def test_hpcreuse_is_found_on_the_path_or_beside_the_scripts(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    folder = work_folder(tmp_path, crawl)
    on_path = {"HPCREUSE_VENV": "", "PATH": f"{HPCREUSE.parent}:{cluster.env['PATH']}"}
    submit(cluster, folder, "hash.sh", env=on_path).finish()
    missing = submit(cluster, folder, "hash.sh", env={"HPCREUSE_VENV": str(tmp_path)})
    missing.wait_for("FAILED")
    assert "set HPCREUSE_VENV" in missing.output


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_warning_before_the_time_limit_requeues_the_job_and_it_goes_on(
    launcher: str, cluster: Cluster, long_crawl: Path, long_expected: Tables, tmp_path: Path
) -> None:
    job = submit(cluster, work_folder(tmp_path, long_crawl), "hash.sh", env={"HPCREUSE_LAUNCH": launcher})
    job.wait_for_shard()
    cluster.run("scancel", "--signal=USR1", "--batch", job.number)
    job.finish()
    assert job.restarts == 1
    assert job.output.count("stopped on SIGUSR1") == 1, job.output
    assert "ended with exit code 75" in job.output
    done_before = re.findall(r"partitions +(\d+) hashed, (\d+) done before", job.output)
    assert len(done_before) == 1 and int(done_before[0][1]) > 0, job.output
    assert tables(tmp_path, RUN_TABLES) == long_expected


def test_slurm_itself_warns_before_the_time_limit(
    cluster: Cluster, long_crawl: Path, long_expected: Tables, tmp_path: Path
) -> None:
    # With two minutes in all, Slurm warns in the first moments, at every start: each must still get somewhere
    folder = work_folder(tmp_path, long_crawl)
    number = cluster.run(
        "sbatch", "--parsable", "--nodes=2", "--time=2", SCRIPTS / "hash.sh", cwd=folder, env=environment(None)
    )
    job = Job(cluster, folder, number.strip())
    cluster.wait(lambda: "USR1 received" in job.output, 180, "Slurm sent the warning")
    cluster.wait(lambda: job.restarts == 1, 60, "the job is requeued")
    cluster.run("scontrol", "update", f"JobId={job.number}", "TimeLimit=60")
    job.finish()
    assert tables(tmp_path, RUN_TABLES) == long_expected


def test_a_job_that_gets_nowhere_is_not_requeued_for_ever(cluster: Cluster, long_crawl: Path, tmp_path: Path) -> None:
    folder = work_folder(tmp_path, long_crawl)
    job = submit(cluster, folder, "hash.sh", env={"HPCREUSE_MAX_RESTARTS": "0"})
    job.wait_for_shard()
    cluster.run("scancel", "--signal=USR1", "--batch", job.number)
    job.wait_for("FAILED")
    assert job.exit_code == "75:0"
    assert "not requeued after 0 restarts" in job.output


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_cancelled_job_stays_cancelled_and_the_next_goes_on(
    launcher: str, cluster: Cluster, long_crawl: Path, long_expected: Tables, tmp_path: Path
) -> None:
    env = {"HPCREUSE_LAUNCH": launcher}
    folder = work_folder(tmp_path, long_crawl)
    first = submit(cluster, folder, "hash.sh", env=env)
    first.wait_for_shard()
    cluster.run("scancel", first.number)
    first.wait_for("CANCELLED")
    again = submit(cluster, folder, "hash.sh", env=env).finish()
    assert (first.state, first.restarts) == ("CANCELLED", 0)
    assert re.search(r"partitions +\d+ hashed, [1-9]\d* done before", again.output), again.output
    assert tables(tmp_path, RUN_TABLES) == long_expected


def test_a_wrong_mpi_plugin_is_refused_with_advice(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    job = submit(cluster, work_folder(tmp_path, crawl), "hash.sh", env={"HPCREUSE_MPI": "none"})
    job.wait_for("FAILED")
    assert job.exit_code == "1:0"
    assert job.output.count("MPI sees one rank") == 1, job.output
    assert "srun --mpi=pmi2" in job.output
    assert not (tmp_path / "run").exists()


def test_what_depends_on_a_failed_job_is_removed(cluster: Cluster, tmp_path: Path) -> None:
    jobs = chain(cluster, work_folder(tmp_path, tmp_path / "nowhere"), "--nodes=2")
    jobs["hash"].wait_for("FAILED")
    assert jobs["hash"].exit_code == "1:0"
    assert "no file matches this pattern" in jobs["hash"].output
    for verb in ("discover", "detect"):
        jobs[verb].wait_for("CANCELLED")


def test_an_array_and_its_join_give_the_same_run(
    cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    # More tasks than archives: some have nothing to do
    archives = sorted(map(str, crawl.glob("*.warc")))
    (tmp_path / "warc.paths").write_text("# of the crawl\n" + "\n".join(archives) + "\n\n")
    env = environment({"HPCREUSE_LIST": "warc.paths", "HPCREUSE_RUN": "run"})
    count = len(archives) + 1
    options = ["--parsable", f"--array=0-{count - 1}", "--mem-per-cpu=1G"]
    array = cluster.run("sbatch", *options, SCRIPTS / "hash-array.sh", cwd=tmp_path, env=env).strip()
    options = ["--parsable", f"--dependency=afterok:{array}", "--kill-on-invalid-dep=yes"]
    join = cluster.run("sbatch", *options, SCRIPTS / "hash-join.sh", cwd=tmp_path, env=env).strip()
    output = Job(cluster, tmp_path, join).finish().output
    assert re.search(rf"partitions +0 hashed, {len(archives)} done before", output), output
    assert "nothing to do" in Job(cluster, tmp_path, array).output
    assert tables(tmp_path, RUN_TABLES) == {key: expected[key] for key in RUN_TABLES}


def test_a_requeued_array_task_does_not_take_the_whole_array_with_it(
    cluster: Cluster, long_crawl: Path, long_expected: Tables, tmp_path: Path
) -> None:
    (tmp_path / "warc.paths").write_text("\n".join(map(str, sorted(long_crawl.glob("*.warc")))))
    env = environment({"HPCREUSE_LIST": "warc.paths", "HPCREUSE_RUN": "run"})
    options = ["--parsable", "--array=0-1", "--mem-per-cpu=1G"]
    array = cluster.run("sbatch", *options, SCRIPTS / "hash-array.sh", cwd=tmp_path, env=env).strip()
    # The last task has the number of the array
    tasks = [Job(cluster, tmp_path, f"{array}_{n}") for n in range(2)]
    for number, task in enumerate(tasks):
        task.wait_for_shard(f"run.parts/{number}-of-2")
    cluster.run("scancel", "--signal=USR1", "--batch", tasks[1].number)
    for task in tasks:
        task.finish()
    assert [task.restarts for task in tasks] == [0, 1]
    Job(
        cluster, tmp_path, cluster.run("sbatch", "--parsable", SCRIPTS / "hash-join.sh", cwd=tmp_path, env=env).strip()
    ).finish()
    assert tables(tmp_path, RUN_TABLES) == long_expected
