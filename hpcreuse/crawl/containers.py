"""What pages of folders, tars, zips and JSON lines have in common: names, URLs, bounded reading."""

import lzma
import re
import struct
import zlib
from typing import Protocol
from zipfile import BadZipFile

from hpcreuse.crawl.pages import Ledger
from hpcreuse.crawl.streams import Stream

_ARCHIVE = re.compile(r"\.(?:warc|arc|wet|wacz|jsonl|ndjson|mbox)(?:\.(?:gz|bz2|zst|lz4))?\Z", re.IGNORECASE)

# Inside a path: what would end it (`?`, `#`), what would be read as an escape (`%`), what cannot stand in
# a URL (spaces, controls, line separators) and bytes that were not UTF-8 (which arrive as surrogates).
_PATH_UNSAFE = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029?#%\ud800-\udfff]")
# In the place of a host also what would be read as user, port, address or path.
_HOST_UNSAFE = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029?#%\ud800-\udfff/\\\\:@\\[\\]]")
_COMPONENT_UNSAFE = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029?#%\ud800-\udfff/\\\\]")
_CANNOT_STAND = re.compile("[\x00-\x20\x7f-\x9f\ud800-\udfff]")

DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
    struct.error,
)
"""What decompressors and containers raise on damaged content."""

PIECE = 1 << 20
"""How much is asked for at a time: a header that lies about its size costs no more than this."""


class Readable(Protocol):
    """Anything with a file's `read`."""

    def read(self, size: int, /) -> bytes:
        """Give up to `size` bytes; none at the end."""
        ...


class StreamBytes:
    """The decompressed bytes of a stream as a file; damage in it is raised where it stands."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """Give up to `size` bytes; none at the end."""
        stream = self._stream
        while not stream.buffered():
            if not stream.fill():
                if stream.damage:
                    raise EOFError(stream.damage.reason)
                return b""
        data = stream.buf[stream.pos : stream.pos + size]
        stream.pos += len(data)
        return data


def is_archive_name(name: str) -> bool:
    """Tell whether a file of a folder is an archive of its own and not a page."""
    return _ARCHIVE.search(name) is not None


def is_plain_name(name: str) -> bool:
    """Tell whether a file is text that never had markup."""
    return name[-4:].lower() == ".txt"


def page_url(container: str, path: str, url_prefix: str) -> str:
    """Give the URL of a path inside a container: `http://NAME/path`, or the prefix joined with the path."""
    inside = _escape(_PATH_UNSAFE, path)
    if not url_prefix:
        return f"http://{host_name(container)}/{inside}"
    # `http://` alone means that the tree is `host/path`: no slash may come between.
    return url_prefix + inside if url_prefix.endswith("://") else f"{url_prefix.rstrip('/')}/{inside}"


def component(name: str) -> str:
    """Give a name fit to stand as one component of a URL's path."""
    return _escape(_COMPONENT_UNSAFE, name)


def host_name(container: str) -> str:
    """Give the last component of a container's path, fit to stand where a URL has its host."""
    return _escape(_HOST_UNSAFE, container.rpartition("/")[2]) or "root"


def clean_url(url: str) -> str:
    """Escape what would break a URL that came from outside: spaces, controls, lone surrogates."""
    return _escape(_CANNOT_STAND, url.strip())


def climbs_out(path: str) -> bool:
    """Tell whether a member's path is absolute or leaves the container by `..`."""
    depth = 0
    for part in path.split("/"):
        if part == "..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in ("", "."):
            depth += 1
    return path.startswith("/")


def inside_path(path: str) -> str:
    """Drop the `./` that tar puts before every name when it packs the current folder."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def read_up_to(source: Readable, size: int) -> bytes:
    """Read `size` bytes in pieces, fewer when the source ends before."""
    pieces = []
    left = size
    while left > 0 and (piece := source.read(min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_piece(source: Readable, archive: str, offset: int, ledger: Ledger) -> bytes | None:
    """Read the next piece of a stream, none of it at the end; None where it breaks off, which the ledger is told."""
    try:
        return source.read(PIECE)
    except DAMAGE as error:
        ledger.quarantine(archive, offset, "", f"file breaks off: {error or type(error).__name__}")
        return None


def too_large(size: int, limit: int) -> str:
    """Word the reason for a payload over the limit."""
    return f"payload of {size} bytes is over the limit of {limit}"


def _escape(unsafe: re.Pattern[str], text: str) -> str:
    return unsafe.sub(lambda found: _percent(found[0]), text) if unsafe.search(text) else text


def _percent(character: str) -> str:
    try:
        encoded = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that does not stand for a byte, as JSON can have
        encoded = character.encode("utf-8", "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in encoded)
