"""Are runs, labels and results whole and undamaged, and do they fit each other?

Rank 0 looks at which files there are, all ranks check them one by one, rank 0 puts together what that says.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse import facts, fitting
from hpcreuse.reuse.comparison import compare
from hpcreuse.reuse.facts import FileFindings, Findings
from hpcreuse.store import counts, labels, result, shard
from hpcreuse.store.checks import Checked, check_file
from hpcreuse.store.contents import Place, survey

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Item:
    """A file to check, and which of the places it belongs to."""

    place: int
    path: Path
    format: str
    bytes: int


def verify(world: World, paths: tuple[Path, ...]) -> dict[str, Any]:
    """Collective. Check all that lies at these paths, and how it fits together; give a summary."""
    phases = Phases()
    with phases("list"):
        places = world.on_root(lambda: [survey(path) for path in paths])
        items = [
            Item(number, path, format_name, size)
            for number, place in enumerate(places)
            for path, format_name, size in place.files
        ]
        # The largest first, dealt out in turn
        items.sort(key=lambda item: (-item.bytes, item.place, item.path))
    with phases("check"):
        found = world.map(lambda item: check_item(world, places, item), items)
        world.stop_if_asked()
    with phases("fit"):
        findings = [
            Findings(place, {item.path: f for f, item in zip(found, items, strict=True) if item.place == number})
            for number, place in enumerate(places)
        ]
        problems, notes = world.on_root(judge, findings)
    same: bool | None = None
    if len(places) == 2 and places[0].kind == places[1].kind != "":
        with phases("compare"):
            if problems:
                notes.append("not compared: mend what is wrong first")
            else:
                difference = compare(world, findings[0], findings[1])
                same = difference is None
                problems += [difference] if difference else []
    elif len(places) > 2 and len({place.kind for place in places}) == 1:
        notes.append("not compared: to compare, give two")
    return {
        "checked": len(items) + sum(len(place.records) for place in places),
        "bytes": sum(item.bytes for item in items),
        "paths": [{"path": str(place.path), "kind": place.kind} for place in places],
        "problems": problems,
        "notes": notes,
        "same": same,
        "failed": bool(problems),
        **phases.summary(world),
    }


def check_item(world: World, places: list[Place], item: Item) -> FileFindings:
    """Check one file, and take from it what the whole is checked by."""
    if world.stopping:
        return FileFindings(Checked(item.path, item.format))
    log.debug("checking %s", item.path)
    checked = check_file(item.path, item.format)
    place = places[item.place]
    try:
        said = None if checked.problems else gather(place, item)
    except (StoreError, KeyError) as error:
        # The headers that the facts are taken by are damaged themselves, which is told elsewhere
        log.debug("%s: %s", item.path, error)
        said = None
    return FileFindings(checked, said)


def gather(place: Place, item: Item) -> Any:
    """Take from a sound file what the checks of the whole need."""
    if item.format == shard.FORMAT:
        return facts.shard_facts(item.path)
    if item.format == counts.FORMAT:
        return facts.piece_facts(item.path)
    if item.format == labels.FORMAT:
        return facts.labels_facts(item.path)
    if item.format == result.FORMAT and place.kind == "result" and place.main:
        if item.path.parent.name == "files":
            return facts.files_facts(item.path, place.main["header"])
        return facts.neighborhoods_facts(item.path, place.main["header"])
    return None


def judge(findings: list[Findings]) -> tuple[list[str], list[str]]:
    """List all problems and all that is worth a mention, place by place."""
    problems: list[str] = []
    notes: list[str] = []
    for found in findings:
        problems += found.place.problems
        problems += [line for file in found.files.values() for line in file.checked.problems]
        inside = {"run": fitting.run_problems, "result": fitting.result_problems}.get(found.place.kind)
        if inside:
            problems += inside(found)
        notes += found.place.notes
        if found.place.kind == "run":
            notes += fitting.run_notes(found)
    return [*problems, *fitting.between(findings)], notes
