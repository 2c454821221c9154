"""What the inputs of `label` are: content to hash, runs, labels made before, lists of digests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hpcreuse.crawl.containers import is_archive_name
from hpcreuse.crawl.partitions import expand
from hpcreuse.errors import StoreError
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import digest_lists as lists
from hpcreuse.store import published
from hpcreuse.store.importing import import_list
from hpcreuse.store.labels import Labels
from hpcreuse.store.run import Run
from hpcreuse.store.tables import HDF5_MAGIC


@dataclass(frozen=True)
class Input:
    """An input and what it is: content, run, labels, list or plugin."""

    path: Path
    kind: str

    def own_options(self) -> DigestOptions | None:
        """Give the digest options that it was made with, if it says."""
        if self.kind == "run":
            return Run.open(self.path).options
        if self.kind == "labels":
            with Labels.open(self.path) as labels:
                return labels.options
        return lists.PLUGIN_OPTIONS if self.kind == "plugin" else None

    def own_objects(self) -> str | None:
        """Tell whether it holds chunks or files, if only one is possible."""
        if self.kind == "labels":
            with Labels.open(self.path) as labels:
                return labels.objects
        return "chunk" if self.kind == "plugin" else None


def sort_out(names: Sequence[str]) -> list[Input]:
    """Look at every input; names of published lists, patterns and lists of paths are resolved."""
    return [Input(path, kind_of(path)) for name in names for path in _paths(name)]


def _paths(name: str) -> Iterator[Path]:
    shipped = published.resolve(name)
    yield from map(Path, expand([name])) if shipped == Path(name) else [shipped]


def kind_of(path: Path) -> str:
    """Tell what an input is; archives are known by name, for there may be many on a slow file system."""
    if path.is_dir():
        return "run" if (path / "run.json").exists() else "content"
    if is_archive_name(path.name) and path.suffix.lower() not in (".jsonl", ".ndjson"):
        return "content"
    try:
        head = lists.read_head(path)
    except OSError:
        # Its reader will say so
        return "content"
    if head.startswith(HDF5_MAGIC):
        return "labels"
    if lists.is_plugin(head):
        return "plugin"
    return "list" if lists.is_list(head) else "content"


@dataclass(frozen=True)
class Terms:
    """In what all inputs of a job agree."""

    options: DigestOptions
    objects: str


def agree(inputs: Sequence[Input], subtract: Sequence[Input], wanted: DigestOptions, objects: str | None) -> Terms:
    """Find the digest options of the labels to be: the wanted ones where content is hashed or a list says nothing,
    else those of the first input that says.

    Raises StoreError when two inputs were made with different ones: their digests would never match.
    """
    for other in subtract:
        if other.kind == "content":
            raise StoreError(f"--subtract {other.path}: is content. Make labels of it with `hpcreuse label` first")
    said = [(other.path, options) for other in (*inputs, *subtract) if (options := other.own_options())]
    by_command = any(other.kind in ("content", "list") for other in inputs) or not said
    first, options = ("what the command line asks for", wanted) if by_command else said[0]
    for path, own in said:
        if difference := options.differences(own):
            raise StoreError(
                f"{first} and {path} have different digest options ({difference}): such labels never match. "
                "Give the same options, or make one of them anew"
            )
    kinds = {kind: other.path for other in (*inputs, *subtract) if (kind := other.own_objects())}
    chosen = objects or next(iter(kinds), "chunk")
    for kind, path in kinds.items():
        if kind != chosen:
            raise StoreError(f"{path} holds {kind} labels, here {chosen} ones are made: they never match")
    return Terms(options, chosen)


def as_labels(found: Input, number: int, folder: Path, terms: Terms) -> Input:
    """Give an input that is a list of digests as labels, written to a folder; others are given as they are."""
    if found.kind not in ("list", "plugin"):
        return found
    out = folder / f"list-{number:05d}.h5"
    import_list(found.path, terms.options).write(out, terms.objects, str(found.path))
    return replace(found, path=out, kind="labels")
