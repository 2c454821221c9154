"""Completion scripts for shells, written from the options of the verbs: a shell that has one asks no Python."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from hpcreuse.config import flag_of


@dataclass(frozen=True)
class Flag:
    """An option as a shell sees it."""

    name: str
    help: str
    takes_value: bool
    many: bool
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Verb:
    """A verb, or one of several under a verb (`study injection`), with what may follow it."""

    words: tuple[str, ...]
    help: str
    flags: list[Flag] = field(default_factory=list)
    choices: tuple[str, ...] = ()
    """Of its first argument; without any it is a file."""


def flags_of(*options: type) -> list[Flag]:
    """List the options that dataclasses of settings declare."""
    flags = [Flag("--help", "say more", False, False, ())]
    for fields in map(dataclasses.fields, options):
        for one in fields:
            meta = one.metadata
            if not meta["positional"]:
                switch, many = isinstance(meta["default"], bool), bool(meta["many"] or meta["count"])
                flags.append(Flag(flag_of(one), meta["help"], not switch, many, tuple(meta["choices"] or ())))
    return flags


def first_choices(options: type) -> tuple[str, ...]:
    """Give what the first argument may be, when that is told."""
    for one in dataclasses.fields(options):
        if one.metadata["positional"]:
            return tuple(one.metadata["choices"] or ())
    return ()


def bash(verbs: Sequence[Verb]) -> str:
    """Write a script for bash: `source` it, or put it where bash-completion looks."""
    values = [
        f'        "{" ".join(verb.words)} {flag.name}") words="{" ".join(flag.choices)}"; given=1 ;;'
        for verb in verbs
        for flag in verb.flags
        if flag.takes_value
    ]
    flags = [f'        "{" ".join(v.words)}") words="{" ".join(f.name for f in v.flags)}" ;;' for v in verbs]
    firsts = [f'        "{name}") words="{" ".join(next_words)}" ;;' for name, next_words in second_words(verbs)]
    return "\n".join(
        [
            "# hpcreuse completion for bash",
            "_hpcreuse() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}",
            '    local words="" given=0',
            "    COMPREPLY=()",
            "    if ((COMP_CWORD == 1)); then",
            f'        COMPREPLY=($(compgen -W "{" ".join(first_words(verbs))} --help --version" -- "$word"))',
            "        return",
            "    fi",
            *several(verbs, '    case $verb in {names}) ((COMP_CWORD > 2)) && verb="$verb ${{COMP_WORDS[2]}}" ;; esac'),
            '    case "$verb $before" in',
            *values,
            "    esac",
            "    if ((!given)) && [[ $word == -* ]]; then",
            '        case "$verb" in',
            *(f"    {line}" for line in flags),
            "        esac",
            "    elif ((!given && COMP_CWORD == 2)); then",
            '        case "$verb" in',
            *(f"    {line}" for line in firsts),
            "        esac",
            "    fi",
            "    # Without words, bash completes files",
            '    [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "}",
            "complete -o default -F _hpcreuse hpcreuse",
            "",
        ]
    )


def zsh(verbs: Sequence[Verb]) -> str:
    """Write a script for zsh: put it as `_hpcreuse` into a folder of $fpath, or `source` it after compinit."""

    def described(name: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
        listed = " ".join(quoted(f"{word}:{text}") for word, text in pairs)
        return [f"      local -a {name}; {name}=({listed})", f"      _describe {name} {name} ;;"]

    def value(flag: Flag) -> str:
        if not flag.takes_value:
            return ""
        return f":value:({' '.join(flag.choices)})" if flag.choices else ":value:_files"

    lines = ["#compdef hpcreuse", "_hpcreuse() {", "  if ((CURRENT == 2)); then", "    case 1 in 1)"]
    lines += described("verbs", [(word, text) for word, text in summaries(verbs)])
    lines += ["    esac", "    return", "  fi", "  local verb=$words[2]", "  shift words; ((CURRENT--))"]
    further = 'if ((CURRENT > 2)); then verb="$verb $words[2]"; shift words; ((CURRENT--)); fi'
    lines += several(verbs, f"  case $verb in {{names}}) {further} ;; esac")
    lines.append('  case "$verb" in')
    for name, pairs in names_of(verbs):
        lines += [f"    {quoted(name)})", *described("names", pairs)]
    for verb in verbs:
        told = str.maketrans({":": "\\:", "[": "\\[", "]": "\\]"})
        specs = [
            quoted(("*" if flag.many else "") + f"{flag.name}[{flag.help.translate(told)}]{value(flag)}")
            for flag in verb.flags
        ]
        rest = f"*:value:({' '.join(verb.choices)})" if verb.choices else "*:file:_files"
        lines += [f"    {quoted(' '.join(verb.words))})", f"      _arguments {' '.join([*specs, quoted(rest)])} ;;"]
    lines += [
        "  esac",
        "}",
        'if [[ $funcstack[1] == _hpcreuse ]]; then _hpcreuse "$@"; else compdef _hpcreuse hpcreuse; fi',
    ]
    return "\n".join(lines) + "\n"


def fish(verbs: Sequence[Verb]) -> str:
    """Write a script for fish: put it into ~/.config/fish/completions, or `source` it."""
    start = "complete -c hpcreuse"
    lines = ["# hpcreuse completion for fish"]
    for word, text in summaries(verbs):
        lines.append(f"{start} -n __fish_use_subcommand -f -a {word} -d {quoted(text)}")
    for name, pairs in names_of(verbs):
        under = (
            f"__fish_seen_subcommand_from {name}; and not __fish_seen_subcommand_from {' '.join(w for w, _ in pairs)}"
        )
        lines += [f"{start} -n {quoted(under)} -f -a {word} -d {quoted(text)}" for word, text in pairs]
    for verb in verbs:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in verb.words)
        if verb.choices:
            lines.append(f"{start} -n {quoted(seen)} -f -a {quoted(' '.join(verb.choices))}")
        for flag in verb.flags:
            long = flag.name.startswith("--")
            name = f"-l {flag.name[2:]}" if long else f"-s {flag.name[1:]}"
            value = f" -x -a {quoted(' '.join(flag.choices))}" if flag.choices else " -r" if flag.takes_value else ""
            lines.append(f"{start} -n {quoted(seen)} {name}{value} -d {quoted(flag.help)}")
    return "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[Sequence[Verb]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def first_words(verbs: Sequence[Verb]) -> list[str]:
    """Give the verbs themselves, each once."""
    return list(dict.fromkeys(verb.words[0] for verb in verbs))


def names_of(verbs: Sequence[Verb]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Give the verbs of several, each with its names and what they mean."""
    found: dict[str, list[tuple[str, str]]] = {}
    for verb in verbs:
        if len(verb.words) > 1:
            found.setdefault(verb.words[0], []).append((verb.words[1], verb.help))
    return list(found.items())


def second_words(verbs: Sequence[Verb]) -> list[tuple[str, list[str]]]:
    """Give what may follow a verb at once, where that is told."""
    told = [(verb.words[0], list(verb.choices)) for verb in verbs if len(verb.words) == 1 and verb.choices]
    return told + [(name, [word for word, _ in pairs]) for name, pairs in names_of(verbs)]


def summaries(verbs: Sequence[Verb]) -> list[tuple[str, str]]:
    """Give each verb with what it does."""
    return list({verb.words[0]: verb.help for verb in reversed(verbs)}.items())[::-1]


def several(verbs: Sequence[Verb], line: str) -> list[str]:
    """Write a line about the verbs of several, if there are any."""
    names = "|".join(name for name, _ in names_of(verbs))
    return [line.format(names=names)] if names else []


def quoted(text: str) -> str:
    """Put text between single quotes, as all three shells read them."""
    return "'" + text.replace("'", "\u2019") + "'"
