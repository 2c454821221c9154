"""What every study is told beside its own options."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """How to run: the shared options as far as they concern a study."""

    memory: int
    """Bytes a rank may use."""
    progress_seconds: float
    fresh: bool
