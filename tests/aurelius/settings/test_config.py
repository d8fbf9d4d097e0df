"""Finding the vault, reading its settings, whose word counts for them, placing the index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import platformdirs
import pytest

from aurelius.settings import config, keys, places
from aurelius.settings.starting_notes import template_folder
from aurelius.writing import own_files
from indexer.errors import ConfigError, VaultNotFoundError
from tests.aurelius.settings.conftest import OUTSIDE, say, say_user

# Finding the vault


def test_an_explicit_vault_wins_over_everything(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert config.find_vault("../other", {**env, "AURELIUS_VAULT": str(vault)}, str(vault)) == str(
        other
    )


def test_the_environment_wins_over_the_working_directory(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
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


def test_the_working_directory_wins_over_the_users_file(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    named = tmp_path / "home" / "notes"
    named.mkdir()
    say_user(env, 'vault = "~/notes"\n')
    assert config.find_vault(None, env, str(vault)) == str(vault)
    assert config.find_vault(None, env, str(tmp_path)) == str(named)


def test_the_users_file_wins_over_the_home_vault(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    (tmp_path / "home" / "aurelius" / ".aurelius").mkdir(parents=True)
    assert config.find_vault(None, env, str(tmp_path)) == str(tmp_path / "home" / "aurelius")
    say_user(env, f"vault = {str(vault)!r}\n")
    assert config.find_vault(None, env, str(tmp_path)) == str(vault)


def test_a_home_folder_called_aurelius_is_no_vault_without_the_mark(
    tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "home" / "aurelius").mkdir()
    with pytest.raises(VaultNotFoundError) as raised:
        config.find_vault(None, env, str(tmp_path))
    assert raised.value.exit_code == 4
    assert "aurelius init" in raised.value.hint


@pytest.mark.parametrize("made", ["nothing", "a file"])
def test_a_vault_that_was_named_must_be_a_folder(
    made: str, tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
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
    with pytest.raises(VaultNotFoundError, match="--vault is empty"):
        config.find_vault("", env, str(vault))


def test_an_empty_variable_is_no_variable(vault: Path, env: dict[str, str]) -> None:
    assert config.find_vault(None, {**env, "AURELIUS_VAULT": ""}, str(vault)) == str(vault)


# Reading the settings


def test_every_key_has_a_default(vault: Path, env: dict[str, str]) -> None:
    found = config.load_config(str(vault), env)
    assert found.exclude == ()
    assert found.location == places.user_folder("cache", env)
    assert (found.limit, found.mode, found.fusion, found.model, found.daily) == (
        10,
        "hybrid",
        "default",
        "",
        "memory",
    )
    assert set(found.sources.values()) == {"default"}


def test_a_vault_without_the_mark_has_the_defaults(tmp_path: Path, env: dict[str, str]) -> None:
    assert config.load_config(str(tmp_path), env).limit == 10


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
format = "YYYY_MM_DD"
heading = false
template = "templates/day.md"

[templates]
folder = "forms/"

[kinds]
person = ["Tags: #Friend", "folder: 01 CRM"]
company = ["!tags: company"]
project = []

[tiers]
hot_days = 3
warm_days = 14
resist_uses = 5

[rank]
reinforce = 4
demote = 2

[summary]
words = 80
cold_fill = 0.5
new = false

[context]
budget = 500

[archive]
max_size = "100MB"
percent = 0.5

[jobs]
device = "lap7-3f2c"
summarize = "weekly"
archive = "0 4 * * *"
extract = "daily"
maintain = "daily"

[capture]
replace = "apply"

[hook]
enabled = false
deadline = 150
trace = true
opening = 300

[llm]
endpoint = "https://models.example/v1"
model = "tiny"
command = "llm -m small"
api = "anthropic"
key_name = "MY_KEY"
timeout = 5
use = ["capture", "summaries"]

[git]
commit = true

[decay]
event = 30
observation = 60
status = 61
fact = 62
decision = 63
floor = 0.2
"""


OURS = {
    "index.location",
    "embedding.model",
    "capture.replace",
    "hook.enabled",
    "hook.deadline",
    "hook.trace",
    "git.commit",
    "llm.endpoint",
    "llm.api",
    "llm.model",
    "llm.command",
    "llm.key_name",
    "llm.timeout",
    "llm.use",
}
"""Keys that no vault decides."""


def test_every_key_can_be_set_and_says_where(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    file = say_user(env, EVERYTHING)
    found = config.load_config(str(vault), env)
    assert config.explain(found) == (
        ("index.exclude", ("drafts/", "*.tmp.md"), f"{file}:2"),
        ("index.location", str(tmp_path / "home" / "indexes"), f"{file}:3"),
        ("search.limit", 20, f"{file}:6"),
        ("search.mode", "keyword", f"{file}:7"),
        ("search.fusion", "rrf", f"{file}:8"),
        ("embedding.model", str(vault / "models" / "mine"), f"{file}:11"),
        ("daily.folder", "journal/daily", f"{file}:14"),
        ("daily.format", "YYYY_MM_DD", f"{file}:15"),
        ("daily.heading", False, f"{file}:16"),
        ("daily.template", "templates/day.md", f"{file}:17"),
        ("templates.folder", "forms", f"{file}:20"),
        ("kinds.person", ("tags: friend", "folder: crm"), f"{file}:23"),
        ("kinds.company", ("!tags: company",), f"{file}:24"),
        ("kinds.project", (), f"{file}:25"),
        ("tiers.hot_days", 3, f"{file}:28"),
        ("tiers.warm_days", 14, f"{file}:29"),
        ("tiers.resist_uses", 5, f"{file}:30"),
        ("rank.reinforce", 4, f"{file}:33"),
        ("rank.demote", 2, f"{file}:34"),
        ("summary.words", 80, f"{file}:37"),
        ("summary.cold_fill", 0.5, f"{file}:38"),
        ("summary.new", False, f"{file}:39"),
        ("context.budget", 500, f"{file}:42"),
        ("archive.max_size", "100MB", f"{file}:45"),
        ("archive.percent", 0.5, f"{file}:46"),
        ("decay.event", 30, f"{file}:77"),
        ("decay.observation", 60, f"{file}:78"),
        ("decay.status", 61, f"{file}:79"),
        ("decay.fact", 62, f"{file}:80"),
        ("decay.decision", 63, f"{file}:81"),
        ("decay.floor", 0.2, f"{file}:82"),
        ("jobs.device", "lap7-3f2c", f"{file}:49"),
        ("jobs.summarize", "weekly", f"{file}:50"),
        ("jobs.archive", "0 4 * * *", f"{file}:51"),
        ("jobs.extract", "daily", f"{file}:52"),
        ("jobs.maintain", "daily", f"{file}:53"),
        ("capture.replace", "apply", f"{file}:56"),
        ("hook.enabled", False, f"{file}:59"),
        ("hook.deadline", 150, f"{file}:60"),
        ("hook.trace", True, f"{file}:61"),
        ("hook.opening", 300, f"{file}:62"),
        ("llm.endpoint", "https://models.example/v1", f"{file}:65"),
        ("llm.api", "anthropic", f"{file}:68"),
        ("llm.model", "tiny", f"{file}:66"),
        ("llm.command", "llm -m small", f"{file}:67"),
        ("llm.key_name", "MY_KEY", f"{file}:69"),
        ("llm.timeout", 5, f"{file}:70"),
        ("llm.use", ("summaries", "capture"), f"{file}:71"),
        ("git.commit", True, f"{file}:74"),
    )
    assert found.in_vain == ()


def test_what_reaches_outside_a_vault_does_not_count_from_its_own_file(
    vault: Path, env: dict[str, str]
) -> None:
    say(vault, EVERYTHING)
    found = config.load_config(str(vault), env)
    for key, row in zip(keys.KEYS, config.explain(found), strict=True):
        counts = key.name not in OURS and not key.name.startswith("jobs.")
        assert (row.source != "default") == counts, key.name
    assert found.location == places.user_folder("cache", env)
    assert (found.model, found.git_commit, found.capture_replace) == ("", False, "propose")
    assert (found.jobs_device, found.jobs_summarize, found.jobs_archive) == ("", "off", "off")
    asked = {each.key: each for each in found.in_vain}
    jobs = ("device", "summarize", "archive", "extract", "maintain")
    assert set(asked) == OURS | {f"jobs.{job}" for job in jobs}
    file = vault / ".aurelius" / "config.toml"
    command = f"aurelius config set git.commit true --vault {places.shell_word(str(vault))}"
    assert asked["git.commit"] == config.Asked("git.commit", True, f"{file}:74", command)
    assert asked["embedding.model"].command.startswith(
        f"aurelius config set embedding.model {vault}"
    )
    assert asked["jobs.archive"].command.startswith("aurelius daemon start --yes --vault ")


def test_the_jobs_of_a_vault_count_where_they_were_agreed_to(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    say(vault, EVERYTHING)
    own_files.agree(str(vault), env)
    found = config.load_config(str(vault), env)
    assert (found.jobs_device, found.jobs_summarize, found.jobs_archive) == (
        "lap7-3f2c",
        "weekly",
        "0 4 * * *",
    )
    assert {each.key for each in found.in_vain} == OURS
    other = {**env, "XDG_STATE_HOME": str(tmp_path / "another device")}
    assert config.load_config(str(vault), other).jobs_summarize == "off"
    (tmp_path / "copy").mkdir()
    shutil.copytree(vault / ".aurelius", tmp_path / "copy" / ".aurelius")
    assert config.load_config(str(tmp_path / "copy"), env).jobs_summarize == "off"


@pytest.mark.parametrize(
    "table",
    [
        '[vaults."{path}"]\ngit.commit = true\nsearch.limit = 7\n',
        '[vaults."{path}".git]\ncommit = true\n[vaults."{path}".search]\nlimit = 7\n',
        "[vaults.'{path}']\ngit = {{ commit = true }}\nsearch.limit = 7\n",
        '[vaults]\n"{path}" = {{ git.commit = true, search.limit = 7 }}\n',
        '[vaults."/elsewhere"]\nsearch.limit = 1\n[vaults."{path}"]\ngit.commit = true\nsearch.limit = 7\n',
    ],
)
@pytest.mark.parametrize("path", ["whole", "home", "link"])
def test_a_vault_has_a_table_of_its_own_in_the_persons_file(
    table: str, path: str, tmp_path: Path, env: dict[str, str]
) -> None:
    vault = tmp_path / "home" / "v"
    (vault / ".aurelius").mkdir(parents=True)
    (tmp_path / "link").symlink_to(vault, target_is_directory=True)
    say(vault, "[search]\nlimit = 5\n[git]\ncommit = true\n")
    named = {"whole": str(vault), "home": "~/v", "link": str(tmp_path / "link")}[path]
    file = say_user(env, "[search]\nlimit = 3\nmode = 'vector'\n" + table.format(path=named))
    found = config.load_config(str(vault), env)
    assert (found.git_commit, found.limit, found.mode) == (True, 7, "vector")
    assert found.sources["git.commit"].startswith(f"{file}:")
    assert found.in_vain == ()
    other = tmp_path / "other"
    other.mkdir()
    assert config.load_config(str(other), env).git_commit is False
    assert config.load_config(str(other), env).limit == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[vaults."/v"]\ngit.comit = true\n', ":2: unknown key git.comit"),
        ('[vaults."/v"]\nsearch.limit = 0\n', ":2: search.limit cannot be 0"),
        ('[vaults."/v".git]\ncommit = 1\n', ":2: git.commit cannot be 1"),
        ('[vaults."/v"]\nvault = "/x"\n', ":2: unknown key vault"),
        ('[vaults."notes"]\nsearch.limit = 5\n', ":1: vaults.notes is not the table of a vault"),
        ("[vaults]\ngit = 5\n", ":2: vaults.git is not the table of a vault"),
        ("vaults = 5\n", ":1: vaults is not the table of a vault"),
    ],
)
def test_the_table_of_a_vault_is_checked(
    text: str, says: str, vault: Path, env: dict[str, str]
) -> None:
    file = say_user(env, text)
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    assert raised.value.message.startswith(f"{file}{says}")


def test_of_two_tables_for_one_vault_the_last_counts(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    (tmp_path / "link").symlink_to(vault)
    tables = (
        f"[vaults.'{path}']\nsearch.limit = {limit}\n"
        for limit, path in ((3, vault), (4, tmp_path / "link"))
    )
    say_user(env, "".join(tables))
    assert config.load_config(str(vault), env).limit == 4


def test_a_vault_has_no_tables_for_vaults(vault: Path, env: dict[str, str]) -> None:
    say(vault, f'[vaults."{vault}"]\ngit.commit = true\n')
    with pytest.raises(ConfigError, match="unknown key vaults"):
        config.load_config(str(vault), env)


def test_what_is_warm_was_hot_before(vault: Path, env: dict[str, str]) -> None:
    """Hot, then warm, then cold; the limits may stand in two files."""
    file = say_user(env, "[tiers]\nhot_days = 90\n")
    with pytest.raises(
        ConfigError, match=r"tiers\.warm_days \(30\) is less than tiers\.hot_days \(90\)"
    ) as raised:
        config.load_config(str(vault), env)
    assert raised.value.message.startswith(f"{file}:2: ")
    say(vault, "[tiers]\nwarm_days = 90\n")
    assert config.load_config(str(vault), env).warm_days == 90


def test_the_vaults_file_decides_over_the_users(vault: Path, env: dict[str, str]) -> None:
    file = say_user(env, "vault = '/elsewhere'\n[search]\nlimit = 30\nmode = 'vector'\n")
    say(vault, "[search]\nlimit = 5\n")
    found = config.load_config(str(vault), env)
    assert (found.limit, found.mode) == (5, "vector")
    assert found.sources["search.mode"] == f"{file}:4"
    assert found.sources["search.limit"].endswith("config.toml:2")
    assert found.sources["search.fusion"] == "default"


def test_the_environment_decides_where_the_index_is(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    say_user(env, "[index]\nlocation = '/elsewhere'\n")
    found = config.load_config(str(vault), {**env, "AURELIUS_INDEX": str(tmp_path / "here")})
    assert found.location == str(tmp_path / "here")
    assert found.sources["index.location"] == "AURELIUS_INDEX"
    with pytest.raises(ConfigError, match="AURELIUS_INDEX: here is not an absolute path"):
        config.load_config(str(vault), {**env, "AURELIUS_INDEX": "here"})


@pytest.mark.parametrize(
    "text", ["", "\n  \n", "# a comment\n  # another\n", "\ufeff# with a BOM\n"]
)
def test_a_file_without_settings_sets_nothing(text: str, vault: Path, env: dict[str, str]) -> None:
    say(vault, text)
    assert set(config.load_config(str(vault), env).sources.values()) == {"default"}


@pytest.mark.parametrize(
    ("text", "line", "says", "hint"),
    [
        ("[search]\nlimt = 5\n", 2, "unknown key search.limt", "did you mean search.limit?"),
        ("\n[serach]\nlimit = 5\n", 3, "unknown key serach.limit", "did you mean search.limit?"),
        ("search.limt = 5\n", 1, "unknown key search.limt", "did you mean search.limit?"),
        (
            "# one\nsearch = { limt = 5 }\n",
            2,
            "unknown key search.limt",
            "did you mean search.limit?",
        ),
        ("limit = 5\n", 1, "unknown key limit", "did you mean search.limit?"),
        (
            "[search]\nmode = 'vector'\n[colours]\n",
            3,
            "unknown key colours",
            "the keys are index.exclude, ",
        ),
        ("[search.deep]\nlimit = 5\n", 1, "unknown key search.deep", "the keys are "),
        ("vault = 'x'\n", 1, "unknown key vault", "the keys are "),
        ("search = 5\n", 1, "unknown key search", "the keys are "),
        (
            "[search]\n'lim\u0131t' = 5\n",
            2,
            "unknown key search.lim\u0131t",
            "did you mean search.limit?",
        ),
    ],
)
def test_an_unknown_key_names_the_nearest(
    text: str, line: int, says: str, hint: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, text)
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
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
        ("daily.folder = 'a//b'", "a folder inside the vault"),
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
def test_a_bad_value_says_what_it_may_be(
    setting: str, hint: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, f"# settings\n{setting}\n")
    key = setting.partition(" ")[0]
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    assert raised.value.message.startswith(
        f"{vault / '.aurelius' / 'config.toml'}:2: {key} cannot be "
    )
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-01-01 # a day", "2026-01-01"),
        ("2026-01-01T07:00:00", "2026-01-01T07:00:00"),
        ("1e999", "1e999"),
        ("0x" + "f" * 5000, "0x" + "f" * 58 + "…"),
        ("'10'", "'10'"),
        ("[2026-01-01, 1]", "[2026-01-01, 1]"),
        ("{ most = 5 }", "a table"),
    ],
)
def test_a_bad_value_is_shown_as_it_stands_there(
    written: str, shown: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, f"[search]\nlimit = {written}\n")
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    assert raised.value.message.endswith(f":2: search.limit cannot be {shown}")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[search]\nlimit = \n", ":2: not valid TOML"),
        (b"[search\n", ":1: not valid TOML"),
        (b"[search]\nlimit = 1\nlimit = 2\n", ":3: not valid TOML"),
        (b"a = [" + b"[" * 5000, ":1: not valid TOML"),
        (
            b"[search]\n\nlimit = " + b"9" * 5000 + b"\n# end\n",
            ":3: not valid TOML: a number has too many digits",
        ),
        (b"[search]\nmode = '''\n", ":3: not valid TOML"),
        (b"[search]\n# caf\xe9\n", ": not UTF-8 text (byte 14)"),
        ("[search]\nlimit = 5\n".encode("utf-16"), ": not UTF-8 text (it looks like UTF-16"),
        ("[search]\nlimit = 5\n".encode("utf-16-le"), ": not UTF-8 text (it looks like UTF-16"),
        (b"# " + b"x" * (256 << 10), ": larger than 256 KiB"),
    ],
)
def test_a_broken_file_is_one_clear_error(
    data: bytes, says: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, data)
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    assert f"config.toml{says}" in raised.value.message


def test_a_folder_in_place_of_the_file_is_one_clear_error(vault: Path, env: dict[str, str]) -> None:
    (vault / ".aurelius" / "config.toml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml: "):
        config.load_config(str(vault), env)


@pytest.mark.parametrize("name", [".aurelius/config.toml", ".aurelius"])
def test_a_link_out_of_the_vault_is_not_read_and_nothing_of_its_target_is_told(
    name: str, tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    outside = tmp_path / "outside" / "config.toml"
    outside.parent.mkdir()
    outside.write_text("password = 'hunter2'\n")
    (vault / ".aurelius").rename(vault / ".aside")
    if name == ".aurelius":
        (vault / name).symlink_to(outside.parent)
    else:
        (vault / ".aurelius").mkdir()
        (vault / name).symlink_to(outside)
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    file = vault / ".aurelius" / "config.toml"
    assert raised.value.message == f"{file}: not read, because it is a link out of the vault"
    assert "password" not in raised.value.message + raised.value.hint


def test_a_link_to_settings_inside_the_vault_is_read(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    (vault / "settings.toml").write_text("search.limit = 5\n")
    (vault / ".aurelius" / "config.toml").symlink_to(vault / "settings.toml")
    (tmp_path / "name").symlink_to(vault)
    assert [config.load_config(str(each), env).limit for each in (vault, tmp_path / "name")] == [
        5,
        5,
    ]


def test_a_huge_file_is_refused_before_it_is_read(vault: Path, env: dict[str, str]) -> None:
    file = vault / ".aurelius" / "config.toml"
    with file.open("wb") as stream:
        stream.truncate(2 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=r"config\.toml: larger than 256 KiB"):
            config.load_config(str(vault), env)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


if hasattr(os, "mkfifo"):

    @pytest.mark.parametrize("whose", ["vault", "person"])
    def test_a_pipe_in_place_of_the_file_is_not_waited_for(
        whose: str, vault: Path, env: dict[str, str]
    ) -> None:
        file = Path(say_user(env, "")) if whose == "person" else vault / ".aurelius" / "config.toml"
        file.unlink(missing_ok=True)
        os.mkfifo(file)
        with pytest.raises(ConfigError, match=r"config\.toml: not a regular file"):
            config.load_config(str(vault), env)


def test_the_users_file_is_checked_as_well(vault: Path, env: dict[str, str]) -> None:
    file = say_user(env, "vault = 5\n")
    with pytest.raises(ConfigError) as raised:
        config.load_config(str(vault), env)
    assert raised.value.message == f"{file}:1: vault cannot be 5"


# Placing the index


def test_each_vault_has_an_index_of_its_own(tmp_path: Path, env: dict[str, str]) -> None:
    folders = set()
    for parent in "ab":
        (tmp_path / parent / "vault").mkdir(parents=True)
        folders.add(config.index_folder(config.load_config(str(tmp_path / parent / "vault"), env)))
    assert len(folders) == 2
    for folder in folders:
        name = os.path.basename(folder)
        assert os.path.dirname(folder) == places.user_folder("cache", env)
        assert name[:6] == "vault-"
        assert len(name) == len("vault-") + 16
        assert int(name[6:], 16) >= 0


def test_an_index_has_a_name_that_is_text_whatever_bytes_the_vaults_has(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    made = config.load_config(str(vault), env)._replace(root=str(tmp_path / "caf\udce9"))
    assert os.path.basename(config.index_folder(made)).startswith("caf_-")
    made = made._replace(root=str(tmp_path / "café"))
    assert os.path.basename(config.index_folder(made)).startswith("café-")


def test_a_vault_reached_by_a_symlink_has_the_same_index(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    (tmp_path / "link").symlink_to(vault, target_is_directory=True)
    direct = config.index_folder(config.load_config(str(vault), env))
    assert config.index_folder(config.load_config(str(tmp_path / "link"), env)) == direct


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": "/home/joe"},
        {
            "HOME": "/home/joe",
            "XDG_CACHE_HOME": "/c",
            "XDG_CONFIG_HOME": "/e",
            "XDG_STATE_HOME": "/s",
        },
        {
            "HOME": "/home/joe",
            "XDG_CACHE_HOME": "",
            "XDG_CONFIG_HOME": "relative",
            "XDG_STATE_HOME": "~/s",
        },
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


def test_reading_the_file_of_a_new_vault_imports_nothing_slow(
    vault: Path, env: dict[str, str]
) -> None:
    say(vault, (Path(template_folder()) / ".aurelius" / "config.toml").read_bytes())
    root = Path(config.__file__).parents[2]
    slow = {"tomllib", "difflib", "hashlib", "inspect", "dataclasses"}
    slow |= {"platformdirs", "pathlib"} if sys.platform == "linux" else set()
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from aurelius.settings import config; env = {env!r};"
        f"config.index_folder(config.load_config(config.find_vault(None, env, {str(vault)!r}), env));"
        f"print({slow!r} & set(sys.modules))"
    )
    # -S: what an installed package's start-up file imports is not ours to answer for
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("folder", OUTSIDE)
@pytest.mark.parametrize("whose", ["vault", "person", "table"])
def test_a_hidden_folder_of_daily_notes_or_one_outside_is_refused_with_its_line(
    folder: str, whose: str, vault: Path, env: dict[str, str]
) -> None:
    line = f'daily.folder = "{folder}"\nsearch.limit = 4\n'
    if whose == "vault":
        say(vault, line)
    else:
        say_user(env, line if whose == "person" else f"[vaults.'{vault}']\n{line}")
    with pytest.raises(ConfigError, match=r"config.toml:[12]: daily.folder cannot be ") as raised:
        config.load_config(str(vault), env)
    assert raised.value.hint.startswith("daily.folder is a folder inside the vault that is not")


# One file


def test_each_key_says_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[search]\nlimit = 5\n[daily]\nfolder = 'days'\n")
    entries = config.read_settings_file(str(file)).entries
    assert entries["search.limit"] == (5, str(file), 2)
    assert entries["daily.folder"] == ("days", str(file), 4)


def test_only_the_persons_own_file_has_tables_for_vaults(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[vaults.'/v']\nsearch.limit = 5\n")
    assert config.read_settings_file(str(file), {}).vaults["/v"]["search.limit"].value == 5
    with pytest.raises(ConfigError, match="unknown key vaults"):
        config.read_settings_file(str(file))


def test_no_file_is_nothing_and_a_huge_one_is_refused(tmp_path: Path) -> None:
    assert config.settings_bytes(str(tmp_path / "none")) is None
    (tmp_path / "large").write_bytes(b"#" * (config.MOST_SETTINGS_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than 256 KiB"):
        config.settings_bytes(str(tmp_path / "large"))


def test_a_word_near_a_key_is_told() -> None:
    assert config.nearest_key_hint("search.limt", ("search.limit", "search.mode")).startswith(
        "did you mean search.limit?"
    )


def test_how_the_vault_was_chosen_is_told(env: dict[str, str], vault: Path, tmp_path: Path) -> None:
    below = vault / "people"
    below.mkdir(exist_ok=True)
    assert config.locate(str(vault), env, "/") == (str(vault), "named by --vault")
    assert config.locate(None, {**env, "AURELIUS_VAULT": str(vault)}, "/") == (
        str(vault),
        "named by AURELIUS_VAULT",
    )
    assert config.locate(None, env, str(vault)) == (str(vault), "this folder")
    assert config.locate(None, env, str(below)) == (str(vault), "found above this folder")
    home = tmp_path / "home" / "aurelius"
    (home / ".aurelius").mkdir(parents=True)
    assert config.locate(None, env, str(tmp_path)) == (str(home), "no other is named")
