"""Pages after their scripts ran: a headless Chromium that reaches no network, one for each rank."""

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hpcreuse.phish.chromium import RenderError, Unrendered

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Route

# Nothing gets out: pages are handed over, all other requests are refused before they leave the browser, and what a
# page might send around that (web sockets, WebRTC, look-ups ahead) ends at a proxy and a name server that are not there
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)

# What scripts may still do once the page has loaded
SETTLE_MILLISECONDS = 250
POLL_MILLISECONDS = 20
LEAVE_SECONDS = 5.0

# Many ranks of a node may start theirs at once
START_SECONDS = 120.0


class Renderer:
    """A browser that starts with its first page, and again when it has died."""

    def __init__(self, path: str, seconds: float):
        """Prepare.

        Args:
            path: Chromium.
            seconds: how long a page may take.
        """
        self.path, self.seconds = path, seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._driver: Any = None
        self._browser: Browser | None = None

    def dom(self, url: str, html: bytes) -> bytes:
        """Let a page run under its URL, and give its DOM as HTML.

        Raises Unrendered when it crashes or takes too long.
        """
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(self._run(url, html))

    def close(self) -> None:
        """End the browser."""
        if self._loop is not None:
            self._loop.run_until_complete(self._leave())
            self._loop.close()
            self._loop = None

    async def _run(self, url: str, html: bytes) -> bytes:
        from playwright.async_api import Error

        context = None
        try:
            browser = await self._started()
            async with asyncio.timeout(START_SECONDS):
                context = await browser.new_context(service_workers="block", accept_downloads=False)
            async with asyncio.timeout(self.seconds):
                return await dom_of(context, url, html)
        except TimeoutError:
            raise Unrendered(f"not done after {self.seconds:g} seconds") from None
        except Error as error:
            raise Unrendered(str(error).partition("\n")[0]) from error
        finally:
            await self._discard(context)

    async def _discard(self, context: "BrowserContext | None") -> None:
        """Close all windows of a page; a browser that cannot do that is ended."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                if context is not None:
                    await context.close()
        except (TimeoutError, Error):
            await self._leave()

    async def _started(self) -> "Browser":
        from playwright.async_api import Error, async_playwright

        if self._browser is not None and self._browser.is_connected():
            return self._browser
        await self._leave()
        self._driver = await async_playwright().start()
        try:
            self._browser = await self._driver.chromium.launch(
                executable_path=self.path,
                args=list(FLAGS),
                chromium_sandbox=os.geteuid() != 0,
                timeout=1000 * START_SECONDS,
            )
        except Error as error:
            raise RenderError(f"--render: {self.path} does not start: {error}") from error
        return self._browser

    async def _leave(self) -> None:
        from playwright.async_api import Error

        browser, driver = self._browser, self._driver
        self._browser = self._driver = None
        with suppress(TimeoutError, Error):
            async with asyncio.timeout(LEAVE_SECONDS):
                if browser is not None:
                    await browser.close()
        if driver is not None:
            await driver.stop()


async def dom_of(context: "BrowserContext", url: str, html: bytes) -> bytes:
    """Open a page under its URL, let it settle, and give its DOM as HTML."""
    page = await context.new_page()
    crash = asyncio.Event()

    def note_crash(_: "Page") -> None:
        crash.set()

    page.on("crash", note_crash)
    given = False

    async def answer(route: "Route") -> None:
        """Hand the page over once; everything else that it asks for is not there."""
        nonlocal given
        if not given and route.request.is_navigation_request() and route.request.frame == page.main_frame:
            given = True
            await route.fulfill(body=html, headers={"content-type": "text/html; charset=utf-8"})
        elif route.request.is_navigation_request():
            # "No content": of a page that goes elsewhere the one before stays
            await route.fulfill(status=204)
        else:
            await route.abort()

    await context.route("**/*", answer)
    content, crashed = asyncio.create_task(content_of(page, url)), asyncio.create_task(crash.wait())
    try:
        await asyncio.wait([content, crashed], return_when=asyncio.FIRST_COMPLETED)
        if not content.done():
            raise Unrendered("the page crashed")
        return content.result().encode("utf-8", "replace")
    finally:
        content.cancel()
        crashed.cancel()


async def content_of(page: "Page", url: str) -> str:
    """Load a page and give its DOM; one that tries to go elsewhere stays, and is looked at as it is."""
    from playwright.async_api import Error

    # Playwright would wait for ever for the load event of a page that leaves before it
    await page.goto(url, wait_until="commit", timeout=0)
    while True:
        try:
            if await page.evaluate("document.readyState") == "complete":
                await page.wait_for_timeout(SETTLE_MILLISECONDS)
                return await page.content()
        except Error as error:
            if "navigat" not in str(error):
                raise
        await page.wait_for_timeout(POLL_MILLISECONDS)
