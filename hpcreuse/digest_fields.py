"""The digest options as commands and studies declare them; labels and runs must agree in these."""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from hpcreuse.config import option
from hpcreuse.errors import UsageError
from hpcreuse.page.options import DigestOptions


def tag_names(text: str) -> tuple[str, ...]:
    """Read tag names such as p,div."""
    names = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if not names or not all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in names):
        raise UsageError(f"'{text}' is not a list of tag names such as p,div")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class DigestFields:
    """How pages become digests."""

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


def _asked(name: str) -> Any:
    """Declare a digest option again, without its default."""
    (field,) = (field for field in dataclasses.fields(DigestFields) if field.name == name)
    return dataclasses.field(metadata={**field.metadata, "default": None}, kw_only=True)


@dataclass(frozen=True)
class AskedDigestFields:
    """The same where labels decide how pages become digests: those given must agree with the labels."""

    tags: tuple[str, ...] | None = _asked("tags")
    tag_ends: str | None = _asked("tag_ends")
    normalize: str | None = _asked("normalize")
    mode: str | None = _asked("mode")
    digest: str | None = _asked("digest")
    plain: str | None = _asked("plain")


def asked_options(options: AskedDigestFields) -> dict[str, Any]:
    """Give those digest options of a command line that are there."""
    names = [field.name for field in dataclasses.fields(AskedDigestFields)]
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def digest_options(options: DigestFields) -> DigestOptions:
    """Give the digest options of a command line."""
    return DigestOptions(options.tags, options.tag_ends, options.normalize, options.mode, options.digest, options.plain)
