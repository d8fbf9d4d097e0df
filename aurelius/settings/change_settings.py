"""What `config set` and `config unset` would write: one line of the vault's own file, or of the
person's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from indexer.errors import UsageError

from .config import (
    VAULTS,
    check_days,
    check_tiers,
    decided,
    decoded,
    encode_settings,
    files_of,
    nearest_key_hint,
    own_table,
    read_settings_file,
    settings_bytes,
    values_in_force,
    vault_file,
    what_counts,
)
from .keys import BY_CONSENT, BY_PERSON, DAY_NAMES, KEYS, TIER_DAYS, VAULT_KEY, SettingKey
from .places import VAULT_FOLDER, absolute, is_agreed, shell_word, user_file, vault_state
from .plain_toml import KeyPath, edit_toml, quote_value, toml_texts


class SettingChange(NamedTuple):
    """A change of a file of settings: the bytes it has and shall have; None: no file.

    `vault` is the vault whose own file it is, "" for the person's; `mode` are the rights of one
    that is new.
    """

    file: str
    vault: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o600


def plan_setting(
    root: str, env: Mapping[str, str], name: str, words: Sequence[str], cwd: str
) -> SettingChange:
    """What it takes to set one key to what was typed: a line of the vault's own file, or of the
    person's.

    UsageError for what is no key or no value of it, or would not count there; ConfigError where a
    file cannot be read, or no change of one line would do.
    """
    key = named_key(name, env)
    value = _meant(key, words, env, cwd)
    person, vault = files_of(root, env)  # never over a file that cannot be read
    if name in TIER_DAYS + DAY_NAMES:  # a file that no command can read must not come of it
        entries = decided(person, what_counts(vault.entries, vault_state(root, env)), root, env)
        now = values_in_force(entries) | {name: value}
        sources = dict.fromkeys(TIER_DAYS + DAY_NAMES, "not written")
        check_tiers(now["tiers.hot_days"], now["tiers.warm_days"], sources)
        check_days(now["daily.folder"], now["daily.format"], sources)
    table = own_table(person, root, env)
    mine = key.whose == BY_PERSON or name in person.vaults.get(table, {})
    if not mine and not os.path.isdir(os.path.join(root, VAULT_FOLDER)):
        raise UsageError(
            f"{root} is not a vault yet",
            f"to make it one: `aurelius init --adopt {shell_word(root)}`",
        )
    if not mine and key.whose == BY_CONSENT and not is_agreed(vault_state(root, env)):
        raise UsageError(
            f"not set: {name} would have no effect in {vault_file(root)}, since this vault's jobs"
            " are not allowed here",
            f"allow them with `aurelius daemon start --yes --vault {shell_word(root)}`, "
            f"or set it in your own file, {user_file(env)}",
        )
    place = (VAULTS, table or os.path.realpath(root)) if mine else ()
    return _rewritten(root, env, mine, (*place, *name.split(".")), value)


def planned_for_all(
    env: Mapping[str, str], name: str, words: Sequence[str], cwd: str
) -> tuple[SettingChange, list[str]]:
    """What it takes to set a person's own key for all vaults, and the vaults for which they set it
    otherwise."""
    value = _meant(named_key(name, env), words, env, cwd)
    own = read_settings_file(user_file(env), env).vaults
    others = [
        path for path, entries in own.items() if name in entries and entries[name].value != value
    ]
    return _rewritten("", env, True, tuple(name.split(".")), value), others


def unset_key(root: str, env: Mapping[str, str], name: str) -> SettingChange:
    """What it takes that one key is no longer set for this vault: its line gone from the person's
    table of the vault, else from the vault's own file.

    UsageError for what is no key, or is set for every vault; ConfigError as with `plan_setting`.
    """
    named_key(name, env)
    person, vault = files_of(root, env)
    table = own_table(person, root, env)
    mine = name in person.vaults.get(table, {})
    if not mine and name not in vault.entries and name in person.entries:
        entry = person.entries[name]
        raise UsageError(
            f"{name} is set for all vaults in {entry.place}",
            f"remove it there with an editor, or set it for this vault: `aurelius config set {name}"
            " VALUE`",
        )
    place = (VAULTS, table) if mine else ()
    return _rewritten(root, env, mine, (*place, *name.split(".")), None)


def _rewritten(
    root: str,
    env: Mapping[str, str],
    mine: bool,
    names: KeyPath,
    value: Any,
) -> SettingChange:
    """The person's file or the vault's with one value set, or taken out where it is None.
    ConfigError as `edit_toml`."""
    if mine:
        file = user_file(env)
    else:
        file = vault_file(root)
    before = settings_bytes(file)
    text = edit_toml(file, decoded(file, before or b""), {names: value})
    return SettingChange(file, "" if mine else root, before, encode_settings(text, before))


def named_key(name: str, env: Mapping[str, str]) -> SettingKey:
    """The key of that name. UsageError for what is none, or cannot be set by a command."""
    if name == VAULT_KEY.name:
        raise UsageError(
            f"{name} can only be set in your own file, {user_file(env)}, with an editor",
            f'add this line at its top: {name} = "/path/to/notes"',
        )
    key = next((each for each in KEYS if each.name == name), None)
    if key is None:
        raise UsageError(
            f"there is no setting {name}", nearest_key_hint(name, tuple(key.name for key in KEYS))
        )
    return key


def _meant(key: SettingKey, words: Sequence[str], env: Mapping[str, str], cwd: str) -> Any:
    """The value that was typed; UsageError where the key takes none such."""
    word: Any = " ".join(words)
    if isinstance(key.default, tuple):
        found = toml_texts(word)
        if found is None:
            word = list(words)
        else:
            word = found
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
        raise UsageError(
            f"{key.name} cannot be {quote_value(word, ' '.join(words))}", f"{key.name} is {error}"
        ) from None
