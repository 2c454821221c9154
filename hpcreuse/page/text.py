"""The visible text of a page and its links (METHODS.md sections 2 to 4)."""

import re
from typing import TYPE_CHECKING, NamedTuple

from hpcreuse.kernels import separate_blocks
from hpcreuse.kernels.plain_nesting import TOKEN
from hpcreuse.page.charset import to_text
from hpcreuse.page.digest import MARKUP_TYPES
from hpcreuse.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

_TAG = re.compile(TOKEN.pattern + rb">?", re.DOTALL)

# Elements whose content nobody sees
HIDDEN = ["script", "style", "template", "noscript"]


class PageText(NamedTuple):
    """What a reader sees of a page."""

    text: str
    links: int
    link_text: str
    """What stands inside links, apart from each other."""


NO_TEXT = PageText("", 0, "")


def read_text(payload: bytes, mime: str, plain: bool, content_type: str) -> PageText:
    """Give the visible text of a page; of types that are neither markup nor plain text there is none."""
    if mime in MARKUP_TYPES and not plain:
        return visible_text(to_text(payload, content_type, markup=True))
    if plain:
        return PageText(to_text(payload, content_type, markup=False), 0, "")
    return NO_TEXT


def element_text(payload: bytes, mime: str, plain: bool, content_type: str, selector: str) -> PageText | None:
    """Give the visible text of the elements that match a CSS selector; None of a page that has none of them."""
    if mime not in MARKUP_TYPES or plain:
        return None
    tree = parse(separate_blocks(to_text(payload, content_type, markup=True).encode("utf-8", "replace")))
    if tree is None:
        return None
    tree.strip_tags(HIDDEN, recursive=True)
    matching = {node.mem_id: node for node in tree.css(selector)}
    # What stands inside another that matches is in its text already
    outer = [node for node in matching.values() if not any(above in matching for above in _above(node))]
    if not outer:
        return None
    links = [link for node in outer for link in node.css("a[href]")]
    return PageText("\n".join([node.text() for node in outer]), len(links), "\n".join([link.text() for link in links]))


def _above(node: "LexborNode") -> "Iterator[int]":
    """Name the elements that an element stands in."""
    above = node.parent
    while above is not None:
        yield above.mem_id
        above = above.parent


def is_selector(selector: str) -> bool:
    """Tell whether something is a CSS selector."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        return False
    return True


def visible_text(html: str) -> PageText:
    """Parse HTML and give what stands in its body; block elements keep words apart, inline elements do not.

    Of a page made to keep the parser busy it is what stands between tags.
    """
    separated = separate_blocks(html.encode("utf-8", "replace"))
    tree = parse(separated)
    if tree is None:
        return PageText(_TAG.sub(b"", separated).decode("utf-8", "replace"), 0, "")
    tree.strip_tags(HIDDEN, recursive=True)
    if tree.body is None:
        return NO_TEXT
    links = tree.body.css("a[href]")
    return PageText(tree.body.text(), len(links), "\n".join([link.text() for link in links]))
