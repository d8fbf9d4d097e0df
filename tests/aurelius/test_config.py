"""Finding the vault, reading its settings, placing its index (design §3, §3.4, A49)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from aurelius import config, places, template
from indexer.errors import ConfigError, VaultNotFoundError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": str(home / "etc")}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / ".aurelius").mkdir(parents=True)
    return tmp_path / "vault"


def say(vault: Path, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    (vault / ".aurelius" / "config.toml").write_bytes(data)


def say_user(env: dict[str, str], text: str) -> str:
    file = Path(places.user_file(env))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


# Finding the vault


def test_an_explicit_vault_wins_over_everything(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert config.find_vault("../other", {**env, "AURELIUS_VAULT": str(vault)}, str(vault)) == str(other)


def test_the_environment_wins_over_the_working_directory(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert config.find_vault(None, {**env, "AURELIUS_VAULT": str(other)}, str(vault)) == str(other)


def test_the_nearest_folder_above_that_holds_the_mark(vault: Path, env: dict[str, str]) -> None:
    below = vault / "people" / "family"
    below.mkdir(parents=True)
    assert config.find_vault(None, env, str(below)) == str(vault)
    (below.parent / ".aurelius").mkdir()
    assert config.find_vault(None, env, str(below)) == str(below.parent)


def test_a_file_called_like_the_mark_is_no_vault(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / ".aurelius").write_text("")
    with pytest.raises(VaultNotFoundError):
        config.find_vault(None, env, str(tmp_path))


def test_the_working_directory_wins_over_the_users_file(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    named = tmp_path / "home" / "notes"
    named.mkdir()
    say_user(env, 'vault = "~/notes"\n')
    assert config.find_vault(None, env, str(vault)) == str(vault)
    assert config.find_vault(None, env, str(tmp_path)) == str(named)


def test_the_users_file_wins_over_the_home_vault(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    (tmp_path / "home" / "aurelius" / ".aurelius").mkdir(parents=True)
    assert config.find_vault(None, env, str(tmp_path)) == str(tmp_path / "home" / "aurelius")
    say_user(env, f"vault = {str(vault)!r}\n")
    assert config.find_vault(None, env, str(tmp_path)) == str(vault)


def test_a_home_folder_called_aurelius_is_no_vault_without_the_mark(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "home" / "aurelius").mkdir()
    with pytest.raises(VaultNotFoundError) as raised:
        config.find_vault(None, env, str(tmp_path))
    assert raised.value.exit_code == 4
    assert "aurelius init" in raised.value.hint


@pytest.mark.parametrize("made", ["nothing", "a file"])
def test_a_vault_that_was_named_must_be_a_folder(made: str, tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    if made == "a file":
        (tmp_path / "gone").write_text("")
    problem = "does not exist" if made == "nothing" else "is not a folder"
    with pytest.raises(VaultNotFoundError, match=f"--vault: .*gone {problem}"):
        config.find_vault("../gone", env, str(vault))
    with pytest.raises(VaultNotFoundError, match=f"AURELIUS_VAULT: .*gone {problem}"):
        config.find_vault(None, {**env, "AURELIUS_VAULT": str(tmp_path / "gone")}, str(vault))
    file = say_user(env, f"# mine\nvault = {str(tmp_path / 'gone')!r}\n")
    with pytest.raises(VaultNotFoundError) as raised:
        config.find_vault(None, env, str(tmp_path))
    assert raised.value.message.startswith(f"{file}:2: ")


def test_an_empty_name_is_not_taken_for_none(vault: Path, env: dict[str, str]) -> None:
    with pytest.raises(VaultNotFoundError, match="--vault names no folder"):
        config.find_vault("", env, str(vault))


def test_an_empty_variable_is_no_variable(vault: Path, env: dict[str, str]) -> None:
    assert config.find_vault(None, {**env, "AURELIUS_VAULT": ""}, str(vault)) == str(vault)


# Reading the settings


def test_every_key_has_a_default(vault: Path, env: dict[str, str]) -> None:
    found = config.load(str(vault), env)
    assert found.exclude == ()
    assert found.location == places.user_folder("cache", env)
    assert (found.limit, found.mode, found.fusion, found.model, found.daily) == (10, "hybrid", "default", "", "memory")
    assert set(found.sources.values()) == {"default"}


def test_a_vault_without_the_mark_has_the_defaults(tmp_path: Path, env: dict[str, str]) -> None:
    assert config.load(str(tmp_path), env).limit == 10


EVERYTHING = """\
[index]
exclude = ["drafts/", "*.tmp.md"]
location = "~/indexes"

[search]
limit = 20
mode = "keyword"
fusion = "rrf"

[embedding]
model = "models/mine"

[daily]
folder = "journal/daily/"

[tiers]
hot_days = 3
warm_days = 14
resist_uses = 5

[rank]
reinforce = 4
demote = 2

[summary]
words = 80

[archive]
max_size = "100MB"
percent = 0.5

[jobs]
device = "lap7-3f2c"
summarize = "weekly"
archive = "0 4 * * *"

[capture]
replace = "apply"

[git]
commit = true
"""


def test_every_key_can_be_set_and_says_where(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    say(vault, EVERYTHING)
    found = config.load(str(vault), env)
    file = str(vault / ".aurelius" / "config.toml")
    assert config.explain(found) == (
        ("index.exclude", ("drafts/", "*.tmp.md"), f"{file}:2"),
        ("index.location", str(tmp_path / "home" / "indexes"), f"{file}:3"),
        ("search.limit", 20, f"{file}:6"),
        ("search.mode", "keyword", f"{file}:7"),
        ("search.fusion", "rrf", f"{file}:8"),
        ("embedding.model", str(vault / "models" / "mine"), f"{file}:11"),
        ("daily.folder", "journal/daily", f"{file}:14"),
        ("tiers.hot_days", 3, f"{file}:17"),
        ("tiers.warm_days", 14, f"{file}:18"),
        ("tiers.resist_uses", 5, f"{file}:19"),
        ("rank.reinforce", 4, f"{file}:22"),
        ("rank.demote", 2, f"{file}:23"),
        ("summary.words", 80, f"{file}:26"),
        ("archive.max_size", "100MB", f"{file}:29"),
        ("archive.percent", 0.5, f"{file}:30"),
        ("jobs.device", "lap7-3f2c", f"{file}:33"),
        ("jobs.summarize", "weekly", f"{file}:34"),
        ("jobs.archive", "0 4 * * *", f"{file}:35"),
        ("capture.replace", "apply", f"{file}:38"),
        ("git.commit", True, f"{file}:41"),
    )


def test_what_is_warm_was_hot_before(vault: Path, env: dict[str, str]) -> None:
    """A11: hot, then warm, then cold; the limits may stand in two files."""
    file = say_user(env, "[tiers]\nhot_days = 90\n")
    with pytest.raises(ConfigError, match=r"tiers\.warm_days is 30, less than tiers\.hot_days, 90") as raised:
        config.load(str(vault), env)
    assert raised.value.message.startswith(f"{file}:2: ")
    say(vault, "[tiers]\nwarm_days = 90\n")
    assert config.load(str(vault), env).warm_days == 90


@pytest.mark.parametrize(
    ("text", "size"),
    [("100MB", 10**8), ("5 kB", 5000), ("7b", 7), ("2GB", 2 * 10**9), ("", 0), ("MB", 0), ("-1MB", 0), ("1 M", 0)],
)
def test_a_size_is_what_people_write(text: str, size: int) -> None:
    """R18: what `archive --when-over` takes is what the setting takes."""
    assert config.size_of(text) == size


def test_the_vaults_file_decides_over_the_users(vault: Path, env: dict[str, str]) -> None:
    file = say_user(env, "vault = '/elsewhere'\n[search]\nlimit = 30\nmode = 'vector'\n")
    say(vault, "[search]\nlimit = 5\n")
    found = config.load(str(vault), env)
    assert (found.limit, found.mode) == (5, "vector")
    assert found.sources["search.mode"] == f"{file}:4"
    assert found.sources["search.limit"].endswith("config.toml:2")
    assert found.sources["search.fusion"] == "default"


def test_the_environment_decides_where_the_index_is(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    say(vault, "[index]\nlocation = '/elsewhere'\n")
    found = config.load(str(vault), {**env, "AURELIUS_INDEX": str(tmp_path / "here")})
    assert found.location == str(tmp_path / "here")
    assert found.sources["index.location"] == "AURELIUS_INDEX"
    with pytest.raises(ConfigError, match="AURELIUS_INDEX: here is not an absolute path"):
        config.load(str(vault), {**env, "AURELIUS_INDEX": "here"})


@pytest.mark.parametrize("text", ["", "\n  \n", "# a comment\n  # another\n", "\ufeff# with a BOM\n"])
def test_a_file_without_settings_sets_nothing(text: str, vault: Path, env: dict[str, str]) -> None:
    say(vault, text)
    assert set(config.load(str(vault), env).sources.values()) == {"default"}


@pytest.mark.parametrize(
    ("text", "line", "says", "hint"),
    [
        ("[search]\nlimt = 5\n", 2, "unknown key search.limt", "did you mean search.limit?"),
        ("\n[serach]\nlimit = 5\n", 3, "unknown key serach.limit", "did you mean search.limit?"),
        ("search.limt = 5\n", 1, "unknown key search.limt", "did you mean search.limit?"),
        ("# one\nsearch = { limt = 5 }\n", 2, "unknown key search.limt", "did you mean search.limit?"),
        ("limit = 5\n", 1, "unknown key limit", "did you mean search.limit?"),
        ("[search]\nmode = 'vector'\n[colours]\n", 3, "unknown key colours", "the keys are index.exclude, "),
        ("[search.deep]\nlimit = 5\n", 1, "unknown key search.deep", "the keys are "),
        ("vault = 'x'\n", 1, "unknown key vault", "the keys are "),
        ("search = 5\n", 1, "unknown key search", "the keys are "),
        ("[search]\n'lim\u0131t' = 5\n", 2, "unknown key search.lim\u0131t", "did you mean search.limit?"),
    ],
)
def test_an_unknown_key_names_the_nearest(
    text: str, line: int, says: str, hint: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, text)
    with pytest.raises(ConfigError) as raised:
        config.load(str(vault), env)
    assert raised.value.exit_code == 3
    assert raised.value.message == f"{vault / '.aurelius' / 'config.toml'}:{line}: {says}"
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("search.limit = 0", "from 1 to 100"),
        ("search.limit = 101", "from 1 to 100"),
        ("search.limit = true", "from 1 to 100"),
        ("search.limit = '10'", "from 1 to 100"),
        ("search.limit = { most = 5 }", "from 1 to 100"),
        ("search.mode = 'fast'", '"hybrid", "keyword", "vector"'),
        ("search.fusion = ''", '"default", "rrf", "weighted"'),
        ("index.exclude = 'drafts/'", "a list of patterns"),
        ("index.exclude = ['a', 1]", "a list of patterns"),
        ('index.exclude = ["a\\nb"]', "a list of patterns"),
        ("index.exclude = ['drafts', '!']", "a list of patterns"),
        ("index.exclude = ['a\\']", "a list of patterns"),
        ("index.location = 5", "a folder"),
        ('embedding.model = ["x"]', "a folder"),
        ('embedding.model = "x\\u0000"', "a folder"),
        ("daily.folder = ''", "a folder inside the vault"),
        ("daily.folder = '../journal'", "a folder inside the vault"),
        ("daily.folder = 'a//b'", "a folder inside the vault"),
        ("daily.folder = 'C:\\journal'", "a folder inside the vault"),
        ("daily.folder = 3", "a folder inside the vault"),
        ("tiers.hot_days = -1", "from 0 to 36500"),
        ("tiers.warm_days = 1.5", "from 0 to 36500"),
        ("tiers.resist_uses = 0", "from 1 to 1000000"),
        ("rank.reinforce = 0", "from 1 to 10"),
        ("rank.demote = -1", "from 1 to 10"),
        ("summary.words = 5", "from 10 to 2000"),
        ("archive.max_size = 100", "a size"),
        ("archive.max_size = 'MB'", "a size"),
        ("archive.max_size = '0MB'", "a size"),
        ("archive.max_size = '1 MiB'", "a size"),
        ("archive.percent = 0", "above 0, at most 100"),
        ("archive.percent = true", "above 0, at most 100"),
        ("jobs.device = 'my laptop'", "the name of a device"),
        ("jobs.device = '../x'", "the name of a device"),
        ("jobs.summarize = 'daily'", '"off", "weekly"'),
        ("jobs.archive = 'weekly'", "five fields"),
        ("jobs.archive = '61 4 * * *'", "a minute from 0 to 59"),
        ("jobs.archive = 4", "as cron writes it"),
        ("capture.replace = 'yes'", '"propose", "apply"'),
        ("git.commit = 1", "true or false"),
    ],
)
def test_a_bad_value_says_what_it_may_be(setting: str, hint: str, vault: Path, env: dict[str, str]) -> None:
    say(vault, f"# settings\n{setting}\n")
    key = setting.partition(" ")[0]
    with pytest.raises(ConfigError) as raised:
        config.load(str(vault), env)
    assert raised.value.message.startswith(f"{vault / '.aurelius' / 'config.toml'}:2: {key} cannot be ")
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[search]\nlimit = \n", ":2: not valid TOML"),
        (b"[search\n", ":1: not valid TOML"),
        (b"[search]\nlimit = 1\nlimit = 2\n", ":3: not valid TOML"),
        (b"a = [" + b"[" * 5000, ":1: not valid TOML"),
        (b"[search]\nmode = '''\n", ":3: not valid TOML"),
        (b"[search]\n# caf\xe9\n", ": not UTF-8 text (byte 14)"),
    ],
)
def test_a_broken_file_is_one_clear_error(data: bytes, says: str, vault: Path, env: dict[str, str]) -> None:
    say(vault, data)
    with pytest.raises(ConfigError) as raised:
        config.load(str(vault), env)
    assert f"config.toml{says}" in raised.value.message


def test_a_folder_in_place_of_the_file_is_one_clear_error(vault: Path, env: dict[str, str]) -> None:
    (vault / ".aurelius" / "config.toml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml: "):
        config.load(str(vault), env)


def test_the_users_file_is_checked_as_well(vault: Path, env: dict[str, str]) -> None:
    file = say_user(env, "vault = 5\n")
    with pytest.raises(ConfigError) as raised:
        config.load(str(vault), env)
    assert raised.value.message == f"{file}:1: vault cannot be 5"


# Placing the index


def test_each_vault_has_an_index_of_its_own(tmp_path: Path, env: dict[str, str]) -> None:
    folders = set()
    for parent in "ab":
        (tmp_path / parent / "vault").mkdir(parents=True)
        folders.add(config.index_folder(config.load(str(tmp_path / parent / "vault"), env)))
    assert len(folders) == 2
    for folder in folders:
        name = os.path.basename(folder)
        assert os.path.dirname(folder) == places.user_folder("cache", env)
        assert name[:6] == "vault-"
        assert len(name) == len("vault-") + 8
        assert int(name[6:], 16) >= 0


def test_a_vault_reached_by_a_symlink_has_the_same_index(tmp_path: Path, vault: Path, env: dict[str, str]) -> None:
    (tmp_path / "link").symlink_to(vault, target_is_directory=True)
    direct = config.index_folder(config.load(str(vault), env))
    assert config.index_folder(config.load(str(tmp_path / "link"), env)) == direct


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": "/home/joe"},
        {"HOME": "/home/joe", "XDG_CACHE_HOME": "/c", "XDG_CONFIG_HOME": "/e", "XDG_STATE_HOME": "/s"},
        {"HOME": "/home/joe", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": "~/s"},
        {"HOME": "", "XDG_CACHE_HOME": "/c"},
        {"HOME": "relative"},
        {},
    ],
)
@pytest.mark.parametrize("what", ["cache", "config", "state"])
def test_the_folders_are_those_of_platformdirs(
    what: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    expected = getattr(platformdirs, f"user_{what}_dir")("aurelius", appauthor=False)
    assert places.user_folder(what, os.environ) == expected


def test_reading_the_file_of_a_new_vault_imports_nothing_slow(vault: Path, env: dict[str, str]) -> None:
    say(vault, (Path(template.folder()) / ".aurelius" / "config.toml").read_bytes())
    root = Path(config.__file__).parent.parent
    slow = {"tomllib", "difflib", "hashlib", "inspect", "dataclasses"}
    slow |= {"platformdirs", "pathlib"} if sys.platform == "linux" else set()
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from aurelius import config; env = {env!r};"
        f"config.index_folder(config.load(config.find_vault(None, env, {str(vault)!r}), env));"
        f"print({slow!r} & set(sys.modules))"
    )
    # -S: what an installed package's start-up file imports is not ours to answer for
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
