"""Zip, tar, WACZ, JSON lines, mail and whatever else a file may be: read as `hpcreuse hash` reads it."""

import io
import json
import tarfile
import tempfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hpcreuse"]):
    from hpcreuse.crawl.pages import Ledger, Limits
    from hpcreuse.crawl.read import read_archive

from harness import archive_seeds, fuzz

LIMITS = Limits(max_payload=1 << 16)
FOLDER = Path(tempfile.mkdtemp(prefix="hpcreuse-fuzz-"))
NAMES = ("page.html", "a.zip", "a.tar", "a.jsonl", "a.wacz", "a.tar.gz", "a.mbox", "a.eml")


def test_one(data: bytes) -> None:
    # The first byte chooses the name: content decides first, the name second
    path = FOLDER / NAMES[data[0] % len(NAMES) if data else 0]
    path.write_bytes(data[1:])
    ledger = Ledger()
    pages = list(read_archive(str(path), "", ledger, LIMITS))
    assert pages or ledger.skipped or ledger.quarantined
    for page in pages:
        assert len(page.payload) <= LIMITS.max_payload
        assert page.url.startswith(("http://", "https://", "HTTP", "Http")) or page.url[:4].lower() == "http"
        page.url.encode("utf-8", "surrogateescape")


def made_here() -> list[bytes]:
    seeds = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as container:
            container.writestr("a/b.html", "<p>zip" * 10)
            container.writestr("c.txt", "text")
        seeds.append(out.getvalue())
    for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=kind) as tar:
            for name in ("a.html", "b" * 150 + "/\u00e4.html"):
                info = tarfile.TarInfo(name)
                info.size = 6
                tar.addfile(info, io.BytesIO(b"<p>tar"))
        seeds.append(out.getvalue())
    lines = [{"url": "http://a.example/", "html": "<p>a"}, {"id": 7, "text": "b", "metadata": {"url": "x"}}]
    made = EmailMessage()
    made["From"], made["To"], made["Subject"], made["Message-ID"] = "a@b.c", "d@e.f", "=?utf-8?b?w7Y=?=", "<1@b.c>"
    made.set_content("text \u00e4", cte="base64")
    made.add_alternative("<p>html", subtype="html", cte="quoted-printable")
    mbox = b"From a@b.c Thu Aug 22 12:36:23 2002\n" + made.as_bytes() + b"\n"
    return [*seeds, "\n".join(map(json.dumps, lines)).encode(), made.as_bytes(), mbox * 2]


if __name__ == "__main__":
    contents = [*made_here(), *archive_seeds(".wacz")]
    fuzz(test_one, [bytes([number]) + content for content in contents for number in range(len(NAMES))])
