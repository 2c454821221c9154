"""How `show` prints a cluster of articles: words that differ from the first page in brackets, in colour if it can."""

from typing import Any

from rich.text import Text

NEW, OLD = "bold red", "green"


def cluster_lines(summary: dict[str, Any], most: int) -> list[tuple[str, Any]]:
    """Give the pages of a cluster one after the other, each against the first."""
    lines: list[tuple[str, Any]] = [
        ("cluster", f"{summary['cluster']} ({summary['kind']}), {summary['pages']:,} pages"),
        ("marks", Text.assemble("[", ("new words", NEW), " < ", ("those of the first page", OLD), "]")),
    ]
    if summary["also_in"]:
        lines.append(("also in", ", ".join(f"cluster {number}" for number in summary["also_in"])))
    for page in summary["texts"]:
        lines += [("page", Text(page["url"], style="bold")), ("", marked(page["parts"], most))]
    left = summary["pages"] - len(summary["texts"])
    if left:
        lines.append(("", f"and {left:,} more pages: --places N shows them"))
    return lines


def marked(parts: list[dict[str, str]], most: int) -> Text:
    """Write words, in brackets those that differ and what the first page has instead; at most so many characters."""
    text = Text()
    for part in parts:
        if part["change"] == "equal":
            text.append(part["words"] + " ")
        else:
            text.append("[").append(part["words"], style=NEW)
            if part["instead"]:
                text.append(" < " if part["words"] else "< ").append(part["instead"], style=OLD)
            text.append("] ")
        if len(text) > most:
            text.truncate(most)
            return text.append(" ... (--bytes N shows more)", style="default")
    return text
