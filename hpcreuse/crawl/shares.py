"""Archives cut into ranges, so that all ranks have work and end at about the same time."""

from collections.abc import Collection, Sequence

from hpcreuse.crawl.partitions import Partition

# A range costs a shard: some milliseconds, and a file on disk
SMALLEST_RANGE, LARGEST_RANGE = 4 << 20, 2 << 30


def share_out(
    partitions: Sequence[Partition], ranks: int, total_bytes: int, whole: Collection[str] = ()
) -> list[Partition]:
    """Cut large archives into ranges and order everything as it should be handed out, the largest first.

    A range is half of what a rank has to do; of those that are handed out last, one for each rank, an eighth.

    Args:
        total_bytes: of all there is to do; more than the partitions have when they stand for a larger crawl.
        whole: sources that must not be cut.
    """
    pieces = list(partitions)
    if ranks > 1:
        size = min(max(total_bytes // (2 * ranks), SMALLEST_RANGE), LARGEST_RANGE)
        pieces = _largest_first(_cut(pieces, size, whole))
        last = ranks * sum(p.bytes for p in partitions) // max(1, total_bytes)
        border = max(0, len(pieces) - last)
        pieces = pieces[:border] + _cut(pieces[border:], max(size // 4, SMALLEST_RANGE), whole)
    return _largest_first(pieces)


def _cut(partitions: Sequence[Partition], size: int, whole: Collection[str]) -> list[Partition]:
    return [piece for p in partitions for piece in ([p] if p.source in whole else p.ranges(size))]


def _largest_first(partitions: Sequence[Partition]) -> list[Partition]:
    return sorted(partitions, key=lambda p: (-p.bytes, p.source, p.number))
