"""Which vault is meant, what its settings are, and where its index lives.

Every key has a default (keys.py).  `.aurelius/config.toml` of the vault decides over the top of the
person's own file, `config.toml` in the platform's config folder; that file may have a table for a vault,
`[vaults."/path/to/vault"]`, which decides over both.  What a vault may not decide it asks for in vain, and
that is told.  An unknown key or a bad value is a ConfigError that names file, line and the nearest key.

A search reads this before it answers, so nothing slow is imported until it is needed: tomllib only
where a file is not plain, platformdirs only where the plain Linux folders do not apply.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from indexer.errors import ConfigError, UsageError, VaultNotFoundError

from .keys import BY_CONSENT, BY_PERSON, BY_VAULT, KEYS, VAULT, Key
from .places import (
    MARK,
    absolute,
    home_vault,
    is_agreed,
    key_of,
    shell_word,
    user_file,
    user_folder,
    vault_above,
    vault_state,
)
from .plain_toml import assigned, listed, removed, written
from .settings_file import BOM, VAULTS, Entry, File, bytes_of, nearest, read

TIER_DAYS = ("tiers.hot_days", "tiers.warm_days")
"""What is warm was hot before, so the second is not less than the first."""


class Config(NamedTuple):
    """Every setting with its effective value.

    `root` is the vault, `exclude` are gitignore patterns, `location` is the absolute folder under
    which indexes are kept, `model` the absolute folder of another embedding model or "" for the
    shipped one, `daily` the vault-relative folder of daily notes, `archive_max` a size that `size_of`
    reads, `jobs_archive` "off" or what `cron.parse` reads.  The fields between `root` and `sources`
    are those of KEYS, in that order.  `sources` tells for each key where its value came from:
    `default`, `path:line` or an environment variable; `in_vain` is what the vault asks for and may not decide.
    `state` is the vault's state folder as it was then: the first change gives the vault a name, and so another one.
    """

    root: str
    exclude: tuple[str, ...]
    location: str
    limit: int
    mode: str
    fusion: str
    model: str
    daily: str
    hot_days: int
    warm_days: int
    resist_uses: int
    reinforce: int
    demote: int
    summary_words: int
    archive_max: str
    archive_percent: float
    jobs_device: str
    jobs_summarize: str
    jobs_archive: str
    capture_replace: str
    git_commit: bool
    sources: Mapping[str, str]
    in_vain: tuple[Asked, ...] = ()
    state: str = ""


class Asked(NamedTuple):
    """What a file asks for in vain: the value, where it stands, and the command that would grant it.

    `why` is told where nothing would, and then the command takes it away; "" for what only the person may decide.
    """

    key: str
    value: Any
    source: str
    command: str
    why: str = ""


class Setting(NamedTuple):
    """One line of `aurelius config`: a key, its effective value and where that came from."""

    key: str
    value: Any
    source: str


class Planned(NamedTuple):
    """A change of a file of settings: the bytes it has (None: no file) and shall have.

    `vault` is the vault whose own file it is, "" for the person's.
    """

    file: str
    vault: str
    before: bytes | None
    after: bytes


def find_vault(explicit: str | None, env: Mapping[str, str], cwd: str) -> str:
    """The vault's root: an absolute path, symlinks kept.

    In order: `explicit`, AURELIUS_VAULT, the nearest folder at or above `cwd` that holds `.aurelius/`,
    the user's config file, `~/aurelius`.  A folder that a person names is taken as it is; the others
    must hold `.aurelius/`.  Raises VaultNotFoundError.
    """
    if explicit is not None:
        if not explicit:
            raise VaultNotFoundError("--vault names no folder: it is empty", "name one, or leave --vault out")
        return _named(explicit, "--vault", env, cwd)
    if env.get("AURELIUS_VAULT"):
        return _named(env["AURELIUS_VAULT"], "AURELIUS_VAULT", env, cwd)
    above = vault_above(cwd)
    if above:
        return above
    entry = read(user_file(env), env).entries.get(VAULT.name)
    if entry:
        return _named(entry.value, f"{entry.file}:{entry.line}", env, os.path.dirname(entry.file))
    home = home_vault(env)
    if os.path.isdir(os.path.join(home, MARK)):
        return home
    raise VaultNotFoundError(
        f"no vault here: neither {cwd} nor a folder above it holds {MARK}/, and {home} is not a vault",
        "make one with `aurelius init DIR`, adopt a folder of notes with `aurelius init --adopt DIR`, "
        "or name one with --vault or AURELIUS_VAULT",
    )


def load(root: str, env: Mapping[str, str]) -> Config:
    """The settings of the vault at `root`; a relative folder in them is relative to it.

    Raises ConfigError, naming file and line.
    """
    person, vault = read(user_file(env), env), read(vault_file(root))
    state = vault_state(root, env)
    counted = _counted(vault.entries, state)
    entries = _decided(person, counted, root, env)
    values = {key.name: entries[key.name].value if key.name in entries else key.default for key in KEYS}
    sources = {
        key.name: f"{entries[key.name].file}:{entries[key.name].line}" if key.name in entries else "default"
        for key in KEYS
    }
    in_vain = _unfit(person, vault.entries, root, env) + tuple(
        _asked(key, vault.entries[key.name], root, env)
        for key in KEYS
        if key.name in _fit(vault.entries).keys() - counted.keys() and vault.entries[key.name].value != values[key.name]
    )
    if env.get("AURELIUS_INDEX"):
        values["index.location"] = absolute(env["AURELIUS_INDEX"], env, "")
        if not os.path.isabs(values["index.location"]):
            raise ConfigError(f"AURELIUS_INDEX: {env['AURELIUS_INDEX']} is not an absolute path", "name the whole path")
        sources["index.location"] = "AURELIUS_INDEX"
    _check_tiers(values["tiers.hot_days"], values["tiers.warm_days"], sources)
    location, model = values["index.location"], values["embedding.model"]
    values["index.location"] = absolute(location, env, root) if location else user_folder("cache", env)
    values["embedding.model"] = absolute(model, env, root) if model else ""
    return Config._make((root, *values.values(), sources, in_vain, state))


def vault_file(root: str) -> str:
    """The vault's own file of settings, whether or not it exists."""
    return os.path.join(root, MARK, "config.toml")


def _decided(person: File, counted: Mapping[str, Entry], root: str, env: Mapping[str, str]) -> dict[str, Entry]:
    """What is in force of both files: the vault decides over the person's file, a table of theirs over both."""
    return {
        **_fit(person.entries), **_fit(counted), **_fit(person.vaults.get(_own_table(person, root, env), {})),
    }  # fmt: skip


def _fit(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    return {name: entry for name, entry in entries.items() if not entry.why}


def _unfit(person: File, vault: Mapping[str, Entry], root: str, env: Mapping[str, str]) -> tuple[Asked, ...]:
    """What the files say that is used nowhere."""
    place = f" --vault {shell_word(root)}"
    return tuple(
        Asked(name, entry.value, f"{entry.file}:{entry.line}", f"aurelius config unset {name}{place}", entry.why)
        for entries in (person.vaults.get(_own_table(person, root, env), {}), vault, person.entries)
        for name, entry in entries.items()
        if entry.why
    )


def _counted(asked: Mapping[str, Entry], state: str) -> dict[str, Entry]:
    """What of a vault's own file counts here."""
    whose = {key.name: key.whose for key in KEYS}
    kinds = {whose[name] for name in asked}
    agreed = BY_CONSENT in kinds and is_agreed(state)
    return {
        name: entry
        for name, entry in asked.items()
        if whose[name] == BY_VAULT or (agreed and whose[name] == BY_CONSENT)
    }


def _asked(key: Key, entry: Entry, root: str, env: Mapping[str, str]) -> Asked:
    value, place = entry.value, f" --vault {shell_word(root)}"
    if key.whose == BY_CONSENT:
        command = f"aurelius daemon start --yes{place}"
    else:
        said = absolute(value, env, root) if key.is_folder and value else value
        command = f"aurelius config set {key.name} {shell_word(_typed(said))}{place}"
    return Asked(key.name, value, f"{entry.file}:{entry.line}", command)


def _typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _own_table(person: File, root: str, env: Mapping[str, str]) -> str:
    """The path under which the person's file has a table for this vault, as it is written there; "" for none."""
    if not person.vaults:
        return ""
    real = os.path.realpath(root)
    return next((path for path in reversed(person.vaults) if os.path.realpath(absolute(path, env, "")) == real), "")


def _check_tiers(hot: int, warm: int, sources: Mapping[str, str]) -> None:
    if warm < hot:
        where = next(at for at in (sources["tiers.warm_days"], sources["tiers.hot_days"]) if at != "default")
        raise ConfigError(
            f"{where}: tiers.warm_days is {warm}, less than tiers.hot_days, {hot}",
            "what is no longer hot is warm for a while: name as many days or more",
        )


def explain(config: Config) -> tuple[Setting, ...]:
    """Each effective value and where it came from, in the order of KEYS."""
    return tuple(
        Setting(key.name, value, config.sources[key.name])
        for key, value in zip(KEYS, config[1 : 1 + len(KEYS)], strict=True)
    )


def planned(root: str, env: Mapping[str, str], name: str, words: Sequence[str], cwd: str) -> Planned:
    """What it takes to set one key to what was typed: a line of the vault's own file, or of the person's.

    UsageError for what is no key or no value of it, or would not count there; ConfigError where a file
    cannot be read, or no change of one line would do.
    """
    key = _named_key(name)
    value = _meant(key, words, env, cwd)
    person, vault = read(user_file(env), env), read(vault_file(root))  # never over a file that cannot be read
    if name in TIER_DAYS:  # a file that no command can read must not come of it
        entries = _decided(person, _counted(vault.entries, vault_state(root, env)), root, env)
        days = {each.name: entries[each.name].value if each.name in entries else each.default for each in KEYS}
        days[name] = value
        _check_tiers(days["tiers.hot_days"], days["tiers.warm_days"], dict.fromkeys(TIER_DAYS, "not written"))
    table = _own_table(person, root, env)
    mine = key.whose == BY_PERSON or name in person.vaults.get(table, {})
    if not mine and not os.path.isdir(os.path.join(root, MARK)):
        raise UsageError(f"there is no {MARK}/ in {root}", "`aurelius init --adopt` makes one")
    if not mine and key.whose == BY_CONSENT and not is_agreed(vault_state(root, env)):
        raise UsageError(
            f"{name} does not count in {vault_file(root)}: this device has not agreed to the jobs of this vault",
            f"agree with `aurelius daemon start --yes --vault {shell_word(root)}`, or write it into {user_file(env)}, "
            "where it counts",
        )
    place = (VAULTS, table or os.path.realpath(root)) if mine else ()
    return _rewritten(root, env, mine, lambda text: assigned(text, (*place, *name.split(".")), value), (
        f"no change of one line there sets {name}",
        f"write it with an editor: {'.'.join(name.split('.')[1:])} = {written(value)}",
    ))  # fmt: skip


def without(root: str, env: Mapping[str, str], name: str) -> Planned:
    """What it takes that one key is no longer set for this vault: its line gone from the person's table of the vault,
    else from the vault's own file.

    UsageError for what is no key, or is set for every vault; ConfigError as with `planned`.
    """
    _named_key(name)
    person, vault = read(user_file(env), env), read(vault_file(root))
    table = _own_table(person, root, env)
    mine = name in person.vaults.get(table, {})
    if not mine and name not in vault.entries and name in person.entries:
        entry = person.entries[name]
        raise UsageError(
            f"{entry.file}:{entry.line} sets {name} for every vault", "take it out there with an editor, or set it here"
        )
    place = (VAULTS, table) if mine else ()
    return _rewritten(root, env, mine, lambda text: removed(text, (*place, *name.split("."))), (
        f"{name} cannot be taken out there without touching other lines", "take it out with an editor"
    ))  # fmt: skip


def _rewritten(
    root: str, env: Mapping[str, str], mine: bool, change: Callable[[str], str | None], otherwise: tuple[str, str]
) -> Planned:
    """The person's file or the vault's with its text changed, every other byte kept; ConfigError with the words of
    `otherwise` where the change gives None."""
    file = user_file(env) if mine else vault_file(root)
    before = bytes_of(file)
    mark = BOM if (before or b"").startswith(BOM) else b""
    text = change((before or b"").removeprefix(mark).decode())
    if text is None:
        raise ConfigError(f"{file}: {otherwise[0]}", otherwise[1])
    return Planned(file, "" if mine else root, before, mark + text.encode())


def _named_key(name: str) -> Key:
    key = next((each for each in KEYS if each.name == name), None)
    if key is None:
        raise UsageError(f"there is no setting {name}", nearest(name, tuple(key.name for key in KEYS)))
    return key


def _meant(key: Key, words: Sequence[str], env: Mapping[str, str], cwd: str) -> Any:
    """The value that was typed; UsageError where the key takes none such."""
    word: Any = " ".join(words)
    if isinstance(key.default, tuple):
        found = listed(word)
        word = list(words) if found is None else found
    elif isinstance(key.default, bool):
        word = {"true": True, "false": False}.get(word, word)
    elif isinstance(key.default, int):
        for kind in (int, float):
            with suppress(ValueError):
                word = kind(word)
                break
    elif key.is_folder and word:
        word = absolute(word, env, cwd)
    try:
        return key.read(word)
    except ValueError as error:
        raise UsageError(f"{key.name} cannot be {word!r}", f"{key.name} is {error}") from None


def index_folder(config: Config) -> str:
    """Where this vault's index lives: `<location>/<name>-<16 hex>/`, keyed by the vault's real path."""
    real = os.path.realpath(config.root)
    name = os.path.basename(real)[:40] or "vault"
    if not name.isascii():  # SQLite wants UTF-8, which the bytes of a name need not be
        name = name.encode("utf-8", "replace").decode("utf-8").replace("?", "_")
    return os.path.join(config.location, f"{name}-{key_of(real)}")


def _named(path: str, source: str, env: Mapping[str, str], base: str) -> str:
    folder = absolute(path, env, base)
    if os.path.isdir(folder):
        return folder
    if os.path.lexists(folder):
        raise VaultNotFoundError(f"{source}: {folder} is not a folder", "name the folder that holds the notes")
    hint = f"make a vault there with `aurelius init {shell_word(folder)}`"
    raise VaultNotFoundError(f"{source}: {folder} does not exist", hint)
