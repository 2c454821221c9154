"""A page as a browser would draw it, with nothing in it that acts: no script, no address, no form that sends.

The frame it is shown in is sandboxed and may load nothing: what is taken out here, the browser would refuse as well.
"""

import html
import re

from hpcreuse.judge.marking import Owners
from hpcreuse.judge.pages import CrawledPage
from hpcreuse.kernels.plain import word_pattern
from hpcreuse.page.parsing import parse

GONE = (
    "script noscript template link meta base iframe frame frameset object embed applet portal fencedframe audio video "
    "source track param dialog"
).split()
# Attributes that name something to fetch, send to or run; links lead nowhere
ADDRESSES = frozenset(
    "href src srcset action formaction background ping xlink:href poster data cite longdesc manifest http-equiv "
    "srcdoc target autofocus popover popovertarget usemap classid codebase profile lowsrc dynsrc".split()
)
COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#d9c800", "#0072b2", "#d55e00", "#cc79a7", "#7f7f7f")
ATTRIBUTE = "data-hpcreuse"
SLACK = 300
_TAG = re.compile(r'<!--.*?-->|<[A-Za-z/!](?:"[^"]*"|[^>"])*>', re.DOTALL)
_START = re.compile(rb"<[A-Za-z]+")
# Inside these, text is no place for marks
_WHOLE = re.compile(r"<(style|textarea|title|select|svg|math)\b.*?</\1>", re.DOTALL)


def style() -> str:
    """Give the style of marks: a bar at marked chunks, a tint behind marked words."""
    rules = ["html{background:#fff;color:#111;font-family:serif}img{outline:1px dashed #999}"]
    for number, colour in enumerate(COLOURS):
        rules.append(
            f'[{ATTRIBUTE}="{number}"]{{box-shadow:-6px 0 0 {colour}!important;padding-left:4px!important}}'
            f'mark[{ATTRIBUTE}="{number}"]{{box-shadow:none!important;padding:0!important;color:inherit;'
            f"background:{colour}55;border-bottom:2px solid {colour}}}"
        )
    return f"<style>{''.join(rules)}</style>"


def colour_of(mark: int) -> int:
    """Give the number of a mark's colour: there are as many as can be told apart."""
    return (mark - 1) % len(COLOURS)


def render_chunks(page: CrawledPage, marks: dict[int, int]) -> str | None:
    """Draw a page with a bar at the elements that marked chunks begin with."""
    if not page.is_markup:
        return None
    parts, at = [], 0
    for position, mark in sorted(marks.items()):
        if position < len(page.chunks) and (tag := _START.match(page.chunked, page.chunks[position][0])):
            # In front of the others: of two attributes with one name the first counts
            parts += [page.chunked[at : tag.end()], f' {ATTRIBUTE}="{colour_of(mark)}"'.encode()]
            at = tag.end()
    parts.append(page.chunked[at:])
    return harmless(b"".join(parts).decode(page.encoding, "replace"))


def render_words(page: CrawledPage, owners: Owners) -> str | None:
    """Draw a page with a tint behind marked words."""
    if not page.is_markup or not page.chunked:
        return None
    drawn = harmless(page.chunked.decode(page.encoding, "replace"))
    return None if drawn is None else tint_words(drawn, page.words or (), owners)


def harmless(content: str) -> str | None:
    """Take out of a page what acts; None when parsing it would take too long."""
    tree = parse(content.encode("utf-8", "replace"))
    if tree is None or tree.root is None:
        return None
    tree.strip_tags(GONE, recursive=True)
    for node in tree.css("*"):
        for name in list(node.attributes):
            if name.lower() in ADDRESSES or name.lower().startswith("on"):
                del node.attrs[name]
    return f'<!doctype html><meta charset="utf-8">{style()}{tree.html or ""}'


def tint_words(drawn: str, words: tuple[str, ...], owners: Owners) -> str:
    """Put marks around words; the letters of all words, one after the other, are those between the tags.

    Where they are not, as when words were hidden, the page stays as it is.
    """
    letters = [owner for word, owner in zip(words, owners, strict=False) for _ in word]
    spelling = "".join(words)
    body = drawn.find("<body")
    pieces, at, used = [drawn[: max(body, 0)]], max(body, 0), 0
    while at < len(drawn):
        tag = _WHOLE.match(drawn, at) or _TAG.match(drawn, at)
        if tag:
            pieces.append(tag[0])
            at = tag.end()
            continue
        end = drawn.find("<", at + 1)
        end = len(drawn) if end < 0 else end
        shown = html.unescape(drawn[at:end])
        tinted, used = _tint(shown, letters, spelling, used)
        pieces.append(tinted)
        at = end
    return "".join(pieces)


def _tint(shown: str, letters: list[int | None], spelling: str, used: int) -> tuple[str, int]:
    """Mark the words of a stretch of text, as far as they are the ones expected; give how many letters were used."""
    out, at, before = [], 0, None
    for match in word_pattern().finditer(shown):
        word = match[0].lower()
        gap = html.escape(shown[at : match.start()])
        at = match.end()
        # What is hidden here, or stood elsewhere, is passed over
        place = spelling.find(word, used, used + len(word) + (SLACK if len(word) > 3 else 0))
        owner = None
        if place >= 0:
            owner, used = letters[place], place + len(word)
        if owner != before:
            closed = "" if before is None else "</mark>"
            opened = "" if owner is None else f'<mark {ATTRIBUTE}="{colour_of(owner)}">'
            gap, before = closed + gap + opened, owner
        out += [gap, html.escape(match[0])]
    return "".join([*out, "" if before is None else "</mark>", html.escape(shown[at:])]), used
