"""Inputs of which nothing could be read: they are in quarantine, and the person at the terminal is told at once."""

import logging

from hpcreuse.crawl.pages import Ledger
from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.tree import CANNOT_OPEN
from hpcreuse.errors import CrawlError
from hpcreuse.store.run import ShardInfo

log = logging.getLogger(__name__)

# Ends the identity of a shard that lacks something which may be readable next time: the next job makes it anew
UNREAD = "-unread"

MOST_WARNINGS = 10


class Warnings:
    """Warns of inputs that gave nothing: of so many on each rank, since a crawl may have thousands of them."""

    def __init__(self) -> None:
        self.left = MOST_WARNINGS

    def tell(self, partition: Partition, ledger: Ledger, files: int) -> None:
        """Warn of what could not be opened, and of an archive in which there was nothing."""
        closed = [entry for entry in ledger.quarantined if entry.reason.startswith(CANNOT_OPEN)]
        nothing = not files and not partition.names and not ledger.skipped and len(ledger.quarantined) == 1
        told = closed or (ledger.quarantined if nothing else [])
        if not told or not self.left:
            return
        self.left -= 1
        more = f", and {len(told) - 1:,} more files" if len(told) > 1 else ""
        rest = "" if self.left else "; further inputs like this are only listed by `hpcreuse export RUN quarantine`"
        log.warning("nothing was read of %s (%s)%s%s", told[0].archive, told[0].reason, more, rest)


def could_not_open(ledger: Ledger) -> bool:
    """Tell whether something was not read for want of a permission: the same command again must try again."""
    return any(entry.reason.startswith(CANNOT_OPEN) for entry in ledger.quarantined)


def must_have_opened(shards: list[ShardInfo]) -> None:
    """Raise CrawlError when not one input could be opened."""
    if shards and all(
        shard.identity.endswith(UNREAD) and not shard.files and not shard.header["skipped"] for shard in shards
    ):
        names = sorted({shard.source for shard in shards})
        few = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
        raise CrawlError(f"none of the input could be opened: {few}. Mend that, then run the same command again")
