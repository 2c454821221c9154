"""Spintax, the language of spinning tools: {one|another} stands for either, and alternatives may hold alternatives."""

import random
from collections.abc import Iterator

Sequence = list["str | Choice"]


class Choice(list[Sequence]):
    """Alternatives of which one is taken."""


def templates(text: str) -> list[Sequence]:
    """Read spintax; a text that is one choice as a whole, such as a list of comments, is as many templates."""
    whole = parse(text)
    parts = [part for part in whole if not isinstance(part, str) or part.strip()]
    return list(parts[0]) if len(parts) == 1 and isinstance(parts[0], Choice) else [whole]


def parse(text: str) -> Sequence:
    """Read spintax; what is still open at the end ends there, for spammers forget braces."""
    # The alternatives that are being read, the innermost last
    open_choices: list[Choice] = []
    at: Sequence = []
    above: list[Sequence] = []
    for token in tokens(text):
        if token == "{":
            above.append(at)
            at = []
            open_choices.append(Choice([at]))
        elif token == "|" and open_choices:
            at = []
            open_choices[-1].append(at)
        elif token == "}" and open_choices:
            at = above.pop()
            at.append(open_choices.pop())
        else:
            at.append(token)
    while open_choices:
        at = above.pop()
        at.append(open_choices.pop())
    return at


def tokens(text: str) -> Iterator[str]:
    """Cut text at braces and bars."""
    start = 0
    for place, character in enumerate(text):
        if character in "{|}":
            if place > start:
                yield text[start:place]
            yield character
            start = place + 1
    if start < len(text):
        yield text[start:]


def render(sequence: Sequence, draw: random.Random) -> str:
    """Write a text, taking one of each choice."""
    return "".join(part if isinstance(part, str) else render(draw.choice(part), draw) for part in sequence)
