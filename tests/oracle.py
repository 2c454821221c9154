"""A slow, obvious second reading of METHODS section 1, to hold the fast code against.

Plain Python, one process, everything in memory, exact fractions. It shares no line with the package, so
that the two agree only when both follow the documents. Choices that the documents leave open are marked
"Open:"; where the worked example (webkb1997, test_oracle.py) decides one, the comment says so.
"""

import codecs
import hashlib
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from os import PathLike
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator

Page = tuple[str, bytes, str, str, int]
Row = dict[str, Any]

TEXTUAL = re.compile(
    r"text/(html|plain|xml|css|rss|(x-)?javascript|ecmascript)|application/((x-)?javascript|ecmascript|xml|[^/]+\+xml)"
)
HTML_HEAD = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*"
    rb"<(!doctype html|html|head|title|body|script|meta|table|h1|div|p|a|b|br)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
BINARY_MAGIC = tuple(b"GIF8 \x89PNG \xff\xd8\xff %PDF- %!PS PK\x03\x04 \x1f\x8b BZh \x7fELF".split())
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def as_row(columns: str, *values: Any) -> Row:
    """A row of a table of DESIGN.md."""
    return dict(zip(columns.split(), values, strict=True))


def pages(path: str | PathLike[str]) -> list[Page]:
    """Every file of a sound WARC: (url, decoded payload, declared type, archive, record offset)."""
    found = []
    with open(path, "rb") as stream:
        records = ArchiveIterator(stream)
        for record in records:
            url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
            if record.rec_type not in ("response", "resource", "conversion"):
                continue
            if not url.lower().startswith(("http://", "https://")):
                continue
            headers = record.http_headers or record.rec_headers
            payload = record.content_stream().read()
            declared = headers.get_header("Content-Type") or ""
            found.append((url, payload, declared, str(path), records.get_record_offset()))
    return found


def kind(payload: bytes, declared: str) -> str:
    """One of "markup" (cut at tags), "plain" (cut by --plain) and "binary" (not chunked).

    The worked example decides two things: text/plain that starts as HTML is cut at tags (else 13 chunks are
    missing), and a NUL deep inside declared text/html does not make it binary (else 23 are).
    Open: text/plain with a delimiter but no HTML at its head is plain; scripts and style sheets are markup.
    """
    mime = declared.partition(";")[0].strip().lower()
    if payload.startswith(BINARY_MAGIC):
        return "binary"
    if HTML_HEAD.match(payload):
        return "markup"
    if TEXTUAL.fullmatch(mime):
        return "plain" if mime == "text/plain" else "markup"
    if mime in ("", "application/octet-stream", "unknown/unknown") and not CONTROL.search(payload[:1024]):
        return "markup" if payload.lstrip().startswith(b"<") else "plain"
    return "binary"


def normalized(content: bytes) -> bytes:
    """CCR 4.4, in the order it is told: blanks to one space, line ends removed, ends trimmed."""
    return re.sub(rb"[\r\n]", b"", re.sub(rb"[ \t]+", b" ", content)).strip()


def decoded(payload: bytes, declared: str) -> bytes:
    """The page in UTF-8: by its byte order mark, the header, its meta tag; else it is that already, or Windows-1252."""
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if payload.startswith(mark):
            return payload.decode("utf-8-sig" if mark == codecs.BOM_UTF8 else "utf-16", "replace").encode()
    header = re.search(rb"charset\s*=\s*[\"']?\s*([\w.:+-]+)", declared.encode(), re.IGNORECASE)
    meta = re.search(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:+-]+)", payload[:1024], re.IGNORECASE)
    for named in filter(None, (header, meta)):
        with suppress(LookupError):
            return payload.decode(named[1].decode(), "replace").encode()
    try:
        return payload.decode().encode()
    except UnicodeDecodeError:
        return payload.decode("cp1252", "replace").encode()


def chunks(
    payload: bytes,
    tags: Sequence[str] = ("p", "div"),
    tag_ends: str = "authors",
    normalize: str = "none",
    mode: str = "raw",
    digest: str = "sha1",
    plain: str | None = None,
    declared: str = "",
) -> list[tuple[int, int, str]]:
    """(offset, length, digest) of each chunk in page order; `plain` cuts as text without markup instead.

    In dom mode offsets and lengths are those of the serialised, normalised page. Open: the page is
    normalised whole before it is cut, so a chunk may end in a space (the published vector fits both ways).
    """
    if mode == "dom" and plain is None and payload:
        html = LexborHTMLParser(decoded(payload, declared)).html or ""
        payload = normalized(html.encode())
    if plain == "whole":
        starts = {0}
    elif plain == "line":
        starts = {0} | {m.end() for m in re.finditer(rb"\n", payload)}
    elif plain == "paragraph":
        # A paragraph ends after the run of blank lines that follows it. Open: a line of blanks is a blank
        # line; blank lines at the head belong to the first paragraph.
        starts = {0} | {m.end() for m in re.finditer(rb"(?<=\S)[^\S\n]*\n([^\S\n]*\n)+([^\S\n]*\Z)?", payload)}
    else:
        names = b"|".join(re.escape(tag.encode()) for tag in tags)
        ends = {"authors": rb"[ \t>/]", "html": rb"[ \t>/\n\r\f]"}[tag_ends]
        starts = {0} | {m.start() for m in re.finditer(b"<(?:" + names + b")" + ends, payload, re.IGNORECASE)}
    cuts = sorted(starts | {len(payload)})
    rows = []
    for start, end in itertools.pairwise(cuts):
        content = payload[start:end]
        content = normalized(content) if normalize == "whitespace" else content
        rows.append((start, end - start, hashlib.new(digest, content).hexdigest()))
    return rows


def split_url(url: str) -> tuple[str, str]:
    """Host (lower-case, without user info and port 80/443) and path (without query and fragment)."""
    rest = re.split(r"[?#]", re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", url), maxsplit=1)[0]
    host, _, path = rest.partition("/")
    host = re.sub(r":(80|443)?$", "", host.rpartition("@")[2].lower())
    return host, path


def recursion_error(url: str, max_components: int = 96, max_repeats: int = 3, max_runs: int = 2) -> bool:
    """Whether a loop in the web graph made this URL (METHODS step 0).

    Open: only the path counts, its last component included, empty components not.
    """
    path = [part for part in split_url(url)[1].split("/") if part]
    if len(path) > max_components or max(Counter(path).values(), default=0) > max_repeats:
        return True
    for size in range(2, len(path) + 1):
        for start in range(len(path)):
            run = path[start : start + size]
            if len(run) == size and path[start : start + size * (max_runs + 1)] == run * (max_runs + 1):
                return True
    return False


def neighborhoods(url: str) -> list[str]:
    """The prefixes of a URL, the site first (METHODS step 6).

    The worked example would have 6,557 neighborhoods with host case or with empty components kept, 6,572 with
    port 80 kept.
    """
    host, path = split_url(url)
    prefixes = [host + "/"]
    for folder in path.split("/")[:-1]:
        if folder:
            prefixes.append(prefixes[-1] + folder + "/")
    return prefixes


def run_tables(found: Iterable[Page], plain: str = "whole", **options: Any) -> tuple[list[Row], list[Row]]:
    """The files and chunks tables of a RUN (without mime), recursion errors dropped."""
    files: list[Row] = []
    rows: list[Row] = []
    in_order = sorted(found, key=lambda page: (page[3].encode(), page[4]))
    for url, payload, declared, archive, offset in in_order:
        if recursion_error(url):
            continue
        how = kind(payload, declared)
        how_plain = plain if how == "plain" else None
        cut = [] if how == "binary" else chunks(payload, plain=how_plain, declared=declared, **options)
        name = hashlib.new(options.get("digest", "sha1"), payload).hexdigest()
        values = (url, name, len(payload), len(cut), archive, offset)
        files.append(as_row("url digest length chunks archive offset", *values))
        for position, (start, length, digest) in enumerate(cut):
            rows.append(as_row("url position digest offset length", url, position, digest, start, length))
    return files, rows


def discover(
    files: list[Row],
    chunk_rows: list[Row],
    threshold: int | None = None,
    top: int | None = None,
    stop: Collection[str] = (),
    min_length: int = 0,
    objects: str = "chunk",
) -> tuple[list[Row], list[Row]]:
    """Blind discovery: the labels and histogram tables.

    Open: the histogram counts stop chunks too; a label found blind has no source; with normalisation, where
    one digest may have several lengths, the smallest is its length.
    """
    rows = chunk_rows if objects == "chunk" else files
    count = Counter(row["digest"] for row in rows)
    length: dict[str, int] = {}
    for row in rows:
        length[row["digest"]] = min(row["length"], length.get(row["digest"], row["length"]))
    kept = [d for d in count if d not in set(stop) and length[d] >= min_length]
    if top is not None:
        chosen = sorted(kept, key=lambda d: (-count[d], d))[:top]
    else:
        chosen = [d for d in kept if count[d] > (threshold or 0)]
    labels = [{"digest": d, "count": count[d], "length": length[d], "source": ""} for d in sorted(chosen)]
    table = sorted(Counter(count.values()).items())
    return labels, [{"objects": n, "duplicates": times, "occurrences": n * times} for times, n in table]


class Cut:
    """A threshold: fixed, or mean + sigma deviations of the values, compared without rounding."""

    def __init__(self, values: Sequence[Fraction], sigma: float, fixed: float | None) -> None:
        counted, n = Counter(values), max(len(values), 1)
        self.mean = sum((v * k for v, k in counted.items()), Fraction(0)) / n
        self.variance = sum((v * v * k for v, k in counted.items()), Fraction(0)) / n - self.mean**2
        self.deviation = math.sqrt(self.variance)
        # The decimal that was typed, not the double next to it: 3/10 is not above 0.3.
        self.sigma = Fraction(str(sigma))
        self.fixed = None if fixed is None else Fraction(str(fixed))
        self.threshold = float(self.mean) + sigma * self.deviation if fixed is None else float(fixed)

    def below(self, value: Fraction) -> bool:
        """Whether the threshold is strictly below the value."""
        if self.fixed is not None:
            return value > self.fixed
        over, limit = value - self.mean, self.sigma**2 * self.variance
        if self.sigma >= 0:
            return over > 0 and over**2 > limit
        return over > 0 or over**2 < limit


def detect(
    files: list[Row],
    chunk_rows: list[Row],
    labels: Collection[str],
    badness: str = "mean",
    sigma: float = 1.0,
    file_threshold: float | None = None,
    neighborhood_threshold: float | None = None,
    stop: Collection[str] = (),
    min_length: int = 0,
    min_chunks: int = 0,
) -> dict[str, list[Row]]:
    """The files, matches, neighborhoods and summary tables of a RESULT.

    Open: files without chunks are not listed nor counted in the summary; a page with fewer than min_chunks
    chunks left is no target but keeps its place in means and neighborhoods; stop chunks never match; rows of
    one URL captured twice keep the order of the RUN.
    """
    label_set, stop_set = set(labels), set(stop)
    table: list[Row] = []
    matches: list[Row] = []
    ratios: list[Fraction] = []
    members: dict[str, list[tuple[Fraction, int, int]]] = defaultdict(list)
    following = iter(chunk_rows)
    for file in files:
        own = [next(following) for _ in range(file["chunks"])]
        if not own:
            continue
        left = [row for row in own if row["digest"] not in stop_set and row["length"] >= min_length]
        bad = [row for row in left if row["digest"] in label_set]
        ratio = Fraction(len(bad), len(left) or 1)
        ratios.append(ratio)
        table.append({"url": file["url"], "chunks": len(left), "bad": len(bad), "contains": ratio})
        matches += [{key: row[key] for key in ("url", "position", "digest")} | {"source": ""} for row in bad]
        for prefix in neighborhoods(file["url"]):
            members[prefix].append((ratio, len(left), len(bad)))

    places: list[Row] = []
    for prefix, inside in members.items():
        total, hits = sum(m[1] for m in inside), sum(m[2] for m in inside)
        mean = sum((m[0] for m in inside), Fraction(0)) / len(inside)
        score = mean if badness == "mean" else Fraction(hits, total or 1)
        values = (prefix, prefix.count("/"), len(inside), total, hits, score)
        places.append(as_row("prefix depth files chunks bad badness", *values))

    by_file = Cut(ratios, sigma, file_threshold)
    by_place = Cut([row["badness"] for row in places], sigma, neighborhood_threshold)
    for row in table:
        row["target"] = row["chunks"] >= min_chunks and by_file.below(row["contains"])
        row["contains"] = float(row["contains"])
    for row in places:
        row["target"] = by_place.below(row["badness"])
        row["badness"] = float(row["badness"])
    table.sort(key=lambda row: row["url"].encode())
    matches.sort(key=lambda row: (row["url"].encode(), row["position"]))
    places.sort(key=lambda row: row["prefix"].encode())
    summary = {
        "files": len(table),
        "chunks": sum(row["chunks"] for row in table),
        "labels": len(label_set),
        "file_mean": float(by_file.mean),
        "file_deviation": by_file.deviation,
        "file_threshold": by_file.threshold,
        "target_files": sum(row["target"] for row in table),
        "neighborhoods": len(places),
        "neighborhood_mean": float(by_place.mean),
        "neighborhood_deviation": by_place.deviation,
        "neighborhood_threshold": by_place.threshold,
        "bad_neighborhoods": sum(row["target"] for row in places),
    }
    return {"files": table, "matches": matches, "neighborhoods": places, "summary": [summary]}
