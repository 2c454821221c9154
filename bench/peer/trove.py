"""datatrove's sentence deduplication, set as near to the job as it gets.

A chunk is made a line (its own newlines become spaces), and lines are its sentences: spans of one (`n_sentences=1`,
`split_sentences=False`), no normalisation, 64 bits of SHA-1. No model is needed, nor fetched. Pages are read with its
own WarcReader. All three of its stages run, on as many workers as cores, stage 2 cut into as many ranges of hashes.

It is not the same job: every repeat counts as a duplicate (there is no threshold), blank chunks are left out, chunks
are stripped, 64 bits decide, and its 16-bit sentence index wraps around on pages of more than 65,535 lines: pages that
long are counted here. What comes out is how many lines it took for repeats, not ratios.
"""

import json
import re
from pathlib import Path

from datatrove.data import DocumentsPipeline
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup import SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig
from datatrove.pipeline.readers import WarcReader
from datatrove.utils.hashing import HashConfig
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer
from pages import Arguments, arguments, report

_TAG = re.compile(r"<(?=(?:[pP]|[dD][iI][vV])[ \t>/])")
_NEWLINES = str.maketrans("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " " * 10)
MOST_LINES = 65_535

CONFIG = SentDedupConfig(
    n_sentences=1,
    split_sentences=False,
    only_dedup_in_index=False,
    min_doc_words=0,
    min_num_sentences=0,
    norm_config=TextNormConfig(False, False, False, False, False),
    hash_config=HashConfig(precision=64, hash_fc="sha1"),
)


class NoTokenizer(WordTokenizer):
    """Stands where datatrove wants a tokenizer that splitting on newlines never asks for."""

    def word_tokenize(self, text: str) -> list[str]:
        """Split at whitespace."""
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        """Split into lines."""
        return text.splitlines()

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        """Take all as one."""
        return [(0, len(text))]


class ChunksToLines(PipelineStep):
    """Puts every chunk of a page on a line of its own."""

    name, type = "chunks to lines", "format"

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Change the text of each page."""
        for document in data:
            document.text = _TAG.sub("\n<", document.text.translate(_NEWLINES))
            if document.text.count("\n") >= MOST_LINES:
                self.stat_update("pages_too_long")
            yield document


def run(job: Arguments) -> dict[str, int]:
    """Do all three stages."""
    tasks = len(job.archives)
    signatures, duplicates = (str(job.scratch / name) for name in ("signatures", "duplicates"))
    folder, tokenizer = Path(job.archives[0]).parent, NoTokenizer()
    names = job.scratch / "archives.txt"
    names.write_text("".join(f"{Path(path).relative_to(folder)}\n" for path in job.archives))
    reader = [WarcReader(str(folder), paths_file=str(names)), ChunksToLines()]
    stages = [
        (tasks, [*reader, SentenceDedupSignature(signatures, job.processes, CONFIG, tokenizer)]),
        (job.processes, [SentenceFindDedups(signatures, duplicates, config=CONFIG, lines_to_buffer=1000)]),
        (tasks, [*reader, SentenceDedupFilter(duplicates, CONFIG, language=tokenizer)]),
    ]
    for number, (count, pipeline) in enumerate(stages):
        logs = str(job.scratch / f"logs-{number}")
        LocalPipelineExecutor(pipeline, tasks=count, workers=job.processes, logging_dir=logs).run()
    return read_stats(job.scratch)


def read_stats(scratch: Path) -> dict[str, int]:
    """Take from its own statistics how many lines it removed."""
    found = {"removed_sentences": 0, "pages_too_long": 0}
    stats = json.loads((scratch / "logs-2" / "stats.json").read_text())
    for step in stats:
        for name in found:
            value = step.get("stats", {}).get(name, 0)
            found[name] += value.get("total", 0) if isinstance(value, dict) else value
    return found


if __name__ == "__main__":
    job, out = arguments(__doc__)
    report(out, lambda: run(job))
