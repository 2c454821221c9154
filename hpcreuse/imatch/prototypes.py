"""Prototypes to filter by: documents of a run, signed in the same job, or signatures of an earlier result."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.errors import StoreError, UsageError
from hpcreuse.imatch.lexicon import SavedLexicon
from hpcreuse.imatch.signing import Signing, read_signatures
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.weighing import saved_lexicon
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.world import World
from hpcreuse.store.columns import Rows
from hpcreuse.store.findings import Findings
from hpcreuse.store.result import is_result


def is_run(path: Path) -> bool:
    """Tell a run of prototypes from a result.

    Raises StoreError for what is neither.
    """
    if (path / "run.json").exists():
        return True
    if not is_result(path):
        raise StoreError(
            f"{path} is neither a run nor a result of `hpcreuse imatch`: make a run of your prototypes with "
            f"`hpcreuse hash PROTOTYPES --text --out {path}`"
        )
    return False


def open_run(world: World, path: Path, folder: Path, memory: int) -> Spooled:
    """Collective. Open a run of prototypes; what is made of its blocks is kept in a folder of its own."""
    corpus = TextCorpus.open(world, path, memory)
    world.on_root(folder.mkdir)
    return Spooled(corpus, folder, memory // 4)


def signed_by(signing: Signing, lexicon: str) -> dict[str, Any]:
    """Describe how documents are signed: signatures made in another way are never equal."""
    return {"lexicon_id": lexicon, **asdict(signing)}


def check_result(path: Path, signing: Signing, saved: SavedLexicon | None) -> None:
    """Raise UsageError when the signatures of a result cannot be compared with those of a job."""
    found = Findings.open(path, "imatch").header
    if saved is None or found.get("lexicon_id") != saved_lexicon(saved).id:
        raise UsageError(
            f"{path} was signed with {'another' if saved else 'its own'} lexicon: give --lexicon the file saved when "
            "it was made (--save-lexicon), or give --prototypes the run it was made from"
        )
    for name, value in asdict(signing).items():
        if found[name] != value:
            option = "--min-terms" if name == "least" else "--" + name.replace("_", "-")
            raise UsageError(f"{path} was made with {option} {found[name]}, this job has {value}")


def run_signatures(prototypes: Spooled) -> Rows:
    """Give the signatures of this rank's share of a run, with URLs."""
    signed = read_signatures(prototypes)
    urls = [Ragged.from_strings([])]
    for block in prototypes.corpus.mine:
        first, last = np.searchsorted(signed.page, [block.page, block.page + len(block)])
        urls.append(prototypes.corpus.urls(block).take(signed.page[first:last] - block.page))
    columns = {"left": signed.left, "right": signed.right, "lexicon": signed.lexicon}
    return Rows({**columns, "url": Ragged.concatenate(urls)})


def result_signatures(world: World, prototypes: Findings) -> Rows:
    """Give the signatures of this rank's share of a result, with URLs."""
    parts = [signature_rows(Ragged.from_strings([]), np.empty(0, np.int64), Ragged.from_strings([]))]
    for number, block in enumerate(prototypes.blocks("signatures")):
        if number % world.size == world.rank:
            parts.append(signature_rows(block.strings("signature"), block.array("lexicon"), block.strings("url")))
    return Rows.concatenate(parts)


def signature_rows(written: Ragged, lexicon: np.ndarray, urls: Ragged) -> Rows:
    """Read signatures as they stand in their table."""
    halves = np.frombuffer(bytes.fromhex(written.values.tobytes().decode()), ">u8").astype(np.uint64).reshape(-1, 2)
    return Rows({"left": halves[:, 0], "right": halves[:, 1], "lexicon": lexicon, "url": urls})
