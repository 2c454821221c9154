"""Which part of the input is read: blocks of archives and folders, chosen by chance but from a seed.

Every block is as likely to be chosen as any other, so that totals follow from the sample by the share of bytes.
The choice depends on the input, the seed and the size of the sample, never on the number of ranks.
"""

import bisect
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from hpcreuse.crawl.partitions import Partition

# More blocks say more about the whole; each must hold some pages
BLOCKS = 64
SMALLEST_BLOCK, LARGEST_BLOCK = 64 << 10, 4 << 20
MOST_BLOCKS = 4096

# A member that ends within this many bytes shows that an archive is compressed record by record
_GLANCE = 1 << 20


@dataclass(frozen=True)
class Block:
    """A part of a partition to be read: a range, some names, all of it, or as many bytes of its head."""

    partition: Partition
    head: int | None = None


def block_bytes(sample_bytes: int) -> int:
    """Give the size of blocks for a sample of so many bytes."""
    return min(max(sample_bytes // BLOCKS, SMALLEST_BLOCK), LARGEST_BLOCK)


def choose(partitions: Sequence[Partition], sample_bytes: int, seed: int) -> list[Block]:
    """Choose blocks of about `sample_bytes` together; all of a smaller input, in whole partitions."""
    size = block_bytes(sample_bytes)
    if sum(p.bytes for p in partitions) <= sample_bytes:
        return [block for p in partitions for block in _blocks(p, size, range(_count(p, size)))]
    ends = list(accumulate(_count(p, size) for p in partitions))
    wanted: dict[int, list[int]] = {}
    taken = 0.0
    for number in random.Random(seed).sample(range(ends[-1]), min(ends[-1], MOST_BLOCKS)):
        place = bisect.bisect_right(ends, number)
        count = _count(partitions[place], size)
        wanted.setdefault(place, []).append(number - (ends[place] - count))
        taken += partitions[place].bytes / count
        if taken >= sample_bytes:
            break
    return [block for place, inside in sorted(wanted.items()) for block in _blocks(partitions[place], size, inside)]


def entered(blocks: Sequence[Block], enterable: dict[str, bool]) -> list[Block]:
    """Replace ranges of archives that turned out to be no ranges: one head of as many bytes for each archive."""
    found: dict[str, Block] = {}
    kept = []
    for block in blocks:
        source = block.partition.source
        if not block.partition.is_range or enterable[source]:
            kept.append(block)
        else:
            before = found[source].head if source in found else None
            found[source] = replace(block, head=(before or 0) + block.partition.bytes)
    return kept + list(found.values())


def is_enterable(path: str) -> bool:
    """Tell whether a gzip archive is compressed record by record: its first member ends soon and another follows."""
    try:
        with Path(path).open("rb") as file:
            rest = file.read(_GLANCE)
        member = zlib.decompressobj(wbits=31)
        while rest and not member.eof:
            member.decompress(rest, _GLANCE)
            rest = member.unconsumed_tail
        return member.eof and bool(member.unused_data)
    except (OSError, zlib.error):
        return False


def _count(partition: Partition, size: int) -> int:
    """Tell how many blocks a partition has."""
    count = partition.bytes // size if partition.bytes >= 2 * size else 1
    return min(count, len(partition.names)) if partition.names else count


def _blocks(partition: Partition, size: int, inside: Sequence[int]) -> list[Block]:
    """Give the blocks of a partition with these numbers."""
    count = _count(partition, size)
    if partition.names:
        names = partition.names
        return [
            Block(replace(partition, names=names[i * len(names) // count : (i + 1) * len(names) // count]))
            for i in sorted(inside)
        ]
    ranges = partition.ranges(size)
    if len(ranges) == count:
        return [Block(ranges[i]) for i in sorted(inside)]
    # It cannot be entered in the middle: all its blocks are taken from its head
    return [Block(partition, None if len(inside) == count else len(inside) * (partition.bytes // count))]
