# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What a page may cost an HTML parser: one pass over its tags. `plain_nesting.py` says how it is bounded, and why."""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr

from hpcreuse.kernels import plain_nesting as plain

ctypedef const unsigned char *Bytes

cdef struct Element:
    Bytes name
    Py_ssize_t name_length
    Py_ssize_t tag_length

cdef enum:
    COUNTED, NEVER_DEEP, FORMATTING, RAW, OTHER_GRAMMAR
    MOST_NAMES = 80

cdef long long NODE = plain.NODE
cdef long long OPENED_AGAIN = plain.OPENED_AGAIN
cdef unsigned long long known[MOST_NAMES]
cdef int kinds[MOST_NAMES]
cdef int known_count = 0


cdef unsigned long long packed(Bytes name, Py_ssize_t length) noexcept:
    """Give a name of up to 8 letters as a number, lower-case; 0 for longer ones."""
    cdef unsigned long long number = 0
    cdef Py_ssize_t i
    if length > 8:
        return 0
    for i in range(length):
        number = number << 8 | lower(name[i])
    return number


cdef inline unsigned char lower(unsigned char c) noexcept:
    return c + 32 if 65 <= c <= 90 else c


cdef inline bint is_space(unsigned char c) noexcept:
    return c == 32 or c == 9 or c == 10 or c == 12 or c == 13


cdef inline bint is_letter(unsigned char c) noexcept:
    return 97 <= (c | 32) <= 122


def _learn():
    global known_count
    groups = {
        NEVER_DEEP: plain.NEVER_DEEP,
        FORMATTING: plain.FORMATTING,
        RAW: set(plain.RAW),
        OTHER_GRAMMAR: plain.OTHER_GRAMMAR,
    }
    for kind, names in groups.items():
        for name in names:
            assert len(name) <= 8 and known_count < MOST_NAMES
            known[known_count] = packed(name, len(name))
            kinds[known_count] = kind
            known_count += 1


_learn()


cdef int kind_of(Bytes name, Py_ssize_t length) noexcept:
    cdef unsigned long long number = packed(name, length)
    cdef int i
    if number:
        for i in range(known_count):
            if known[i] == number:
                return kinds[i]
    return COUNTED


cdef bint same(Bytes a, Bytes b, Py_ssize_t length) noexcept:
    cdef Py_ssize_t i
    for i in range(length):
        if lower(a[i]) != lower(b[i]):
            return False
    return True


cdef Bytes after_comment(Bytes at, Bytes end) noexcept:
    """Give where a comment ends; `at` is behind its `<!--`."""
    if at < end and at[0] == 62:
        return at + 1
    if at + 1 < end and at[0] == 45 and at[1] == 62:
        return at + 2
    while True:
        at = <Bytes> memchr(at, 45, end - at)
        if at == NULL or at + 2 >= end:
            return end
        if at[1] == 45 and (at[2] == 62 or (at[2] == 33 and at + 3 < end and at[3] == 62)):
            return at + (3 if at[2] == 62 else 4)
        at += 1


cdef Bytes after_attributes(Bytes at, Bytes end, long long *count) noexcept:
    """Give where a tag ends, before its `>`; `at` is behind its name."""
    cdef Bytes value
    cdef Bytes quote
    count[0] = 0
    while at < end and at[0] != 62:
        if is_space(at[0]) or at[0] == 47:
            at += 1
            continue
        count[0] += 1
        at += 1
        while at < end and not is_space(at[0]) and at[0] != 47 and at[0] != 62 and at[0] != 61:
            at += 1
        value = at
        while value < end and is_space(value[0]):
            value += 1
        if value >= end or value[0] != 61:
            continue
        value += 1
        while value < end and is_space(value[0]):
            value += 1
        if value < end and (value[0] == 34 or value[0] == 39):
            quote = <Bytes> memchr(value + 1, value[0], end - value - 1)
            if quote != NULL:
                at = quote + 1
        else:
            while value < end and not is_space(value[0]) and value[0] != 62:
                value += 1
            at = value
    return at


cdef Bytes end_of_raw(Bytes at, Bytes end, Bytes name, Py_ssize_t length) noexcept:
    """Give where the end tag of a raw element begins, or the end of the page."""
    while True:
        at = <Bytes> memchr(at, 60, end - at)
        if at == NULL or end - at < length + 2:
            return end
        if at[1] == 47 and same(at + 2, name, length):
            return at
        at += 1


def parsing_work(bytes page, long long most):
    """Give a bound of the steps of a parser, as soon as it is over `most` or the page is at its end."""
    cdef Bytes begin = page
    cdef Bytes at = begin
    cdef Bytes end = begin + len(page)
    cdef Bytes tag
    cdef Bytes name
    cdef Py_ssize_t name_length
    cdef bint closing
    cdef int kind
    cdef long long work = 0, attributes = 0, again = 0, again_bytes = 0, other_grammar = 0, equal
    cdef Py_ssize_t depth = 0, room = 256
    cdef dict formatting = {}
    cdef Element *stack = <Element *> malloc(room * sizeof(Element))
    cdef Element *grown
    if stack == NULL:
        raise MemoryError
    try:
        while work <= most:
            tag = <Bytes> memchr(at, 60, end - at)
            if tag == NULL:
                break
            at = tag + 1
            if at >= end:
                break
            if at[0] == 33 and end - at > 2 and at[1] == 45 and at[2] == 45:
                at = after_comment(at + 3, end)
                continue
            closing = at[0] == 47
            name = at + closing
            if name >= end or not is_letter(name[0]):
                if closing or at[0] == 33 or at[0] == 63:
                    at = <Bytes> memchr(at, 62, end - at)
                    if at == NULL:
                        break
                continue
            at = name
            while at < end and not is_space(at[0]) and at[0] != 47 and at[0] != 62:
                at += 1
            name_length = at - name
            kind = kind_of(name, name_length)
            at = after_attributes(at, end, &attributes)
            work += NODE * (1 + attributes + again) + attributes * attributes // 2 + depth + again_bytes
            if kind == NEVER_DEEP:
                continue
            if closing:
                if depth and stack[depth - 1].name_length == name_length and same(
                    stack[depth - 1].name, name, name_length
                ):
                    depth -= 1
                    other_grammar -= kind == OTHER_GRAMMAR
                    if kind == FORMATTING:
                        tag = stack[depth].name - 1
                        text = tag[: stack[depth].tag_length]
                        equal = formatting[text]
                        formatting[text] = equal - 1
                        if equal <= OPENED_AGAIN:
                            again, again_bytes = again - 1, again_bytes - stack[depth].tag_length
                continue
            if depth == room:
                grown = <Element *> realloc(stack, 2 * room * sizeof(Element))
                if grown == NULL:
                    raise MemoryError
                stack, room = grown, 2 * room
            stack[depth] = Element(name, name_length, at - tag)
            depth += 1
            other_grammar += kind == OTHER_GRAMMAR
            if kind == FORMATTING:
                text = tag[: at - tag]
                equal = formatting.get(text, 0) + 1
                formatting[text] = equal
                if equal <= OPENED_AGAIN:
                    again, again_bytes = again + 1, again_bytes + (at - tag)
            elif kind == RAW and not other_grammar:
                at = end_of_raw(at, end, name, name_length)
        return work
    finally:
        free(stack)
