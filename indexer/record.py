"""Named tuples made in a third of the time: `typing` compiles the type of every field, and what a
cold search loads has some five hundred.

A module imports `NamedTuple` from here where a cold command loads it; type checkers see that of
`typing`.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False  # as type checkers know it; `typing` need not be loaded for it
if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Maker(type):
        """Makes a named tuple of a class body, with its methods and defaults."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            types = body.get("__annotations__", {})
            defaults = [body.pop(field) for field in types if field in body]
            # the one of `typing` is what this is instead of
            made = namedtuple(name, types, defaults=defaults)  # noqa: PYI024
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`."""


__all__ = ["NamedTuple"]
