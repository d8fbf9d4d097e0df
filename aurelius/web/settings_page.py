"""The settings: the value of each, what it means, where it comes from, and the command that changes
it. Nothing is changed here."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from aurelius.language.secret_text import find_secret
from aurelius.settings.config import explain, typed_value, vault_file
from aurelius.settings.keys import BY_CONSENT, BY_VAULT, KEYS, SettingKey
from aurelius.settings.places import shell_word
from aurelius.show.health import in_vain, setting_text

from .call import PageAnswer
from .line_html import message_html

if TYPE_CHECKING:
    from markupsafe import Markup

    from aurelius.settings.config import Setting

    from .call import PageCall

_HIDDEN = "(hidden: it looks like a key)"
_WHOSE = {
    BY_VAULT: "the vault may set it",
    BY_CONSENT: "the vault may set it where you agreed",
}
_ONLY_YOURS = "only you may set it"


class ShownSetting(NamedTuple):
    """A setting as it is shown: what it means, its value and its default as TOML has them, whether
    it is one that somebody set, where it comes from, whose word counts, and the commands that
    change it."""

    key: SettingKey
    help: Markup
    value: str
    default: str
    is_set: bool
    source: str
    whose: str
    commands: tuple[str, ...]


def show_settings(call: PageCall) -> PageAnswer:
    """Every setting, in groups."""
    vault = call.vault
    config = vault.config
    rows = [
        _shown(
            key,
            found,
            vault.root,
        )
        for key, found in zip(KEYS, explain(config), strict=True)
    ]
    groups = groupby(rows, key=lambda row: row.key.name.partition(".")[0])
    key_name = config.llm_key_name
    values = {
        "groups": [(name, [*found]) for name, found in groups],
        "in_vain": [message_html(_safe(each)) for each in in_vain(config.in_vain)],
        "key_name": key_name,
        "has_key": bool(vault.env.get(key_name, "").strip()),
    }
    return PageAnswer("settings.html", "Settings", values)


def _shown(
    key: SettingKey,
    found: Setting,
    root: str,
) -> ShownSetting:
    is_set = found.source != "default"
    where = f"--vault {shell_word(root)}"
    value = _safe(setting_text(found.value))
    typed = "VALUE"
    if _HIDDEN not in value:
        typed = shell_word(typed_value(found.value))
    commands = [f"aurelius config set {key.name} {typed} {where}"]
    if is_set:
        commands.append(f"aurelius config unset {key.name} {where}")
    return ShownSetting(
        key=key,
        help=message_html(key.help),
        value=value,
        default=setting_text(key.default),
        is_set=is_set,
        source=_source(found.source, root),
        whose=_WHOSE.get(key.whose, _ONLY_YOURS),
        commands=tuple(commands),
    )


def _safe(text: str) -> str:
    """A text without what looks like a secret in it."""
    secret = find_secret(text)
    if secret is None:
        return text
    rest = text.replace(secret.text, _HIDDEN)
    return _HIDDEN if find_secret(rest) else rest


def _source(source: str, root: str) -> str:
    """Where a value comes from: a line of the vault's file, of the person's, or a variable."""
    if source == "default":
        return "the default"
    own = vault_file(root)
    if source.startswith(f"{own}:"):
        return f"the vault: {os.path.relpath(own, root)}{source.removeprefix(own)}"
    return source
