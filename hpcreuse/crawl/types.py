"""The media type of a page: the declared one, unless the content shows that it is missing or wrong.

Tables stand here and nowhere else: the answer must not depend on the mime files of a machine.
"""

import re
from functools import lru_cache

HEAD = 1024
"""How many bytes decide."""

_GENERIC = frozenset(
    {
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-octet-stream",
        "application/binary",
        "application/unknown",
        "application/x-unknown",
        "application/x-unknown-content-type",
        "unknown/unknown",
        "content/unknown",
        "x-unknown/unknown",
        "*/*",
    }
)
_SCRIPTS = frozenset(
    {
        "application/javascript",
        "application/x-javascript",
        "application/ecmascript",
        "application/x-ecmascript",
        "application/jscript",
    }
)
_MARKUP = frozenset({"application/xml", "application/xml-dtd", "application/rss", "application/atom"})

# Magic numbers that no text begins with. Those made of letters alone need a closer look in `_letters`.
_MAGIC = {
    b"\x89PNG": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"PK\x05\x06": "application/zip",
    b"\x1f\x8b": "application/gzip",
    b"BZh91AY&SY": "application/x-bzip2",
    b"\xfd7zXZ\x00": "application/x-xz",
    b"\x28\xb5\x2f\xfd": "application/zstd",
    b"\x04\x22\x4d\x18": "application/x-lz4",
    b"7z\xbc\xaf\x27\x1c": "application/x-7z-compressed",
    b"Rar!\x1a\x07": "application/vnd.rar",
    b"OggS\x00": "audio/ogg",
    b"fLaC\x00": "audio/flac",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf3": "audio/mpeg",
    b"\x1aE\xdf\xa3": "video/webm",
    b"\x00\x00\x01\xba": "video/mpeg",
    b"\x00\x00\x01\xb3": "video/mpeg",
    b"FLV\x01": "video/x-flv",
    b"\x30\x26\xb2\x75": "video/x-ms-asf",
    b"MThd\x00": "audio/midi",
    b"wOFF\x00": "font/woff",
    b"wOFFO": "font/woff",
    b"wOF2\x00": "font/woff2",
    b"wOF2O": "font/woff2",
    b"OTTO\x00": "font/otf",
    b"\x00\x01\x00\x00": "font/ttf",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"\x00\x00\x02\x00": "image/x-icon",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"8BPS\x00": "image/vnd.adobe.photoshop",
    b"\x7fELF": "application/x-executable",
    b"\xca\xfe\xba\xbe": "application/java-vm",
    b"\x00asm": "application/wasm",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "application/x-ole-storage",
    b"SQLite format 3\x00": "application/vnd.sqlite3",
    b"!<arch>\n": "application/x-archive",
}
_MAGIC_STARTS = tuple(_MAGIC)
_FTYP = {b"avif": "image/avif", b"heic": "image/heic", b"M4A ": "audio/mp4", b"qt  ": "video/quicktime"}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/x-wav", b"AVI ": "video/x-msvideo"}

_UNICODE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SPACE = rb"(?:\xef\xbb\xbf)?\s*"
_HTML = re.compile(_SPACE + rb"<(?:!doctype\s+html|html(?=[\s>/]|$))", re.IGNORECASE)
_HTML_PARTS = re.compile(
    _SPACE + rb"<(?:!--|(?:!doctype\s+html|html|head|body|script|title|div|p|table|h[1-6]|a|b|br|i|font|center|"
    rb"meta|link|style|iframe|frameset|img|form|ul|ol|pre|span|base|main|section|article|nav|header)"
    rb"(?=[\s>/]|$))",
    re.IGNORECASE,
)
_XML = re.compile(_SPACE + rb"<\?xml[\s?]", re.IGNORECASE)
_ROOT = re.compile(rb"<(!doctype\s+html|html|rss|feed|svg)(?=[\s>:/])", re.IGNORECASE)
_ROOTS = {b"rss": "application/rss+xml", b"feed": "application/atom+xml", b"svg": "image/svg+xml"}
_JSON = re.compile(_SPACE + rb'(?:\{\s*["}]|\[\s*[{"])')
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b")

# Only types that have no signature in their content; the others are found by it.
_EXTENSIONS = {
    extension: mime
    for mime, extensions in {
        "text/html": "html htm shtml xht php asp aspx jsp cgi",
        "application/xhtml+xml": "xhtml",
        "text/plain": "txt text log asc md",
        "text/css": "css",
        "text/javascript": "js mjs",
        "text/csv": "csv",
        "text/tab-separated-values": "tsv",
        "text/vcard": "vcf",
        "text/calendar": "ics",
        "application/xml": "xml xsl xslt xsd",
        "application/rss+xml": "rss",
        "application/atom+xml": "atom",
        "application/rdf+xml": "rdf",
        "image/svg+xml": "svg",
        "application/json": "json",
        "application/ld+json": "jsonld",
        "application/rtf": "rtf",
        "application/x-tex": "tex",
        "application/postscript": "ps eps ai",
        "application/mac-binhex40": "hqx",
        "application/vnd.ms-fontobject": "eot",
        "audio/basic": "au snd",
        "audio/mpeg": "mp3",
        "video/mpeg": "mpg mpeg",
    }.items()
    for extension in extensions.split()
}


@lru_cache(maxsize=4096)
def is_textual(mime: str) -> bool:
    """Tell whether pages of a type are chunked (METHODS 1, step 0); JSON is not among them."""
    return mime.startswith("text/") or mime.endswith("+xml") or mime in _MARKUP or mime in _SCRIPTS


def decide_type(declared: str, payload: bytes, name: str = "") -> str:
    """Give the media type of a payload in lower case without parameters; `name` is its URL or file name."""
    mime = _essence(declared)
    if not payload:
        return mime or "application/x-empty"
    head = payload[:HEAD]
    if not mime or mime in _GENERIC:
        return _sniff(head, name)
    if is_textual(mime):
        if mime == "text/plain" and _HTML.match(head):
            return "text/html"
        return _binary(head) or mime
    return "text/html" if _HTML.match(head) else mime


@lru_cache(maxsize=4096)
def _essence(declared: str) -> str:
    """Cut a declared type down to `type/subtype`; empty when it is malformed."""
    mime = declared.partition(";")[0].partition(",")[0].strip(" \t\r\n\"'").lower()
    kind, slash, subtype = mime.partition("/")
    return mime if slash and kind and subtype and not set(mime) & set(" \t<>") else ""


_TAG = re.compile(
    rb"<(?:!--|!doctype|/?(?:html|head|body|title|script|p|div|a|br|table|span|h[1-6]))[\s>/]", re.IGNORECASE
)


def _binary(head: bytes) -> str:
    """Give the binary type of something declared as text; empty when it may well be text."""
    # Nothing known begins with a tag and has no NUL: nearly all pages are decided here
    if head.startswith(b"<") and b"\0" not in head:
        return _letters(head)
    if head.startswith(_MAGIC_STARTS):
        return next(mime for start, mime in _MAGIC.items() if head.startswith(start))
    if known := _letters(head):
        return known
    # A page with tags in it stays a page with a stray NUL, as in every browser.
    if b"\0" not in head or head.startswith(_UNICODE_MARKS) or _utf16_order(head) or _TAG.search(head):
        return ""
    return "application/octet-stream"


def _letters(head: bytes) -> str:
    """Recognise formats whose magic number could also begin a text ("BMW", "MZ", "RIFF", "ID3")."""
    if head[4:8] == b"ftyp":
        return _FTYP.get(head[8:12], "video/mp4")
    start = head[:2]
    if start == b"RI" and head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12], "")
    if start == b"BM" and head[6:10] == b"\0\0\0\0":
        return "image/bmp"
    if start == b"MZ" and b"\0" in head:
        return "application/x-msdownload"
    if start == b"ID" and head.startswith(b"ID3") and head[3:5] < b"\x0a":
        return "audio/mpeg"
    if head[1:3] == b"WS" and head[:1] in b"FCZ" and b"\0" in head[4:8]:
        return "application/x-shockwave-flash"
    return "application/x-tar" if head[257:262] == b"ustar" else ""


def _utf16_order(head: bytes) -> str:
    """Recognise UTF-16 without a byte order mark: most even or most odd bytes are NUL, none of the others."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(head) % 2 or len(head) < 4 or (even and odd) or max(even, odd) * 3 < len(head):
        return ""
    return "utf-16-le" if odd else "utf-16-be"


def _sniff(head: bytes, name: str) -> str:
    """Decide by content, then by the extension of the name."""
    binary = _binary(head)
    if binary and binary != "application/octet-stream":
        return binary
    text = _as_utf8(head)
    if _XML.match(text):
        root = _ROOT.search(text)
        kind = root[1].lower() if root else b""
        return _ROOTS.get(kind, "application/xhtml+xml" if root else "application/xml")
    if _HTML_PARTS.match(text):
        return "text/html"
    root = _ROOT.match(text.lstrip(b"\xef\xbb\xbf \t\r\n"))
    if root:
        return _ROOTS[root[1].lower()]
    if _JSON.match(text):
        return "application/json"

    known = _EXTENSIONS.get(_extension(name), "")
    if known and not (binary and is_textual(known)):
        return known
    return "application/octet-stream" if binary or text.translate(None, _CONTROLS) != text else "text/plain"


def _as_utf8(head: bytes) -> bytes:
    """Turn UTF-16 and UTF-32 into UTF-8, so that the signatures are found in them too."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        encoding = "utf-32"
    elif head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif not (encoding := _utf16_order(head)):
        return head
    return head.decode(encoding, "ignore").encode("utf-8", "ignore")


def _extension(name: str) -> str:
    """Give the extension of a file name or of a URL's path, without its dot; a bare host has none."""
    path = name.partition("#")[0].partition("?")[0]
    _, marks, rest = path.partition("://")
    if marks:
        path = rest.partition("/")[2]
    base = path.rpartition("/")[2]
    return base.rpartition(".")[2].lower() if "." in base else ""
