"""A Slurm cluster of two nodes on this machine: munged, slurmctld and two slurmd, all below one temporary folder.

    python tests/slurm/cluster.py bash       a shell in which sbatch, srun and squeue talk to it
    python tests/slurm/cluster.py sbatch --wait slurm/hash.sh

Needs root and the Debian packages that scripts/install-slurm.sh installs; no systemd, nothing in /etc.
"""

import ctypes
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

PREFIX = "slurm-"
NODES = ("node1", "node2")
TASKS_PER_NODE = 2
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol")

CONFIG = """\
ClusterName=test
# What an earlier cluster's jobs have left on this machine may bear their numbers
FirstJobId={first_job}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmUser=root
AuthType=auth/munge
# Jobs that requeue start again after the credential has expired: two minutes, were it not for this
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
# PMIx would make the same folder in /tmp for both nodes
TmpFS={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
# A machine with systemd has cgroups for this, a container has not
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,sched_min_interval=100000
DefMemPerCPU=512
# More cores than the machine has
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
# A daemon of a busy machine may be slow to answer. After ten seconds, by default, its node would get no job until
# the next ping, which may be two minutes away
MessageTimeout=60
SlurmdTimeout=60
KillWait=5
MinJobAge=3600
MailProg=/bin/true
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node1_port} CPUs={cpus} RealMemory=4096
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={node2_port} CPUs={cpus} RealMemory=4096
PartitionName=test Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """A running cluster; a context manager that leaves no daemon behind."""

    def __init__(self) -> None:
        sweep()
        # Short, as sockets have names of at most 107 bytes
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self.daemons: list[subprocess.Popen[bytes]] = []
        self.env = {
            # What an outer job said of itself is not true of the jobs here
            **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "PMI", "HPCREUSE_"))},
            "SLURM_CONF": str(self.folder / "slurm.conf"),
        }

    def __enter__(self) -> "Cluster":
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.daemons:
            self._quietly("scancel", "--user=root")
            self._until(lambda: not self._quietly("squeue", "--noheader"), 20)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        # Steps of a slurmd that had to be killed
        clear(self.folder)

    def run(self, *command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
        """Run a command that knows the cluster and give what it printed."""
        line = [str(part) for part in command]
        environment = {**self.env, **(env or {})}
        try:
            done = subprocess.run(line, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{error}\n{self.logs()}") from None
        if done.returncode:
            raise AssertionError(f"{line} gave {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.logs()}")
        return done.stdout

    def field(self, job: str, name: str) -> str:
        """Give a field of a job's record, such as JobState."""
        found = re.search(rf"\b{name}=(\S*)", self.run("scontrol", "show", "job", "--oneliner", job))
        if not found:
            raise AssertionError(f"job {job} has no field {name}")
        return found[1]

    def wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until something holds; when it never does, show the logs."""
        if not self._until(lambda: condition() or bool(self._dead()), seconds) or self._dead():
            raise AssertionError(f"{what}: not within {seconds} s{self._dead()}\n{self.logs()}")

    def logs(self) -> str:
        """Give the ends of the daemons' logs, for the message of a test that failed."""
        tails = [f"== {path.name}\n" + path.read_text()[-2000:] for path in sorted(self.folder.glob("*.log"))]
        return "\n".join([self._quietly("squeue", "--long"), self._quietly("sinfo", "--long", "--Node"), *tails])

    def _dead(self) -> str:
        """Name daemons that have ended: then there is nothing more to wait for."""
        ended = [daemon for daemon in self.daemons if daemon.poll() is not None]
        return "".join(f", {daemon.args[0]} has ended with {daemon.returncode}" for daemon in ended)  # type: ignore[index]

    def _start(self) -> None:
        ports = free_ports(3)
        text = CONFIG.format(
            folder=self.folder,
            first_job=random.randrange(1, 1 << 20),
            host=socket.gethostname(),
            control_port=ports[0],
            node1_port=ports[1],
            node2_port=ports[2],
            cpus=TASKS_PER_NODE,
        )
        (self.folder / "slurm.conf").write_text(text)
        # Nothing here uses cgroups, but slurmd wants to know which; version 2 it would try to write to
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self.folder / "state").mkdir()
        self._start_munge()
        self._daemon("slurmctld", "-D", "-c")
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
            self._daemon("slurmd", "-D", "-N", node)
        self.wait(lambda: self._quietly("sinfo", "-h", "-o", "%T %D") == f"idle {len(NODES)}\n", 60, "nodes are idle")

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        files = {"key": key.name, "log": "munged.log", "pid": "munged.pid", "seed": "munge.seed"}
        options = [f"--{kind}-file={self.folder / name}" for kind, name in files.items()]
        address = self.folder / "munge.socket"
        self._daemon("munged", "--foreground", "--force", f"--socket={address}", *options)
        self.wait(address.exists, 20, "munged listens")

    def _daemon(self, *command: str) -> None:
        program = shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if program is None:
            raise FileNotFoundError(f"{command[0]} is not installed: run scripts/install-slurm.sh")
        with open(self.folder / "daemons.log", "ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    [program, *command[1:]],
                    env=self.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=die_with_parent,
                )
            )

    def _quietly(self, *command: str) -> str:
        try:
            return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=60).stdout
        except subprocess.TimeoutExpired as error:
            return f"{error}\n"

    @staticmethod
    def _until(condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True


def sweep() -> None:
    """End what is left of clusters whose owner was killed: their daemons end with it, their jobs do not."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            clear(folder)


def clear(folder: Path) -> None:
    """Kill all processes of the cluster in a folder and remove it."""
    mark = f"SLURM_CONF={folder / 'slurm.conf'}".encode()
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in environ.read_bytes().split(b"\0") and int(environ.parent.name) != os.getpid():
                os.kill(int(environ.parent.name), signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it ends, however that happens."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def free_ports(count: int) -> list[int]:
    """Find ports that nobody listens on, below those that the kernel gives to outgoing connections."""
    ports: list[int] = []
    while len(ports) < count:
        with socket.socket() as probe, suppress(OSError):
            port = random.randrange(10_000, 30_000)
            probe.bind(("127.0.0.1", port))
            if port not in ports:
                ports.append(port)
    return ports


def missing_programs() -> list[str]:
    """Name what is not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]


def main(command: Sequence[str]) -> int:
    """Run a command, or a shell, beside a cluster."""
    with Cluster() as cluster:
        print(f"cluster up: SLURM_CONF={cluster.env['SLURM_CONF']}", file=sys.stderr)
        return subprocess.run(list(command) or ["bash"], env=cluster.env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
