"""Pages that were rendered already: kept beside the result until it is complete, so that a killed job goes on there."""

import hashlib
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hpcreuse.errors import StoreError
from hpcreuse.store.atomic import DISK_ERRORS, cannot_write

if TYPE_CHECKING:
    from hpcreuse.phish.rendering import Renderer

# Of each page its key, and how many bytes of its compressed DOM follow
HEAD = struct.Struct("<20sQ")


def rendered_folder(out: Path) -> Path:
    """Name the folder of what is rendered for a result."""
    return out.with_name(f".{out.name}.rendered")


class RenderedPages:
    """The DOMs of pages, a file for each rank that rendered some; every rank reads all and adds to its own."""

    def __init__(self, folder: Path, rank: int):
        """Look at what earlier jobs left."""
        self._places: dict[bytes, tuple[Path, int, int]] = {}
        self._path = folder / f"{rank:05d}"
        folder.mkdir(parents=True, exist_ok=True)
        ends = {path: self._index(path) for path in sorted(folder.iterdir())}
        self._file: BinaryIO = self._path.open("ab")
        # What a kill left half written would hide what follows
        self._file.truncate(ends.get(self._path, 0))

    def __len__(self) -> int:
        return len(self._places)

    def _index(self, path: Path) -> int:
        """Note where each page of a file lies; give where the last whole one ends."""
        size, end = path.stat().st_size, 0
        with path.open("rb") as file:
            while len(head := file.read(HEAD.size)) == HEAD.size:
                key, length = HEAD.unpack(head)
                if end + HEAD.size + length > size:
                    break
                self._places[key] = (path, end + HEAD.size, length)
                end = file.seek(length, 1)
        return end

    def get(self, key: bytes) -> bytes | None:
        """Give the DOM of a page, if it was kept whole."""
        if key not in self._places:
            return None
        path, offset, length = self._places[key]
        with path.open("rb") as file:
            file.seek(offset)
            try:
                return zlib.decompress(file.read(length))
            except zlib.error:
                return None

    def put(self, key: bytes, dom: bytes) -> None:
        """Keep the DOM of a page."""
        content = zlib.compress(dom, 1)
        try:
            self._file.write(HEAD.pack(key, len(content)) + content)
            self._file.flush()
        except OSError as error:
            if error.errno in DISK_ERRORS:
                raise StoreError(cannot_write(self._path, error)) from error
            raise

    def close(self) -> None:
        """Add no more."""
        self._file.close()


class RememberingRenderer:
    """A renderer that renders no page again that it, or an earlier job, rendered."""

    def __init__(self, renderer: "Renderer", pages: RenderedPages):
        self._renderer, self._pages = renderer, pages

    def dom(self, url: str, html: bytes) -> bytes:
        """Give the DOM of a page after its scripts ran; see Renderer.

        Pages that could not be rendered are tried again: the kill itself may have been the reason.
        """
        key = hashlib.sha1(b"%g\0%b\0%b" % (self._renderer.seconds, url.encode("utf-8", "surrogateescape"), html))
        found = self._pages.get(key.digest())
        if found is None:
            found = self._renderer.dom(url, html)
            self._pages.put(key.digest(), found)
        return found

    def close(self) -> None:
        """End the browser."""
        self._renderer.close()
        self._pages.close()
