"""The demo's dictionary of synonyms, and what a spinner does with it."""

import random
import re
from pathlib import Path

ADJECTIVES = [
    group.split("|")
    for group in "big|large|huge;small|little|tiny;venerable|old|ancient;new|recent|modern;quick|fast|rapid;slow|"
    "sluggish|gradual;"
    "quiet|silent|calm;loud|noisy|booming;bright|brilliant|shining;dark|gloomy|dim;happy|cheerful|joyful;sad|"
    "gloomy|mournful;"
    "clever|smart|bright;strange|odd|peculiar;famous|renowned|celebrated;cheap|inexpensive|affordable;costly|"
    "expensive|pricey;"
    "careful|cautious|prudent;brave|bold|daring;gentle|mild|tender;rough|coarse|rugged;clean|spotless|tidy;empty|"
    "vacant|bare;"
    "heavy|weighty|massive;narrow|slender|thin;broad|wide|spacious;polite|courteous|civil;furious|angry|irate".split(
        ";"
    )
]
VERBS = [
    group.split("|")
    for group in "bought|purchased|acquired;built|constructed|erected;began|started|commenced;ended|finished|concluded;"
    "mended|repaired|fixed;found|discovered|located;hid|concealed|buried;helped|assisted|aided;asked|questioned|"
    "quizzed;"
    "showed|displayed|exhibited;carried|hauled|transported;chose|selected|picked;praised|lauded|applauded;blamed|"
    "accused|"
    "faulted;watched|observed|studied;cleaned|scrubbed|polished;gathered|collected|assembled;broke|smashed|shattered;"
    "guarded|protected|defended;described|depicted|portrayed;refused|declined|rejected;needed|required|demanded".split(
        ";"
    )
]


def first_words(groups: list[list[str]]) -> str:
    """Give one word of each group, as the demo's grammar takes them."""
    return "|".join(dict.fromkeys(group[0] for group in groups))


def write_synonyms(path: Path) -> None:
    """Write the dictionary as `hpcreuse spin` reads it."""
    lines = [f"{word}\t{'|'.join(other for other in group if other != word)}\n" for group in groups() for word in group]
    path.write_text("".join(lines), encoding="utf-8")


def groups() -> list[list[str]]:
    """List all groups."""
    return [*ADJECTIVES, *VERBS]


def spin(text: str, rng: random.Random) -> str:
    """Put a synonym in the place of every word that has one."""
    others = {group[0]: group[1:] for group in groups()}

    def replaced(word: re.Match[str]) -> str:
        return rng.choice(others[word[0]]) if word[0] in others else word[0]

    return re.sub(r"[a-z]+", replaced, text)
