"""The labelled set L for both kinds of hashing: what is looked for, by cryptographic digest and by Nilsimsa."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels import nearest, range_nilsimsas
from hpcreuse.page.digest import chunked_text, digest_page
from hpcreuse.page.options import DigestOptions

NILSIMSA_WIDTH = 32

EQUAL = 128
"""The score of two equal digests; one less for each bit in which they differ."""

FARTHEST = -128


@dataclass(frozen=True)
class Objects:
    """The chunks of a page, or the page itself as its only object, hashed in both ways."""

    digests: dg.Digests
    nilsimsas: NDArray[np.uint8]


@dataclass(frozen=True)
class Hashing:
    """How pages become objects."""

    objects: str
    """`chunk` or `file`."""
    min_length: int
    """Shorter objects are left out."""
    options: DigestOptions

    def objects_of(self, payload: bytes, mime: str, plain: bool, content_type: str) -> Objects:
        """Hash a page; Nilsimsa sees the bytes of a chunk as they are, in dom mode those of the serialised page."""
        found = digest_page(payload, mime, True, plain, self.options, content_type)
        text = chunked_text(payload, mime, self.options, content_type)
        if self.objects == "file":
            digests, starts, lengths = found.file, np.zeros(1, np.uint32), np.array([len(text)])
        else:
            digests, starts, lengths = found.chunks, found.offsets, found.lengths
        keep = lengths >= self.min_length
        nilsimsas = dg.from_bytes(range_nilsimsas(text, starts), NILSIMSA_WIDTH)
        return Objects(dg.from_bytes(digests, self.options.width)[keep], nilsimsas[keep])


@dataclass(frozen=True)
class Match:
    """How a page stands to L."""

    exact: bool
    """Whether one of its objects is in L, byte for byte."""
    score: int
    """The best score of one of its objects with one of L: 128 when their digests are equal."""
    source: str
    """The page of L that the best match comes from."""


@dataclass(frozen=True)
class Originals:
    """L: distinct digests of both kinds, in order."""

    digests: dg.Digests
    nilsimsas: NDArray[np.uint8]
    sources: list[str]
    """For each Nilsimsa digest the first page that has it."""

    @classmethod
    def of(cls, pages: list[tuple[str, Objects]]) -> "Originals":
        """Make it from pages with their URLs."""
        width = pages[0][1].digests.shape[1] if pages else 20
        digests = np.concatenate([dg.empty(width), *(objects.digests for _, objects in pages)])
        order, starts = dg.group(digests)
        nilsimsas = np.concatenate([dg.empty(NILSIMSA_WIDTH), *(objects.nilsimsas for _, objects in pages)])
        urls = [url for url, objects in pages for _ in range(len(objects.nilsimsas))]
        # Of equal ones the first page, whatever the order that grouping gives them
        groups = dg.group(nilsimsas)
        bounds = np.append(groups.starts, len(groups.order))
        firsts = [int(groups.order[a:b].min()) for a, b in pairwise(bounds.tolist())]
        return cls(digests[order[starts]], nilsimsas[firsts], [urls[first] for first in firsts])

    def match(self, objects: Objects) -> Match:
        """Hold a page against L."""
        if not len(objects.digests) or not len(self.nilsimsas):
            return Match(False, FARTHEST, "")
        exact = bool((dg.find(self.digests, objects.digests) >= 0).any())
        distances, places = nearest(objects.nilsimsas, self.nilsimsas)
        best = int(np.argmin(distances))
        return Match(exact, EQUAL - int(distances[best]), self.sources[int(places[best])])
