"""These tests bring up a Slurm of their own, as root: they run when this folder is named, as `make test-slurm` does."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, missing_programs

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    return None if any(path == HERE or HERE in path.parents for path in asked) else True


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if missing := missing_programs():
        pytest.fail(f"{', '.join(missing)} not installed: run scripts/install-slurm.sh")
    if os.getuid() != 0:
        pytest.fail("slurmd starts jobs of users, and so needs root: run `sudo make test-slurm`")
    # Told to end, take the daemons along
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated"))
    with Cluster() as running:
        yield running
