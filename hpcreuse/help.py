"""Help that fits the terminal: sentences are wrapped, commands are folded so that they can still be pasted."""

import re
import shutil
import textwrap

NARROWEST = 40
INDENT = " " * 6


def terminal_width() -> int:
    """Give the columns that help may use, as argparse counts them."""
    return max(NARROWEST, shutil.get_terminal_size().columns - 2)


def sentences(text: str, width: int) -> str:
    """Wrap text."""
    return textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False)


def examples(text: str, width: int) -> str:
    """Fold the lines that are too long: at blanks, with a backslash; a remark in brackets goes below its command."""
    return "\n".join(folded for line in text.splitlines() for folded in _fold(line, width))


def _fold(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    command, remark = re.fullmatch(r"(.*?)(?:\s{2,}(\(.*\)))?", line).groups()  # type: ignore[union-attr]
    lines = textwrap.wrap(command, width - 2, subsequent_indent=INDENT, break_on_hyphens=False, break_long_words=False)
    return [part + " \\" for part in lines[:-1]] + lines[-1:] + ([INDENT + remark] if remark else [])
