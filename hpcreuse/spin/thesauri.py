"""Where synonyms come from: our own text files, WordNet's data files, and thesauri of MyThes (as office suites use)."""

import re
from collections.abc import Iterator
from pathlib import Path

from hpcreuse.errors import StoreError, reason

# Debian's wordnet-base
WORDNET = Path("/usr/share/wordnet")
WORDNET_FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
NAME = "wordnet"

# Marks that are no part of a word: adjectives of WordNet; remarks of MyThes such as (generic term)
_ADJECTIVE_MARK = re.compile(r"\((?:a|p|ip)\)$")
_REMARK = re.compile(r"\s*\([^)]*\)\s*$")
_OTHER_RELATIONS = ("(generic term)", "(antonym)", "(related term)", "(similar term)")

Group = list[str]
"""An entry and its synonyms."""


def read_synonyms(name: str) -> list[Group]:
    """Read synonyms: `wordnet`, a folder of WordNet's, a .dat file of MyThes, or a text file of ours."""
    path = WORDNET if name == NAME and not Path(name).exists() else Path(name)
    try:
        if path.is_dir() or path == WORDNET:
            return list(read_wordnet(path))
        return list(read_mythes(path) if path.suffix == ".dat" else read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read as a dictionary of synonyms: {reason(error)}") from error


def read_text(path: Path) -> Iterator[Group]:
    """Read `entry TAB synonym|synonym`, a line an entry."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry, tab, synonyms = line.partition("\t")
        if not tab:
            raise StoreError(f"{path}, line {number}: no tab between '{entry[:40]}' and its synonyms")
        yield [entry, *synonyms.split("|")]


def read_wordnet(folder: Path) -> Iterator[Group]:
    """Read the sets of synonyms of WordNet's data files; within a set every word is a synonym of every other."""
    if not (folder / WORDNET_FILES[0]).is_file():
        raise StoreError(f"WordNet is not in {folder}: install Debian's wordnet-base, or name its folder")
    for name in WORDNET_FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            # A line of the licence begins with a blank; a set with offset, file, kind, number of words in hex
            if line.startswith(" "):
                continue
            fields = line.split(" ", 4)
            words = fields[4].split(" ")[: 2 * int(fields[3], 16) : 2]
            words = [_ADJECTIVE_MARK.sub("", word).replace("_", " ") for word in words]
            for entry in words if len(words) > 1 else ():
                yield [entry, *(other for other in words if other != entry)]


def read_mythes(path: Path) -> Iterator[Group]:
    """Read a thesaurus of MyThes: `entry|meanings`, then a line a meaning: `(kind)|synonym|synonym`."""
    head, _, rest = path.read_bytes().partition(b"\n")
    lines = iter(rest.decode(head.decode("ascii").strip() or "utf-8").splitlines())
    for line in lines:
        entry, _, meanings = line.rpartition("|")
        if not meanings.isdigit():
            raise StoreError(f"{path}: '{line[:40]}' is not an entry of a MyThes thesaurus")
        group = [entry]
        for _ in range(int(meanings)):
            synonyms = next(lines, "").split("|")[1:]
            group += [_REMARK.sub("", one) for one in synonyms if not one.endswith(_OTHER_RELATIONS)]
        yield group
