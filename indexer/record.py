"""Named tuples made in an eighth of the time: `typing` compiles the type of every field and
`collections` what makes each class, and a cold search loads 75 of them with five hundred fields.

A module imports `NamedTuple` from here where a cold command loads it; type checkers see that of
`typing`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; `typing` need not be loaded for it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NamedTuple, Self
else:
    from collections import _tuplegetter

    _makers: dict[int, Callable[..., Any]] = {}
    """What makes a tuple of so many fields, by their number: compiled once, whatever their
    names."""

    def _maker(fields: tuple[str, ...], defaults: tuple[Any, ...]) -> Callable[..., Any]:
        """The `__new__` of a class with these fields, of which the last have these defaults."""
        count = len(fields)
        if count not in _makers:
            names = "".join(f"field{at}, " for at in range(count))
            text = f"lambda _cls, {names}: new(_cls, ({names}))"
            _makers[count] = eval(text, {"new": tuple.__new__})  # noqa: S307  # nothing of others
        made = _makers[count]
        code = made.__code__.replace(co_varnames=("_cls", *fields))
        return type(made)(code, made.__globals__, "__new__", defaults)

    class _Record(tuple):
        """What every record can do."""

        __slots__ = ()

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes: Any) -> Self:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no fields {', '.join(changes)}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            values = [f"{name}={value!r}" for name, value in self._asdict().items()]
            return f"{type(self).__name__}({', '.join(values)})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    class _Maker(type):
        """Makes a record of a class body, with its methods and defaults."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            getters = {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
            body["__new__"] = _maker(fields, tuple(defaults.values()))
            body |= {"__slots__": (), "__match_args__": fields, **getters}
            return type(name, (_Record,), body | {"_fields": fields, "_field_defaults": defaults})

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`."""


__all__ = ["NamedTuple"]
