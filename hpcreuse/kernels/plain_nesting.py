"""What a page may cost an HTML parser, found out without parsing it.

A parser walks its stack of open elements for many tags, compares each attribute with those before it, and opens
formatting elements again in every block. For pages made to do harm that is the square of their length in time and in
memory: 110 kB of `<p><b id=N>` become 535 MB. One pass over the tags bounds it from above, whatever hides in
comments, quotes and scripts: an element counts as closed only when its end tag meets it on top.
"""

import re
from collections import Counter

# What one more node costs in memory and time, in steps along the stack
NODE = 50

ATTRIBUTE = re.compile(
    rb"[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'][^\t\n\f\r >]*+|(?=>)|\Z))?+"
)

# Comments and tags as the tokenizer of HTML has them; without a name they open and close nothing
TOKEN = re.compile(
    rb"<(?:!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|(?:[!?]|/(?![A-Za-z]))[^>]*+"
    rb"|(?P<end>/?)(?P<name>[A-Za-z][^\t\n\f\r />]*+)"
    rb"(?P<attributes>(?:[\t\n\f\r /]++|" + ATTRIBUTE.pattern + rb")*+))",
    re.DOTALL,
)

# Empty, or closed by the next of its kind unless something that is counted lies between
NEVER_DEEP = frozenset(
    b"area base br col embed frame hr image img input keygen link meta param source track wbr "
    b"html head body p li dd dt tr td th tbody thead tfoot caption colgroup option a".split()
)

FORMATTING = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
# Of equal ones a parser opens so many again at most
OPENED_AGAIN = 3

# Elements without tags inside, except where another grammar holds
RAW = {
    name: re.compile(rb"</" + name, re.IGNORECASE)
    for name in b"script style textarea title xmp iframe noembed noframes".split()
}
OTHER_GRAMMAR = frozenset(b"svg math select".split())


def parsing_work(page: bytes, most: int) -> int:
    """Give a bound of the steps of a parser, as soon as it is over `most` or the page is at its end."""
    open_elements: list[tuple[bytes, bytes]] = []
    formatting: Counter[bytes] = Counter()
    work = place = again = again_bytes = other_grammar = 0
    while work <= most and (token := TOKEN.search(page, place)):
        place = token.end()
        if token["name"] is None:
            continue
        name, tag = token["name"].lower(), token[0]
        attributes = len(ATTRIBUTE.findall(token["attributes"]))
        work += NODE * (1 + attributes + again) + attributes * attributes // 2 + len(open_elements) + again_bytes
        if name in NEVER_DEEP:
            continue
        if token["end"]:
            if open_elements and open_elements[-1][0] == name:
                _, opened = open_elements.pop()
                other_grammar -= name in OTHER_GRAMMAR
                if name in FORMATTING:
                    if formatting[opened] <= OPENED_AGAIN:
                        again, again_bytes = again - 1, again_bytes - len(opened)
                    formatting[opened] -= 1
            continue
        open_elements.append((name, tag))
        other_grammar += name in OTHER_GRAMMAR
        if name in FORMATTING:
            formatting[tag] += 1
            if formatting[tag] <= OPENED_AGAIN:
                again, again_bytes = again + 1, again_bytes + len(tag)
        elif name in RAW and not other_grammar:
            end = RAW[name].search(page, place)
            place = end.start() if end else len(page)
    return work
