"""Synonyms from WordNet's files, from MyThes thesauri, and from text."""

from pathlib import Path

import pytest

from hpcreuse.errors import StoreError
from hpcreuse.spin.dictionary import Dictionary
from hpcreuse.spin.thesauri import WORDNET, read_synonyms


def test_wordnet(tmp_path: Path) -> None:
    head = "  1 This software and database is being provided to you\n"
    nouns = "02958343 06 n 03 car 0 auto 0 motor_car 0 001 @ 03791235 n 0000 | a motor vehicle\n"
    (tmp_path / "data.noun").write_text(head + nouns)
    (tmp_path / "data.verb").write_text("00001740 29 v 01 breathe 0 000 | draw air\n")
    (tmp_path / "data.adj").write_text("00003553 00 a 02 emergent(p) 0 emerging 0 000 | coming\n")
    (tmp_path / "data.adv").write_text("")
    assert read_synonyms(str(tmp_path)) == [
        ["car", "auto", "motor car"],
        ["auto", "car", "motor car"],
        ["motor car", "car", "auto"],
        ["emergent", "emerging"],
        ["emerging", "emergent"],
    ]


def test_mythes(tmp_path: Path) -> None:
    text = "ISO8859-1\ncaf\xe9|2\n(noun)|coffee bar|house (generic term)\n(noun)|bistro (informal)\nrun|1\n(verb)|jog\n"
    (tmp_path / "th.dat").write_bytes(text.encode("latin-1"))
    assert read_synonyms(str(tmp_path / "th.dat")) == [["café", "coffee bar", "bistro"], ["run", "jog"]]


def test_synonyms_hold_both_ways_and_long_phrases_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "text.tsv").write_text("# of ours\n\nBig Car\tauto|a very very long phrase\nauto\tcar\n")
    dictionary = Dictionary.compile(read_synonyms(str(tmp_path / "text.tsv")))
    assert [len(known) for known in dictionary.phrases] == [2, 1, 0, 0]
    assert len(dictionary.left) == 4
    [big_car] = dictionary.phrases[1]
    back = dictionary.synonyms(dictionary.synonyms(dictionary.phrases[1]))
    assert big_car in back and len(back) == 2


@pytest.mark.parametrize("content", [None, b"no tab here\n", b"\xff\xfe\t\n"])
def test_what_is_no_dictionary_is_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "bad").write_bytes(content)
    with pytest.raises(StoreError, match="bad"):
        read_synonyms(str(tmp_path / "bad"))


def test_a_folder_without_wordnet_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="wordnet-base"):
        read_synonyms(str(tmp_path))


@pytest.mark.skipif(not WORDNET.is_dir(), reason="Debian's wordnet-base is not installed here")
def test_the_installed_wordnet() -> None:
    groups = {group[0]: group[1:] for group in read_synonyms("wordnet") if group[0] == "automobile"}
    assert "motorcar" in groups["automobile"]
