"""What studies print: lines that several of them have."""

from typing import Any


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.1f} %"


def site_line(site: dict[str, Any]) -> str:
    """Describe a site."""
    return (
        f"{site['pages']:,} pages, {site['chunks']:,} chunks ({site['distinct_chunks']:,} distinct), "
        f"{site['chunks_per_page_mean']:.1f} per page (median {site['chunks_per_page_median']:g}, "
        f"most {site['chunks_per_page_max']:,})"
    )


def output_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Name the files that were written."""
    files = [*summary["tables"], *(path for path in summary["figures"] if path.endswith(".png"))]
    return [("", ""), *(("written" if not number else "", path) for number, path in enumerate(files))]
