"""Which pages are copies in truth: a list that people made."""

from pathlib import Path

from hpcreuse.errors import UsageError

COPY_WORDS = {"copy", "phish", "1", "yes", "true"}
OTHER_WORDS = {"other", "benign", "0", "no", "false"}


class Truth:
    """Tells by its URL whether a page is a copy; a page that is not listed is none."""

    def __init__(self, copies: set[str]):
        self.copies = copies

    @classmethod
    def read(cls, path: Path) -> "Truth":
        """Read a list of URLs, or ends of URLs, one a line, with the class after a tab; without one it is a copy."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--truth {path} cannot be read: {error}") from error
        copies = set()
        for number, line in enumerate(lines, 1):
            name, _, kind = line.partition("\t")
            word = kind.split("\t")[0].strip().lower() or "copy"
            if not name.strip() or name.startswith("#"):
                continue
            if word not in COPY_WORDS | OTHER_WORDS:
                raise UsageError(f"--truth {path}, line {number}: '{word}' is neither `copy` nor `other`")
            if word in COPY_WORDS:
                copies.add(name.strip())
        if not copies:
            raise UsageError(f"--truth {path} names no copy: there would be nothing to find")
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
