"""What tests share: real data when it is there, and commands run as users run them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import hpcreuse
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long a case takes depends on who else uses the machine
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

# A shell that starts tests in the background lets them, and all they start, ignore Ctrl-C
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def webkb_text(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all pages of webkb1997 with their words, hashed once for all tests that only read it."""
    out = tmp_path_factory.mktemp("webkb") / "run"
    hpcreuse("hash", shared_data / "crawl" / "webkb1997.warc.gz", "--text", "--out", out, ranks=2)
    return out


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """A real Chromium, started once; `browser.visiting` opens windows in it."""
    from browser import chromium

    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; CI must have it."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED} is missing, and CI must not skip the tests on real data")
        pytest.skip(f"real data is not here: {SHARED}")
    return SHARED
