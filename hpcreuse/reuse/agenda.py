"""What is left to hash: the input less what the run's shards already cover. Lives on rank 0.

Large archives are cut into ranges when there are too few archives to keep all ranks busy; how depends on the
number of ranks, so what an earlier job did with others is kept and only the gaps are filled.
"""

import logging
from collections.abc import Sequence

from hpcreuse.crawl.pages import Limits
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.crawl.shares import share_out
from hpcreuse.errors import CrawlError
from hpcreuse.reuse.unread import UNREAD
from hpcreuse.store.run import ShardInfo, is_chain, is_whole, partitions_of

log = logging.getLogger(__name__)

Key = tuple[str, int]


class Agenda:
    """The partitions still to hash, the largest first."""

    def __init__(self, inputs: Sequence[str], url_prefix: str | None, limits: Limits, ranks: int):
        self.planned = plan(inputs, url_prefix)
        if not self.planned:
            raise CrawlError(f"there is no file in {', '.join(inputs)}: nothing to hash")
        self.sources: dict[str, list[Partition]] = {}
        for partition in self.planned:
            self.sources.setdefault(partition.source, []).append(partition)
        self.limits = limits
        self.ranks = ranks
        self.todo: list[Partition] = []
        self.hashed: set[Key] = set()
        self.unsplittable: set[str] = set()
        self.changed: set[str] = set()

    def fill(self, shards: list[ShardInfo]) -> tuple[int, int, int]:
        """Find out what is to do; give how many partitions, how many bytes, and how many are done.

        Shards that are not whole, or no longer fit their input, are removed.
        """
        kept: dict[str, list[ShardInfo]] = {}
        for (source, _), parts in partitions_of(shards).items():
            if is_whole(parts) and (source not in self.sources or self._fits(parts[-1])):
                kept.setdefault(source, []).append(parts[-1])
            else:
                _remove(parts)
        everything = partitions_of(shards)
        todo: list[Partition] = []
        for source, partitions in self.sources.items():
            have = kept.get(source, [])
            todo += self._missing(partitions, have)
            if not todo or todo[-1].source != source:
                if is_chain(have):
                    continue
                # Ranges that do not meet: some bytes inside a page look like a record. One rank reads it all.
                log.info("%s cannot be cut into ranges: it is read as a whole", source)
                self.unsplittable.add(source)
                for shard in have:
                    _remove(everything[source, shard.number])
                    self.hashed.discard((source, shard.number))
                todo += partitions
        self.todo = share_out(todo, self.ranks, sum(p.bytes for p in todo), self.unsplittable)
        done = sum(len(kept.get(source, [])) for source in self.sources)
        self.hashed |= {(p.source, p.number) for p in self.todo}
        return len(self.todo), sum(p.bytes for p in self.todo), done

    def give_up(self, sources: set[str]) -> None:
        """Leave out sources that changed while they were read: the plan does not fit them any more."""
        self.changed |= sources
        for source in sources:
            self.sources.pop(source, None)
        self.hashed = {(source, number) for source, number in self.hashed if source not in sources}

    def must_be_read(self) -> None:
        """Raise CrawlError when a source was given up."""
        if self.changed:
            names = sorted(self.changed)
            few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            raise CrawlError(
                f"not hashed, since changed or removed while being read: {few}. "
                "All else is hashed; when they are at rest run the same command again"
            )

    def _fits(self, shard: ShardInfo) -> bool:
        """Tell whether a shard was made of the input as it is now, read in the same way."""
        ours = (shard.source, shard.number) in self.hashed
        made_of = shard.identity.removesuffix(UNREAD) if ours else shard.identity
        return any(
            made_of == identity(partition, self.limits)
            for partition in self.sources[shard.source]
            if not partition.names or partition.number == shard.number
        )

    def _missing(self, partitions: list[Partition], have: list[ShardInfo]) -> list[Partition]:
        """Give what of a source no shard covers: slices of a folder, or ranges of an archive."""
        if partitions[0].names:
            numbers = {shard.number for shard in have}
            return [p for p in partitions if p.number not in numbers]
        if not have:
            return partitions
        (whole,) = partitions
        gaps, place = [], 0
        for shard in have:
            if shard.number > place:
                gaps.append(whole.between(place, shard.number))
            place = max(place, shard.stop)
        if place < whole.stop:
            gaps.append(whole.between(place, whole.stop))
        return gaps


def identity(partition: Partition, limits: Limits) -> str:
    """Identify what a shard was made of: its input, and how the input was read."""
    rules = "-".join(map(str, (limits.max_payload, limits.max_components, limits.max_repeats, limits.max_run_repeats)))
    return f"{partition.identity}-{rules}"


def _remove(parts: list[ShardInfo]) -> None:
    for shard in parts:
        shard.path.unlink(missing_ok=True)
