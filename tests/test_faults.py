"""What happens to jobs on machines one does not own: killed ranks, full disks, inputs that change, two jobs at once.

Always: the whole job ends within seconds with a clear message, nothing that was complete is lost, and the same
command again finishes with the same tables. Real processes, real signals, real disks: nothing is simulated.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from archives import random_pages, write_warc
from command import HPCREUSE, hpcreuse
from mpi import THOROUGH, YIELD, program
from mpi import _descendants as descendants

from hpcreuse.store.tables import find_table

# From the fault to the end of the launcher, on cores that others use too
PATIENCE = 10
LITTLE = ("--memory", "1M", "--progress", "0")
TABLES = (
    ("run", "files"),
    ("run", "chunks"),
    ("run", "quarantine"),
    ("labels.h5", "labels"),
    ("result", "files"),
    ("result", "neighborhoods"),
)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("crawl")
    return [write_warc(folder / f"{n}.warc.gz", random_pages(n, 150)) for n in range(5)]


def commands(crawl: list[Path], out: Path) -> dict[str, list[str | Path]]:
    """The chain, with little memory so that there are several parts and passes."""
    run, labels, result = out / "run", out / "labels.h5", out / "result"
    return {
        "hash": ["hash", *crawl, "--out", run, *LITTLE],
        "discover": ["discover", run, "--threshold", "75", "--out", labels, *LITTLE],
        "detect": ["detect", run, "--labels", labels, "--out", result, *LITTLE],
    }


def rows(path: Path, name: str) -> list:
    """A table without the cost of a process."""
    return [tuple(row) for row in find_table(path, name).rows(path)]


def all_tables(out: Path) -> list[list]:
    return [rows(out / path, name) for path, name in TABLES]


@pytest.fixture(scope="module")
def done(crawl: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chain undisturbed."""
    out = tmp_path_factory.mktemp("done")
    for verb, command in commands(crawl, out).items():
        (out / f"{verb}.json").write_text(hpcreuse(*command, "--json").stdout)
    return out


@pytest.fixture(scope="module")
def undisturbed(done: Path) -> list[list]:
    return all_tables(done)


class Job:
    """A job that goes on while the test does something to it."""

    def __init__(self, *command: str | Path, ranks: int):
        launcher = [Path(sys.executable).parent / "mpiexec", "-n", str(ranks)] if ranks else []
        self.process = subprocess.Popen(
            [str(part) for part in (*launcher, HPCREUSE, *command)],
            env={**os.environ, **YIELD},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.ranks = ranks
        self.pids: list[int] = []
        self.printed = ""

    def halt_when(self, condition: Callable[[], object], seconds: float = 60) -> "Job":
        """Wait until something is so, and hold all ranks there until `go_on` or the end of the job is asked for."""
        end = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"ended too early: {self.process.communicate()}"
            assert time.monotonic() < end, "never came to this point"
            if len(self.pids) < self.ranks:
                self.pids = self._find_ranks()
            time.sleep(0.002)
        self.pids = self.pids or self._find_ranks()
        self.signal(signal.SIGSTOP)
        return self

    def go_on(self) -> None:
        self.signal(signal.SIGCONT)

    def signal(self, number: signal.Signals) -> None:
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _find_ranks(self) -> list[int]:
        """The processes of the ranks, rank 0 first."""
        if not self.ranks:
            return [self.process.pid]
        found = {}
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError):
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                found.update({int(v[9:]): pid for v in variables if v.startswith(b"PMI_RANK=")})
        return [found[rank] for rank in sorted(found)]

    def end(self, seconds: float = PATIENCE) -> tuple[int, str]:
        """Give exit code and messages; the job must end in time."""
        self.go_on()
        try:
            self.printed, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        return self.process.returncode, errors

    def kill(self) -> None:
        for pid in [*descendants(self.process.pid), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., Job]]:
    jobs: list[Job] = []

    def start_job(*command: str | Path, ranks: int = 3) -> Job:
        jobs.append(Job(*command, ranks=ranks))
        return jobs[-1]

    yield start_job
    for job in jobs:
        if job.process.poll() is None:
            job.kill()


def messages(errors: str) -> list[str]:
    """What hpcreuse itself said; the launcher has its own words."""
    assert "Traceback" not in errors, errors
    return [line.removeprefix("hpcreuse: ") for line in errors.splitlines() if line.startswith("hpcreuse: ")]


def shards(run: Path) -> list[Path]:
    return sorted((run / "shards").glob("*.h5"))


def copy_of(done: Path, out: Path, *names: str) -> Path:
    for name in names:
        (shutil.copytree if (done / name).is_dir() else shutil.copyfile)(done / name, out / name)
    return out


# Killed ranks


@pytest.mark.parametrize(
    ("verb", "victim"), [("hash", 0), ("hash", 2), ("hash", "all"), ("discover", "all"), ("detect", "all")]
)
def test_killed_ranks_take_the_job_with_them_and_nothing_else(
    verb: str,
    victim: int | str,
    crawl: list[Path],
    done: Path,
    undisturbed: list[list],
    tmp_path: Path,
    start: Callable,
) -> None:
    """Killed while shards are written (hash), between exchanges (discover: a piece is there, more to come), and while
    spools and parts of the result are written (detect)."""
    before = {"hash": [], "discover": ["run"], "detect": ["run", "labels.h5"]}[verb]
    copy_of(done, tmp_path, *before)
    shutil.rmtree(tmp_path / "run" / "counts", ignore_errors=True)
    begun = {
        "hash": lambda: shards(tmp_path / "run"),
        "discover": lambda: list((tmp_path / "run" / "counts" / "chunk").glob("piece-*.h5")),
        "detect": lambda: list((tmp_path / ".result.tmp" / "spool").glob("*.h5")),
    }[verb]
    chain = commands(crawl, tmp_path)
    job = start(*chain[verb]).halt_when(begun)
    pids = job.pids
    # What the ranks share bears no name any more that the next job on this machine could meet
    shared = [line for pid in pids for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if "/mpich_" in line]
    assert shared and all(line.endswith(" (deleted)") for line in shared)
    complete = [(path, path.stat().st_mtime_ns) for path in shards(tmp_path / "run")]
    for pid in pids if victim == "all" else [pids[int(victim)]]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    code, errors = job.end()
    assert code != 0
    assert "BAD TERMINATION" in job.printed and "signal 9" in job.printed.lower().replace(": ", " ")
    assert not messages(errors)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in complete)
    for name in list(chain)[len(before) :]:
        hpcreuse(*chain[name], ranks=2)
    assert all_tables(tmp_path) == undisturbed
    assert not list(tmp_path.rglob(".*.tmp"))


WORST_MOMENTS = {
    "hash": [("write:*.h5", 1), ("write:shards.json", 0)],
    "discover": [("exchange:2", 1), ("exchange:3", 2), ("write:piece-*.h5", 1), ("write:labels.h5", 0)],
    "detect": [("exchange:4", 1), ("exchange:7", 0), ("write:part-*.h5", 2), ("write:result.json", 0), ("replace", 0)],
}


@pytest.mark.parametrize("verb", WORST_MOMENTS)
def test_a_rank_killed_at_the_worst_moment_takes_the_job_with_it_and_nothing_else(
    verb: str, crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path
) -> None:
    """What was there before the command is there after it, whole, and the same command again gets to the end."""
    copy_of(done, tmp_path, "run", "labels.h5", "result")
    for part in {"hash": ["run"], "discover": ["run/counts"]}.get(verb, []):
        shutil.rmtree(tmp_path / part)
    command = commands(crawl, tmp_path)[verb]
    for point, victim in WORST_MOMENTS[verb]:
        begin = time.monotonic()
        killed = program(3, "dying.py", point, str(victim), *map(str, command), check=False)
        assert time.monotonic() - begin < 2 * PATIENCE
        assert killed.returncode != 0, point
        assert "BAD TERMINATION" in killed.stdout and "signal 9" in killed.stdout.lower().replace(": ", " ")
        assert not messages(killed.stderr)
        whole = [(place, name) for place, name in TABLES if verb != "hash" or place != "run"]
        assert [rows(tmp_path / place, name) for place, name in whole] == undisturbed[len(TABLES) - len(whole) :]
    hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed
    assert not [path for path in tmp_path.rglob(".*") if path.suffix in (".tmp", ".lock")]


def test_a_rank_that_fails_in_any_phase_ends_the_job_and_nothing_is_lost(
    crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path
) -> None:
    for verb, command in commands(crawl, tmp_path).items():
        # What lies outside all phases has no beginning at which to fail
        phases = [name for name in json.loads((done / f"{verb}.json").read_text())["phases"] if name != "other"]
        assert len(phases) > 3
        for number, phase in enumerate(phases if THOROUGH else phases[::2]):
            # Partitions go to whoever is free: when all but few are done, only rank 0 is sure to get one
            victim = 0 if verb == "hash" else number % 2
            if verb == "hash":
                shutil.rmtree(tmp_path / "run", ignore_errors=True)
            begin = time.monotonic()
            failed = program(2, "dying.py", f"phase:{phase}", str(victim), *map(str, command), check=False)
            assert time.monotonic() - begin < 2 * PATIENCE
            assert failed.returncode == 1, (verb, phase)
            assert failed.stderr.count(f"RuntimeError: a bug in {phase}") == 1, (verb, phase, failed.stderr)
            assert failed.stderr.count("Traceback") == 1
            assert f"hpcreuse: rank {victim}: Traceback" in failed.stderr
        hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed


# Disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A disk of its own with so many kB; given again, it is grown."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = False

    def mount(size: int) -> Path:
        nonlocal mounted
        options = f"size={size}k" + (",remount" if mounted else "")
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"a small disk cannot be mounted here, this needs root: {made.stderr.strip()}")
        mounted = True
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", place], check=True)


def room_after(done: Path, *names: str) -> int:
    """kB that some of the outputs take on a disk of 4 kB blocks."""
    files = [file for name in names for file in [done / name, *(done / name).rglob("*")] if file.is_file()]
    return sum(-(-file.stat().st_size // 4096) * 4 for file in files)


@pytest.mark.parametrize("ranks", [0, 3])
@pytest.mark.parametrize("verb", ["hash", "discover", "detect"])
def test_a_full_disk_is_named_and_a_larger_one_goes_on(
    verb: str, ranks: int, crawl: list[Path], done: Path, undisturbed: list[list], small_disk: Callable[[int], Path]
) -> None:
    earlier = {"hash": [], "discover": ["run/run.json", "run/shards"], "detect": ["run", "labels.h5"]}[verb]
    disk = small_disk(room_after(done, *earlier) + {"hash": 200, "discover": 20, "detect": 60}[verb])
    (disk / "run").mkdir(exist_ok=verb != "detect") if verb == "discover" else None
    copy_of(done, disk, *earlier)
    chain = commands(crawl, disk)
    begin = time.monotonic()
    failed = hpcreuse(*chain[verb], ranks=ranks, check=False)
    assert failed.returncode == 1
    assert time.monotonic() - begin < 2 * PATIENCE
    said = messages(failed.stderr)
    assert 1 <= len(said) <= max(ranks, 1)
    assert all("No space left on device" in line for line in said), said
    assert any(str(disk) in line for line in said)
    assert not list(disk.rglob(".*.h5.*.tmp"))
    small_disk(10_000)
    for name in list(chain)[list(chain).index(verb) :]:
        hpcreuse(*chain[name], ranks=ranks)
    assert all_tables(disk) == undisturbed


def test_a_table_that_does_not_fit_on_the_disk_leaves_nothing_behind(
    done: Path, small_disk: Callable[[int], Path]
) -> None:
    disk = small_disk(20)
    failed = hpcreuse("export", done / "run", "chunks", "-o", disk / "chunks.jsonl", check=False)
    assert failed.returncode == 1
    assert len(messages(failed.stderr)) == 1 and "the disk is full" in failed.stderr
    assert not list(disk.iterdir())
    shell = f"{HPCREUSE} export {done / 'run'} chunks > {disk / 'chunks.jsonl'}"
    redirected = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert redirected.returncode == 1
    assert len(messages(redirected.stderr)) == 1 and "No space left on device" in redirected.stderr


# Inputs


def large(path: Path, copies: int = 2000) -> Path:
    """An archive that takes a second or more to hash with little memory: parts appear while it is read."""
    return write_warc(path, random_pages(7, copies))


@pytest.mark.parametrize(("way", "ranks"), [("removed", 2), ("replaced", 0), ("touched", 0), ("grown", 2)])
def test_an_input_that_changes_while_it_is_read_leaves_no_shard(
    way: str, ranks: int, crawl: list[Path], tmp_path: Path, start: Callable
) -> None:
    steady, moving = crawl[0], large(tmp_path / "moving.warc")
    command = ["hash", steady, moving, "--out", tmp_path / "run", *LITTLE]
    job = start(*command, ranks=ranks).halt_when(lambda: list((tmp_path / "run" / "shards").glob("moving*-001.h5")))
    if way == "removed":
        moving.unlink()
    elif way == "replaced":
        write_warc(tmp_path / "new.warc", random_pages(8, 20)).replace(moving)
    elif way == "touched":
        os.utime(moving)
    else:
        with moving.open("ab") as file:
            file.write(write_warc(tmp_path / "more.warc", random_pages(9, 20)).read_bytes())
    code, errors = job.end(60)
    assert code == 1, errors
    (said,) = messages(errors)
    assert str(moving) in said and str(steady) not in said
    assert "changed or removed while being read" in said
    assert {path.name.split(".")[0] for path in shards(tmp_path / "run")} == {"0"}
    again = hpcreuse(*command, ranks=ranks, check=False)
    if way == "removed":
        assert again.returncode == 1 and "no such file" in again.stderr
        hpcreuse("hash", steady, "--out", tmp_path / "run", ranks=ranks)
        assert len(rows(tmp_path / "run", "files")) == 150
    else:
        assert again.returncode == 0
        count = {"replaced": 20, "touched": 2000, "grown": 2020}[way]
        assert len(rows(tmp_path / "run", "files")) == 150 + count


def test_a_page_of_a_folder_that_changes_while_the_folder_is_read_leaves_no_shard(
    tmp_path: Path, start: Callable
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for number, (_, payload) in enumerate(random_pages(3, 2000)):
        (folder / f"{number:05d}.html").write_bytes(payload)
    command = ["hash", folder, "--out", tmp_path / "run", *LITTLE]
    job = start(*command, ranks=0).halt_when(lambda: len(shards(tmp_path / "run")) > 1)
    (folder / "00000.html").write_bytes(b"<p>another")
    code, errors = job.end(60)
    assert code == 1 and str(folder) in messages(errors)[0]
    hpcreuse(*command)
    files = rows(tmp_path / "run", "files")
    assert len(files) == 2000 and files[0][2] == len("<p>another")


def without_privileges() -> list[str]:
    """Root may read everything: take that away."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root reads every file, and there is no setpriv to take that away")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def test_an_unreadable_file_is_quarantined_and_read_when_it_can_be(crawl: list[Path], tmp_path: Path) -> None:
    closed = shutil.copyfile(crawl[1], tmp_path / "closed.warc.gz")
    closed.chmod(0)
    command = [HPCREUSE, "hash", crawl[0], closed, "--out", tmp_path / "run", "--strict"]
    line = [str(part) for part in (*without_privileges(), *command)]
    refused = subprocess.run(line, capture_output=True, text=True)
    assert refused.returncode == 3, refused.stderr
    assert messages(refused.stderr) == [f"nothing was read of {closed} (cannot be opened: Permission denied)"]
    (entry,) = rows(tmp_path / "run", "quarantine")
    assert (entry[0], entry[3]) == (str(closed), "cannot be opened: Permission denied")
    assert len(rows(tmp_path / "run", "files")) == 150
    alone = [*without_privileges(), HPCREUSE, "hash", closed, "--out", tmp_path / "alone"]
    failed = subprocess.run([str(part) for part in alone], capture_output=True, text=True)
    assert failed.returncode == 1
    assert messages(failed.stderr)[-1].startswith(f"none of the input could be opened: {closed}")
    closed.chmod(0o644)
    assert subprocess.run(list(map(str, command)), capture_output=True).returncode == 0
    assert len(rows(tmp_path / "run", "files")) == 2 * 150
    assert not rows(tmp_path / "run", "quarantine")


@pytest.mark.parametrize(
    "command",
    [
        ("export", "RUN", "files", "-o", "CLOSED/it"),
        ("report", "RUN", "--out", "CLOSED/it"),
        ("info", "--log-dir", "CLOSED/it"),
    ],
)
def test_what_the_user_named_is_said_to_be_closed(command: tuple[str, ...], done: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    named = [part.replace("CLOSED", str(closed)).replace("RUN", str(done / "run")) for part in command]
    refused = subprocess.run([*without_privileges(), str(HPCREUSE), *named], capture_output=True, text=True)
    assert refused.returncode in (1, 2)
    (message,) = messages(refused.stderr)
    assert f"{closed}/it cannot be written (Permission denied)" in message


# Leftovers


def test_what_a_killed_job_left_is_no_hindrance(
    crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path
) -> None:
    stale = [
        tmp_path / "run" / "shards" / ".0.warc.gz-x-00000-000.h5.elsewhere-1.tmp",
        tmp_path / "run" / ".hpcreuse.lock",
        tmp_path / ".labels.h5.lock",
        tmp_path / ".result.lock",
        tmp_path / ".result.tmp" / "spool" / "shard-000000.h5",
        tmp_path / "run" / "counts" / "chunk" / "piece-00000.h5",
        tmp_path / "run" / "counts" / ".chunk.lock",
    ]
    copy_of(done, tmp_path, "run")
    shutil.rmtree(tmp_path / "run" / "counts")
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"hpcreuse hash, process 1 on elsewhere")
    for command in commands(crawl, tmp_path).values():
        hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed
    assert not any(path.exists() for path in stale if path.name.startswith("."))


def test_a_job_killed_right_at_its_start_leaves_a_folder_that_can_be_used(crawl: list[Path], tmp_path: Path) -> None:
    (tmp_path / "run" / "shards").mkdir(parents=True)
    (tmp_path / "run" / ".run.json.here-1.tmp").write_text("{")
    (tmp_path / "run" / ".hpcreuse.lock").touch()
    hpcreuse("hash", crawl[0], "--out", tmp_path / "run")
    assert len(rows(tmp_path / "run", "files")) == 150


# Two jobs at once


def test_a_second_hash_on_a_run_is_refused_and_the_first_is_not_disturbed(
    crawl: list[Path], tmp_path: Path, start: Callable
) -> None:
    big = large(tmp_path / "big.warc")
    first = start("hash", big, "--out", tmp_path / "run", *LITTLE, ranks=2).halt_when(lambda: shards(tmp_path / "run"))
    for extra in ((), ("--fresh",)):
        second = hpcreuse("hash", crawl[0], "--out", tmp_path / "run", *extra, ranks=2, check=False)
        assert second.returncode == 1
        (said,) = messages(second.stderr)
        assert "is being written by another job (hpcreuse hash, process " in said
        assert int(re.search(r"process (\d+) on", said)[1]) == first.pids[0]
    code, errors = first.end(60)
    assert code == 0, errors
    hpcreuse("hash", crawl[0], "--out", tmp_path / "run")
    assert len(rows(tmp_path / "run", "files")) == 2000 + 150


@pytest.mark.parametrize("verb", ["discover", "detect"])
def test_a_second_job_with_the_same_out_is_refused(
    verb: str, crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path, start: Callable
) -> None:
    copy_of(done, tmp_path, "run", "labels.h5")
    shutil.rmtree(tmp_path / "run" / "counts")
    chain = commands(crawl, tmp_path)
    lock = tmp_path / {"discover": ".labels.h5.lock", "detect": ".result.lock"}[verb]
    first = start(*chain[verb], ranks=3).halt_when(lambda: lock.exists() and lock.read_bytes())
    second = hpcreuse(*chain[verb], check=False)
    assert second.returncode == 1
    (said,) = messages(second.stderr)
    assert f"is being written by another job (hpcreuse {verb}, process {first.pids[0]} on" in said
    code, errors = first.end(60)
    assert code == 0, errors
    for name in list(chain)[list(chain).index(verb) :]:
        hpcreuse(*chain[name])
    assert all_tables(tmp_path) == undisturbed


# Ranks that fail


def spoil(shard: Path) -> None:
    """Cut the end off a shard: its header cannot be read any more."""
    os.truncate(shard, shard.stat().st_size // 2)


@pytest.mark.parametrize("verb", ["discover", "detect"])
def test_a_damaged_shard_ends_the_job_with_its_name_and_hash_makes_it_anew(
    verb: str, crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path
) -> None:
    copy_of(done, tmp_path, "run", "labels.h5")
    shutil.rmtree(tmp_path / "run" / "counts")
    broken = shards(tmp_path / "run")[3]
    spoil(broken)
    chain = commands(crawl, tmp_path)
    begin = time.monotonic()
    failed = hpcreuse(*chain[verb], ranks=3, check=False)
    assert time.monotonic() - begin < 2 * PATIENCE
    assert failed.returncode == 1
    (said,) = messages(failed.stderr)
    assert str(broken) in said
    for command in chain.values():
        hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed


@pytest.mark.parametrize("verb", ["discover", "detect"])
def test_shards_that_vanish_during_the_run_end_it_with_a_message(
    verb: str, crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path, start: Callable
) -> None:
    copy_of(done, tmp_path, "run", "labels.h5")
    shutil.rmtree(tmp_path / "run" / "counts")
    chain = commands(crawl, tmp_path)
    lock = tmp_path / {"discover": ".labels.h5.lock", "detect": ".result.lock"}[verb]
    job = start(*chain[verb], ranks=3).halt_when(lock.exists)
    shutil.rmtree(tmp_path / "run" / "shards")
    code, errors = job.end()
    if code:
        assert code == 1
        assert 1 <= len(messages(errors)) <= 3 and "shards" in errors
    for command in chain.values():
        hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed


def test_a_shards_folder_that_vanishes_during_hash_is_filled_again(
    crawl: list[Path], done: Path, tmp_path: Path, start: Callable
) -> None:
    job = start(*commands(crawl, tmp_path)["hash"], ranks=2).halt_when(lambda: len(shards(tmp_path / "run")) > 1)
    shutil.rmtree(tmp_path / "run" / "shards", ignore_errors=True)
    code, errors = job.end(60)
    if code:
        assert code == 1 and 1 <= len(messages(errors)) <= 2
        hpcreuse(*commands(crawl, tmp_path)["hash"], ranks=2)
    for name in ("files", "chunks"):
        assert rows(tmp_path / "run", name) == rows(done / "run", name)


def test_a_scratch_folder_that_vanishes_during_detect_ends_the_job(
    crawl: list[Path], done: Path, undisturbed: list[list], tmp_path: Path, start: Callable
) -> None:
    copy_of(done, tmp_path, "run", "labels.h5")
    command = commands(crawl, tmp_path)["detect"]
    spool = tmp_path / ".result.tmp" / "spool"
    job = start(*command, ranks=3).halt_when(lambda: len(list(spool.glob("*.h5"))) > 3)
    shutil.rmtree(tmp_path / ".result.tmp", ignore_errors=True)
    code, errors = job.end()
    assert code == 1, errors
    assert 1 <= len(messages(errors)) <= 3
    assert not (tmp_path / "result").exists()
    hpcreuse(*command, ranks=2)
    assert all_tables(tmp_path) == undisturbed
