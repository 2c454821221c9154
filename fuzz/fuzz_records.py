"""WARC and ARC, plain and compressed: no exception, places in order, and nothing lost on the way."""

import gzip
import io

import atheris

with atheris.instrument_imports(include=["hpcreuse"]):
    from hpcreuse.crawl.arc import read_arc
    from hpcreuse.crawl.pages import Ledger, Limits
    from hpcreuse.crawl.streams import open_stream
    from hpcreuse.crawl.warc import read_warc

from harness import archive_seeds, fuzz

LIMITS = Limits(max_payload=1 << 16)


def test_one(data: bytes) -> None:
    for reader in (read_warc, read_arc):
        ledger = Ledger()
        pages = list(reader(open_stream(io.BytesIO(data)), "fuzz", ledger, LIMITS))
        # Every file gives at least a page, a skipped record or a reason
        assert pages or ledger.skipped or ledger.quarantined
        assert all(len(page.payload) <= LIMITS.max_payload for page in pages)
        places = [page.offset for page in pages]
        assert places == sorted(places)
        assert all(0 <= entry.offset <= max(len(data), 1 << 20) for entry in ledger.quarantined)
        for text in (*(page.url for page in pages), *(entry.url for entry in ledger.quarantined)):
            text.encode("utf-8")
            assert text.isprintable() or not any(character < " " for character in text)


if __name__ == "__main__":
    plain = archive_seeds(".warc", ".arc", ".wet")
    fuzz(test_one, [*archive_seeds(), *map(gzip.compress, plain)])
