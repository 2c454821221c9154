"""Compressed streams: what they hold, where members begin, what damage does."""

import bz2
import gzip
import io
import tarfile
import zipfile
import zlib

import lz4.frame
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from hpcreuse.crawl import members
from hpcreuse.crawl.compression import gzip_codec
from hpcreuse.crawl.members import Damage
from hpcreuse.crawl.rawfile import Input
from hpcreuse.crawl.streams import Stream, open_stream, sniff


def stream_of(data: bytes) -> Stream:
    return open_stream(io.BytesIO(data))


def read_all(stream: Stream) -> tuple[bytes, list[Damage]]:
    """Everything in a stream, and the damage that was met on the way."""
    data, damage = b"", []
    while True:
        stream.need(stream.buffered() + (1 << 20))
        data += stream.buf[stream.pos :]
        stream.pos = len(stream.buf)
        if stream.stopped:
            if stream.damage is None:
                return data, damage
            damage.append(stream.damage)
            stream.resume()


COMPRESS = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
    "lz4": lambda data: lz4.frame.compress(data, content_checksum=True),
}


@pytest.mark.parametrize("codec", COMPRESS)
def test_members_of_any_compression_are_read_in_a_row(codec: str) -> None:
    parts = [b"first " * 1000, b"second " * 200_000, b"third"]
    stream = stream_of(b"".join(map(COMPRESS[codec], parts)))
    assert stream.codec == codec
    assert read_all(stream) == (b"".join(parts), [])


def test_what_is_not_compressed_is_read_as_it_is() -> None:
    data = bytes(range(256)) * 20_000
    assert read_all(stream_of(data)) == (data, [])


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_stream_tells_where_the_current_member_begins(codec: str) -> None:
    parts = [b"a" * 10, b"b" * 2_000_000, b"c" * 10]
    packed = [COMPRESS[codec](part) for part in parts]
    stream = stream_of(b"".join(packed))
    seen = []
    for part in parts:
        stream.need(1)
        seen.append(stream.member().member)
        assert stream.discard(len(part)) == len(part)
    assert seen == [0, len(packed[0]), len(packed[0]) + len(packed[1])]


def test_offsets_are_absolute_when_reading_starts_in_the_middle() -> None:
    first, second = gzip.compress(b"one"), gzip.compress(b"two")
    raw = io.BytesIO(first + second)
    raw.seek(len(first))
    stream = open_stream(raw)
    assert stream.peek(10) == b"two"
    assert stream.member().member == len(first)


@pytest.mark.parametrize("codec", COMPRESS)
def test_a_bomb_is_inflated_in_small_pieces(codec: str) -> None:
    packed = COMPRESS[codec](bytes(200 << 20))
    stream = stream_of(packed)
    largest = 0
    while stream.fill():
        largest = max(largest, len(stream.buf))
        stream.pos = len(stream.buf)
    assert stream.tell() == 200 << 20
    assert largest <= 1 << 20


@pytest.mark.parametrize("codec", COMPRESS)
def test_a_truncated_member_keeps_what_came_before(codec: str) -> None:
    first, second = b"sound " * 100, bytes(range(256)) * 4000
    packed = COMPRESS[codec](first) + COMPRESS[codec](second)[:-30]
    data, damage = read_all(stream_of(packed))
    assert data.startswith(first)
    assert second.startswith(data[len(first) :])
    assert [entry.reason for entry in damage] == [f"{codec} member ends early"]
    assert damage[0].offset == len(COMPRESS[codec](first))


@pytest.mark.parametrize("codec", COMPRESS)
def test_reading_goes_on_at_the_next_sound_member(codec: str) -> None:
    noise = zlib.compress(bytes(range(256)) * 200, 0)
    packed = bytearray(COMPRESS[codec](noise))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    before, after = COMPRESS[codec](b"before"), COMPRESS[codec](b"after")
    data, damage = read_all(stream_of(before + bytes(packed) + after))
    assert data.startswith(b"before")
    assert data.endswith(b"after")
    assert [entry.offset for entry in damage] == [len(before)]


def test_a_wrong_checksum_is_told_apart_from_a_cut() -> None:
    packed = bytearray(gzip.compress(b"content"))
    packed[-6] ^= 1
    data, damage = read_all(stream_of(bytes(packed) + gzip.compress(b"next")))
    assert data == b"contentnext"
    assert [entry.spoiled for entry in damage] == [True]


def test_all_that_inflates_before_damage_is_given() -> None:
    sound = b"".join(b"line %d\n" % number for number in range(400_000))
    packed = bytearray(gzip.compress(sound))
    middle = len(packed) // 2
    packed[middle : middle + 8] = b"\xff" * 8
    data, damage = read_all(stream_of(bytes(packed)))
    common = next((at for at in range(len(data)) if data[at] != sound[at]), len(data))
    assert common > len(sound) * 0.4
    assert len(damage) == 1


def test_garbage_between_members_is_damage_and_padding_is_not() -> None:
    one, two = gzip.compress(b"one"), gzip.compress(b"two")
    assert read_all(stream_of(one + bytes(512) + two + bytes(512))) == (b"onetwo", [])
    data, damage = read_all(stream_of(one + b"garbage" + two + b"tail"))
    assert data == b"onetwo"
    assert [(entry.offset, entry.reason) for entry in damage] == [
        (len(one), "7 bytes between gzip members are not gzip"),
        (len(one) + 7 + len(two), "4 bytes between gzip members are not gzip"),
    ]


def dictionary_file(compressed: bool) -> tuple[list[bytes], list[bytes]]:
    """The frames of an IIPC "WARC zstd" file with a dictionary, and what each holds."""
    texts = [b"WARC/1.0 record number %d with common words inside" % number for number in range(300)]
    dictionary = zstandard.train_dictionary(2048, texts)
    content = dictionary.as_bytes()
    if compressed:
        content = zstandard.ZstdCompressor().compress(content)
    frame = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    pack = zstandard.ZstdCompressor(dict_data=dictionary)
    return [frame, *map(pack.compress, texts[:5])], [b"", *texts[:5]]


@pytest.mark.parametrize("compressed", [False, True])
def test_a_zstd_dictionary_is_used_wherever_reading_starts(compressed: bool) -> None:
    frames, texts = dictionary_file(compressed)
    raw = io.BytesIO(b"".join(frames))
    assert read_all(open_stream(raw)) == (b"".join(texts), [])
    third = sum(map(len, frames[:3]))
    raw.seek(third)
    stream = open_stream(raw)
    stream.need(1)
    assert stream.member().member == third
    assert read_all(stream) == (b"".join(texts[3:]), [])


class Pipe(io.RawIOBase):
    """A file that cannot seek and gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 1000) if size >= 0 else 1000)


@pytest.mark.parametrize("codec", COMPRESS)
def test_a_pipe_is_read_like_a_file(codec: str) -> None:
    data = bytes(range(256)) * 1000
    assert read_all(open_stream(Pipe(COMPRESS[codec](data)))) == (data, [])  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=3000), max_size=6), st.sampled_from(sorted(COMPRESS)), st.randoms())
def test_no_damage_lets_an_exception_out(parts: list[bytes], codec: str, random) -> None:
    packed = bytearray(b"".join(map(COMPRESS[codec], parts)))
    for _ in range(random.randrange(4)):
        if packed:
            packed[random.randrange(len(packed))] = random.randrange(256)
    read_all(stream_of(bytes(packed[: random.randrange(len(packed) + 1)])))


def test_rewinding_gives_the_same_bytes_again() -> None:
    parts = [b"a" * 1000, b"b" * 500_000, b"c" * 1000]
    stream = stream_of(b"".join(map(gzip.compress, parts)))
    stream.discard(1000)
    stream.need(1)
    mark = stream.member()
    stream.discard(500_500)
    assert stream.rewind(mark, 500_990)
    assert stream.tell() == 500_990
    assert stream.peek(30) == b"b" * 10 + b"c" * 20


def tar_bytes() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        info = tarfile.TarInfo("page.html")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"abc"))
    return raw.getvalue()


def zip_bytes() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("page.html", b"abc")
    return raw.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", "warc"),
        (b"\r\n\r\nWARC/0.18\nWARC-Type: warcinfo\n", "warc"),
        (b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 76\n1 0 x\n", "arc"),
        (b"\nhttp://a.example/ 1.2.3.4 20080101000000 text/html 10\nHTTP/1.0 200 OK", "arc"),
        (tar_bytes(), "tar"),
        (tar_bytes().replace(b"ustar\x0000", bytes(8)), ""),
        (zip_bytes(), "zip"),
        (b' {"url": "http://a.example/", "text": "x"}\n', "json"),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_sniffing_tells_formats_apart(data: bytes, kind: str) -> None:
    assert sniff(stream_of(data)) == kind
    assert sniff(stream_of(gzip.compress(data))) == kind


def test_sniffing_takes_nothing_away() -> None:
    stream = stream_of(b"WARC/1.0\r\n")
    sniff(stream)
    assert read_all(stream) == (b"WARC/1.0\r\n", [])


def test_sniffing_looks_behind_a_damaged_first_member() -> None:
    broken = gzip.compress(b"x" * 100)[:10] + b"\xff" * 50
    stream = stream_of(broken + gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\n"))
    assert sniff(stream) == "warc"
    assert len(stream.passed) == 1


def test_pieces_are_bounded() -> None:
    source = Input(io.BytesIO(gzip.compress(bytes(10 << 20))), 0)
    sizes = [len(piece.data) for piece in members.member_pieces(source, gzip_codec())]
    assert max(sizes) <= members.PIECE
