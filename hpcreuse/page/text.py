"""The visible text of a page and its links (METHODS.md sections 2 to 4)."""

import re
from typing import NamedTuple

from hpcreuse.kernels import separate_blocks
from hpcreuse.kernels.plain_nesting import TOKEN
from hpcreuse.page.charset import to_text
from hpcreuse.page.digest import MARKUP_TYPES
from hpcreuse.page.parsing import parse

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
