"""The arguments and options of every command, as tests look at them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import typer.models

from aurelius.cli.app import typer_command
from aurelius.cli.declarations import COMMANDS, Command


class Declared(NamedTuple):
    """One argument or option; `offers` are the kinds that a shell is offered, `kind` is flag, text
    or number."""

    name: str
    flags: tuple[str, ...]
    value: str
    help: str
    kind: str
    offers: tuple[str, ...]
    many: bool
    required: bool
    hidden: bool


@cache
def declared(command: str) -> tuple[Declared, ...]:
    """What a command takes, arguments first."""
    infos = _infos(COMMANDS[command])
    found = []
    for each in typer_command(command).params:
        if each.name == "help":
            continue
        info = infos.get(each.name)
        kinds: Mapping[str, Any] = {}
        if info is not None and info.autocompletion is not None:
            kinds = inspect.getclosurevars(info.autocompletion).nonlocals
        is_option = each.param_type_name == "option"
        kind = "text"
        if is_option and each.is_flag:
            kind = "flag"
        elif info is not None and "number" in getattr(info.parser, "__qualname__", ""):
            kind = "number"
        found.append(
            Declared(
                name=each.name,
                flags=(*each.opts, *each.secondary_opts) if is_option else (),
                value=each.metavar or "",
                help=each.help,
                kind=kind,
                offers=tuple(kinds.get("kinds", ())),
                many=each.nargs == -1 or bool(getattr(each, "multiple", False)),
                required=each.required,
                hidden=bool(each.hidden),
            )
        )
    return tuple(found)


def options_of(command: str) -> tuple[Declared, ...]:
    """The options of a command."""
    return tuple(each for each in declared(command) if each.flags)


def arguments_of(command: str) -> tuple[Declared, ...]:
    """The arguments of a command."""
    return tuple(each for each in declared(command) if not each.flags)


def flags_of(command: str) -> set[str]:
    """Every spelling of every option of a command."""
    return {flag for each in options_of(command) for flag in each.flags}


def _infos(command: Command) -> dict[str, Any]:
    from aurelius.cli.app import signature_of

    found: dict[str, Any] = {}
    for name, parameter in signature_of(*command.declared).items():
        metadata = getattr(parameter.annotation, "__metadata__", ())
        for each in metadata:
            if isinstance(each, typer.models.ParameterInfo):
                found[name] = each
    return found
