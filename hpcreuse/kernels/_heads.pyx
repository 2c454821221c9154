# cython: language_level=3
"""Heads of records and of HTTP responses as most writers put them, taken apart in one go.

Such a head is made of lines that end in CRLF, none of them folded, no CR or LF elsewhere, up to an empty one.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memchr, memcmp

cdef extern from "<strings.h>" nogil:
    int strncasecmp(const char *one, const char *other, size_t size)


cdef struct Span:
    const char *begin
    const char *end


cdef inline const char *line_end(const char *at, const char *reach) noexcept nogil:
    """Give the CRLF that ends a line; NULL where there is none, or a CR or LF elsewhere."""
    cdef const char *cr = <const char *> memchr(at, 13, reach - at)
    if cr == NULL or cr + 1 >= reach or cr[1] != 10 or memchr(at, 10, cr - at) != NULL:
        return NULL
    return cr


cdef inline bint is_named(Span line, const char *colon, const char *name, size_t size) noexcept nogil:
    return colon - line.begin == <Py_ssize_t> size and memcmp(line.begin, name, size) == 0


cdef inline bytes text(Span span):
    return PyBytes_FromStringAndSize(span.begin, span.end - span.begin)


def warc_head(bytes buf, Py_ssize_t start, Py_ssize_t near):
    """Give size, Content-Length, target, type and IP of a response; None for anything that needs a closer look.

    A field counts where it stands first; it has exactly one blank behind its colon.
    """
    cdef const char *begin = PyBytes_AS_STRING(buf) + start
    cdef const char *reach = begin + min(near, len(buf) - start)
    cdef const char *colon
    cdef Span kind, target, media, address, length, line
    kind.begin = target.begin = media.begin = address.begin = length.begin = NULL
    if reach - begin < 7 or memcmp(begin, b"WARC/1.", 7):
        return None
    line.end = line_end(begin, reach)
    while line.end != NULL:
        line.begin = line.end + 2
        line.end = line_end(line.begin, reach)
        if line.end == line.begin:
            break
        if line.end == NULL or <unsigned char> line.begin[0] <= 32:
            return None
        colon = <const char *> memchr(line.begin, 58, line.end - line.begin)
        if colon == NULL or colon == line.begin or colon + 1 == line.end or colon[1] != 32:
            return None
        if kind.begin == NULL and is_named(line, colon, b"WARC-Type", 9):
            kind = Span(colon + 2, line.end)
        elif target.begin == NULL and is_named(line, colon, b"WARC-Target-URI", 15):
            target = Span(colon + 2, line.end)
        elif length.begin == NULL and is_named(line, colon, b"Content-Length", 14):
            length = Span(colon + 2, line.end)
        elif media.begin == NULL and is_named(line, colon, b"Content-Type", 12):
            media = Span(colon + 2, line.end)
        elif address.begin == NULL and is_named(line, colon, b"WARC-IP-Address", 15):
            address = Span(colon + 2, line.end)
    if line.end == NULL or kind.begin == NULL or target.begin == NULL or length.begin == NULL:
        return None
    size, digits, url = line.end + 2 - begin, text(length), text(target)
    if text(kind) != b"response" or not digits.isdigit() or len(digits) > 18:
        return None
    if not url.startswith((b"http://", b"https://")):
        return None
    return size, int(digits), url, text(media) if media.begin else b"", text(address) if address.begin else b""


def http_head(bytes buf, Py_ssize_t start, Py_ssize_t end, Py_ssize_t near):
    """Give where the body begins and the Content-Type of a response without codings; None for anything else."""
    cdef const char *begin = PyBytes_AS_STRING(buf) + start
    cdef const char *reach = begin + min(near, end - start)
    cdef const char *at
    cdef Span line, media
    media.begin = media.end = NULL
    if reach - begin < 5 or memcmp(begin, b"HTTP/", 5):
        return None
    line.end = line_end(begin, reach)
    while line.end != NULL:
        line.begin = line.end + 2
        line.end = line_end(line.begin, reach)
        if line.end == line.begin:
            return line.end + 2 - begin + start, text(media) if media.begin else b""
        if line.end == NULL or line.begin[0] == 32 or line.begin[0] == 9:
            return None
        if line.begin[0] & 0xDF == 84 and not strncasecmp(line.begin, b"transfer-encoding", 17):
            return None
        if line.begin[0] & 0xDF == 67 and not strncasecmp(line.begin, b"content-", 8):
            if not strncasecmp(line.begin, b"content-encoding", 16):
                return None
            if media.begin == media.end and not strncasecmp(line.begin, b"content-type", 12):
                at = skip_blanks(line.begin + 12, line.end)
                if at < line.end and at[0] == 58:
                    media = Span(skip_blanks(at + 1, line.end), line.end)
    return None


cdef inline const char *skip_blanks(const char *at, const char *end) noexcept nogil:
    while at < end and (at[0] == 32 or at[0] == 9):
        at += 1
    return at
