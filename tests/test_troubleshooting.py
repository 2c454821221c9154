"""The messages that the documentation explains are those that the program prints."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
EXPLAINED = [
    m for line in PAGE.splitlines() if line.startswith(("### ", "Also ")) for m in re.findall(r"`(.+?)`", line)
]
# Of a message, not a setting or a file that a sentence mentions
MESSAGES = [message for message in EXPLAINED if " " in message and not message.startswith("-")]


@cache
def printed() -> str:
    """All text of the package, what is filled in left out as `…`."""
    texts = []
    for path in (ROOT / "hpcreuse").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return "\n".join(texts)


@pytest.mark.parametrize("message", MESSAGES)
def test_an_explained_message_exists(message: str) -> None:
    for part in filter(str.strip, message.split("…")):
        assert part in printed(), f"no message of hpcreuse has '{part}'"


def test_messages_are_explained() -> None:
    assert len(MESSAGES) > 20
