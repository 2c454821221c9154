"""How `show` prints a quilt: patches numbered, and coloured on a terminal, by their source."""

from typing import Any

from rich.text import Text

COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan", "bright_red", "bright_green", "bright_blue")


def quilt_lines(summary: dict[str, Any], most: int, sources: int) -> list[tuple[str, Any]]:
    """Give the quilt, then each source with the patches it shares, in the same colour."""
    lines: list[tuple[str, Any]] = [
        ("quilt", summary["url"]),
        ("patch grams", f"{summary['patch_grams']:,} of {summary['grams']:,} ({100 * summary['patchfrac']:.1f} %)"),
        ("", patchwork(summary["patches"], most)),
    ]
    listed = zip(summary["sources"], summary["shares"], summary["source_patches"], strict=True)
    for number, (url, share, patches) in enumerate(list(listed)[:sources]):
        lines.append((f"source {number + 1}", Text(f"{100 * share:.1f} %  {url}", style=colour(number))))
        shared = [{"source": number, "words": patch["words"]} for patch in patches if patch["source"] is not None]
        lines.append(("", patchwork(shared, most)))
    if len(summary["sources"]) > sources:
        lines.append(("", f"and {len(summary['sources']) - sources:,} more sources: --places N shows them"))
    return lines


def patchwork(patches: list[dict[str, Any]], most: int) -> Text:
    """Write patches in their colours, with the number of their source before them; at most so many characters."""
    text = Text()
    for patch in patches:
        number = patch["source"]
        if number is None:
            text.append(patch["words"] + " ")
        else:
            text.append(f"[{number + 1}: {patch['words']}] ", style=colour(number))
        if len(text) > most:
            text.truncate(most)
            return text.append(" ... (--bytes N shows more)", style="default")
    return text


def colour(number: int) -> str:
    """Give the colour of a source."""
    return COLOURS[number % len(COLOURS)]
