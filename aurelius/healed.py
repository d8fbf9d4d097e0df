"""What is asked of a damaged index is asked once more, of one built anew (A48, reliability B3)."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from indexer.schema import UNSOUND

if TYPE_CHECKING:
    from collections.abc import Callable

    from .vault import Vault

P = ParamSpec("P")
R = TypeVar("R")


def healed(method: Callable[Concatenate[Vault, P], R]) -> Callable[Concatenate[Vault, P], R]:
    """A method of Vault that survives rows which make no sense; a bug, which looks the same, shows itself again."""

    @wraps(method)
    def asked(vault: Vault, /, *args: P.args, **named: P.kwargs) -> R:
        try:
            return method(vault, *args, **named)
        except UNSOUND:
            vault.distrust()
            return method(vault, *args, **named)

    return asked
