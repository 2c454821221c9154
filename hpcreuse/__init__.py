"""hpcreuse: copied content in web crawls, found exactly and in parallel."""

import importlib
from typing import TYPE_CHECKING, Any

from hpcreuse.version import __version__

if TYPE_CHECKING:
    from hpcreuse.access.opening import open_any as open
    from hpcreuse.access.opening import open_labels, open_result, open_run
    from hpcreuse.checking.label_set import LabelSet

__all__ = ["LabelSet", "__version__", "open", "open_labels", "open_result", "open_run"]

# Where each name comes from
_PLACES = {
    "LabelSet": ("hpcreuse.checking.label_set", "LabelSet"),
    "open": ("hpcreuse.access.opening", "open_any"),
    "open_labels": ("hpcreuse.access.opening", "open_labels"),
    "open_result": ("hpcreuse.access.opening", "open_result"),
    "open_run": ("hpcreuse.access.opening", "open_run"),
}


def __getattr__(name: str) -> Any:
    """Import what crawlers and notebooks use when they ask for it: commands that need none of it start faster."""
    if name in _PLACES:
        module, member = _PLACES[name]
        return getattr(importlib.import_module(module), member)
    raise AttributeError(f"module 'hpcreuse' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
