"""What the kernel lets this process use: the limits of its control group and of every group around it."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def memory_limits(
    membership: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> Iterator[int]:
    """Give the limits on memory in bytes that are set, of version 1 and 2 of control groups.

    A group inside a container may be named as seen from outside: what is not there is left out, but the groups
    above it are looked at, up to the mounted one.
    """
    try:
        lines = membership.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        lines = []
    # HIERARCHY:CONTROLLERS:PATH; version 2 is hierarchy 0 and names no controllers
    for hierarchy, controllers, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if hierarchy == "0" and not controllers:
            yield from _limits(mounted, path, "memory.max")
            yield from _limits(mounted / "unified", path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits(mounted / "memory", path, "memory.limit_in_bytes")


def _limits(base: Path, path: str, name: str) -> Iterator[int]:
    """Give the limits of a group and of all above it, as far as they are numbers."""
    group = PurePosixPath(path.lstrip("/"))
    for folder in (group, *group.parents):
        try:
            text = (base / folder / name).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            continue
        if text.isascii() and text.isdigit():
            yield int(text)
