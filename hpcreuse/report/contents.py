"""Digests back to content, as far as the archives are there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hpcreuse.report.wording import excerpt
from hpcreuse.reuse.showing import Place, first_places, read_content
from hpcreuse.store.run import Run

# What is frequent enough to be listed stands in many shards: no need to look into all of a large run
MOST_SHARDS = 200


@dataclass(frozen=True)
class Content:
    """What a digest says and where it stands for one; or why that is not known."""

    url: str = ""
    text: str = ""
    problem: str = ""


def read_contents(run: Run | None, digests: Sequence[str], objects: str) -> dict[str, Content]:
    """Give the content of digests, the beginning of each."""
    if run is None:
        problem = "the run is not here: name it as well to see the content"
        return {digest: Content(problem=problem) for digest in digests}
    places: dict[str, Place] = {}
    for path in run.shard_paths()[:MOST_SHARDS]:
        missing = [digest for digest in digests if digest not in places]
        if not missing:
            break
        places |= first_places(missing, objects, path)
    return {digest: _read(run, places.get(digest)) for digest in digests}


def _read(run: Run, place: Place | None) -> Content:
    if place is None:
        return Content(problem=f"not found in {run.path}")
    # Archives may be named from where `hash` was started: that is often beside the run
    beside = replace(place, archive=str(run.path.parent / place.archive))
    named = [place] if Path(place.archive).is_absolute() else [place, beside]
    content, problem = read_content(named, run.options)
    if content is None:
        return Content(place.url, problem=problem)
    return Content(place.url, excerpt(content))
