"""Options that studies share."""

from dataclasses import dataclass
from pathlib import Path

from hpcreuse.config import argument, option, whole_number
from hpcreuse.digest_fields import DigestFields


@dataclass(frozen=True)
class OutFields:
    """What every study takes."""

    out: Path = option("folder to make, with tables and figures", metavar="DIR", convert=Path)
    format: str = option("how to write the tables", "csv", choices=("csv", "jsonl", "parquet"))
    no_figures: bool = option("draw nothing (figures need matplotlib: the extra `figures`)", False)


@dataclass(frozen=True)
class SiteFields(OutFields, DigestFields):
    """What a study of one site takes."""

    site: tuple[str, ...] = argument("the site: archives or a folder, whatever `hash` takes", metavar="SITE", many=True)
    below: str = option("only the pages below this URL prefix: a host, or host/path", "", metavar="PREFIX")
    url_prefix: str | None = option("URL of folders, tars and zips instead of http://NAME/", None, metavar="URL")
    seed: int = option("another seed makes other random choices", 0, metavar="N", convert=whole_number)
