"""The page: one file that needs nothing else, runs nothing and asks nobody for anything.

Text of the crawl is untrusted. All of it is escaped by the template, and a content security policy allows neither
script nor anything from elsewhere: only this very style sheet, by its hash.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hpcreuse.report.blocks import Block, FigureBlock, Section
from hpcreuse.report.wording import harmless, number, percent, seconds
from hpcreuse.store.atomic import write_text
from hpcreuse.version import __version__


def write_page(path: Path, title: str, sections: Sequence[Section]) -> None:
    """Write the page atomically."""
    # Always escaping: the names of templates decide nothing
    environment = Environment(
        loader=PackageLoader("hpcreuse.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "seconds": seconds, "harmless": harmless}
    style = environment.get_template("report.css").render()
    html = environment.get_template("report.html").render(
        title=title,
        version=__version__,
        policy=policy(style),
        style=Markup(style),
        sections=[replace(section, blocks=laid_out(section.blocks)) for section in sections],
        drawn=Markup,
    )
    write_text(path, html)


def laid_out(blocks: Sequence[Block]) -> list[Block]:
    """Mark the figures that have none beside them: they come in pairs, and of an odd number one is left over."""
    laid: list[Block] = []
    waiting: FigureBlock | None = None
    for block in blocks:
        if isinstance(block, FigureBlock) and not block.wide:
            laid.append(block)
            waiting = None if waiting else block
            continue
        if waiting:
            laid[-1] = replace(waiting, alone=True)
            waiting = None
        laid.append(block)
    if waiting:
        laid[-1] = replace(waiting, alone=True)
    return laid


def policy(style: str) -> str:
    """Give a content security policy that allows nothing but this style sheet and pictures inside the page."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
