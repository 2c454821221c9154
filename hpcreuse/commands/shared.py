"""Options that mean the same in all commands."""

from dataclasses import dataclass

from hpcreuse.config import number, option, size, whole_number
from hpcreuse.digest_fields import DigestFields
from hpcreuse.errors import UsageError

__all__ = ["DigestFields", "ReadFields", "SharedOptions"]

LEAST_MEMORY = 1 << 20


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
class ReadFields:
    """How input is read: names of pages, and what is left out."""

    url_prefix: str | None = option("URL of folders, tars and zips instead of http://NAME/", None, metavar="URL")
    max_payload: int = option("quarantine larger payloads", "64M", metavar="SIZE", convert=size)
    max_components: int = option("drop URLs with more path components", 96, metavar="N", convert=whole_number)
    max_repeats: int = option(
        "drop URLs in which a path component occurs more often", 3, metavar="N", convert=whole_number
    )
    max_run_repeats: int = option(
        "drop URLs in which a run of components repeats more often", 2, metavar="N", convert=whole_number
    )
