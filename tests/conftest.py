"""What tests share: real data when it is there, and commands run as users run them."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long a case takes depends on who else uses the machine
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; CI must have it."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED} is missing, and CI must not skip the tests on real data")
        pytest.skip(f"real data is not here: {SHARED}")
    return SHARED
