"""Archives are cut into ranges that keep all ranks busy and cover every byte once."""

from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.crawl.partitions import Partition
from hpcreuse.crawl.shares import SMALLEST_RANGE, share_out

MB = 1 << 20


def archive(number: int, size: int, name: str = "a.warc.gz") -> Partition:
    return Partition(f"/{number}-{name}", (), 0, size, "", "", stop=size)


@given(
    st.lists(st.tuples(st.integers(0, 3000 * MB), st.sampled_from(["a.warc.gz", "a.warc", "a.zip"])), max_size=8),
    st.integers(1, 600),
    st.integers(1, 4),
)
def test_ranges_cover_every_archive_once(sizes: list[tuple[int, str]], ranks: int, scale: int) -> None:
    whole = [archive(number, size, name) for number, (size, name) in enumerate(sizes)]
    pieces = share_out(whole, ranks, scale * sum(size for size, _ in sizes), {"/0-a.warc.gz"})
    assert [p.bytes for p in pieces] == sorted((p.bytes for p in pieces), reverse=True)
    for partition in whole:
        mine = sorted((p for p in pieces if p.source == partition.source), key=lambda p: p.number)
        assert [p.number for p in mine] == [0, *(p.stop for p in mine[:-1])]
        assert mine[-1].stop == partition.bytes and [p.final for p in mine] == [False] * (len(mine) - 1) + [True]
        assert len(mine) == 1 or min(p.bytes for p in mine) >= SMALLEST_RANGE
        if ranks == 1 or partition.source == "/0-a.warc.gz" or not partition.source.endswith(".warc.gz"):
            assert mine == [partition]


@given(st.integers(64 * MB, 100_000 * MB), st.sampled_from([2, 3, 5, 16]))
def test_one_archive_keeps_equal_ranks_equally_busy(size: int, ranks: int) -> None:
    """Handed out one after the other to whoever is free, the ranges end within an eighth of a rank's share."""
    if size < 8 * ranks * SMALLEST_RANGE:
        size = 8 * ranks * SMALLEST_RANGE
    loads = [0] * ranks
    for piece in share_out([archive(0, size)], ranks, size):
        loads[loads.index(min(loads))] += piece.bytes
    assert max(loads) - min(loads) <= size // (8 * ranks) + ranks
