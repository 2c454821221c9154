"""Submit the scripts of slurm/ as a user would, from a folder with hpcreuse.toml, and look at what comes out."""

import random
from dataclasses import dataclass
from pathlib import Path

from archives import write_warc
from cluster import Cluster
from command import HPCREUSE, hpcreuse
from mpi import YIELD

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
    body = [b"<p>%d %s</p>" % (n, b"word " * (n % 17)) for n in range(300)]
    urls = [f"http://s{choose.randrange(40)}.e000.org/{n}.html" for n in range(pages)]
    first = write_warc(folder / "000.warc", [(url, b"".join(choose.choices(body, k=60))) for url in urls])
    data = first.read_bytes()
    for number in range(1, archives):
        (folder / f"{number:03d}.warc").write_bytes(data.replace(b".e000.org", b".e%03d.org" % number))
    return folder


def work_folder(folder: Path, crawl: Path, threshold: int = 360) -> Path:
    """Prepare a folder to submit from."""
    (folder / "hpcreuse.toml").write_text(SETTINGS.format(crawl=crawl, threshold=threshold))
    return folder


def tables(folder: Path, names: tuple[tuple[str, str], ...] = TABLES) -> dict[tuple[str, str], str]:
    """Export tables."""
    return {(path, name): hpcreuse("export", folder / path, name).stdout for path, name in names}


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

    def wait_for(self, *states: str) -> None:
        """Wait until it is in one of some states."""
        try:
            self.cluster.wait(lambda: self.state in states, SECONDS, f"job {self.number} is {states}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n== job\n{self.output}") from None

    def finish(self) -> "Job":
        """Wait until it has succeeded."""
        self.wait_for("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        assert self.state == "COMPLETED", f"{self.state} {self.exit_code}\n{self.output}"
        return self

    def wait_for_shard(self, out: str = "run") -> None:
        """Wait until it has begun to write, but is far from done."""
        shards = self.folder / out / "shards"
        self.cluster.wait(lambda: any(shards.glob("[!.]*.h5")), SECONDS, f"job {self.number} wrote a shard")
        assert self.state == "RUNNING", self.output


def submit(
    cluster: Cluster, folder: Path, *command: str, env: dict[str, str] | None = None, nodes: int | None = 2
) -> Job:
    """Submit a script of slurm/ with its arguments, by default to both nodes."""
    options = [] if nodes is None else [f"--nodes={nodes}"]
    line = ["sbatch", "--parsable", *options, SCRIPTS / command[0], *command[1:]]
    return Job(cluster, folder, cluster.run(*line, cwd=folder, env=environment(env)).strip())


def environment(more: dict[str, str] | None) -> dict[str, str]:
    """Give what a user's profile would set; there are more ranks than cores here."""
    return {**YIELD, "HPCREUSE_VENV": str(HPCREUSE.parents[1]), **(more or {})}
