"""Signals that ask to stop: one is enough, and any number of them does no harm."""

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from archives import write_warc
from command import HPCREUSE, hpcreuse


def test_signals_up_to_the_very_end_do_not_hide_the_exit_code(tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "a.warc", [(f"http://a.org/{n}", b"<p>x" * 50) for n in range(2000)])
    line = [HPCREUSE, "hash", crawl, "--out", tmp_path / "run"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        end = time.monotonic() + 60
        # Its lock is the first thing that it makes, after it began to listen
        while not (tmp_path / "run" / ".hpcreuse.lock").exists() and time.monotonic() < end:
            time.sleep(0.001)
        while job.poll() is None and time.monotonic() < end:
            job.send_signal(signal.SIGUSR1)
            job.send_signal(signal.SIGTERM)
            time.sleep(0.001)
        if job.poll() is None:
            job.kill()
        _, errors = job.communicate()
    assert job.returncode == 75, errors
    assert errors.count("stopped on") == 1, errors


@pytest.mark.parametrize("verb", ["hash", "discover"])
def test_a_warning_while_the_command_starts_stops_it_cleanly(verb: str, tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "a.warc", [("http://a.org/", b"<p>x")])
    hpcreuse("hash", crawl, "--out", tmp_path / "run")
    line = {"hash": ["hash", crawl, "--fresh"], "discover": ["discover", tmp_path / "run", "--top", "1"]}[verb]
    out = tmp_path / {"hash": "run", "discover": "labels.h5"}[verb]
    with subprocess.Popen([HPCREUSE, *line, "--out", out], stderr=subprocess.PIPE, text=True) as job:
        end = time.monotonic() + 60
        while not takes(job.pid, signal.SIGUSR1) and job.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)
        job.send_signal(signal.SIGUSR1)
        mapped = Path(f"/proc/{job.pid}/maps").read_text()
        _, errors = job.communicate(timeout=60)
    assert "libmpi" not in mapped, "it must listen before it loads MPI, which takes long"
    assert job.returncode == 75, errors
    assert errors.count("stopped on SIGUSR1") == 1, errors


def takes(pid: int, number: signal.Signals) -> bool:
    """Tell whether a process does something of its own on a signal."""
    found = re.search(r"^SigCgt:\s*([0-9a-f]+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(found and int(found[1], 16) >> (number - 1) & 1)
