"""The browser to render pages in: where it is, and what goes wrong with it."""

import importlib.util
import os
import shutil

from hpcreuse.errors import HpcreuseError


class RenderError(HpcreuseError):
    """There is no browser to render pages in."""


class Unrendered(Exception):
    """A page that could not be rendered, and why."""


def chromium_path() -> str:
    """Find Chromium: what $HPCREUSE_CHROMIUM names, else the system's."""
    named = os.environ.get("HPCREUSE_CHROMIUM")
    found = shutil.which(named or "chromium")
    if found is None:
        what = f"$HPCREUSE_CHROMIUM names {named}, which is no program" if named else "there is no chromium here"
        raise RenderError(f"--render: {what}. Install it (Debian: scripts/install-chromium.sh), or name one there")
    if importlib.util.find_spec("playwright") is None:
        raise RenderError("--render needs Playwright: pip install 'hpcreuse[render]'")
    return found
