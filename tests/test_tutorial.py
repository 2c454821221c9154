"""The documentation is true: what its pages tell to type is run, and prints what they show."""

from pathlib import Path

import pages

from hpcreuse.cli import VERBS
from hpcreuse.commands.study import STUDIES


def test_the_tutorial_goes_from_archives_to_a_figure(tmp_path: Path) -> None:
    wrong = pages.run_session(pages.TUTORIAL, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_the_pages_of_commands_show_what_is_printed(tmp_path: Path) -> None:
    pages.prepare(tmp_path)
    wrong = pages.run_session(pages.COMMANDS, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_every_verb_and_every_study_has_its_place() -> None:
    listed = (pages.DOCS / "commands" / "index.md").read_text()
    for verb in VERBS:
        assert f"\n{verb}\n" in listed and (pages.DOCS / "commands" / f"{verb}.md").exists(), verb
    studies = (pages.DOCS / "commands" / "study.md").read_text()
    assert all(f"{{options}} study {name}\n" in studies for name in STUDIES)


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo one \\\n    two\none two\n$ echo rate 5\nrate 7\n```\n\n```pycon\n>>> 1 + 1\n2\n```\n"
    )
    assert not pages.run_page(page, tmp_path)
    page.write_text("```console\n$ echo one\ntwo\n```\n\n```pycon\n>>> 1 + 1\n3\n```\n")
    assert len(pages.run_page(page, tmp_path)) == 2
