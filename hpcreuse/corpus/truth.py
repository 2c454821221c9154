"""Which pages are copies in truth: a list that people made, and what a method makes of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.errors import UsageError, reason

COPY_WORDS = {"copy", "phish", "phishing", "1", "yes", "true"}
OTHER_WORDS = {"other", "benign", "clean", "legitimate", "0", "no", "false"}
HEADINGS = {"url", "file", "filename", "name", "page"}


class Truth:
    """Tells by its URL whether a page is a copy; a page that is not listed is none."""

    def __init__(self, copies: set[str]):
        self.copies = copies

    @classmethod
    def read(cls, path: Path) -> "Truth":
        """Read a list of URLs, or ends of URLs, one a line, with the class after a tab or comma, else it is a copy."""
        listed = 0
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--truth {path} cannot be read: {reason(error)}") from error
        copies = set()
        for number, line in enumerate(lines, 1):
            name, word = split_line(line)
            if not name or name.startswith("#") or (number == 1 and name.lower() in HEADINGS):
                continue
            if word not in COPY_WORDS | OTHER_WORDS:
                raise UsageError(
                    f"--truth {path}, line {number}: '{word}' is neither `copy` or `phish` nor `other` or `benign`"
                )
            listed += 1
            if word in COPY_WORDS:
                copies.add(name)
        if not listed:
            raise UsageError(f"--truth {path} names no page: there would be nothing to compare with")
        return cls(copies)

    def is_copy(self, url: str) -> bool:
        """Tell whether a page is listed, by its URL or an end of it that follows a slash."""
        if url in self.copies:
            return True
        place = url.find("/")
        while place >= 0:
            if url[place + 1 :] in self.copies:
                return True
            place = url.find("/", place + 1)
        return False


def split_line(line: str) -> tuple[str, str]:
    """Give the name and the class of a line; a comma parts them only before a class, for URLs may hold commas."""
    if "\t" in line:
        name, kind = line.split("\t")[:2]
        return name.strip(), kind.strip().lower() or "copy"
    name, _, kind = line.rpartition(",")
    word = kind.strip().strip('"').lower()
    if name and (word in COPY_WORDS | OTHER_WORDS or name.strip().lower() in HEADINGS):
        return name.strip().strip('"'), word
    return line.strip(), "copy"


@dataclass(frozen=True)
class Confusion:
    """What a method makes of copies and of others (CCR table 1)."""

    tp: int
    fn: int
    fp: int
    tn: int

    def record(self) -> dict[str, Any]:
        """Give it with its rates; of nothing they are 0."""
        return {
            "tp": self.tp,
            "fn": self.fn,
            "fp": self.fp,
            "tn": self.tn,
            "true_positive_rate": self.tp / max(1, self.tp + self.fn),
            "false_positive_rate": self.fp / max(1, self.fp + self.tn),
        }
