"""Settings: defaults, then a TOML file, then flags, into frozen dataclasses.

A command declares its options as a dataclass of `option` and `argument` fields; from these come the command
line, the reading of the TOML file and the checks. Nothing here imports more than the standard library.
"""

import argparse
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hpcreuse.errors import UsageError

DEFAULT_FILE = "hpcreuse.toml"
REQUIRED: Any = object()
SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

T = TypeVar("T")


def option(
    help: str,
    default: Any = REQUIRED,
    *,
    metavar: str | None = None,
    convert: Callable[[str], Any] = str,
    choices: Sequence[str] | None = None,
    many: bool = False,
    count: int | None = None,
    flag: str | None = None,
    section: str | None = None,
    instead_of: str | None = None,
) -> Any:
    """Declare an option: `--name VALUE`, or a switch when the default is a bool.

    Args:
        many: takes one or more values, given as a tuple.
        count: takes exactly so many values, given as a tuple.
        flag: the spelling on the command line, when it is not the field's name.
        section: table of the TOML file where it stands beside the command's own table.
        instead_of: the field that it takes the place of: given as a flag, it displaces that one in the file.
    """
    return dataclasses.field(
        metadata={
            "help": help,
            "default": default,
            "metavar": metavar,
            "convert": convert,
            "choices": choices,
            "many": many,
            "count": count,
            "flag": flag,
            "section": section,
            "instead_of": instead_of,
            "positional": False,
        },
        kw_only=True,
    )


def argument(
    help: str,
    default: Any = REQUIRED,
    *,
    metavar: str,
    many: bool = False,
    convert: Callable[[str], Any] = str,
    choices: Sequence[str] | None = None,
) -> Any:
    """Declare a positional argument; it may come from the TOML file instead."""
    field: Any = option(help, default, metavar=metavar, many=many, convert=convert, choices=choices)
    metadata = {**field.metadata, "positional": True}
    return dataclasses.field(metadata=metadata, kw_only=True)


def whole_number(text: str) -> int:
    """Read a number that counts something; 1e6 is fine."""
    try:
        number = float(text)
        if number < 0 or number != int(number):
            raise ValueError
        return int(text) if text.isdigit() else int(number)
    except (ValueError, OverflowError):
        raise UsageError(f"'{text}' is not a whole number of 0 or more") from None


def number(text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a number") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise UsageError(f"'{text}' is not a finite number")
    return value


def size(text: str) -> int:
    """Read a size such as 64M, 2G or 1.5g in bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"'{text}' is not a size: write e.g. 512M or 2G")
    return int(float(match[1]) * SIZE_UNITS[match[2].upper()])


def output(text: str) -> Path:
    """Read where to write something that is replaced as a whole: it needs a name of its own."""
    if not Path(text).name:
        raise UsageError(f"'{text}' is a folder that others use, too: give the name of a new one")
    return Path(text)


def flag_of(field: dataclasses.Field) -> str:
    """Give the spelling of an option on the command line."""
    return field.metadata["flag"] or "--" + field.name.replace("_", "-")


def add_arguments(parser: argparse.ArgumentParser, options: type) -> None:
    """Add the arguments of a dataclass to a parser; absent ones stay absent, so that the file can give them."""
    for field in dataclasses.fields(options):
        meta = field.metadata
        words: dict[str, Any] = {"help": _help_text(meta), "default": argparse.SUPPRESS}
        if isinstance(meta["default"], bool):
            parser.add_argument(flag_of(field), dest=field.name, action="store_true", **words)
            continue
        words |= {"metavar": meta["metavar"] or (None if meta["choices"] else field.name.upper())}
        if meta["choices"]:
            words["choices"] = meta["choices"]
        if meta["positional"]:
            parser.add_argument(field.name, nargs="*" if meta["many"] else "?", **words)
        else:
            nargs = "+" if meta["many"] else meta["count"]
            parser.add_argument(flag_of(field), dest=field.name, nargs=nargs, **words)


def _help_text(meta: Mapping[str, Any]) -> str:
    default = meta["default"]
    if default in (REQUIRED, None, (), "") or isinstance(default, bool):
        return str(meta["help"])
    shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
    return f"{meta['help']} (default: {shown})"


def read_file(path: str | None) -> dict[str, Any]:
    """Read the TOML file named, else ./hpcreuse.toml if there is one."""
    file = Path(path or DEFAULT_FILE)
    if path is None and not file.is_file():
        return {}
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the configuration file {file} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the configuration file {file} is not TOML: {error}") from error


def resolve(options: type[T], flags: Mapping[str, Any], file: Mapping[str, Any], table: str | None) -> T:
    """Make the dataclass: flags first, then the command's table of the file, then shared tables, then defaults."""
    fields = dataclasses.fields(options)  # type: ignore[arg-type]
    own = _table(file, table) if table else {k: v for k, v in file.items() if not isinstance(v, dict)}
    _refuse_unknown(own, [field.name for field in fields], table)
    for field in fields:
        if flags.get(field.name) is not None and field.metadata["instead_of"]:
            own.pop(field.metadata["instead_of"], None)
    greedy = [
        flag_of(field)
        for field in fields
        if field.metadata["many"] and not field.metadata["positional"] and flags.get(field.name)
    ]
    values: dict[str, Any] = {}
    for field in fields:
        meta = field.metadata
        given = flags.get(field.name)
        if given in (None, []):
            given = own.get(field.name)
        if given is None and meta["section"]:
            given = _table(file, meta["section"]).get(field.name)
        values[field.name] = _convert(field, given) if given is not None else _default(field, table, greedy)
    return options(**values)


def refuse_unknown_tables(file: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse tables that no command reads: most likely a name is misspelt."""
    for name, value in file.items():
        if isinstance(value, dict) and name not in known:
            close = close_matches(name, known, 1)
            hint = f": did you mean [{close[0]}]?" if close else ""
            raise UsageError(f"the configuration file has an unknown table [{name}]{hint}")


def close_matches(name: str, known: Sequence[str], most: int) -> list[str]:
    """Give the names most like one that is not known."""
    import difflib

    return difflib.get_close_matches(name, known, most)


def _table(file: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give a table; `a.b` names one within another."""
    table: Any = file
    for part in name.split("."):
        table = table.get(part, {})
        if not isinstance(table, dict):
            raise UsageError(f"'{name}' in the configuration file must be a table: [{name}]")
    return {key.replace("-", "_"): value for key, value in table.items()}


def _refuse_unknown(given: Mapping[str, Any], known: list[str], table: str | None) -> None:
    for name in given:
        if name.replace("-", "_") not in known:
            close = close_matches(name, known, 1)
            hint = f": did you mean '{close[0]}'?" if close else ""
            place = f"[{table}]" if table else "the top"
            raise UsageError(f"the configuration file has an unknown setting '{name}' in {place}{hint}")


def _default(field: dataclasses.Field, command: str | None, greedy: Sequence[str]) -> Any:
    default = field.metadata["default"]
    if default is REQUIRED:
        what = field.metadata["metavar"] or field.name.upper()
        word = what if field.metadata["positional"] else f"{flag_of(field)} {what}"
        # An option that takes many values takes the argument behind them, too
        hint = f" ({greedy[0]} takes all that follows it: put {what} before it)" if greedy and word == what else ""
        raise UsageError(
            f"{word} is missing: give it on the command line{hint} "
            f"or as `{field.name}` under [{command}] in {DEFAULT_FILE}"
        )
    # Defaults may be written as on the command line
    return _convert_one(field, default) if isinstance(default, str) else default


def _convert(field: dataclasses.Field, given: Any) -> Any:
    meta = field.metadata
    if isinstance(meta["default"], bool):
        if not isinstance(given, bool):
            raise UsageError(f"`{field.name}` must be true or false")
        return given
    if meta["many"] or meta["count"]:
        items = given if isinstance(given, list) else [given]
        if meta["count"] and len(items) != meta["count"]:
            raise UsageError(f"{flag_of(field)} takes {meta['count']} values")
        return tuple(_convert_one(field, item) for item in items)
    return _convert_one(field, ",".join(map(str, given)) if isinstance(given, list) else given)


def _convert_one(field: dataclasses.Field, given: Any) -> Any:
    meta, text = field.metadata, str(given)
    if meta["choices"] and text not in meta["choices"]:
        raise UsageError(f"{flag_of(field)}: '{text}' is none of {', '.join(meta['choices'])}")
    try:
        return meta["convert"](text)
    except UsageError as error:
        raise UsageError(f"{flag_of(field)}: {error}") from None
