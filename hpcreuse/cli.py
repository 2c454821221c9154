"""The verbs, the options they share, exit codes; MPI is started only when a verb runs.

Exit codes: 0 done, 1 failed, 2 usage, 3 done but records were quarantined (with --strict),
75 stopped early on a signal: run the same command again to go on.
"""

import argparse
import errno
import importlib
import logging
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hpcreuse import config, help, signals
from hpcreuse.commands.shared import SharedOptions
from hpcreuse.errors import HpcreuseError, UsageError
from hpcreuse.version import __version__

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

VERBS = {
    "hash": "hash the files and chunks of a crawl into a run",
    "discover": "find what is copied often, and label it",
    "label": "label content that you name, so that its copies are found",
    "detect": "find where labels are copied: files and neighborhoods",
    "quilt": "find pages stitched together from patches of others",
    "imatch": "find near duplicates by signatures of lexicon terms",
    "spin": "find articles made of each other with synonyms",
    "phish": "find pages that copy originals; or write a browser extension",
    "check": "hold single pages or a stream of them against labels",
    "plan": "predict time, memory, disk and traffic of a job from a sample",
    "export": "write a table as JSON lines, CSV or Parquet",
    "show": "print the content of a digest and where it stands",
    "verify": "check runs, labels and results for damage; compare two of a kind",
    "judge": "look at a sample of findings beside their sources, and label them",
    "report": "make a page of what was found, with figures and tables",
    "study": "repeat an experiment of the papers, with its figures",
    "demo": "run the whole chain on a small crawl made here",
    "completion": "print a script for the completion of bash, zsh or fish",
    "info": "print versions, MPI library and kernels, for a bug report",
}

DESCRIPTION = "Find copied content in web crawls: exact, and parallel over MPI ranks."

QUARANTINED = 3

LAST_WORDS_SECONDS = 0.5
SILENT_SECONDS = 3.0


class Parser(argparse.ArgumentParser):
    """Prints on the first rank only: 512 usage errors help nobody."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if presumed_rank() == 0:
            super()._print_message(message, file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if status:
            let_first_speak(status)
        super().exit(status, message)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"hpcreuse: {message}{self._hint(message)}\n")

    def _hint(self, message: str) -> str:
        """Suggest the name that was most likely meant."""
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            wrong, known = choice[1], re.findall(r"[\w-]+", choice[2])
        elif option := re.search(r"unrecognized arguments:.*?(--[\w-]+)", message):
            wrong, known = option[1], list(self._option_string_actions)
        else:
            return ""
        close = config.close_matches(wrong, known, 1)
        return f": did you mean {close[0]}?" if close else ""


def presumed_rank() -> int:
    """Guess the rank from the launcher's environment, before MPI is started."""
    for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0


def let_first_speak(code: int) -> None:
    """Wait on all ranks but the first: when one ends badly, `srun -K` kills it too, maybe before it has said why."""
    if presumed_rank() > 0:
        # Killed in its turn, a rank must not hide the exit code behind that of a signal
        signal.signal(signal.SIGTERM, lambda *_: os._exit(code))
        time.sleep(SILENT_SECONDS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit code."""
    # A rank is one thread; numpy's linear algebra would start one per core in every rank
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Before all that is slow: a warning that killed this rank while others are in MPI_Init would leave them there.
    # SIGTERM must end them there.
    signals.listen(signal.SIGUSR1)
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        command, options, shared = parse(arguments)
    except UsageError as error:
        if presumed_rank() == 0:
            print(f"hpcreuse: {error}", file=sys.stderr)
        let_first_speak(error.exit_code)
        return error.exit_code
    return run(command, options, shared)


def parse(arguments: list[str]) -> tuple[Any, Any, SharedOptions]:
    """Read the command line and the configuration file; exits for --help and the like."""
    if not arguments or arguments[0] not in VERBS:
        top_parser().parse_args(arguments or ["--help"])
    verb, *words = arguments
    command: Any = importlib.import_module(f"hpcreuse.commands.{verb}")
    table = verb
    if hasattr(command, "NAMES"):
        # A verb of several: its first word says which, and each has options of its own
        if not words or words[0] not in command.NAMES:
            names_parser(verb, command).parse_args(words or ["--help"])
        table, command, words = f"{verb}.{words[0]}", command.choose(words[0]), words[1:]
    parser = Parser(
        prog=f"hpcreuse {table.replace('.', ' ')}",
        description=help.sentences(command.HELP[0].upper() + command.HELP[1:] + ".", help.terminal_width()),
        epilog=f"examples:\n{help.examples(command.EXAMPLES, help.terminal_width())}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    config.add_arguments(parser, command.Options)
    config.add_arguments(parser.add_argument_group("shared options"), SharedOptions)  # type: ignore[arg-type]
    flags = vars(parser.parse_intermixed_args(words))
    file = config.read_file(flags.get("config"))
    config.refuse_unknown_tables(file, [*VERBS, "digest"])
    shared = config.resolve(SharedOptions, flags, file, None)
    return command, config.resolve(command.Options, flags, file, table), shared


def top_parser() -> argparse.ArgumentParser:
    """Make the parser that knows the verbs but not their options."""
    parser = Parser(
        prog="hpcreuse",
        description=DESCRIPTION,
        usage="hpcreuse VERB ...",
        epilog=f"verbs:\n{listing(VERBS)}\n\n`hpcreuse VERB --help` says more. "
        "Every verb also runs under mpiexec and srun.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hpcreuse {__version__}")
    parser.add_argument("verb", metavar="VERB", choices=VERBS, help=argparse.SUPPRESS)
    return parser


def names_parser(verb: str, command: Any) -> argparse.ArgumentParser:
    """Make the parser of a verb of several: it knows their names but not their options."""
    parser = Parser(
        prog=f"hpcreuse {verb}",
        description=help.sentences(command.HELP[0].upper() + command.HELP[1:] + ".", help.terminal_width()),
        usage=f"hpcreuse {verb} NAME ...",
        epilog=f"names:\n{listing(command.NAMES)}\n\nexamples:\n"
        f"{help.examples(command.EXAMPLES, help.terminal_width())}\n"
        f"`hpcreuse {verb} NAME --help` says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", choices=command.NAMES, help=argparse.SUPPRESS)
    return parser


def listing(names: dict[str, str]) -> str:
    """Set names and what they mean in two columns; what is too long for the terminal goes on below."""
    width = max(map(len, names)) + 2
    room = help.terminal_width() - width - 2
    lines = []
    for name, text in names.items():
        first, *more = help.sentences(text, room).splitlines()
        lines += [f"  {name:<{width}}{first}", *(" " * (width + 2) + line for line in more)]
    return "\n".join(lines)


def run(command: Any, options: Any, shared: SharedOptions) -> int:
    """Start MPI and run a verb; whatever goes wrong on one rank ends the job on all."""
    world: World | None = None
    if not getattr(command, "NEEDS_MPI", True) and presumed_rank() > 0:
        return 0
    try:
        if not getattr(command, "NEEDS_MPI", True):
            signals.default(signal.SIGUSR1)
            start_logging(0, shared)
            summary = command.run(None, options, shared)
            print_summary(command, summary, shared)
            return exit_code(summary, shared)
        from hpcreuse.parallel.world import start_world

        world = start_world()
        start_logging(world.rank, shared)
        try:
            summary = command.run(world, options, shared)
        finally:
            world.leave()
        if world.root and summary is not None:
            keep_job(command, summary)
            print_summary(command, summary, shared)
        return exit_code(summary, shared)
    except HpcreuseError as error:
        if error.shared or world is None or world.size == 1:
            if presumed_rank() == 0 if world is None else world.root:
                print(f"hpcreuse: {error}", file=sys.stderr, flush=True)
            if world is None:
                let_first_speak(error.exit_code)
            return error.exit_code
        return abort(world, f"rank {world.rank}: {error}", error.exit_code)
    except BaseException as error:
        if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
            # The reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        text = traceback.format_exc()
        if isinstance(error, OSError) and error.filename:
            text = f"{error.strerror}: {error.filename2 or error.filename}"
        elif isinstance(error, OSError) and error.errno == errno.ENOSPC:
            text = f"{error.strerror}: what was printed is cut short"
        if isinstance(error, KeyboardInterrupt):
            text = "interrupted: run the same command again to go on" if hasattr(options, "out") else "interrupted"
        rank = "" if world is None or world.size == 1 else f"rank {world.rank}: "
        return abort(world, f"{rank}{text.rstrip()}", 1)


def abort(world: "World | None", message: str, code: int) -> int:
    """Print why, and end all ranks: the others would wait for this one for ever."""
    if logging.getLogger().handlers:
        logging.getLogger(__name__).error(message)
    else:
        print(f"hpcreuse: {message}", file=sys.stderr, flush=True)
    if world is not None and world.size > 1:
        # Launchers kill before they forward what was printed last
        time.sleep(LAST_WORDS_SECONDS)
        world.comm.Abort(code)
    return code


def start_logging(rank: int, shared: SharedOptions) -> None:
    """Let rank 0 speak, the others only warn; with --log-dir each rank also keeps a file."""
    level = logging.DEBUG if shared.verbose else logging.WARNING if rank or shared.quiet else logging.INFO
    console = logging.StreamHandler()
    console.setLevel(level)
    console.setFormatter(logging.Formatter("hpcreuse: %(message)s"))
    logger = logging.getLogger()
    logger.setLevel(logging.DEBUG)
    logging.getLogger("h5py").setLevel(logging.WARNING)
    logger.addHandler(console)
    if shared.log_dir:
        folder = Path(shared.log_dir)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = logging.FileHandler(folder / f"rank-{rank:05d}.log", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--log-dir {folder} cannot be written ({error.strerror})") from error
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger.addHandler(file)
        logging.getLogger(__name__).debug("hpcreuse %s, rank %d, %s", __version__, rank, " ".join(sys.argv))


def keep_job(command: Any, summary: dict[str, Any]) -> None:
    """Write beside what a verb has made by which command, and where the time went."""
    if "phases" not in summary or "out" not in summary:
        return
    import shlex

    from hpcreuse.store.jobs import is_output, record_job

    out = Path(summary["out"])
    if is_output(out):
        verb = command.__name__.rpartition(".")[2]
        record_job(out, verb, shlex.join(["hpcreuse", *sys.argv[1:]]), summary)


def print_summary(command: Any, summary: dict[str, Any], shared: SharedOptions) -> None:
    """Print what a verb has done: one JSON object, or lines for people."""
    if shared.json:
        import json

        print(json.dumps({"command": command.__name__.rpartition(".")[2], "version": __version__, **summary}))
    elif not shared.quiet:
        from hpcreuse.terminal import print_pairs

        print_pairs(command.summary_lines(summary), summary)
    sys.stdout.flush()


def exit_code(summary: dict[str, Any] | None, shared: SharedOptions) -> int:
    """Tell a clean end from one that found something wrong, or quarantined records if the user wants to know."""
    if summary and summary.get("failed"):
        return HpcreuseError.exit_code
    return QUARANTINED if shared.strict and summary and summary.get("input_quarantined") else 0
