"""The eyes of the browser tests see: what a page loads, complains of and shows is noticed."""

from pathlib import Path

from browser import visiting
from playwright.sync_api import Browser

NOISY = """<!doctype html><title>noisy</title>
<img src="http://127.0.0.1:9/pixel.gif">
<script>console.error("complaint"); alert("boo"); setTimeout(() => { throw new Error("thrown") });</script>
"""


def test_requests_errors_and_dialogs_of_a_page_are_kept(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "noisy.html"
    path.write_text(NOISY)
    with visiting(browser) as visit:
        visit.page.goto(path.as_uri())
        visit.page.wait_for_timeout(200)
        assert visit.page.title() == "noisy"
    assert visit.requests_beyond("file:") == ["http://127.0.0.1:9/pixel.gif"]
    assert visit.dialogs == ["boo"]
    assert "complaint" in visit.errors
    assert any("thrown" in error for error in visit.errors)


def test_a_quiet_page_leaves_nothing_but_itself(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "quiet.html"
    path.write_text('<!doctype html><link rel="icon" href="data:,"><title>quiet</title><p>Nothing here.')
    with visiting(browser) as visit:
        visit.page.goto(path.as_uri())
        visit.page.wait_for_timeout(100)
    assert (visit.requests, visit.errors, visit.dialogs) == ([path.as_uri()], [], [])
