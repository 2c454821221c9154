"""hpcreuse: copied content in web crawls, found exactly and in parallel."""

import importlib
from typing import TYPE_CHECKING, Any

from hpcreuse.version import __version__

if TYPE_CHECKING:
    from hpcreuse.checking.label_set import LabelSet

__all__ = ["LabelSet", "__version__"]


def __getattr__(name: str) -> Any:
    """Import what crawlers use when they ask for it: commands that need none of it start faster."""
    if name == "LabelSet":
        return importlib.import_module("hpcreuse.checking.label_set").LabelSet
    raise AttributeError(f"module 'hpcreuse' has no attribute '{name}'")
