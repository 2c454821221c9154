"""Lists of digests that others published and hpcreuse ships: known by name where no such file exists."""

import logging
from pathlib import Path

log = logging.getLogger(__name__)

# By Ardi and Heidemann (USC/ISI), of chunks cut and hashed as hpcreuse does by default; see configs/README.md
PUBLISHED = ("isi-geocities", "isi-geocities-benign", "isi-commoncrawl002")


def resolve(name: str) -> Path:
    """Give the path of a file, or of the list shipped under this name if there is no such file."""
    path = Path(name)
    if name not in PUBLISHED or path.exists():
        return path
    # Brings a dozen modules that every rank would load, for what is seldom asked
    import importlib.resources

    shipped = Path(str(importlib.resources.files("hpcreuse.configs") / f"{name}.tsv"))
    log.info("%s: the list shipped with hpcreuse, %s", name, shipped)
    return shipped
