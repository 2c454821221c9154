"""Runs of hpcreuse as the oracle of quilts takes them."""

from pathlib import Path
from typing import Any

from quilt_oracle import Page

from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


def pages_of(run: Path) -> list[Page]:
    """Read the pages of a run, spelled, in the order of its tables."""
    opened, pages = Run.open(run), []
    for info in opened.in_order([ShardInfo.read(path) for path in opened.shard_paths()]):
        with Shard.open(info.path) as shard:
            text = ShardText(shard)
            spelled = [word.decode() for word in text.spellings()]
            words, numbers = text.word_start.tolist(), text.numbers().values.tolist()
            names = []
            for name in ("domains", "addresses"):
                number, listed = text.names(name)
                names.append([listed[n].decode() for n in number])
            urls = [url.decode("utf-8", "surrogateescape") for url in shard.strings("files/url")]
            for i, (url, domain, address) in enumerate(zip(urls, *names, strict=True)):
                said = tuple(spelled[n] for n in numbers[words[i] : words[i + 1]])
                pages.append(Page(url, domain, address, said))
    return pages


def flags(**parameters: Any) -> list[str]:
    """Spell the parameters of the oracle as options."""
    short = {"k": "-k", "m": "-m", "c": "-c"}
    return [str(x) for name, v in parameters.items() for x in (short.get(name, "--" + name.replace("_", "-")), v)]
