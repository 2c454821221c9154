"""The demo: the same crawl each time, and what is planted in it is found."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hpcreuse.demo.chain import Verb, find_mpiexec, verbs
from hpcreuse.demo.crawl import make_crawl
from hpcreuse.demo.sites import plant
from hpcreuse.demo.verdict import neighborhood_row

START = "import sys; from hpcreuse.cli import main; sys.exit(main())"

# Pretends that the link farm was meant to be honest and that there is no quilt, on a machine without mpiexec
LIE = """
import dataclasses, sys
import hpcreuse.demo.chain as chain, hpcreuse.demo.crawl as crawl
from hpcreuse.cli import main
real = crawl.plant
def lie(seed):
    planted = real(seed)
    groups = [dataclasses.replace(g, bad=g.bad and "farm" not in g.what) for g in planted.groups]
    texts = dataclasses.replace(planted.texts, quilts=set())
    return dataclasses.replace(planted, groups=groups, texts=texts)
crawl.plant, chain.find_mpiexec = lie, lambda: None
sys.exit(main())
"""


def hpcreuse(folder: Path, *words: str, start: str = START) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", start, *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(find_mpiexec() is None, reason="no mpiexec")
def test_demo_finds_what_it_planted(tmp_path: Path) -> None:
    done = hpcreuse(tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    assert "!!" not in done.stdout
    for line in ("$ mpiexec -n 2 hpcreuse hash crawl/*.warc.gz --text --out run", "4 clones", "15 hosts", "on 2 ranks"):
        assert line in done.stdout
    for what in ("quilts", "near duplicates", "spun", "honest pages", "phish"):
        assert re.search(rf"^ {what}.* OK $", done.stdout, re.MULTILINE)
    assert max(map(len, done.stdout.split("Planted against found")[1].splitlines())) <= 80
    show = next(line.split() for line in done.stdout.splitlines() if "hpcreuse show" in line)
    shown = hpcreuse(tmp_path / "hpcreuse-demo", *show[1:])
    assert shown.returncode == 0
    assert "opencompendium.example" in shown.stdout and "alpineclub.example" in shown.stdout
    (report,) = re.findall(r"^report +open (\S+) in a browser$", done.stdout, re.MULTILINE)
    page = (tmp_path / report).read_text(encoding="utf-8")
    for section in (
        "Detection: how much is copied",
        "Quilted pages",
        "Near duplicates",
        "Spun articles",
        "Phish",
        "Time",
    ):
        assert f">{section}</h2>" in page


@pytest.mark.skipif(find_mpiexec() is None, reason="no mpiexec")
def test_json_is_all_there_is_on_stdout_and_an_earlier_demo_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "demo.json").write_text("{}")
    (folder / "result").write_text("left by a killed demo")
    (folder / "mine.txt").write_text("not the demo's")
    done = hpcreuse(tmp_path, "demo", str(folder), "--json")
    summary = json.loads(done.stdout)
    assert done.returncode == 0
    assert all(row["agrees"] for row in summary["planted_and_found"])
    assert summary["verb_ranks"] == 2
    assert (folder / "mine.txt").read_text() == "not the demo's"
    assert "Planted against found" in done.stderr


def test_demo_fails_when_something_else_is_found(tmp_path: Path) -> None:
    done = hpcreuse(tmp_path, "demo", start=LIE)
    assert done.returncode == 1
    assert "no mpiexec" in done.stdout and "$ hpcreuse hash" in done.stdout
    assert done.stdout.count("!!") == 3
    assert "five stories: 6 instead of 0" in done.stderr
    assert "15 hosts of a link farm: 15 instead of 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    done = hpcreuse(tmp_path, "demo", ".")
    assert done.returncode == 1
    assert "not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_verb_that_fails_stops_the_demo_with_its_name(tmp_path: Path) -> None:
    from hpcreuse.demo.chain import DemoError

    with pytest.raises(DemoError, match="`discover` failed with exit code 1"):
        verbs(None)[1].run(tmp_path)


def test_same_seed_gives_same_bytes(tmp_path: Path) -> None:
    one, two, other = (make_crawl(tmp_path / name, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    bytes_of = [[path.read_bytes() for path in crawl.archives] for crawl in (one, two, other)]
    assert bytes_of[0] == bytes_of[1] != bytes_of[2]
    assert len({path.stat().st_size for path in one.archives}) == len(one.archives)


def test_every_site_belongs_to_a_group() -> None:
    planted = plant(1)
    sites = {capture.url.split("/")[2] + "/" for capture in planted.captures}
    assert sites == {prefix for group in planted.groups for prefix in group.prefixes if prefix.count("/") == 1}
    assert len({capture.url for capture in planted.captures}) == len(planted.captures)


def test_missing_site_does_not_agree_even_if_it_should_not_be_found() -> None:
    honest = next(group for group in plant(1).groups if not group.bad)
    assert not neighborhood_row(honest, {}).agrees


def test_long_command_lines_are_broken_between_options() -> None:
    for verb in verbs("mpiexec"):
        assert all(len(line) <= 78 for line in verb.shown.splitlines())
        assert verb.shown.replace(" \\\n   ", "").split() == ["mpiexec", "-n", "2"] * bool(verb.mpiexec) + [
            "hpcreuse",
            *verb.words,
        ]
    assert Verb("", ("info",)).shown == "hpcreuse info"
