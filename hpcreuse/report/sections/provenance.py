"""Provenance: what each part of the report was made from, by which command and options, and with what the report."""

import platform
from collections.abc import Sequence

from hpcreuse.report.blocks import FactsBlock, Section
from hpcreuse.report.given import Given
from hpcreuse.report.wording import plainly
from hpcreuse.store.run import Run
from hpcreuse.version import __version__

LIBRARIES = ("numpy", "h5py", "mpi4py", "matplotlib", "jinja2")

# So many inputs of a run are named
NAMED = 20


def section(given: Sequence[Given], command: str) -> Section:
    """Describe all that was given, and the report itself."""
    from importlib.metadata import version

    part = Section("provenance", "Provenance", "What this report was made from, by which commands and options.")
    for one in given:
        part.blocks.append(FactsBlock(facts(one), f"{one.kind}: {one.path}", folded=True))
    own = [
        ("command", command),
        ("hpcreuse", __version__),
        ("Python", platform.python_version()),
        *((library, version(library)) for library in LIBRARIES),
    ]
    part.blocks.append(FactsBlock(own, "this report", folded=True))
    return part


def facts(one: Given) -> list[tuple[str, str]]:
    """Say what something was made from, and how."""
    pairs = [("creator", one.record.get("creator", "-"))]
    pairs += [("command", job["command"]) for job in one.jobs]
    options = one.header or {k: v for k, v in one.record.items() if k in ("digest_options", "text", "options", "study")}
    pairs += [(name.replace("_", " "), plainly(value)) for name, value in options.items() if name != "labels_header"]
    if one.kind == "run":
        sources = sorted(set((Run.open(one.path).recorded_shards() or {}).values()))
        more = [f"and {len(sources) - NAMED:,} more"] if len(sources) > NAMED else []
        pairs.append(("inputs", ", ".join([*sources[:NAMED], *more])))
    return pairs
