"""How a page becomes digests: the choices that labels and runs must share to be comparable."""

from dataclasses import asdict, dataclass, fields

DIGEST_WIDTHS = {"sha1": 20, "sha256": 32}


@dataclass(frozen=True)
class DigestOptions:
    """The digest options of METHODS.md steps 1-2, recorded in every output."""

    tags: tuple[str, ...] = ("p", "div")
    tag_ends: str = "authors"
    normalize: str = "none"
    mode: str = "raw"
    digest: str = "sha1"
    plain: str = "whole"

    @property
    def width(self) -> int:
        """Bytes of a digest."""
        return DIGEST_WIDTHS[self.digest]

    def record(self) -> dict[str, str]:
        """Give the options as text, the way they are written on the command line."""
        return {name: ",".join(v) if isinstance(v, tuple) else str(v) for name, v in asdict(self).items()}

    @classmethod
    def from_record(cls, record: dict[str, str]) -> "DigestOptions":
        """Read back what `record` gave."""
        known = {f.name for f in fields(cls)} - {"tags"}
        return cls(tags=tuple(record["tags"].split(",")), **{k: v for k, v in record.items() if k in known})

    def differences(self, other: "DigestOptions") -> str:
        """Name the options in which two differ, with both values; empty when none does."""
        mine, theirs = self.record(), other.record()
        return ", ".join(f"--{k.replace('_', '-')} {mine[k]} against {theirs[k]}" for k in mine if mine[k] != theirs[k])
