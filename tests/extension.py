"""A real Chromium with the extension in it, and pages handed to it under any address."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from browser import FLAGS, chromium_path, driver
from playwright.sync_api import BrowserContext, Page, Route, Worker

DIGESTS = """async (url) => {
  const tabs = await chrome.tabs.query({});
  const tab = tabs.find((tab) => tab.url === url);
  let chunks;
  while (chunks === undefined) {
    // The content script comes when the page is idle
    const wait = () => new Promise((done) => setTimeout(done, 20));
    chunks = await chrome.tabs.sendMessage(tab.id, { ask: "chunks" }).catch(wait);
  }
  return (await digestsOf(chunks, 0)).map(hex);
}"""

# Scripts stand in the page and do not run: what Python parses and what the browser shows is then the same
STILL = {"content-security-policy": "script-src 'none'; frame-src 'none'; object-src 'none'"}


@dataclass
class Guarded:
    """A browser with the extension; `pages` are the web, all else is not there."""

    context: BrowserContext
    page: Page
    worker: Worker
    pages: dict[str, bytes]
    headers: dict[str, str]
    types: dict[str, str] = field(default_factory=dict)
    """Content types of pages that are not declared to be HTML in UTF-8."""

    def digests(self, url: str) -> list[str]:
        """Visit a page and give the digests of its chunks as the extension makes them."""
        self.page.goto(url, wait_until="domcontentloaded")
        found: list[str] = self.worker.evaluate(DIGESTS, url)
        return found

    def answer(self, route: Route) -> None:
        """Hand over a page."""
        body = self.pages.get(route.request.url)
        if body is None or not route.request.is_navigation_request():
            route.abort()
        else:
            content_type = self.types.get(route.request.url, "text/html; charset=utf-8")
            route.fulfill(body=body, headers={"content-type": content_type, **self.headers})


@contextmanager
def guarded(extension: Path, profile: Path, headers: dict[str, str] | None = None) -> Iterator[Guarded]:
    """Start Chromium with the extension loaded."""
    path = chromium_path()
    loaded = (f"--disable-extensions-except={extension}", f"--load-extension={extension}")
    with driver() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            args=[*FLAGS, "--disable-background-networking", *loaded],
            ignore_default_args=["--disable-extensions"],
            chromium_sandbox=os.geteuid() != 0,
        )
        try:
            worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
            guard = Guarded(context, context.pages[0], worker, {}, headers or {})
            context.route("http://**/*", guard.answer)
            context.route("https://**/*", guard.answer)
            yield guard
        finally:
            context.close()
