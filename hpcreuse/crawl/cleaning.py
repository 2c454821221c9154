"""Recursion errors: loops in the web graph that file one page under many URLs (TR appendix A)."""

from collections import Counter
from collections.abc import Sequence

from hpcreuse.crawl.pages import Limits


def recursion_error(url: str, limits: Limits) -> str:
    """Say why a URL looks like a loop of the crawler; an empty string when it does not.

    Percent-encoding and case are left alone, empty components do not count, query and fragment take no part.
    """
    # Most URLs are too short to break any rule: a path of n components has n slashes after `scheme://`.
    shortest = min(limits.max_components, limits.max_repeats, 2 * limits.max_run_repeats + 1)
    if url.count("/") - 2 <= shortest:
        return ""

    components = path_components(url)
    if len(components) > limits.max_components:
        return f"recursion error: path has {len(components)} components"

    # Past this point the work is bounded by max_components, however long the URL is.
    counts = Counter(components)
    if len(counts) == len(components):
        return ""
    component, count = counts.most_common(1)[0]
    if count > limits.max_repeats:
        return f"recursion error: path component {_shorten(component)!r} occurs {count} times"

    # A run that stands there n times needs components that occur n times.
    if count > limits.max_run_repeats:
        return _repeated_run(components, limits.max_run_repeats)
    return ""


def path_components(url: str) -> list[str]:
    """Give the components of a URL's path that are not empty."""
    path = url.partition("#")[0].partition("?")[0]
    scheme = path.find("://")
    start = path.find("/", scheme + 3 if scheme >= 0 else 0)
    return [] if start < 0 else [part for part in path[start:].split("/") if part]


def _repeated_run(components: Sequence[str], limit: int) -> str:
    """Look for a run of two or more components that stands more than `limit` times in a row."""
    for length in range(2, len(components) // (limit + 1) + 1):
        # n equal runs in a row are (n - 1) * length positions that equal the one a run further on.
        needed = limit * length
        streak = 0
        for here, (one, other) in enumerate(zip(components, components[length:], strict=False)):
            streak = streak + 1 if one == other else 0
            if streak == needed:
                run = "/".join(components[here + 1 : here + 1 + length])
                return f"recursion error: path run {_shorten(run)!r} repeats more than {limit} times in a row"
    return ""


def _shorten(text: str, longest: int = 80) -> str:
    """Keep a reason readable when a component is thousands of characters long."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
