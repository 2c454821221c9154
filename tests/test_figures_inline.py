"""An SVG on a page: what draws stays, what runs or reaches out goes."""

import pytest

from hpcreuse.figures.inline import FigureError, inline_svg

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
HEAD = f'<svg {NAMES} width="9" height="9" viewBox="0 0 9 9"'


def test_only_what_draws_is_left() -> None:
    drawn = inline_svg(
        f"""{HEAD} onload="alert(1)"><script>alert(2)</script><style>*{{fill:red}}</style>
        <a xlink:href="javascript:alert(3)"><path d="M 0 0"/></a><image xlink:href="http://x.example/a.png"/>
        <foreignObject><b>html</b></foreignObject><g onclick="alert(4)">
        <path id="m" d="M 0 0 L 1 1" style="stroke: #2b5fb3; fill: url(http://x.example/); stroke-width: 2"/>
        <use xlink:href="#m"/><use xlink:href="http://x.example/#m"/></g></svg>""",
        "name",
        'says "so"',
    )
    for bad in ("alert", "script", "style", "x.example", "html", "onload", "onclick", "<a", "image"):
        assert bad not in drawn
    assert 'class="s-blue"' in drawn and 'stroke-width="2"' in drawn
    assert 'id="name-m"' in drawn and 'href="#name-m"' in drawn
    assert 'aria-label="says &quot;so&quot;"' in drawn


@pytest.mark.parametrize("text", ["", "not xml", "<html/>", f"{HEAD}>"])
def test_what_is_no_svg_is_refused(text: str) -> None:
    with pytest.raises(FigureError, match="is not SVG"):
        inline_svg(text, "name", "")
