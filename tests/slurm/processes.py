"""Look at processes from outside: what the kernel knows of their signals."""

import re
import signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process as /proc shows it; one that is gone has nothing."""

    pid: int

    def listens(self) -> bool:
        """Tell whether it does something of its own on SIGUSR1."""
        return self._has_signal(b"SigCgt")

    def warned(self) -> bool:
        """Tell whether SIGUSR1 waits to be taken."""
        return self._has_signal(b"ShdPnd") or self._has_signal(b"SigPnd")

    def read(self, name: str) -> bytes:
        """Give a file of its folder in /proc."""
        try:
            return Path(f"/proc/{self.pid}/{name}").read_bytes()
        except OSError:
            return b""

    def _has_signal(self, mask: bytes) -> bool:
        found = re.search(rb"^%s:\s*([0-9a-f]+)" % mask, self.read("status"), re.MULTILINE)
        return bool(found and int(found[1], 16) >> (signal.SIGUSR1 - 1) & 1)
