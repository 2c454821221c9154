"""The directive `options`: what a verb takes, made from its dataclass of options, so that it cannot go stale.

```{options} study injection
```
"""

import dataclasses
import importlib
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hpcreuse import config
from hpcreuse.commands.shared import SharedOptions

SHARED = [field.name for field in dataclasses.fields(SharedOptions)]


def command_of(words: list[str]) -> Any:
    """Find the module of a verb, or of one of a verb's several."""
    command = importlib.import_module(f"hpcreuse.commands.{words[0]}")
    return command.choose(words[1]) if len(words) > 1 else command


def usage(words: list[str], fields: list[dataclasses.Field]) -> str:
    """Write the command line in one line: arguments and what must be given."""
    parts = ["hpcreuse", *words]
    for field in fields:
        meta = field.metadata
        value = (meta["metavar"] or field.name.upper()) + ("..." if meta["many"] else "")
        if meta["positional"]:
            parts.append(value if meta["default"] is config.REQUIRED else f"[{value}]")
    for field in fields:
        meta = field.metadata
        if not meta["positional"] and meta["default"] is config.REQUIRED:
            parts.append(f"{config.flag_of(field)} {meta['metavar'] or field.name.upper()}")
    return " ".join([*parts, "[OPTION...]"])


def spelling(field: dataclasses.Field) -> str:
    """Write an argument or option as on the command line."""
    meta = field.metadata
    many = "..." if meta["many"] else ""
    if meta["choices"] and not meta["metavar"]:
        value = "|".join(meta["choices"])
    else:
        value = " ".join([(meta["metavar"] or field.name.upper()) + many] * (meta["count"] or 1))
    if meta["positional"]:
        return value
    return config.flag_of(field) if isinstance(meta["default"], bool) else f"{config.flag_of(field)} {value}"


def default(field: dataclasses.Field) -> str:
    """Write the default of an option."""
    value = field.metadata["default"]
    if value is config.REQUIRED:
        return "*required*"
    if value in (None, (), "") or isinstance(value, bool):
        return ""
    return f"`{' '.join(map(str, value)) if isinstance(value, tuple) else value}`"


def table(fields: list[dataclasses.Field]) -> list[str]:
    """Write a Markdown table of options."""
    lines = ["| | | default |", "| --- | --- | --- |"]
    for field in fields:
        cells = (f"`{spelling(field)}`", field.metadata["help"], default(field))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


class Options(SphinxDirective):
    """Usage, examples and options of a verb; `shared` gives those that all verbs have."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        words = self.arguments[0].split()
        if words == ["shared"]:
            return self.parse(table(list(dataclasses.fields(SharedOptions))))
        command = command_of(words)
        self.env.note_dependency(importlib.import_module(command.Options.__module__).__file__ or "")
        fields = list(dataclasses.fields(command.Options))
        fields = sorted(fields, key=lambda field: not field.metadata["positional"])
        help_text = command.HELP[0].upper() + command.HELP[1:] + "."
        return self.parse(
            [
                "```text",
                usage(words, fields),
                "```",
                "",
                help_text,
                "",
                *table(fields),
                "",
                "```text",
                *command.EXAMPLES.rstrip().replace("  ", "", 1).replace("\n  ", "\n").splitlines(),
                "```",
            ]
        )

    def parse(self, lines: list[str]) -> list[nodes.Node]:
        """Read Markdown lines as if they stood on the page."""
        node = nodes.Element()
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, node)
        return node.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known to Sphinx."""
    app.add_directive("options", Options)
    return {"version": "1", "parallel_read_safe": True}
