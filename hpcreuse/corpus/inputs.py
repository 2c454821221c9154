"""What is given as a crawl must be one, not what this program made of another."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hpcreuse.errors import StoreError, UsageError
from hpcreuse.store.tables import tables_of


def must_be_crawls(inputs: Sequence[str]) -> None:
    """Refuse runs, labels and results as input: most likely arguments are swapped."""
    for name in inputs:
        kind = ""
        with suppress(StoreError, OSError, ValueError):
            kind, _ = tables_of(Path(name))
        if kind:
            raise UsageError(f"{name} is a {kind} made by hpcreuse, not a crawl: give archives or folders of pages")
