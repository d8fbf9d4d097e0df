"""Which vault is meant, what its settings are, and where its index lives.

Every key has a default (keys.py). `.aurelius/config.toml` of the vault decides over the top of the
person's own file, `config.toml` in the platform's config folder; that file may have a table for a
vault, `[vaults."/path/to/vault"]`, which decides over both. What a vault may not decide it asks for
in vain, and that is told. An unknown key or a bad value is a ConfigError that names file, line and
the nearest key. A search reads this before it answers, so what is slow is imported where it is
needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from indexer.errors import ConfigError, VaultNotFoundError
from indexer.record import NamedTuple
from indexer.spelling import mark_of, nfc

from .keys import BY_CONSENT, BY_VAULT, KEYS, RULED_KINDS, VAULT_KEY, SettingKey
from .places import (
    VAULT_FOLDER,
    absolute,
    home_vault,
    is_agreed,
    path_key,
    shell_word,
    user_file,
    user_folder,
    vault_above,
    vault_state,
)
from .plain_toml import flat, parse_toml, quote_value, setting_line

if TYPE_CHECKING:
    from indexer.reading.path_meaning import KindRules

MOST_SETTINGS_BYTES = 256 << 10
"""Bytes that a file of settings may have."""
IN_VAULT = ("daily.folder", "daily.template", "templates.folder")
"""Settings that are paths in the vault."""

VAULTS = "vaults"
"""The table of the person's file that holds a table for each vault, named by its path."""


class Entry(NamedTuple):
    """One key of a file: its value and where it stands."""

    value: Any
    file: str
    line: int

    @property
    def place(self) -> str:
        """Where it stands, as messages name it."""
        return f"{self.file}:{self.line}"


class File(NamedTuple):
    """What one file of settings holds, by dotted name; the same of each vault's table in it, by its
    path there."""

    entries: dict[str, Entry]
    vaults: dict[str, dict[str, Entry]]


class Config(NamedTuple):
    """Every setting with its effective value.

    `root` is the vault, `exclude` are gitignore patterns, `location` is the absolute folder under
    which indexes are kept, `model` the absolute folder of another embedding model or "" for the
    shipped one, `daily` the vault-relative folder of daily notes ("." the vault itself),
    `daily_template` and `templates` paths in it or "", `archive_max` a size that `size_of` reads,
    `jobs_archive` "off" or what `schedule.parse_schedule` reads. The fields between `root` and
    `sources` are those that KEYS name. `sources` tells for each key where its value came
    from: `default`, `path:line` or an environment variable; `in_vain` is what the vault asks for
    and may not decide; `state` its state folder now: the first change gives it a name, so another.
    """

    root: str
    exclude: tuple[str, ...]
    location: str
    limit: int
    mode: str
    fusion: str
    model: str
    daily: str
    daily_format: str
    daily_heading: bool
    daily_template: str
    templates: str
    kinds_person: tuple[str, ...]
    kinds_company: tuple[str, ...]
    kinds_project: tuple[str, ...]
    hot_days: int
    warm_days: int
    resist_uses: int
    reinforce: int
    demote: int
    summary_words: int
    summary_fill: float
    summary_new: bool
    context_budget: int
    archive_max: str
    archive_percent: float
    decay_event: int
    decay_observation: int
    decay_status: int
    decay_fact: int
    decay_decision: int
    least_importance: float
    jobs_device: str
    jobs_summarize: str
    jobs_archive: str
    jobs_extract: str
    jobs_maintain: str
    capture_replace: str
    hook_enabled: bool
    hook_deadline: int
    hook_trace: bool
    hook_opening: int
    llm_endpoint: str
    llm_api: str
    llm_model: str
    llm_command: str
    llm_key_name: str
    llm_timeout: int
    llm_use: tuple[str, ...]
    git_commit: bool
    sources: Mapping[str, str]
    in_vain: tuple[Asked, ...] = ()
    state: str = ""

    @property
    def half_lives(self) -> Mapping[str, int]:
        """Days after which half of the importance of a fact is left, by its type; a summary ages as
        facts do."""
        return {
            "event": self.decay_event,
            "observation": self.decay_observation,
            "status": self.decay_status,
            "fact": self.decay_fact,
            "summary": self.decay_fact,
            "decision": self.decay_decision,
        }

    @property
    def kinds(self) -> KindRules:
        """What the settings say of kinds, for the parser."""
        if not (self.kinds_person or self.kinds_company or self.kinds_project):
            return ()
        rules: list[tuple[str, str]] = []
        for kind in RULED_KINDS:
            for clue in getattr(self, f"kinds_{kind}"):
                bare = clue.removeprefix("!")
                rules.append((bare, kind * (bare == clue)))
        return tuple(rules)


class Asked(NamedTuple):
    """What a vault asks for in vain, as only the person may decide it: the value, where it stands,
    and the command that would grant it."""

    key: str
    value: Any
    source: str
    command: str
    why: str = ""
    """Always empty: a key of the JSON, which drops none."""


class Setting(NamedTuple):
    """One line of `aurelius config`: a key, its effective value and where that came from."""

    key: str
    value: Any
    source: str


def find_vault(
    explicit: str | None, env: Mapping[str, str], cwd: str, named_by: str = "--vault"
) -> str:
    """The vault's root: an absolute path, symlinks kept.  VaultNotFoundError."""
    return locate(explicit, env, cwd, named_by)[0]


def locate(
    explicit: str | None, env: Mapping[str, str], cwd: str, named_by: str = "--vault"
) -> tuple[str, str]:
    """The vault's root, and in a few words why it is that one.

    In order: `explicit`, AURELIUS_VAULT, the nearest folder at or above `cwd` that holds
    `.aurelius/`, the user's config file, `~/aurelius`. A folder that a person names is taken as it
    is; the others must hold `.aurelius/`. Raises VaultNotFoundError.
    """
    if explicit is not None:
        if not explicit:
            raise VaultNotFoundError(f"{named_by} is empty", "give a folder, or leave it out")
        return _named(explicit, named_by, env, cwd), f"named by {named_by}"
    if env.get("AURELIUS_VAULT"):
        return _named(env["AURELIUS_VAULT"], "AURELIUS_VAULT", env, cwd), "named by AURELIUS_VAULT"
    above = vault_above(cwd)
    if above:
        return above, "this folder" if above == os.path.normpath(cwd) else "found above this folder"
    entry = read_settings_file(user_file(env), env).entries.get(VAULT_KEY.name)
    if entry:
        at = entry.place
        return _named(entry.value, at, env, os.path.dirname(entry.file)), f"named in {at}"
    home = home_vault(env)
    if os.path.isdir(os.path.join(home, VAULT_FOLDER)):
        return home, "no other is named"
    raise VaultNotFoundError(
        f"no vault found: neither {cwd} nor a folder above it has {VAULT_FOLDER}/, and {home} is"
        " not a vault",
        "make one with `aurelius init DIR`, adopt a folder of notes with `aurelius init --adopt"
        " DIR`, or give one with --vault or AURELIUS_VAULT",
    )


def load_config(root: str, env: Mapping[str, str]) -> Config:
    """The settings of the vault at `root`; a relative folder in them is relative to it.

    Raises ConfigError, naming file and line.
    """
    person, vault = files_of(root, env)
    state = vault_state(root, env)
    counted = what_counts(vault.entries, state)
    entries = decided(person, counted, root, env)
    values = values_in_force(entries)
    sources = dict.fromkeys(values, "default")
    sources |= {name: entry.place for name, entry in entries.items()}
    in_vain = tuple(
        _asked(key, vault.entries[key.name], root, env)
        for key in KEYS
        if key.name in vault.entries.keys() - counted.keys()
        and vault.entries[key.name].value != values[key.name]
    )
    if env.get("AURELIUS_INDEX"):
        values["index.location"] = _index_of(env)
        sources["index.location"] = "AURELIUS_INDEX"
    check_tiers(values["tiers.hot_days"], values["tiers.warm_days"], sources)
    check_days(values["daily.folder"], values["daily.format"], sources)
    for name in IN_VAULT:
        values[name] = as_on_disk(root, values[name])
    for name in ("index.location", "embedding.model"):
        values[name] = values[name] and absolute(values[name], env, root)
    values["index.location"] = values["index.location"] or user_folder("cache", env)
    fields = {key.field: values[key.name] for key in KEYS}
    return Config(root=root, sources=sources, in_vain=in_vain, state=state, **fields)


def values_in_force(entries: Mapping[str, Entry]) -> dict[str, Any]:
    """The value of each setting: that of its entry, else its default."""
    defaults = {key.name: key.default for key in KEYS}
    return defaults | {name: entries[name].value for name in defaults if name in entries}


def _index_of(env: Mapping[str, str]) -> str:
    """The folder that AURELIUS_INDEX names.  ConfigError where that is no whole path."""
    folder = absolute(env["AURELIUS_INDEX"], env, "")
    if not os.path.isabs(folder):
        raise ConfigError(
            f"AURELIUS_INDEX: {env['AURELIUS_INDEX']} is not an absolute path",
            "give the whole path",
        )
    return folder


def files_of(root: str, env: Mapping[str, str]) -> tuple[File, File]:
    """What the person's own file sets, and the vault's.  ConfigError."""
    return read_settings_file(user_file(env), env), read_settings_file(vault_file(root))


def vault_file(root: str) -> str:
    """The vault's own file of settings, whether or not it exists."""
    return os.path.join(root, VAULT_FOLDER, "config.toml")


def decided(
    person: File, counted: Mapping[str, Entry], root: str, env: Mapping[str, str]
) -> dict[str, Entry]:
    """What is in force of both files: the vault decides over the person's file, a table of theirs
    over both."""
    own = person.vaults.get(own_table(person, root, env), {})
    return {**person.entries, **counted, **own}


def what_counts(asked: Mapping[str, Entry], state: str) -> dict[str, Entry]:
    """What of a vault's own file counts here."""
    whose = {key.name: key.whose for key in KEYS}
    kinds = {whose[name] for name in asked}
    agreed = BY_CONSENT in kinds and is_agreed(state)
    return {
        name: entry
        for name, entry in asked.items()
        if whose[name] == BY_VAULT or (agreed and whose[name] == BY_CONSENT)
    }


def _asked(key: SettingKey, entry: Entry, root: str, env: Mapping[str, str]) -> Asked:
    value = entry.value
    if key.is_folder and value:
        value = absolute(value, env, root)
    command = f"aurelius config set {key.name} {shell_word(typed_value(value))}"
    if key.whose == BY_CONSENT:
        command = "aurelius daemon start --yes"
    return Asked(key.name, entry.value, entry.place, f"{command} --vault {shell_word(root)}")


def typed_value(value: Any) -> str:
    """A value as it is typed behind `config set`."""
    if isinstance(value, tuple):
        return str(list(value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def own_table(person: File, root: str, env: Mapping[str, str]) -> str:
    """The path under which the person's file has a table for this vault, as it is written there; ""
    for none."""
    if not person.vaults:
        return ""
    real = os.path.realpath(root)
    return next(
        (
            path
            for path in reversed(person.vaults)
            if os.path.realpath(absolute(path, env, "")) == real
        ),
        "",
    )


def check_tiers(hot: int, warm: int, sources: Mapping[str, str]) -> None:
    """ConfigError where warm would end before hot does; `sources` tell where each of both
    stands."""
    if warm < hot:
        where = next(
            at for at in (sources["tiers.warm_days"], sources["tiers.hot_days"]) if at != "default"
        )
        raise ConfigError(
            f"{where}: tiers.warm_days ({warm}) is less than tiers.hot_days ({hot})",
            f"set tiers.warm_days to {hot} or more",
        )


# the word of the setting
def check_days(folder: str, format: str, sources: Mapping[str, str]) -> None:
    """ConfigError where a file of that name is no daily note in that folder; `sources` tell where
    each stands."""
    if format == "YYYY-MM-DD":  # every search comes here
        return
    from indexer.reading.path_meaning import is_day_format

    if not is_day_format(format, folder):
        raise ConfigError(
            f"{sources['daily.format']}: at the top of the vault, a note named {format} is not read"
            " as a daily note",
            'set daily.folder to a folder, or daily.format to "YYYY-MM-DD"',
        )


def explain(config: Config) -> tuple[Setting, ...]:
    """Each effective value and where it came from, in the order of KEYS."""
    return tuple(
        Setting(key.name, getattr(config, key.field), config.sources[key.name]) for key in KEYS
    )


def read_settings_file(file: str, env: Mapping[str, str] | None = None) -> File:
    """What one file sets; nothing where it does not exist. With `env` it is the person's own, else
    a vault's."""
    if env is None:
        _check_link(file)
    text = decoded(file, settings_bytes(file) or b"")
    tree = parse_toml(file, text)
    known = {key.name: key for key in KEYS}
    if env is None:
        return File(_entries(file, text, tree, known), {})
    tables = tree.pop(VAULTS, {})
    vaults: dict[str, dict[str, Entry]] = {}
    for path, table in tables.items() if isinstance(tables, dict) else [("", tables)]:
        name = f"{VAULTS}.{path}".removesuffix(".")
        if not isinstance(table, dict) or not os.path.isabs(absolute(path, env, "")):
            hint = (
                f'write the settings of one vault under its whole path: [{VAULTS}."/path/to/vault"]'
            )
            raise ConfigError(
                f"{file}:{setting_line(text, name)}: {name} is not the table of a vault", hint
            )
        vaults[path] = _entries(file, text, table, known, f"{name}.")
    return File(_entries(file, text, tree, known | {VAULT_KEY.name: VAULT_KEY}), vaults)


def _check_link(file: str) -> None:
    """ConfigError where a vault's own file is, through a link, one outside the vault: no word of
    that is told."""
    root = os.path.realpath(os.path.dirname(os.path.dirname(file)))
    if os.path.lexists(file) and not os.path.realpath(file).startswith(os.path.join(root, "")):
        raise ConfigError(
            f"{file}: not read, because it is a link out of the vault",
            "replace the link by the file itself",
        )


def settings_bytes(file: str) -> bytes | None:
    """The bytes of a file of settings, None where there is none; never waits, never reads more than
    it may hold."""
    import stat

    try:
        handle = os.open(
            file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
                raise ConfigError(
                    f"{file}: not a regular file", "replace it by a file, or remove it"
                )
            with open(handle, "rb", closefd=False) as stream:
                data = b""
                if found.st_size <= MOST_SETTINGS_BYTES:
                    data = stream.read(MOST_SETTINGS_BYTES + 1)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}", "make the file readable") from error
    if max(found.st_size, len(data)) > MOST_SETTINGS_BYTES:
        raise ConfigError(
            f"{file}: larger than {MOST_SETTINGS_BYTES >> 10} KiB",
            "settings are a few lines: remove the rest",
        )
    return data


def decoded(file: str, data: bytes) -> str:
    """The bytes of a file of settings as text.  ConfigError for what is not UTF-8."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\0" in data:
        raise ConfigError(
            f"{file}: not UTF-8 text (it looks like UTF-16 or a binary file)", "save it as UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{file}: not UTF-8 text (byte {error.start})", "save it as UTF-8"
        ) from error


def encode_settings(text: str, before: bytes | None) -> bytes:
    """The text of a file of settings as bytes, with the mark that its bytes began with `before`."""
    return mark_of(before) + text.encode()


def _entries(
    file: str, text: str, tree: dict[str, Any], known: Mapping[str, SettingKey], table: str = ""
) -> dict[str, Entry]:
    """The settings of a file, or of one vault's table in it, by dotted name. ConfigError for an
    unknown or bad one."""
    entries = {}
    for name, value in flat(tree, {key.partition(".")[0] for key in known if "." in key}).items():
        line = setting_line(text, f"{table}{name}")
        if name not in known:
            raise ConfigError(
                f"{file}:{line}: unknown key {name}", nearest_key_hint(name, tuple(known))
            )
        try:
            entries[name] = Entry(known[name].read(value), file, line)
        except ValueError as error:
            shown = quote_value(
                value, text.splitlines()[line - 1].partition("=")[2].partition("#")[0]
            )
            raise ConfigError(
                f"{file}:{line}: {name} cannot be {shown}", f"{name} is {error}"
            ) from error
    return entries


def nearest_key_hint(name: str, known: tuple[str, ...]) -> str:
    """A hint for a key that there is not: the nearest one, and all of them."""
    import difflib

    if name.startswith("llm.") and any(word in name for word in ("key", "token", "secret", "auth")):
        return (
            "the key of a model is never read from a file: put it into AURELIUS_LLM_KEY, and remove"
            " it here"
        )
    last = {key: key.rpartition(".")[2] for key in known}
    near = difflib.get_close_matches(name, known, 1, 0.7) or [
        key
        for key, word in last.items()
        if difflib.get_close_matches(name.rpartition(".")[2], [word], 1, 0.7)
    ]
    return f"{f'did you mean {near[0]}? ' if near else ''}the keys are {', '.join(known)}"


def as_on_disk(root: str, path: str) -> str:
    """A path of the vault, each step spelt as on disk where only the composition of its letters
    differs."""
    steps: list[str] = []
    for step in path.split("/"):
        above = os.path.join(root, *steps)
        alike = []
        if not step.isascii() and not os.path.lexists(os.path.join(above, step)):
            with suppress(OSError):
                alike = [each for each in os.listdir(above) if nfc(each) == nfc(step)]
        steps += alike[:1] or [step]
    return "/".join(steps)


def index_folder(config: Config) -> str:
    """Where this vault's index lives: `<location>/<name>-<16 hex>/`, keyed by the vault's real
    path."""
    real = os.path.realpath(config.root)
    name = os.path.basename(real)[:40] or "vault"
    if not name.isascii():  # SQLite wants UTF-8, which the bytes of a name need not be
        name = name.encode("utf-8", "replace").decode("utf-8").replace("?", "_")
    return os.path.join(config.location, f"{name}-{path_key(real)}")


def _named(path: str, source: str, env: Mapping[str, str], base: str) -> str:
    folder = absolute(path, env, base)
    if os.path.isdir(folder):
        return folder
    if os.path.lexists(folder):
        raise VaultNotFoundError(
            f"{source}: {folder} is not a folder", "give the folder with the notes"
        )
    hint = f"make a vault there with `aurelius init {shell_word(folder)}`"
    raise VaultNotFoundError(f"{source}: {folder} does not exist", hint)
