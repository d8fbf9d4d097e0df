"""Where the vault is, what its settings are, and where its index lives (design §3, §3.4).

Every key has a default.  `<vault>/.aurelius/config.toml` decides over the user's own file
(`config.toml` in the platform's config folder), which may also name the vault: `vault = "path"`.
An unknown key or a bad value is a ConfigError that names file, line and the nearest key.

A search reads this before it answers, so nothing slow is imported until it is needed: tomllib only
where a file is not plain, platformdirs only where the plain Linux folders do not apply.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from indexer.errors import ConfigError, VaultNotFoundError

from .places import MARK, absolute, home_vault, user_file, user_folder, vault_above
from .visible import shell_word

MODES = ("hybrid", "keyword", "vector")
FUSIONS = ("default", "rrf", "weighted")
MOST_HITS = 100
MOST_DAYS = 36500
SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
DEVICE_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


class Config(NamedTuple):
    """Every setting with its effective value.

    `root` is the vault, `exclude` are gitignore patterns, `location` is the absolute folder under
    which indexes are kept, `model` the absolute folder of another embedding model or "" for the
    shipped one, `daily` the vault-relative folder of daily notes, `archive_max` a size that `size_of`
    reads, `jobs_archive` "off" or what `cron.parse` reads.  The fields between `root` and `sources`
    are those of KEYS, in that order.  `sources` tells for each key where its value came from:
    `default`, `path:line` or an environment variable.
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


class Key(NamedTuple):
    """One setting: its dotted name, default, what it means, and `read`, which raises ValueError on a bad value."""

    name: str
    default: Any
    read: Callable[[Any], Any]
    help: str


class Setting(NamedTuple):
    """One line of `aurelius config`: a key, its effective value and where that came from."""

    key: str
    value: Any
    source: str


class _Entry(NamedTuple):
    value: Any
    file: str
    line: int


def _patterns(value: Any) -> tuple[str, ...]:
    def means_something(item: Any) -> bool:
        if not isinstance(item, str) or "\n" in item or item == "!":
            return False
        return (len(item) - len(item.rstrip("\\"))) % 2 == 0  # a last backslash would escape nothing

    if isinstance(value, list) and all(map(means_something, value)):
        return tuple(value)
    raise ValueError('a list of patterns, as in ["drafts/", "*.tmp.md"]')


def _folder(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        return value
    raise ValueError('a folder, as in "~/notes"')


def _daily(value: Any) -> str:
    parts = value.strip("/").split("/") if isinstance(value, str) else []
    if parts and not any(part in {"", ".", ".."} or set(part) & set('\\:\0"') for part in parts):
        return "/".join(parts)
    raise ValueError('a folder inside the vault, as in "memory" or "journal/daily"')


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        raise ValueError(f"a whole number from {least} to {most}")

    return read


def _percent(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100:
        return value
    raise ValueError("a number above 0, at most 100")


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _size(value: Any) -> str:
    if isinstance(value, str) and (not value or size_of(value)):
        return value
    raise ValueError('a size, as in "100MB"; "" is none')


def _device(value: Any) -> str:
    if isinstance(value, str) and len(value) <= 40 and not set(value) - set(DEVICE_LETTERS):
        return value
    raise ValueError('the name of a device, a folder in .aurelius/log, as in "lap7-3f2c"; "" is none')


def _when(value: Any) -> str:
    if value == "off":
        return "off"
    if isinstance(value, str):
        from .cron import parse

        try:
            parse(value)
        except ValueError as error:
            raise ValueError(f'"off", or a time as cron writes it: {error}') from None
        return value
    raise ValueError('"off", or a time as cron writes it: "0 4 * * *"')


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise ValueError("one of " + ", ".join(f'"{word}"' for word in words))

    return read


KEYS = (
    Key(
        "index.exclude",
        (),
        _patterns,
        "what to leave out, as gitignore patterns, beside .gitignore and .aureliusignore",
    ),
    Key("index.location", "", _folder, "the folder the index is kept under; the user cache folder unless named"),
    Key("search.limit", 10, _whole(1, MOST_HITS), f"how many hits a search shows, 1 to {MOST_HITS}"),
    Key("search.mode", "hybrid", _one_of(MODES), "what a search compares: words and meaning, words, or meaning"),
    Key("search.fusion", "default", _one_of(FUSIONS), "how the two lists become one"),
    Key("embedding.model", "", _folder, "the folder of another model2vec model; the shipped one unless named"),
    Key("daily.folder", "memory", _daily, "the folder of daily notes"),
    Key("tiers.hot_days", 7, _whole(0, MOST_DAYS), "a fact is hot for so many days after its last use"),
    Key("tiers.warm_days", 30, _whole(0, MOST_DAYS), "and warm until so many days after it, then cold"),
    Key("tiers.resist_uses", 10, _whole(1, 10**6), "a fact used so often is one tier warmer"),
    Key("rank.reinforce", 3, _whole(1, 10), "what `reinforce` adds to the score of a fact"),
    Key("rank.demote", 1, _whole(1, 10), "what `demote` takes from it"),
    Key("summary.words", 120, _whole(10, 2000), "how many words a summary may have"),
    Key("archive.max_size", "", _size, "above how much text in all notes `archive` moves something; never unless said"),
    Key("archive.percent", 1, _percent, "how much of it is moved then, in percent"),
    Key("jobs.device", "", _device, "the device whose daemon runs the jobs; none unless named"),
    Key("jobs.summarize", "off", _one_of(("off", "weekly")), "when that daemon rewrites summaries"),
    Key("jobs.archive", "off", _when, "when it archives: off, or a time as cron writes it"),
    Key("capture.replace", "propose", _one_of(("propose", "apply")), "what a person's own correction does"),
    Key("git.commit", False, _yes_or_no, "commit what Aurelius writes into notes, in a vault that is a git repository"),
)
VAULT = Key("vault", "", _folder, "the vault to use when no other is named (in the user's own file only)")


def find_vault(explicit: str | None, env: Mapping[str, str], cwd: str) -> str:
    """The vault's root: an absolute path, symlinks kept.

    In order (design §3): `explicit`, AURELIUS_VAULT, the nearest folder at or above `cwd` that
    holds `.aurelius/`, the user's config file, `~/aurelius`.  A folder that a person names is taken
    as it is; the others must hold `.aurelius/`.  Raises VaultNotFoundError.
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
    entry = _read(user_file(env), user=True).get(VAULT.name)
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
    entries = _read(user_file(env), user=True)
    entries.update(_read(os.path.join(root, MARK, "config.toml"), user=False))
    values = {key.name: entries[key.name].value if key.name in entries else key.default for key in KEYS}
    sources = {
        key.name: f"{entries[key.name].file}:{entries[key.name].line}" if key.name in entries else "default"
        for key in KEYS
    }
    if env.get("AURELIUS_INDEX"):
        values["index.location"] = absolute(env["AURELIUS_INDEX"], env, "")
        if not os.path.isabs(values["index.location"]):
            raise ConfigError(f"AURELIUS_INDEX: {env['AURELIUS_INDEX']} is not an absolute path", "name the whole path")
        sources["index.location"] = "AURELIUS_INDEX"
    _check_tiers(values["tiers.hot_days"], values["tiers.warm_days"], sources)
    location, model = values["index.location"], values["embedding.model"]
    values["index.location"] = absolute(location, env, root) if location else user_folder("cache", env)
    values["embedding.model"] = absolute(model, env, root) if model else ""
    return Config._make((root, *values.values(), sources))


def _check_tiers(hot: int, warm: int, sources: Mapping[str, str]) -> None:
    if warm < hot:
        where = next(at for at in (sources["tiers.warm_days"], sources["tiers.hot_days"]) if at != "default")
        raise ConfigError(
            f"{where}: tiers.warm_days is {warm}, less than tiers.hot_days, {hot}",
            "what is no longer hot is warm for a while: name as many days or more",
        )


def size_of(text: str) -> int:
    """The bytes that a size like "100MB" means, a thousand to the step; 0 where it means none."""
    number = text.strip().upper().rstrip("BKMG")
    unit = text.strip().upper()[len(number) :]
    number = number.strip()
    if not (number.isascii() and number.isdigit() and len(number) < 16 and unit in SIZES):
        return 0
    return int(number) * SIZES[unit]


def explain(config: Config) -> tuple[Setting, ...]:
    """Each effective value and where it came from, in the order of KEYS."""
    return tuple(
        Setting(key.name, value, config.sources[key.name]) for key, value in zip(KEYS, config[1:-1], strict=True)
    )


def index_folder(config: Config) -> str:
    """Where this vault's index lives: `<location>/<name>-<8 hex>/`, keyed by the vault's real path (design §4).

    The hex digits are a CRC-32: it only has to tell vaults of one name apart, and hashlib costs a
    search 4 ms.
    """
    import zlib

    real = os.path.realpath(config.root)
    name = os.path.basename(real)[:40] or "vault"
    if not name.isascii():  # SQLite wants UTF-8, which the bytes of a name need not be
        name = name.encode("utf-8", "replace").decode("utf-8").replace("?", "_")
    return os.path.join(config.location, f"{name}-{zlib.crc32(os.fsencode(real)):08x}")


def _named(path: str, source: str, env: Mapping[str, str], base: str) -> str:
    folder = absolute(path, env, base)
    if os.path.isdir(folder):
        return folder
    if os.path.lexists(folder):
        raise VaultNotFoundError(f"{source}: {folder} is not a folder", "name the folder that holds the notes")
    hint = f"make a vault there with `aurelius init {shell_word(folder)}`"
    raise VaultNotFoundError(f"{source}: {folder} does not exist", hint)


def _read(file: str, *, user: bool) -> dict[str, _Entry]:
    """The settings of one file by dotted name; none where the file does not exist."""
    try:
        if os.path.exists(file) and not os.path.isfile(file):  # a pipe would be waited for
            raise ConfigError(f"{file}: not a regular file", "make it one, or remove it")
        with open(file, encoding="utf-8-sig") as stream:
            text = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 text (byte {error.start})", "save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}", "the file of settings must be readable") from error
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return {}
    known = {key.name: key for key in (*KEYS, VAULT) if user or key is not VAULT}
    entries = {}
    for name, value in _flat(_toml(file, text), {key.partition(".")[0] for key in known if "." in key}).items():
        line = _line_of(text, name)
        if name not in known:
            raise _unknown(name, f"{file}:{line}", tuple(known))
        try:
            entries[name] = _Entry(known[name].read(value), file, line)
        except ValueError as error:
            raise ConfigError(f"{file}:{line}: {name} cannot be {value!r}", f"{name} is {error}") from error
    return entries


def _toml(file: str, text: str) -> dict[str, Any]:
    from .plain_toml import plain

    read = plain(text)
    if read is not None:
        return read
    import re
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise ConfigError(f"{file}:{line}: not valid TOML: {error}", 'a setting looks like: mode = "hybrid"') from error


def _flat(tree: dict[str, Any], tables: set[str]) -> dict[str, Any]:
    """`{"search": {"limit": 5}}` as `{"search.limit": 5}`; an unknown table keeps its own name."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict) and (value or name in tables):
            flat.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            flat[name] = value
    return flat


def _line_of(text: str, name: str) -> int:
    """The line that sets `name`, or its table; TOML's parser does not say, so look for it as people write it."""
    import re

    table, nearest = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+([^\]]*)", line)
        left = re.sub(r"[\s\"']", "", header[1] if header else line.partition("=")[0])
        table = left if header else table
        here = left if header or not table else f"{table}.{left}"
        if here == name:
            return number
        if not nearest and name.startswith(f"{here}."):
            nearest = number
    return nearest or 1


def _unknown(name: str, where: str, known: tuple[str, ...]) -> ConfigError:
    import difflib

    last = {key: key.rpartition(".")[2] for key in known}
    near = difflib.get_close_matches(name, known, 1, 0.7) or [
        key for key, word in last.items() if difflib.get_close_matches(name.rpartition(".")[2], [word], 1, 0.7)
    ]
    hint = f"did you mean {near[0]}? " if near else ""
    return ConfigError(f"{where}: unknown key {name}", f"{hint}the keys are {', '.join(known)}")
