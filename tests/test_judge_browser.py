"""`judge` in a real Chromium: labels by mouse and keys, resuming, two judges, and pages that try to act."""

import csv
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Visit, visiting
from judging import Listener, hostile, judging, listening, make_findings
from playwright.sync_api import Browser, Page, expect

from hpcreuse.judge.categories import categories_of
from hpcreuse.judge.evidence import Evidence, Panel
from hpcreuse.judge.judgements import Judgements
from hpcreuse.judge.marking import Segment
from hpcreuse.judge.sampling import Item, draw
from hpcreuse.judge.serving import open_server
from hpcreuse.judge.session import Session


@pytest.fixture(scope="module")
def away() -> Iterator[Listener]:
    """Where the hostile pages of the findings want to go."""
    with listening() as listener:
        yield listener


@pytest.fixture(scope="module")
def findings(away: Listener, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_findings(tmp_path_factory.mktemp("findings"), away.address)


def opened(visit: Visit, address: str) -> Page:
    """Open the page and wait for the first finding."""
    visit.page.goto(address)
    settled(visit.page)
    return visit.page


def settled(page: Page) -> None:
    """Wait until the finding whose number is shown is there with its evidence."""
    expect(page.locator("#left .head b")).not_to_be_empty()


def labels(path: Path, kind: str = "neighborhoods", judge: str = "anna") -> list[str]:
    return list(Judgements(path).histories(kind)[judge].labels.values())


def test_labels_by_mouse_and_keys_are_saved_at_once_and_resumed(
    browser: Browser, findings: Path, tmp_path: Path
) -> None:
    file = tmp_path / "j.jsonl"
    words = (findings / "result", "--judge", "anna", "--judgements", file, "--sample", "6")
    with judging(*words) as address, visiting(browser) as visit:
        page = opened(visit, address)
        expect(page.locator("#place")).to_have_text("1 of 6")
        page.locator("#categories button", has_text="link farm").click()
        expect(page.locator("#place")).to_have_text("2 of 6")
        assert labels(file) == ["link farm"]
        page.keyboard.press("7")
        expect(page.locator("#place")).to_have_text("3 of 6")
        assert labels(file) == ["link farm", "spam"]
        # Taken back and given otherwise
        page.keyboard.press("u")
        expect(page.locator("#place")).to_have_text("2 of 6")
        expect(page.locator('#categories [aria-pressed="true"]')).to_have_count(0)
        page.keyboard.press("5")
        expect(page.locator("#place")).to_have_text("3 of 6")
        assert labels(file) == ["link farm", "clone"]
        # Left out, with a note
        page.keyboard.press("n")
        page.keyboard.type("1 look again")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_have_text("note saved")
        page.keyboard.press("s")
        expect(page.locator("#place")).to_have_text("4 of 6")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#place")).to_have_text("3 of 6")
        assert page.locator("#note").input_value() == "1 look again"
        page.keyboard.press("ArrowRight")
        page.reload()
        expect(page.locator("#done")).to_have_text("2 labelled")
        expect(page.locator("#place")).to_have_text("4 of 6")
        assert visit.errors == [] and visit.dialogs == []
    # Another server on the same file: goes on at the first without a label
    with judging(*words) as address, visiting(browser) as visit:
        page = opened(visit, address)
        expect(page.locator("#place")).to_have_text("3 of 6")
        expect(page.locator("#done")).to_have_text("2 labelled")
        page.keyboard.press("r")
        with page.expect_download() as download:
            page.locator("#results a").click()
        rows = list(csv.DictReader(download.value.path().read_text().splitlines()))
        assert [row["label"] for row in rows] == ["link farm", "clone", ""]
        assert rows[2]["note"] == "1 look again"
        assert visit.errors == [] and visit.dialogs == []


def test_when_the_server_is_gone_the_judge_is_told(browser: Browser, findings: Path, tmp_path: Path) -> None:
    with visiting(browser) as visit:
        with judging(findings / "result", "--judgements", tmp_path / "j.jsonl") as address:
            page = opened(visit, address)
        page.keyboard.press("1")
        expect(page.locator("#said.alarm")).to_contain_text("does not answer")
        expect(page.locator("#done")).to_have_text("0 labelled")


def test_a_wrong_token_shows_nothing(browser: Browser, findings: Path, tmp_path: Path) -> None:
    with judging(findings / "result", "--judgements", tmp_path / "j.jsonl") as address, visiting(browser) as visit:
        answer = visit.page.goto(address[:-2] + "/")
        assert answer is not None and answer.status == 403
        assert "token" in visit.page.inner_text("body")


def test_two_judges_do_not_see_each_other_until_both_are_done(browser: Browser, findings: Path, tmp_path: Path) -> None:
    for judge, keys in (("anna", "44444"), ("ben", "44443")):
        words = ("--judge", judge, "--sample", "5", "--judgements", tmp_path / "j.jsonl")
        with judging(findings / "result", *words) as address, visiting(browser) as visit:
            page = opened(visit, address)
            expect(page.locator("#done")).to_have_text("0 labelled")
            for done, key in enumerate(keys, 1):
                if done == 3:
                    page.keyboard.press("r")
                    expect(page.locator("#results")).to_be_visible()
                    text = page.locator("#results").inner_text()
                    assert ("anna, 5 judged" not in text) and (("other judges" in text) == (judge == "ben"))
                    page.keyboard.press("Escape")
                    expect(page.locator("#results")).to_be_hidden()
                page.keyboard.press(key)
                expect(page.locator("#done")).to_have_text(f"{done} labelled")
            expect(page.locator("#results")).to_be_visible()
            said = page.locator("#results").inner_text()
    assert "They agree on 4 of 5" in said and "Cohen's kappa 0.000, of types not defined" in said
    assert re.search(r"link farm\s+4\s+80.0\s+37.6 . 96.4\s+profit", said)


def background(page: Page, place: str, mark: int) -> str:
    """Give the colour behind the words with a mark."""
    return str(
        page.locator(f"#{place} .body mark", has=page.locator("sup", has_text=re.compile(f"^{mark}$"))).first.evaluate(
            "node => getComputedStyle(node).backgroundColor"
        )
    )


def test_a_quilt_stands_beside_its_sources_in_the_same_colours(
    browser: Browser, findings: Path, tmp_path: Path
) -> None:
    with (
        judging(findings / "quilts", "--judgements", tmp_path / "j.jsonl") as address,
        visiting(browser) as visit,
    ):
        page = opened(visit, address)
        expect(page.locator("#sources button")).to_have_count(5)
        seen = set()
        for source in range(1, 6):
            expect(page.locator("#sources [aria-pressed=true] .dot")).to_have_text(str(source))
            colour = background(page, "right", source)
            assert colour == background(page, "left", source)
            seen.add(colour)
            shared = page.locator("#right mark").first.inner_text().split("\n")[-1].lstrip(str(source))
            assert shared.strip() in page.locator("#left .body").inner_text()
            page.keyboard.press("j")
        assert len(seen) == 5


def test_members_of_a_cluster_stand_beside_each_other(browser: Browser, findings: Path, tmp_path: Path) -> None:
    with judging(findings / "near", "--judgements", tmp_path / "j.jsonl") as address, visiting(browser) as visit:
        keys = [item.key for item in draw(findings / "near", "clusters", 0, 100).items]
        page = opened(visit, f"{address}#{next(n for n, key in enumerate(keys, 1) if 'near0.net' in key)}")
        expect(page.locator("#left .head b")).to_contain_text("near0.net")
        for source in range(1, page.locator("#sources button").count() + 1):
            assert background(page, "left", source) == background(page, "right", source)
            own = page.locator("#right .body").inner_text().split()[-1]
            assert own.startswith("addition") and own not in page.locator("#left .body").inner_text()
            page.keyboard.press("j")


@pytest.mark.parametrize("result", ["result", "quilts"])
def test_hostile_pages_do_nothing(
    browser: Browser, findings: Path, away: Listener, tmp_path: Path, result: str
) -> None:
    with judging(findings / result, "--judgements", tmp_path / "j.jsonl") as address, visiting(browser) as visit:
        page = opened(visit, address)
        title = page.title()
        for _ in range(4):
            for _ in range(3):
                page.keyboard.press("v")
                page.wait_for_timeout(60)
                for place in range(page.locator("iframe").count()):
                    assert page.locator("iframe").nth(place).get_attribute("sandbox") == ""
            page.keyboard.press("j")
            page.keyboard.press("ArrowRight")
            settled(page)
        assert (away.heard, visit.dialogs, page.title()) == ([], [], title)
        assert all("Content Security Policy" in error for error in visit.errors)


class Untouched:
    """Gives pages as hostile as they are."""

    def __init__(self, page: str):
        self.page = page

    def gather(self, item: Item) -> Evidence:
        text = [Segment(self.page), Segment(self.page, 1)]
        panel = Panel("<script>alert('title')</script>", text=text, drawing=self.page)
        return Evidence("<img src=x onerror=alert(1)>", [("<b>", "</dl><script>alert('f')</script>")], [panel], [panel])


@pytest.fixture
def untouched(findings: Path, away: Listener, tmp_path: Path) -> Iterator[str]:
    """A judge whose drawings nobody cleaned, so that the browser's rules stand alone."""
    sample, file = draw(findings / "quilts", "quilts", 0, 3), Judgements(tmp_path / "j")
    gatherer = Untouched(hostile(away.address))
    session = Session(findings / "quilts", "anna", sample, categories_of("quilts"), file, gatherer)
    server, address = open_server(session, 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield address
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_sandbox_holds_even_what_was_not_cleaned(
    browser: Browser, untouched: str, away: Listener, tmp_path: Path
) -> None:
    with visiting(browser) as visit:
        page = opened(visit, untouched)
        assert '<base href="' in page.locator("#left .body").inner_text()
        page.keyboard.press("v")
        frame = page.frame_locator("#left iframe")
        expect(frame.locator("#away")).to_be_visible()
        page.wait_for_timeout(300)
        # Clicked, a link leads nowhere: the page allows frames of its own only
        frame.locator("#away").click(no_wait_after=True)
        page.wait_for_timeout(300)
        assert (away.heard, visit.dialogs) == ([], [])
        assert "owned" not in page.title()
        assert page.locator("#left iframe").get_attribute("sandbox") == ""
        # Seen by itself, outside of our frame, it is as harmless
        page.goto(f"{untouched}drawing/0/pages/0")
        page.wait_for_timeout(300)
        assert (away.heard, visit.dialogs) == ([], [])
    # And where nothing holds it, it does act; in one frame only, for Chromium dies of dialogs of several at once
    free = re.sub(r"<iframe.*|<object.*|<meta[^>]*>", "", hostile(away.address))
    (tmp_path / "free.html").write_text(free)
    with visiting(browser) as visit:
        visit.page.goto((tmp_path / "free.html").as_uri())
        visit.page.wait_for_timeout(500)
        assert "script" in visit.dialogs and "/a.css" in away.heard
    away.heard.clear()
