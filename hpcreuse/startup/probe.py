"""A program: starts a verb as the command `hpcreuse` does and counts what that asks of the file system.

    python -S -P probe.py OUT VERB [ARGUMENT...]

Run without `site` (-S), which it then loads itself: of what an environment does at the start nothing is missed.
Python's own imports are counted where they happen. What the dynamic loader opens is seen in the end, as memory that
it has mapped; places where it looks in vain are not seen. Nothing is imported before it counts.
"""

import sys

opened: set[str] = set()
counts = {"stats": 0, "listings": 0, "processes": 0}
EVENTS = {"os.listdir": "listings", "os.scandir": "listings", "subprocess.Popen": "processes"}


def note(event: str, arguments: tuple) -> None:
    """Take note of what Python says it is about to do."""
    if event == "open" and isinstance(arguments[0], str):
        opened.add(arguments[0])
    elif event in EVENTS:
        counts[EVENTS[event]] += 1


def count_stats() -> None:
    """Count how often imports ask for a file or folder: there is no event for it, but one function that all use."""
    external = sys.modules["_frozen_importlib_external"]
    ask = external._path_stat

    def counting(path: str) -> object:
        counts["stats"] += 1
        return ask(path)

    external._path_stat = counting  # type: ignore[attr-defined]


def start(words: list[str]) -> int:
    """Start the verb, from `site` to its end, and give its exit code."""
    import os
    import site

    # What the installed command has there
    sys.path.insert(0, os.path.dirname(sys.executable))  # noqa: PTH120
    site.main()
    from hpcreuse.cli import main

    sys.argv = ["hpcreuse", *words]
    try:
        return main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def mapped() -> set[str]:
    """List the libraries in the memory of this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if ".so" in line}


def main() -> None:
    """Count, and write what was counted."""
    out_path, words = sys.argv[1], sys.argv[2:]
    before = {str(module.__file__) for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
    sys.addaudithook(note)
    count_stats()
    code = start(words)
    modules = sorted(sys.modules)
    libraries = mapped()
    import json
    import os

    # Python speaks before it opens: what was not there, such as byte code never written, does not count
    opens = {path for path in opened if os.path.isfile(path)}  # noqa: PTH113
    kernel = ("/proc/", "/sys/", "/dev/")

    record = {
        "exit_code": code,
        "modules": modules,
        "files": sum(not path.startswith(kernel) for path in opens | libraries | before),
        "libraries": len(libraries),
        **counts,
    }
    with open(out_path, "w", encoding="utf-8") as out:
        json.dump(record, out)


if __name__ == "__main__":
    main()
