"""A real Chromium for tests: it keeps what a page asks for, complains of, and shows in dialogs."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Page, Playwright, Request, sync_playwright

# Without these, Chromium asks its maker's hosts for things at every start
FLAGS = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update", "--disable-sync")


@dataclass
class Visit:
    """A page in a window of its own, and all it did since."""

    page: Page
    requests: list[str] = field(default_factory=list)
    """Addresses asked for, the page's own first, whether or not they were reached."""
    errors: list[str] = field(default_factory=list)
    """What the console shows as errors (refusals by a content security policy too), and uncaught exceptions."""
    dialogs: list[str] = field(default_factory=list)
    """What alert() and the like said: each is dismissed."""

    def requests_beyond(self, *prefixes: str) -> list[str]:
        """Give the requests that go elsewhere, as to another scheme or host."""
        return [url for url in self.requests if not url.startswith(prefixes)]


def chromium_path() -> str:
    """Find Debian's Chromium; CI must have it, elsewhere the test is skipped with a word on how to get it."""
    path = shutil.which("chromium")
    if path:
        return path
    hint = "chromium is missing: run scripts/install-chromium.sh"
    if os.environ.get("CI"):
        pytest.fail(f"{hint}; CI must not skip the tests in a browser")
    pytest.skip(hint)


_running: list[Playwright] = []


@contextmanager
def driver() -> Iterator[Playwright]:
    """Start Playwright, or use the one that runs: a process can have no more."""
    if _running:
        yield _running[0]
        return
    with sync_playwright() as playwright:
        _running.append(playwright)
        try:
            yield playwright
        finally:
            _running.clear()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a headless Chromium with a profile of its own; as root it has no sandbox."""
    path = chromium_path()
    with driver() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), chromium_sandbox=os.geteuid() != 0)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(browser: Browser, **context: Any) -> Iterator[Visit]:
    """Open an empty window; keywords are those of Playwright's new_context (color_scheme="dark", viewport=...)."""
    window = browser.new_context(**context)
    try:
        visit = Visit(window.new_page())
        # On the context, so that windows a page opens are watched too
        window.on("request", lambda request: note_request(visit, request))
        window.on("console", lambda message: note_console(visit, message))
        window.on("weberror", lambda error: visit.errors.append(str(error.error)))
        window.on("dialog", lambda dialog: note_dialog(visit, dialog))
        yield visit
    finally:
        window.close()


def note_request(visit: Visit, request: Request) -> None:
    """Keep the address."""
    visit.requests.append(request.url)


def note_console(visit: Visit, message: ConsoleMessage) -> None:
    """Keep errors; other messages are the page's own affair."""
    if message.type == "error":
        visit.errors.append(message.text)


def note_dialog(visit: Visit, dialog: Dialog) -> None:
    """Keep the words and close it, for the page waits."""
    visit.dialogs.append(dialog.message)
    try:
        dialog.dismiss()
    except Error:
        # The page was left meanwhile, which closed it
        return
