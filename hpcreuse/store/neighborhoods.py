"""One neighborhood of a result, and where the URLs below it lie."""

from dataclasses import dataclass

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.store.result import NeighborhoodRows


@dataclass(frozen=True)
class Neighborhood:
    """A neighborhood of a result."""

    prefix: bytes
    files: int
    chunks: int
    bad: int
    badness: float
    target: bool

    @classmethod
    def at(cls, rows: NeighborhoodRows, place: int, bar: int) -> "Neighborhood":
        """Take one of many.

        Args:
            bar: the threshold, as results compare it.
        """
        return cls(
            rows.prefix[place],
            int(rows.files[place]),
            int(rows.chunks[place]),
            int(rows.bad[place]),
            float(rows.badness[place]),
            bool(to_fixed(rows.badness[place]) > bar),
        )

    @property
    def depth(self) -> int:
        """Its path length."""
        return self.prefix.count(b"/")

    def is_nested(self, other: "Neighborhood") -> bool:
        """Tell whether one of the two lies within the other."""
        return self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)


def urls_below(prefix: bytes) -> list[tuple[bytes, bytes]]:
    """Give the ranges, low to but not with high, in which the URLs of a neighborhood lie among sorted ones."""
    # The slash that ends a prefix, raised by one, is above all that begins with it
    return [(scheme + prefix, scheme + prefix[:-1] + b"0") for scheme in (b"http://", b"https://")]
