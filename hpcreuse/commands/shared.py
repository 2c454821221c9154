"""Options that mean the same in all commands."""

import re
from dataclasses import dataclass

from hpcreuse.config import number, option, size
from hpcreuse.errors import UsageError

LEAST_MEMORY = 1 << 20


def tag_names(text: str) -> tuple[str, ...]:
    """Read tag names such as p,div."""
    names = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if not names or not all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in names):
        raise UsageError(f"'{text}' is not a list of tag names such as p,div")
    return tuple(dict.fromkeys(names))


def memory_size(text: str) -> int:
    """Read how much memory a rank may use."""
    if size(text) < LEAST_MEMORY:
        raise UsageError(f"{text} is too little: give at least 1M")
    return size(text)


def seconds(text: str) -> float:
    """Read a time span."""
    if number(text) < 0:
        raise UsageError(f"'{text}' is not a number of seconds")
    return number(text)


@dataclass(frozen=True)
class SharedOptions:
    """What every verb takes."""

    config: str | None = option("settings in TOML (default: ./hpcreuse.toml if there)", None, metavar="FILE")
    memory: int | None = option(
        "memory per rank, e.g. 512M or 2G (default: a share of what Slurm, the cgroup or the node gives)",
        None,
        metavar="SIZE",
        convert=memory_size,
    )
    json: bool = option("print one summary object on stdout and nothing else there", False)
    progress: float = option("seconds between progress lines, 0 for none", 10.0, metavar="SECONDS", convert=seconds)
    verbose: bool = option("say more", False, flag="-v")
    quiet: bool = option("say only what went wrong", False, flag="-q")
    log_dir: str | None = option("write a log file per rank there", None, metavar="DIR")
    strict: bool = option("exit with 3 when records were quarantined", False)
    fresh: bool = option("throw away what an earlier run of this command left, instead of going on", False)


@dataclass(frozen=True)
class DigestFields:
    """How pages become digests; labels and runs must agree in these."""

    tags: tuple[str, ...] = option(
        "tags that start a chunk", "p,div", metavar="TAGS", convert=tag_names, section="digest"
    )
    tag_ends: str = option(
        "what ends a tag name: the authors' matcher, or all that HTML allows",
        "authors",
        choices=("authors", "html"),
        section="digest",
    )
    normalize: str = option(
        "whitespace of a chunk before hashing", "none", choices=("none", "whitespace"), section="digest"
    )
    mode: str = option(
        "chunk the bytes as they are, or the serialised DOM", "raw", choices=("raw", "dom"), section="digest"
    )
    digest: str = option("the hash", "sha1", choices=("sha1", "sha256"), section="digest")
    plain: str = option(
        "how text without markup is cut", "whole", choices=("whole", "line", "paragraph"), section="digest"
    )
