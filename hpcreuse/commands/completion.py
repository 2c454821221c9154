"""hpcreuse completion: a script that lets a shell complete verbs, options and their values."""

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from typing import Any

from hpcreuse import commands
from hpcreuse.commands.shared import SharedOptions
from hpcreuse.config import argument
from hpcreuse.shells import SHELLS, Verb, first_choices, flags_of

HELP = "print a script with which bash, zsh or fish complete verbs, options and values"
EXAMPLES = """\
  hpcreuse completion bash
  source <(hpcreuse completion bash)                                  (in ~/.bashrc, for good)
  hpcreuse completion zsh > ~/.zfunc/_hpcreuse                        (a folder of your $fpath)
  hpcreuse completion fish > ~/.config/fish/completions/hpcreuse.fish
"""

NEEDS_MPI = False


@dataclass(frozen=True)
class Options:
    """What `completion` takes."""

    shell: str = argument("bash, zsh or fish", metavar="SHELL", choices=tuple(SHELLS))


def run(world: None, options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Write the script to stdout."""
    script = SHELLS[options.shell](known_verbs())
    if shared.json:
        return {"shell": options.shell, "script": script}
    sys.stdout.write(script)
    return {"shell": options.shell}


def known_verbs() -> list[Verb]:
    """List all verbs with their options; importing them is cheap, for heavy imports wait until a verb runs."""
    verbs = []
    for module in pkgutil.iter_modules(commands.__path__):
        command: Any = importlib.import_module(f"hpcreuse.commands.{module.name}")
        if hasattr(command, "NAMES"):
            for name, text in command.NAMES.items():
                options = command.choose(name).Options
                words = (module.name, name)
                verbs.append(Verb(words, text, flags_of(options, SharedOptions), first_choices(options)))
        elif hasattr(command, "EXAMPLES"):
            options = command.Options
            verbs.append(Verb((module.name,), command.HELP, flags_of(options, SharedOptions), first_choices(options)))
    return verbs


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say nothing more: what was printed is for the shell."""
    return []
