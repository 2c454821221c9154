"""Submit the scripts of slurm/ as a user would, from a folder with hpcreuse.toml, and look at what comes out."""

import io
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from archives import write_warc
from cluster import Cluster
from command import HPCREUSE
from mpi import PROGRAMS, YIELD

from hpcreuse.store.tables import find_table
from hpcreuse.store.writers import WRITERS

SCRIPTS = Path(__file__).parents[2] / "slurm"
SECONDS = 180
"""The most that a job may take: the machine may be busy."""

SETTINGS = """\
[hash]
inputs = ["{crawl}/*.warc"]
out = "run"

[discover]
run = "run"
threshold = {threshold}
out = "labels.h5"

[detect]
run = "run"
labels = "labels.h5"
out = "result"
"""

# A job that is to be requeued passes through none of these
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL")

RUN_TABLES = (("run", "files"), ("run", "chunks"), ("run", "quarantine"))
TABLES = (
    *RUN_TABLES,
    ("labels.h5", "labels"),
    ("labels.h5", "histogram"),
    ("result", "files"),
    ("result", "matches"),
    ("result", "neighborhoods"),
    ("result", "summary"),
)


def make_crawl(folder: Path, archives: int, pages: int) -> Path:
    """Write archives with the same text on different sites; plain copies of one, so that many are made quickly."""
    choose = random.Random(archives)
    words = [bytes(choose.choices(b"abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(400)]
    body = [b"<p>%d %s</p>" % (n, b" ".join(choose.choices(words, k=n % 17))) for n in range(300)]
    urls = [f"http://s{choose.randrange(40)}.e000.org/{n}.html" for n in range(pages)]
    # Most pages have chunks of their own, others are mere copies: those are the targets
    own = [b"".join(b"<p>only on e000 %d %d</p>" % (n, i) for i in range(10 if n % 8 else 0)) for n in range(pages)]
    texts = [each + b"".join(choose.choices(body, k=60)) for each in own]
    first = write_warc(folder / "000.warc", list(zip(urls, texts, strict=True)))
    data = first.read_bytes()
    for number in range(1, archives):
        (folder / f"{number:03d}.warc").write_bytes(data.replace(b"e000", b"e%03d" % number))
    return folder


def work_folder(folder: Path, crawl: Path, threshold: int = 360) -> Path:
    """Prepare a folder to submit from."""
    (folder / "hpcreuse.toml").write_text(SETTINGS.format(crawl=crawl, threshold=threshold))
    return folder


def tables(folder: Path, names: tuple[tuple[str, str], ...] = TABLES) -> dict[tuple[str, str], bytes]:
    """Export tables."""
    return {(path, name): exported(folder / path, name) for path, name in names}


def exported(path: Path, name: str) -> bytes:
    """Give a table as `hpcreuse export` writes it."""
    table, out = find_table(path, name), io.BytesIO()
    WRITERS["jsonl"](table.columns, table.rows(path), out)
    return out.getvalue()


@dataclass(frozen=True)
class Job:
    """A job that was submitted from a folder."""

    cluster: Cluster
    folder: Path
    number: str

    @property
    def state(self) -> str:
        """The state that Slurm gives it."""
        return self.cluster.field(self.number, "JobState")

    @property
    def restarts(self) -> int:
        """How often it was requeued."""
        return int(self.cluster.field(self.number, "Restarts"))

    @property
    def exit_code(self) -> str:
        """Its exit code and signal, as in 75:0."""
        return self.cluster.field(self.number, "ExitCode")

    @property
    def output(self) -> str:
        """All that it printed."""
        return "\n".join(path.read_text() for path in self.folder.glob(f"*-{self.number}*.out"))

    def wait_for(self, wanted: str) -> "Job":
        """Wait until it has ended, which must be in this way."""
        self.wait(lambda: self.state in ENDED, f"job {self.number} ends")
        assert self.state == wanted, f"{self.state} {self.exit_code}\n{self.output}\n{self.cluster.logs()}"
        return self

    def finish(self) -> "Job":
        """Wait until it has succeeded."""
        return self.wait_for("COMPLETED")

    def wait_until_halted(self) -> None:
        """Wait until one of its ranks has halted in the middle of its work, as `halting` says."""
        halted = self.folder / f"halted-{self.cluster.field(self.number, 'JobId')}"
        self.wait(lambda: halted.exists() or self.state in ENDED, f"job {self.number} has a rank that halts")
        assert halted.exists(), f"{self.state} before it could halt\n{self.output}"

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something holds; when it never does, show what there is to see."""
        try:
            self.cluster.wait(condition, SECONDS, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n== output of job {self.number}\n{self.output}") from None


def halting(folder: Path, verb: str = "hash") -> dict[str, str]:
    """Give what has the last rank, which is on the last node, halt in the middle of its work until it is told to stop,
    however fast or busy the machine is. The same job started again runs through.
    """
    (folder / "halt").touch()
    # A partition that is read can still be dropped; one that is about to be written is not
    point = "halt:read" if verb == "hash" else "halt:write"
    return {"HPCREUSE_COMMAND": f"{sys.executable} {PROGRAMS / 'dying.py'} {point} -1"}


def submit(
    cluster: Cluster,
    folder: Path,
    *command: str,
    env: dict[str, str] | None = None,
    nodes: int | None = 2,
    options: tuple[str, ...] = (),
) -> Job:
    """Submit a script of slurm/ with its arguments, by default to both nodes."""
    where = [] if nodes is None else [f"--nodes={nodes}"]
    line = ["sbatch", "--parsable", *where, *options, SCRIPTS / command[0], *command[1:]]
    return Job(cluster, folder, cluster.run(*line, cwd=folder, env=environment(env)).strip())


def environment(more: dict[str, str] | None) -> dict[str, str]:
    """Give what a user's profile would set; there are more ranks than cores here."""
    return {**YIELD, "HPCREUSE_VENV": str(HPCREUSE.parents[1]), **(more or {})}
