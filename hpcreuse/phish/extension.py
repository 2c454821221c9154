"""The labels as an unpacked extension for Chromium: content script, worker and warning page of `browser/`, with L.

labels.bin      the digests, sorted, back to back
sources.bin     for each the number of its source, 32 bits little-endian
sources.json    the sources
options.js      how pages become digests, and the domains that may show the content
"""

import importlib.resources
import json
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.errors import StoreError
from hpcreuse.page.options import DigestOptions
from hpcreuse.phish.judging import OriginalLabels, take_dom_labels
from hpcreuse.store import atomic
from hpcreuse.store.labels import UNKNOWN_LENGTH, Labels
from hpcreuse.version import __version__

PARTS = "browser"


def write_extension(
    out: Path, labels: str, options: DigestOptions, allow: tuple[str, ...], min_length: int
) -> dict[str, Any]:
    """Write the extension, in the place of an earlier one; give a summary."""
    must_be_ours(out)
    scratch = atomic.temporary_name(out)
    with atomic.told_of(out):
        scratch.mkdir(parents=True)
    try:
        summary = fill(scratch, labels, options, allow, min_length)
        atomic.remove(out)
        scratch.replace(out)
    finally:
        atomic.remove(scratch)
    return {"extension": str(out), **summary}


def fill(folder: Path, labels: str, options: DigestOptions, allow: tuple[str, ...], min_length: int) -> dict[str, Any]:
    """Write all files of the extension into an empty folder."""
    for part in sorted(importlib.resources.files(__package__).joinpath(PARTS).iterdir(), key=lambda part: part.name):
        (folder / part.name).write_bytes(part.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["version_name"] = f"hpcreuse {__version__}"
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")

    label_path = folder / "labels.h5"
    take_dom_labels(labels, label_path, options)
    known = OriginalLabels.open(label_path, allow, min_length)
    with Labels.open(label_path) as file:
        lengths = file.file["length"][:]
    keep = (lengths >= min_length) | (lengths == UNKNOWN_LENGTH)
    label_path.unlink()
    (folder / "labels.bin").write_bytes(known.table.digests[keep].tobytes())
    (folder / "sources.bin").write_bytes(np.asarray(known.table.source_numbers)[keep].astype("<u4").tobytes())
    sources = [source.decode("utf-8", "replace") for source in known.table.pages]
    (folder / "sources.json").write_text(json.dumps(sources) + "\n")
    settings = {**known.options.record(), "min_length": min_length, "domains": sorted(known.own)}
    (folder / "options.js").write_text(f'"use strict";\n\nconst OPTIONS = {json.dumps(settings, indent=2)};\n')
    return {"labels": int(keep.sum()), "domains": settings["domains"]}


def must_be_ours(out: Path) -> None:
    """Refuse to replace anything but an extension made here."""
    if not out.exists():
        return
    try:
        name = json.loads((out / "manifest.json").read_text()).get("version_name", "")
    except (OSError, ValueError):
        name = ""
    if not str(name).startswith("hpcreuse "):
        raise StoreError(f"{out} exists and is not an extension of hpcreuse: choose another --extension")
