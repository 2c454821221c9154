"""Copies of a site under made-up hosts, whole or each with its own advertisements (CCR 6.2)."""

import hashlib
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.world import World
from hpcreuse.store.shard import Counted
from hpcreuse.study.site import Site, SitePage, count


def copy_url(url: str, copy: int) -> str:
    """Give the URL of a page in one of the copies."""
    path = url.partition("://")[2].partition("/")[2]
    return f"http://copy{copy:06d}.invalid/{path}"


def advertise(page: SitePage, number: int, copy: int) -> SitePage:
    """Put a paragraph at head and tail of a page that no other page and no other copy has."""
    head, tail = (_paragraph(f"{place} {number} {copy}") for place in ("head", "tail"))
    return page._replace(payload=head + page.payload + tail)


def _paragraph(what: str) -> bytes:
    return f"<p>Advertisement {hashlib.sha1(what.encode()).hexdigest()}: buy now.</p>\n".encode()


def surviving_chunks(world: World, site: Site, originals: Counted) -> NDArray[np.int64]:
    """Collective. Count how often each chunk of the site is in every copy with advertisements.

    Two copies are made: what both have, all have, and what they differ in, no two copies share. A chunk is lost
    that begins a page without a tag of its own: to the chunker it belongs to the advertisement before it.
    """
    mine = [
        _common_chunks(page, number, site.options)
        for number, page in enumerate(site.pages())
        if number % world.size == world.rank
    ]
    kept = count(dg.from_bytes(b"".join(mine), site.options.width))
    survive = np.zeros(len(originals), np.int64)
    place = dg.find(originals.digests, kept.digests)
    survive[place[place >= 0]] = kept.counts[place >= 0]
    world.comm.Allreduce(survive.copy(), survive)
    return survive


def _common_chunks(page: SitePage, number: int, options: DigestOptions) -> bytes:
    """Give the digests that two copies of a page have in common, each as often as both have it."""
    width = options.width
    copies = [advertise(page, number, copy).digests(options).chunks for copy in (0, 1)]
    one, two = (Counter(chunks[at : at + width] for at in range(0, len(chunks), width)) for chunks in copies)
    return b"".join((one & two).elements())
