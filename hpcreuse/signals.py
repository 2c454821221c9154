"""The wish to stop, as a signal brings it."""

import signal
from types import FrameType

STOP_SIGNALS = (signal.SIGUSR1, signal.SIGTERM)

heard: list[str] = []
"""The names of the signals that told this process to stop, in their order."""


def listen(*numbers: signal.Signals) -> None:
    """Take these signals as a wish to stop: note them, and let the work go on to the next safe place."""
    for number in numbers:
        signal.signal(number, _note)


def default(*numbers: signal.Signals) -> None:
    """Let these signals do what they do to any process."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)


def ignore(*numbers: signal.Signals) -> None:
    """Take no more of these signals."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _note(number: int, _frame: FrameType | None) -> None:
    heard.append(signal.Signals(number).name)
