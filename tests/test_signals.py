"""Signals that ask to stop: one is enough, and any number of them does no harm."""

import signal
import subprocess
import time
from pathlib import Path

from archives import write_warc
from command import HPCREUSE


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
