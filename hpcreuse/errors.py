"""What can go wrong in a way that the person at the terminal can mend.

Each room raises its own subclass; `cli.py` catches them in one place and prints the message alone.
Any other exception is a bug and keeps its traceback.
"""


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Say in plain words why a text file cannot be read."""
    return "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)


class HpcreuseError(Exception):
    """Something the user can act on: the message says what happened, to which file, and what to do."""

    exit_code = 1
    shared = False
    """Whether every rank has it: then one prints it and all leave in order; otherwise the job is aborted."""


class UsageError(HpcreuseError):
    """The command line or the configuration file asks for something that does not exist."""

    exit_code = 2


class CrawlError(HpcreuseError):
    """An input cannot be found or opened at all (damage inside it is quarantined instead)."""


class StoreError(HpcreuseError):
    """A run, labels or result on disk is missing, foreign, incomplete or does not fit the others."""


class ParallelError(HpcreuseError):
    """The ranks were started in a way that cannot work."""


class Stopped(HpcreuseError):
    """A signal asked the job to stop; running the same command again goes on."""

    exit_code = 75
