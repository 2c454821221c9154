"""configs/hpcreuse.toml names settings that exist, all of them, with the defaults it claims."""

import dataclasses
import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hpcreuse import cli, config
from hpcreuse.commands.shared import DigestFields, SharedOptions

TEXT = (Path(__file__).parents[1] / "configs" / "hpcreuse.toml").read_text(encoding="utf-8")
AS_SHIPPED = tomllib.loads(TEXT)
# `# name = value` lines are settings that were commented out
ALL_ON = tomllib.loads(re.sub(r"^# (?=[a-z_]+ = )", "", TEXT, flags=re.MULTILINE))
# Where "default:" stands, the value is an example
EXAMPLES = {
    (section.partition("]")[0] if number else "", name)
    for number, section in enumerate(re.split(r"^\[", TEXT, flags=re.MULTILINE))
    for name in re.findall(r"^# ([a-z_]+) = .*default:", section, flags=re.MULTILINE)
}
VERBS = ("hash", "discover", "label", "detect", "phish", "quilt", "imatch", "spin", "judge", "report")


def options_of(verb: str) -> Any:
    return importlib.import_module(f"hpcreuse.commands.{verb}").Options


def names(options: type) -> set[str]:
    return {field.name for field in dataclasses.fields(options)}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_all_it_needs_from_the_file(verb: str) -> None:
    config.resolve(options_of(verb), {}, AS_SHIPPED, verb)
    config.resolve(SharedOptions, {}, AS_SHIPPED, None)


@pytest.mark.parametrize("verb", VERBS)
def test_every_setting_of_a_verb_is_listed_and_none_is_made_up(verb: str) -> None:
    assert set(ALL_ON[verb]) == names(options_of(verb)) - names(DigestFields)


def test_every_shared_setting_is_listed_and_none_is_made_up() -> None:
    assert set(ALL_ON["digest"]) == names(DigestFields)
    top = {name for name, value in ALL_ON.items() if not isinstance(value, dict)}
    assert top == names(SharedOptions) - {"config"}


def test_what_is_commented_out_is_the_default() -> None:
    for verb in VERBS:
        without = ("top",) if verb == "discover" else ()
        on = {
            name: value for name, value in ALL_ON[verb].items() if name not in without and (verb, name) not in EXAMPLES
        }
        quiet = config.resolve(options_of(verb), {}, AS_SHIPPED, verb)
        # Where labels decide how pages become digests, those named in the file would be asked for
        digest = {} if verb == "phish" else ALL_ON["digest"]
        assert config.resolve(options_of(verb), {}, {verb: on, "digest": digest}, verb) == quiet
    top = {k: v for k, v in ALL_ON.items() if not isinstance(v, dict) and ("", k) not in EXAMPLES}
    assert config.resolve(SharedOptions, {}, top, None) == config.resolve(SharedOptions, {}, {}, None)


STUDIES = ("clueweb09-quilt", "commoncrawl002", "email-imatch", "geocities", "paypal-phish", "wiki-spin", "wikipedia")


@pytest.mark.parametrize("name", STUDIES)
def test_settings_of_published_studies_are_whole_commands(name: str) -> None:
    file = config.read_file(str(Path(__file__).parents[1] / "configs" / f"{name}.toml"))
    config.refuse_unknown_tables(file, [*cli.VERBS, "digest"])
    for verb in sorted(set(file) - {"digest", "study"}):
        config.resolve(options_of(verb), {}, file, verb)
    for study in file.get("study", {}):
        options = importlib.import_module(f"hpcreuse.study.{study}").Options
        config.resolve(options, {}, file, f"study.{study}")


def test_published_parameters_are_those_of_the_papers() -> None:
    files = {name: config.read_file(str(Path(__file__).parents[1] / "configs" / f"{name}.toml")) for name in STUDIES}
    assert files["commoncrawl002"]["discover"]["threshold"] == 10**5
    assert files["geocities"]["discover"]["threshold"] == 1000
    assert (files["email-imatch"]["imatch"]["band"], files["email-imatch"]["imatch"]["lexicons"]) == ([0.2, 0.3], 10)
    # More than 25 characters
    assert files["paypal-phish"]["label"]["min_length"] == files["paypal-phish"]["phish"]["min_length"] == 26
    # More than 100 characters: 100 itself is too short
    assert files["wikipedia"]["label"]["min_length"] == files["wikipedia"]["detect"]["min_length"] == 101
    assert (files["wikipedia"]["study"]["wikipedia"]["top"], files["wikipedia"]["study"]["wikipedia"]["above"]) == (
        40,
        1000,
    )
    spin = files["wiki-spin"]["spin"]
    assert (spin["threshold"], spin["min_words"], spin["link_density"]) == (0.75, 50, 0.2)
