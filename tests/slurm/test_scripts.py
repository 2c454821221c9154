"""The job scripts on a real Slurm of two nodes: whatever happens to a job, the tables are those of a run without it."""

import re
import shutil
from pathlib import Path

import pytest
from cluster import NODES, TASKS_PER_NODE, Cluster
from command import HPCREUSE, hpcreuse
from jobs import RUN_TABLES, SCRIPTS, Job, environment, exported, halting, make_crawl, submit, tables, work_folder

from hpcreuse.cli import VERBS

Tables = dict[tuple[str, str], bytes]
LAUNCHERS = ("srun", "mpiexec")
CHAIN = ("hash", "discover", "detect")
RANKS = len(NODES) * TASKS_PER_NODE
ARCHIVES = 24


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_crawl(tmp_path_factory.mktemp("crawl"), ARCHIVES, pages=120)


@pytest.fixture(scope="session")
def reference(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the chain makes, without Slurm."""
    folder = work_folder(tmp_path_factory.mktemp("expected"), crawl)
    for verb in CHAIN:
        hpcreuse(verb, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def expected(reference: Path) -> Tables:
    found = tables(reference)
    assert all(rows for (_, name), rows in found.items() if name != "quarantine")
    assert b'"target": true' in found["result", "files"]
    return found


def of_run(expected: Tables) -> Tables:
    """Only what `hash` makes."""
    return {key: expected[key] for key in RUN_TABLES}


def chain(printed: str, cluster: Cluster, folder: Path) -> dict[str, Job]:
    """Give the jobs by verb of which pipeline.sh printed the numbers."""
    return {verb: Job(cluster, folder, number) for verb, number in re.findall(r"(\w+): job (\d+)", printed)}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_the_chain_on_two_nodes_gives_the_same_tables(
    launcher: str, cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    folder, env = work_folder(tmp_path, crawl), {"HPCREUSE_LAUNCH": launcher}
    if launcher == "srun":
        printed = cluster.run(SCRIPTS / "pipeline.sh", "--nodes=2", cwd=folder, env=environment(env))
    else:
        # The chain may be submitted as a job itself
        printed = submit(cluster, folder, "pipeline.sh", "--nodes=2", env=env, nodes=None).finish().output
    jobs = chain(printed, cluster, folder)
    assert tuple(jobs) == CHAIN
    for verb, job in jobs.items():
        output = job.finish().output
        assert f"on {RANKS} ranks" in output and "on node[1-2]" in output, output
        assert re.search(rf"^== in .*: {launcher} .*hpcreuse {verb}$", output, re.MULTILINE), output
    assert tables(tmp_path) == expected


def test_settings_come_from_file_variables_and_arguments(
    cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    # Nothing but a file: all of one node; hpcreuse on the PATH
    on_path = {"HPCREUSE_VENV": "", "PATH": f"{HPCREUSE.parent}:{cluster.env['PATH']}"}
    alone = submit(cluster, work_folder(tmp_path, crawl), "hash.sh", env=on_path, nodes=None)
    # At the same time on the other node: another file, variables, arguments
    settings = tmp_path / "other name.toml"
    settings.write_text('[hash]\nout = "nowhere"\nmax_repeats = 5\n')
    env = {
        "HPCREUSE_CONFIG": str(settings),
        "HPCREUSE_ARGS": "--json --strict",
        "HPCREUSE_HASH_INPUTS": f"{crawl}/000.warc {crawl}/001.warc",
        "HPCREUSE_HASH_TAGS": "p",
        "HPCREUSE_HASH_NORMALIZE": "none",
    }
    told = submit(cluster, tmp_path, "hash.sh", "--out", "another run", "--normalize", "whitespace", env=env, nodes=1)
    missing = submit(cluster, tmp_path, "hash.sh", env={"HPCREUSE_VENV": str(tmp_path)})

    output = alone.finish().output
    assert f"on {TASKS_PER_NODE} ranks" in output
    assert f"srun -K --ntasks={TASKS_PER_NODE} --mpi=pmi2 hpcreuse hash\n" in output
    assert all(word in output for word in ("slurm-wlm", "mpi library", "kernels"))
    assert tables(tmp_path, RUN_TABLES) == of_run(expected)

    output = told.finish().output
    assert all(word in output for word in ('"out": "another run"', '"partitions": 2', '"normalize": "whitespace"'))
    assert re.search(r'"tags": (\["p"\]|"p")', output), output
    assert (tmp_path / "another run" / "run.json").exists()

    missing.wait_for("FAILED")
    assert "set HPCREUSE_VENV" in missing.output


def prepare(folder: Path, crawl: Path, reference: Path, verb: str) -> Path:
    """Make a folder in which a verb is the next of the chain."""
    if verb != "hash":
        shutil.copytree(reference / "run" / "shards", folder / "run" / "shards")
        shutil.copy(reference / "run" / "run.json", folder / "run")
    if verb == "detect":
        shutil.copy(reference / "labels.h5", folder)
    return work_folder(folder, crawl)


def made_by(verb: str, expected: Tables) -> Tables:
    """Of the tables of the chain those that a verb makes."""
    path = {"hash": "run", "discover": "labels.h5", "detect": "result"}[verb]
    return {key: rows for key, rows in expected.items() if key[0] == path}


def must_be_complete(verb: str, job: Job, expected: Tables) -> None:
    """See that a job that went on made all, and that `hash` took what was there."""
    mine = made_by(verb, expected)
    assert tables(job.folder, tuple(mine)) == mine
    if verb == "hash":
        done_before = re.search(r"partitions +\d+ hashed, (\d+) done before", job.output)
        assert done_before and 0 < int(done_before[1]) < ARCHIVES, job.output


def halt_in_the_middle(cluster: Cluster, folder: Path, verb: str, launcher: str) -> Job:
    """Submit a job and wait until one of its ranks has halted; of `hash` until others have written shards."""
    job = submit(cluster, folder, f"{verb}.sh", env={"HPCREUSE_LAUNCH": launcher, **halting(folder, verb)})
    job.wait_until_halted()
    if verb == "hash":
        job.wait(lambda: any(folder.glob("run/shards/[!.]*.h5")), "shards are there")
    return job


@pytest.mark.parametrize(
    ("verb", "launcher"), [("hash", "srun"), ("hash", "mpiexec"), ("discover", "mpiexec"), ("detect", "srun")]
)
def test_a_warning_before_the_time_limit_requeues_the_job_and_it_goes_on(
    verb: str, launcher: str, cluster: Cluster, crawl: Path, reference: Path, expected: Tables, tmp_path: Path
) -> None:
    job = halt_in_the_middle(cluster, prepare(tmp_path, crawl, reference, verb), verb, launcher)
    # Twice, as a nervous user would
    for _ in range(2):
        cluster.run("scancel", "--signal=USR1", "--batch", job.number)
    job.finish()
    assert job.restarts == 1
    assert job.output.count("stopped on SIGUSR1") == 1, job.output
    assert job.output.count("ended with exit code 75") == 1, job.output
    must_be_complete(verb, job, expected)


@pytest.mark.parametrize(
    ("verb", "launcher"), [("hash", "srun"), ("hash", "mpiexec"), ("discover", "srun"), ("detect", "mpiexec")]
)
def test_a_cancelled_job_stays_cancelled_and_the_next_goes_on(
    verb: str, launcher: str, cluster: Cluster, crawl: Path, reference: Path, expected: Tables, tmp_path: Path
) -> None:
    first = halt_in_the_middle(cluster, prepare(tmp_path, crawl, reference, verb), verb, launcher)
    cluster.run("scancel", first.number)
    first.wait_for("CANCELLED")
    again = submit(cluster, tmp_path, f"{verb}.sh", env={"HPCREUSE_LAUNCH": launcher}).finish()
    assert (first.state, first.restarts) == ("CANCELLED", 0)
    must_be_complete(verb, again, expected)


def test_a_job_whose_ranks_were_killed_fails_and_goes_on_when_requeued(
    cluster: Cluster, crawl: Path, reference: Path, expected: Tables, tmp_path: Path
) -> None:
    """Under the same number, on the same nodes: whatever the killed ranks left there must not meet the new ones."""
    job = halt_in_the_middle(cluster, prepare(tmp_path, crawl, reference, "hash"), "hash", "srun")
    cluster.run("scancel", "--signal=KILL", f"{job.number}.0")
    job.wait_for("FAILED")
    assert job.exit_code == "137:0"
    cluster.run("scontrol", "requeue", job.number)
    job.wait(lambda: job.restarts == 1, "requeued")
    must_be_complete("hash", job.finish(), expected)


def test_a_job_cancelled_before_it_began_starts_nothing(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    folder, never = work_folder(tmp_path, crawl), tmp_path / "never"
    slow = tmp_path / "slow"
    # What runs before the ranks do, as a large container would
    slow.write_text(f"#!/bin/bash\n[[ $1 == info ]] || touch {never}\ntouch {tmp_path}/asked\nexec sleep 600\n")
    slow.chmod(0o755)
    job = submit(cluster, folder, "hash.sh", env={"HPCREUSE_COMMAND": str(slow)})
    cluster.wait((tmp_path / "asked").exists, 60, "the job asks for versions")
    cluster.run("scancel", job.number)
    job.wait_for("CANCELLED")
    assert "ended with exit code 75" in job.output, job.output
    assert not never.exists()


def test_slurms_own_warning_stops_a_job_which_is_not_requeued_for_ever(
    cluster: Cluster, crawl: Path, tmp_path: Path
) -> None:
    # Slurm looks at limits every half minute, and warns half a minute early rather than late: so here after 5 to 35 s
    folder = work_folder(tmp_path, crawl)
    env = {"HPCREUSE_MAX_RESTARTS": "0", "SBATCH_TIMELIMIT": "2", "SBATCH_SIGNAL": "B:USR1@85", **halting(folder)}
    job = submit(cluster, folder, "hash.sh", env=env)
    # Were it warned before its ranks have begun, on a machine that busy, it would end in the same way
    job.wait_for("FAILED")
    assert job.exit_code == "75:0"
    assert job.output.count("== USR1 received") == 1, job.output
    assert "not requeued after 0 restarts" in job.output


def test_a_wrong_mpi_plugin_is_refused_with_advice(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    job = submit(cluster, work_folder(tmp_path, crawl), "hash.sh", env={"HPCREUSE_MPI": "none"})
    job.wait_for("FAILED")
    assert job.exit_code == "1:0"
    assert job.output.count("MPI sees one rank") == 1, job.output
    assert "srun --mpi=pmi2" in job.output
    assert not (tmp_path / "run").exists()


def test_what_depends_on_a_failed_job_is_removed(cluster: Cluster, tmp_path: Path) -> None:
    folder = work_folder(tmp_path, tmp_path / "nowhere")
    jobs = chain(cluster.run(SCRIPTS / "pipeline.sh", cwd=folder, env=environment({})), cluster, folder)
    jobs["hash"].wait_for("FAILED")
    assert jobs["hash"].exit_code == "1:0"
    assert "no file matches this pattern" in jobs["hash"].output
    for verb in ("discover", "detect"):
        jobs[verb].wait_for("CANCELLED")


def test_an_array_and_its_join_give_the_same_run_though_a_task_is_requeued(
    cluster: Cluster, crawl: Path, expected: Tables, tmp_path: Path
) -> None:
    archives = sorted(map(str, crawl.glob("*.warc")))
    (tmp_path / "warc.paths").write_text("# of the crawl\n" + "\n".join(archives) + "\n\n")
    (tmp_path / "short.paths").write_text(archives[0])
    env = {"HPCREUSE_LIST": "warc.paths", "HPCREUSE_RUN": "run", **halting(tmp_path)}
    small = "--mem-per-cpu=1G"
    array = submit(cluster, tmp_path, "hash-array.sh", env=env, nodes=None, options=("--array=0-1", small))
    after = f"--dependency=afterok:{array.number}"
    join = submit(cluster, tmp_path, "hash-join.sh", env=env, nodes=None, options=(after,))
    tasks = [Job(cluster, tmp_path, f"{array.number}_{n}") for n in range(2)]
    array.wait(lambda: any(tmp_path.glob("halted-*")), "one of the tasks halts")
    (halted,) = [task for task in tasks if (tmp_path / f"halted-{cluster.field(task.number, 'JobId')}").exists()]
    cluster.run("scancel", "--signal=USR1", "--batch", halted.number)
    # More tasks than archives: the first has nothing to do
    idle = {"HPCREUSE_LIST": "short.paths", "HPCREUSE_RUN": "other", "HPCREUSE_TASKS": "2"}
    nothing = submit(cluster, tmp_path, "hash-array.sh", env=idle, nodes=None, options=("--array=0", small))
    for job in (*tasks, join, nothing):
        job.finish()
    assert [task.restarts for task in tasks] == [int(task == halted) for task in tasks]
    assert re.search(rf"partitions +0 hashed, {len(archives)} done before", join.output), join.output
    assert "nothing to do" in nothing.output
    assert tables(tmp_path, RUN_TABLES) == of_run(expected)


# The settings of each text method as variables, and what it makes of the run of `hash --text`
TEXT_METHODS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "quilt": ({"K": "3", "M": "1000", "C": "1", "THETA": "0.1"}, ("quilts",)),
    "imatch": ({"BAND": "0.1 0.9", "LEXICONS": "2"}, ("signatures", "clusters")),
    "spin": ({"SYNONYMS": "synonyms.tsv", "MIN_WORDS": "5", "LANGUAGE": "any"}, ("filters", "pairs", "clusters")),
}


def test_text_methods_take_variables_and_give_the_same_tables(cluster: Cluster, crawl: Path, tmp_path: Path) -> None:
    env = {"HPCREUSE_HASH_INPUTS": f"{crawl}/000.warc {crawl}/001.warc", "HPCREUSE_HASH_TEXT": "true"}
    submit(cluster, tmp_path, "hash.sh", env={**env, "HPCREUSE_HASH_OUT": "run"}, nodes=1).finish()
    (tmp_path / "synonyms.tsv").write_text("good\tfine|nice\n")
    present = [verb for verb in TEXT_METHODS if verb in VERBS]
    jobs = {}
    for verb in present:
        settings = {"RUN": "run", "OUT": f"{verb}-job", **TEXT_METHODS[verb][0]}
        env = {f"HPCREUSE_{verb.upper()}_{name}": value for name, value in settings.items()}
        jobs[verb] = submit(cluster, tmp_path, f"{verb}.sh", env=env)
    for verb in present:
        settings, names = TEXT_METHODS[verb]
        options = [f"{'-' if len(name) == 1 else '--'}{name.lower().replace('_', '-')}" for name in settings]
        given = [
            word for option, value in zip(options, settings.values(), strict=True) for word in (option, *value.split())
        ]
        hpcreuse(verb, "run", *given, "--out", f"{verb}-alone", cwd=tmp_path)
        assert f"on {RANKS} ranks" in jobs[verb].finish().output
        for name in names:
            rows = exported(tmp_path / f"{verb}-job", name)
            assert rows and rows == exported(tmp_path / f"{verb}-alone", name), name
