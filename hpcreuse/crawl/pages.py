"""What every reader gives: pages, and a ledger of what did not become a page."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Page(NamedTuple):
    """One file of the crawl, its transfer and content encodings removed."""

    url: str
    payload: bytes
    content_type: str
    """The declared type as it stands in the header, parameters and all; empty when there is none."""
    archive: str
    """Absolute path of the archive; members of a container follow after `!`."""
    offset: int
    """Where the record starts in the archive (compressed, where records are compressed one by one)."""
    ip: str = ""
    plain: bool = False
    """True for text that never had markup (WET, JSON lines `text`, .txt): `--plain` decides its chunks."""


class Quarantined(NamedTuple):
    """A place in the input that could not be read, with the reason in words."""

    archive: str
    offset: int
    url: str
    reason: str


@dataclass(frozen=True)
class Limits:
    """What a reader refuses to take in."""

    max_payload: int = 64 << 20
    max_components: int = 96
    max_repeats: int = 3
    max_run_repeats: int = 2


@dataclass
class Ledger:
    """Accounts for everything in the input that is not a page: nothing is lost silently."""

    skipped: Counter[str] = field(default_factory=Counter)
    quarantined: list[Quarantined] = field(default_factory=list)
    begin: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    """Where in its source what was read begins and ends: of a range of an archive, the records at its borders."""

    def skip(self, kind: str) -> None:
        """Count a record that is not a file by definition (a request, a revisit, a dns look-up ...)."""
        self.skipped[kind] += 1

    def quarantine(self, archive: str, offset: int, url: str, reason: str) -> None:
        """List something that should have been a page and could not be read."""
        self.quarantined.append(Quarantined(archive, offset, url, reason))
