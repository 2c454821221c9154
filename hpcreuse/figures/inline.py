"""A figure for a page: its SVG taken to pieces and only what draws put together again.

A page with a strict content security policy allows no style inside elements, and one that is light or dark needs
colours it can change: styles become attributes, known colours classes (`f-ink`, `s-blue`) that the page gives
colours to. Elements and attributes that do not draw are left out, whoever made the file.
"""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from hpcreuse.errors import HpcreuseError
from hpcreuse.figures.style import BLIND, EXPERT, GREY, ORANGE, TEAL, THRESHOLD, VIOLET

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"

COLOURS = {
    "#000000": "ink",
    "black": "ink",
    "#ffffff": "paper",
    BLIND: "blue",
    EXPERT: "green",
    THRESHOLD: "red",
    GREY: "grey",
    ORANGE: "orange",
    VIOLET: "violet",
    TEAL: "teal",
}
DRAWING = frozenset({"svg", "g", "defs", "path", "use", "clipPath", "rect", "circle", "line", "polyline", "polygon"})
GEOMETRY = frozenset("id d x y x1 y1 x2 y2 cx cy r rx ry width height points transform viewBox".split())
PAINT = frozenset(
    "fill stroke stroke-width stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit "
    "opacity fill-opacity stroke-opacity fill-rule clip-rule".split()
)
_LOCAL = re.compile(r"url\(#([\w.-]+)\)")


class FigureError(HpcreuseError):
    """A figure cannot be shown."""


def inline_svg(svg: str, name: str, alt: str) -> str:
    """Give an SVG as an element of an HTML page; ids are made its own by `name`, `alt` says what it shows."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise FigureError(f"the figure {name} is not SVG ({error}): make it again") from error
    if root.tag != f"{SVG}svg":
        raise FigureError(f"the figure {name} is not SVG: make it again")
    drawn = _cleaned(root, name)
    # Matplotlib sets these for everything in a style sheet, which a page does not take; text has no colour of its own
    drawn.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt", "class": "f-ink"}
    drawn.attrib |= {"role": "img", "aria-label": alt}
    return ElementTree.tostring(drawn, encoding="unicode")


def _cleaned(element: ElementTree.Element, name: str) -> ElementTree.Element:
    clean = ElementTree.Element(element.tag.removeprefix(SVG), _attributes(element, name))
    for child in element:
        if isinstance(child.tag, str) and child.tag.removeprefix(SVG) in DRAWING:
            clean.append(_cleaned(child, name))
    return clean


def _attributes(element: ElementTree.Element, name: str) -> dict[str, str]:
    """Take over what draws, as attributes; references stay inside the figure."""
    given = {key: value for key, value in element.items() if key in GEOMETRY | PAINT}
    given |= {key: value for key, value in _declarations(element.get("style", "")) if key in PAINT}
    if "id" in given:
        given["id"] = f"{name}-{given['id']}"
    if element.tag == f"{SVG}svg":
        # The page decides how large it is
        del given["width"], given["height"]
    if (target := element.get(f"{XLINK}href") or element.get("href") or "").startswith("#"):
        given["href"] = f"#{name}-{target[1:]}"
    if found := _LOCAL.fullmatch(element.get("clip-path", "")):
        given["clip-path"] = f"url(#{name}-{found[1]})"
    classes = [
        f"{paint[0]}-{COLOURS[given[paint].lower()]}"
        for paint in ("fill", "stroke")
        if given.get(paint, "").lower() in COLOURS
    ]
    if classes:
        given["class"] = " ".join(classes)
    return given


def _declarations(style: str) -> Iterable[tuple[str, str]]:
    for declaration in style.split(";"):
        key, found, value = declaration.partition(":")
        # No url(...) or the like: all that is painted are plain colours and numbers
        if found and "(" not in value:
            yield key.strip(), value.strip()
