"""Recursion errors: what is dropped, what is kept, and that neither takes long."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.crawl.cleaning import path_components, recursion_error
from hpcreuse.crawl.pages import Limits

LIMITS = Limits()


def slow_recursion_error(components: list[str], limits: Limits) -> bool:
    """Apply the rule of METHODS 1, step 0, word by word."""
    n = len(components)
    if n > limits.max_components:
        return True
    if any(components.count(part) > limits.max_repeats for part in components):
        return True
    times = limits.max_run_repeats + 1
    return any(
        components[start : start + length] * times == components[start : start + length * times]
        for length in range(2, n + 1)
        for start in range(n)
        if start + length * times <= n
    )


@given(
    st.lists(st.sampled_from("abc"), max_size=24),
    st.builds(
        Limits,
        max_components=st.integers(1, 24),
        max_repeats=st.integers(1, 12),
        max_run_repeats=st.integers(1, 4),
    ),
)
def test_the_rule_agrees_with_a_slow_reading_of_it(components: list[str], limits: Limits) -> None:
    url = "http://host/" + "/".join(components)
    assert bool(recursion_error(url, limits)) == slow_recursion_error(components, limits)


@pytest.mark.parametrize(
    "url",
    [
        "http://host",
        "http://host/",
        "http://host/a/a/a/b.html",
        "http://host/a/b/a/b/c",
        "http://host//////a///////b",
        "http://host/x?u=/a/a/a/a/a/a/a/a/a",
        "http://host/x#/a/a/a/a/a/a/a/a/a",
        "http://host?/a/a/a/a/a/a/a",
        "http://host/" + "/".join(map(str, range(96))),
    ],
)
def test_ordinary_paths_are_kept(url: str) -> None:
    assert recursion_error(url, LIMITS) == ""


def test_a_component_that_occurs_too_often_is_named() -> None:
    reason = recursion_error("http://host/a/b/a/c/a/d/a/e/a", LIMITS)
    assert reason == "recursion error: path component 'a' occurs 5 times"


def test_a_path_that_is_too_deep_is_counted() -> None:
    url = "http://host/" + "/".join(map(str, range(97)))
    assert recursion_error(url, LIMITS) == "recursion error: path has 97 components"


def test_a_run_that_repeats_back_to_back_is_named() -> None:
    assert "'img/new'" in recursion_error("http://host/x/img/new/img/new/img/new/y.html", LIMITS)


def test_a_run_that_repeats_with_something_between_is_kept() -> None:
    assert recursion_error("http://host/a/b/1/a/b/2/a/b/3", LIMITS) == ""


def test_reasons_stay_short_when_components_are_long() -> None:
    assert len(recursion_error("http://host" + ("/" + "x" * 5000) * 9, LIMITS)) < 200


@pytest.mark.parametrize("part", ["/a/b/c", "/" * 50, "/a"])
def test_a_very_deep_path_costs_little(part: str) -> None:
    url = "http://host" + part * 10_000
    start = time.perf_counter()
    for _ in range(10):
        recursion_error(url, LIMITS)
    assert time.perf_counter() - start < 1


def test_components_are_those_between_slashes_that_are_not_empty() -> None:
    assert path_components("http://host:80//a//b/?q=/c") == ["a", "b"]
