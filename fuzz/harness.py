"""What the fuzz targets share: seeds from real archives, and an atheris run of bounded time.

    python fuzz/fuzz_records.py -max_total_time=20

Options are libFuzzer's. An input that breaks an invariant is written to the current folder as crash-* or timeout-*:
make a test of it.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import atheris

ARCHIVES = Path(__file__).resolve().parents[2] / "shared" / "data" / "archives"
LARGEST_SEED = 8192
DEFAULTS = {"-max_len": "16384", "-timeout": "5", "-rss_limit_mb": "2048", "-print_final_stats": "1"}


def archive_seeds(*endings: str) -> list[bytes]:
    """Small real archives, broken ones among them; none where the data is not."""
    found = sorted(ARCHIVES.glob("*")) if ARCHIVES.is_dir() else []
    # bench.warc.bz2 holds half a gigabyte in two kilobytes: sound, but no seed
    small = [path for path in found if path.stat().st_size <= LARGEST_SEED and path.suffix != ".bz2"]
    return [path.read_bytes() for path in small if not endings or path.name.lower().endswith(endings)]


def fuzz(test_one: Callable[[bytes], None], seeds: Iterable[bytes]) -> None:
    """Run libFuzzer on a function; an exception or more than five seconds is a finding."""
    given = {argument.partition("=")[0] for argument in sys.argv[1:]}
    options = [f"{name}={value}" for name, value in DEFAULTS.items() if name not in given]
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            (Path(corpus) / f"{number:04d}").write_bytes(seed)
        atheris.Setup([sys.argv[0], *options, *sys.argv[1:], corpus], test_one)
        atheris.Fuzz()
