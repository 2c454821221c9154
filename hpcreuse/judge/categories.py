"""What a finding can be called: the categories of the papers' tables, or those of the settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from hpcreuse.errors import UsageError

# One key each, in this order; the other letters are commands of the page
KEYS = "1234567890qwetyiopadfghlzxcbm"


@dataclass(frozen=True)
class Category:
    """A label, the type it counts as, and the key that gives it."""

    name: str
    type: str
    key: str


# CCR tables 4 and 5, TR tables 5 to 7
OF_SITES = (
    "templates: benign",
    "blog or forum: benign",
    "advertisements: profit",
    "link farm: profit",
    "clone: profit",
    "SEO: profit",
    "spam: malicious",
    "suspect: ambiguous",
    "empty: benign",
    "other: benign",
)

DEFAULTS: dict[str, tuple[str, ...]] = {
    "neighborhoods": OF_SITES,
    "files": OF_SITES,
    # CCR table 3, TR table 4
    "chunks": (
        "navigation: benign",
        "forms: benign",
        "social: benign",
        "other templates: benign",
        "JavaScript: benign",
        "advertising: ambiguous",
        "tracking: ambiguous",
        "possibly commercial: ambiguous",
        "spam: malicious",
        "other: benign",
    ),
    # QUILT section 3: spam or not, and the patterns seen in each
    "quilts": (
        "spam: spam",
        "cookie-cutter site: spam",
        "link farm: spam",
        "blog and its own posts: not spam",
        "public document: not spam",
        "same organisation: not spam",
        "templates: not spam",
        "other: not spam",
    ),
    # DSPIN section VI-B
    "clusters": (
        "spun: same source",
        "mostly duplicate: same source",
        "same template: related",
        "unrelated: false positive",
        "unsure: ambiguous",
    ),
    # CCR table 6
    "pages": (
        "phish: malicious",
        "scam: malicious",
        "original: benign",
        "other: benign",
        "unsure: ambiguous",
    ),
}


def categories_of(kind: str, given: Sequence[str] = ()) -> tuple[Category, ...]:
    """Read categories, each written `name` or `name: type`; without any give those of the papers for a kind."""
    found = [tuple(part.strip() for part in text.partition(":")) for text in given or DEFAULTS[kind]]
    names = [name for name, _, _ in found]
    if len(names) > len(KEYS):
        raise UsageError(f"{len(names)} categories are too many: there are keys for {len(KEYS)}, leave some out")
    for name in names:
        if not name or names.count(name) > 1:
            raise UsageError(f"the category '{name}' " + ("is named twice" if name else "has no name"))
    return tuple(Category(name, type_, key) for (name, _, type_), key in zip(found, KEYS, strict=False))
