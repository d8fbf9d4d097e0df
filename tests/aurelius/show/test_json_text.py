"""aurelius/help/json.md is the grammar of every `--json`, and is held to it key by key."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from aurelius.cli.declarations import COMMANDS
from aurelius.show import json_text

GRAMMAR = Path(json_text.__file__).parents[1] / "help" / "json.md"
SEED_KEYS = [
    "id",
    "fact",
    "category",
    "timestamp",
    "status",
    "supersededBy",
    "relatedEntities",
    "lastAccessed",
    "accessCount",
]

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def grammar() -> dict[str, dict[str, str]]:
    """Section of the help page → key → type."""
    sections: dict[str, dict[str, str]] = {}
    for part in re.split(r"^## ", GRAMMAR.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, text = part.partition("\n")
        sections[name] = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", text, re.MULTILINE))
    for key, kind in list(sections["show"].items()):
        if kind == "link":
            del sections["show"][key]
            sections["show"].update(
                {k: v for k, v in sections["links"].items() if k.startswith(key)}
            )
    hits = {
        key.removeprefix("hits"): kind
        for key, kind in sections["search"].items()
        if key.startswith("hits[].")
    }
    del sections["recall"]["answers[]"]
    sections["recall"].update({f"answers{key}": kind for key, kind in hits.items()})
    del sections["status"]["report"]
    sections["status"].update({f"report.{key}": kind for key, kind in sections["index"].items()})
    sections["maintain"].update(sections["review"])
    return sections


SECTIONS = grammar()


def leaves(value: Any, at: str, maps: set[str]) -> Iterator[tuple[str, Any]]:
    """Every key path of an answer with each value found there."""
    if at in maps or not isinstance(value, dict | list):
        yield at, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, f"{at}.{key}" if at else key, maps)
    else:
        for each in value:
            yield from leaves(each, f"{at}[]", maps)


def is_a(value: Any, kind: str) -> bool:
    if value is None:
        return kind.endswith(" or null")
    if kind == "value":
        return True
    kinds = {"text": str, "number": int | float, "truth": bool, "map": dict}
    wanted = kinds[kind.removesuffix(" or null")]
    return isinstance(value, wanted) and (kind == "truth" or not isinstance(value, bool))


def check(answer: str, section: str) -> set[str]:
    """Hold an answer to its section; the keys that were seen."""
    value = json.loads(answer)
    assert answer.count("\n") == 1
    assert next(iter(value)) == "schema"
    assert value.pop("schema") == 1
    declared = SECTIONS[section]
    seen = set()
    for key, each in leaves(value, "", {key for key, kind in declared.items() if kind == "map"}):
        assert key in declared, f"{section}: {key} is not in json.md"
        assert is_a(each, declared[key]), f"{section}: {key} is {each!r}, not {declared[key]}"
        seen.add(key)
    return seen


RUNS = [
    ("search", "template", ["search", "joe", "--status", "all", "--explain"]),
    ("search", "template", ["search", "qqqxyz", "--mode", "keyword"]),
    ("search", "template", ["search", "joe", "--fusion", "rrf"]),
    ("search", "template", ["search", "joe", "--type", "milestone"]),
    ("search", "sample", ["search", "hanna", "-n", "60", "--status", "all"]),
    ("search", "chain", ["search", "session cookies rejected"]),
    ("search", "template", ["search", "techcrop"]),
    ("recall", "template", ["recall", "techcrop"]),
    ("recall", "template", ["recall", "where does joe live in atlantis?", "--explain"]),
    ("recall", "chain", ["recall", "auth tokens"]),
    ("recall", "sample", ["recall", "qqqxyz"]),
    ("chat", "template", ["chat", "where does joe live"]),
    ("get", "template", ["get", "people/joe-bloggs.md:3:2"]),
    ("get", "template", ["get", "memory/2031-01-01.md"]),
    ("show", "links", ["show", "ada"]),
    ("show", "links", ["show", "charles"]),
    ("show", "superseded", ["show", "mira"]),
    ("show", "broken", ["show", "yaml.md"]),
    ("show", "sample", ["show", "boat-restoration"]),
    ("list", "template", ["list"]),
    ("list", "links", ["list", "-n", "1"]),
    ("list", "links", ["list", "--tag", "nope"]),
    ("list --type", "links", ["list", "--type", "fact", "--tag", "nope"]),
    ("tasks", "tasks", ["tasks", "--tag", "nope"]),
    ("list", "private", ["list", "--private", "-n", "1", "--offset", "1"]),
    ("list --type", "superseded", ["list", "--type", "fact", "--type", "preference"]),
    ("today", "template", ["today"]),
    ("list --type", "template", ["list", "--type", "milestone"]),
    ("list --type", "template", ["list", "--type", "fact", "-n", "1", "--offset", "1"]),
    ("days", "days", ["days"]),
    ("tasks", "days", ["tasks"]),
    ("days", "days", ["days", "-n", "1"]),
    ("days", "days", ["days", "--since", "2026-02-01", "-n", "1", "--offset", "1"]),
    ("tasks", "tasks", ["tasks"]),
    ("tasks", "tasks", ["tasks", "-n", "1", "--offset", "1"]),
    ("tasks", "tasks", ["tasks", "--now", "2026-03-05"]),
    ("tasks done", "tasks", ["tasks", "done", "garden:3"]),
    ("tags", "links", ["tags"]),
    ("tags", "links", ["tags", "-n", "1"]),
    ("tags", "links", ["tags", "--offset", "1"]),
    ("links", "links", ["links", "ada"]),
    ("links --mentions", "links", ["links", "charles", "--mentions", "-n", "1"]),
    ("links --mentions", "links", ["links", "charles", "--mentions", "--offset", "1"]),
    ("status", "template", ["status"]),
    ("doctor", "broken", ["doctor"]),
    ("doctor --verify", "template", ["doctor", "--verify"]),
    ("doctor --fix", "template", ["doctor", "--fix"]),
    ("index", "template", ["index"]),
    ("config", "template", ["config"]),
    ("config set", "template", ["config", "set", "search.limit", "10"]),
    ("config unset", "template", ["config", "unset", "search.limit"]),
    ("new", "template", ["new", "person", "Ada"]),
    ("note", "template", ["note", "met Ada", "--dry-run"]),
    ("reinforce", "template", ["reinforce", "k3v9qa"]),
    ("demote", "template", ["demote", "k3v9qa", "--dry-run"]),
    ("status --tiers", "template", ["status", "--tiers"]),
    ("status --tiers NOTE", "template", ["status", "--tiers", "joe"]),
    ("import", "template", ["import", "export.json", "--dry-run"]),
    ("maintain", "sample", ["maintain"]),
    ("summarize", "template", ["summarize"]),
    (
        "add",
        "sample",
        ["add", "Hanna Ekholm", "Lives at Linnégatan 43 in Gothenburg", "--updates", "lin41g"],
    ),
    (
        "add",
        "sample",
        [
            "add",
            "ben-carver",
            "Sells used winches from his garage in Falmouth, by appointment",
            "--tag",
            "sea",
        ],
    ),
    ("add", "sample", ["add", "The tide is high"]),
    ("history", "sample", ["history", "hanna"]),
    ("graph", "sample", ["graph", "lin41g", "--depth", "2"]),
    ("graph", "sample", ["graph", "hanna", "--depth", "2"]),
    ("graph", "sample", ["graph", "priya-nair", "--depth", "2"]),
    ("update", "sample", ["update", "e4012a", "Found the bug E-4012"]),
    ("supersede", "sample", ["supersede", "e4012a", "Fixed the bug E-4012"]),
    ("doctor --tidy", "sample", ["doctor", "--tidy", "ruth-adler", "--stamp"]),
    ("doctor --tidy --check", "sample", ["doctor", "--tidy", "ben-carver", "--stamp", "--check"]),
    ("archive", "sample", ["archive", "e4012a"]),
    ("archive", "sample", ["archive", "--when-over", "1KB", "--dry-run"]),
    ("rm", "sample", ["rm", "ruth-adler", "--yes"]),
    ("move", "sample", ["move", "ruth-adler", "resources"]),
    ("status --ageing", "sample", ["status", "--ageing", "--all"]),
    ("add", "sample", ["add", "ben-carver", "Sister moved to Truro", "--date", "2026-02-01"]),
    *(
        (
            "add",
            "sample",
            ["add", "ben-carver", f"Favourite boat is the {boat}", "--date", f"2026-02-0{day}"],
        )
        for day, boat in enumerate(("Ada", "Bee", "Cat"), 1)
    ),
    ("add", "sample", ["add", "ben-carver", "Lives in Truro", "--date", "2026-02-01"]),
    ("add", "sample", ["add", "ben-carver", "Moved to Exeter", "--date", "2026-02-02"]),
    ("review", "sample", ["review", "--limit", "1000"]),
    ("review accept", "sample", ["review", "accept", "1"]),
    ("review accept", "sample", ["review", "dismiss", "1", "--dry-run"]),
    ("export", "sample", ["export"]),
    ("context", "sample", ["context", "sailing knots", "--budget", "200"]),
    ("context", "overdue", ["context", "visits Lisbon"]),
    ("undo --list", "template", ["undo", "--list"]),
    ("undo", "template", ["undo"]),
    ("init", "template", ["init", "../new"]),
    ("install", "template", ["install"]),
    ("install", "template", ["install", "cursor", "--project", ".", "--yes"]),
    ("install", "template", ["install", "cursor", "--project", ".", "--dry-run"]),
    ("uninstall", "template", ["uninstall", "cursor", "--project", ".", "--yes"]),
    ("agents", "template", ["agents"]),
    ("hook status", "template", ["hook", "status"]),
    ("forget", "template", ["forget", "people/sarah.md"]),
    ("daemon status", "template", ["daemon", "status"]),
]
NEVER_HERE = {
    *("carried[]", "matter[]", "shown.path", "shown.first"),
    *(f"lines[].{key}" for key in ("until", "remarks")),
    "would_send[]",
    "hits[].newer",
    "answers[].newer",
    "hits[].also_in",
    "answers[].also_in",
    "hits[].agent",
    "answers[].agent",
    "hits[].title",
    "index.failed[].path",
    "index.failed[].reason",
    *(f"answers[].{key}" for key in ("cut", "status", "subtype", "title")),
    "facts[].status",
    "facts[].lastAccessed",
    "facts[].accessCount",
    "notes[].private",
    *(
        f"{side}[].{key}"
        for side in ("outgoing", "backlinks")
        for key in ("label", "anchor", "exists", "problem")
    ),
    "failed[].path",
    "failed[].reason",
    "differences[]",
    "notices[]",
    "in_part[].path",
    "in_part[].reason",
    "removed[].path",
    "removed[].what",
    "removed[].bytes",
    "report.failed[].path",
    "report.failed[].reason",
    "report.notices[]",
    "kept[]",
    "taken[].key",
    "taken[].value",
    "taken[].source",
    "told[]",
    *(f"failures[].{key}" for key in ("time", "event", "session", "why", "fix")),
    "clients[].installed[]",
    "problems[]",
    "differences[].path",
    "differences[].part",
    "differences[].what",
    "repaired[].path",
    "filtered",
    "facts[].unknown[]",
    "repaired[].part",
    "repaired[].what",
    "held[]",
    "unsettled[]",
    "unproved[]",
    "answers[].newer_of",
    "answers[].newer_of.others",
    "parts[].lines[].newer",
    "parts[].lines[].newer_of",
    "hits[].newer_of.others",
}
"""Keys of lists that are empty while nothing is wrong, or that these vaults give no reason for; other tests look at
them."""

CHAIN = """# API

## Facts
- API uses JWT tokens for auth (2026-02-01, decision, updates ^basic1, because ^cook01) ^jwt001
- Basic passwords over TLS (2025-01-05, decision) ^basic1
- Session cookies rejected: the mobile app cannot hold them (2026-01-10, decision) ^cook01
- Tokens of the session are rejected after 12 hours (2026-03-01)
"""

DAYS = {
    "2026-02-09.md": "# Monday\n" + "".join(f"## Part {n}\n- line {n}\n" for n in range(12)),
    "2026-02-08.md": "- rest\n",
    "page.md": "---\ncreated: 2026-02-09\n---\n# Page\n",
    "joe.md": "# Joe\n## Facts\n- Rows (2026-02-09)\n## History\n- ~~Sails~~ (2026-02-09)\n",
    "todo.md": "- [-] rest 📅 2026-02-07\n"
    + "".join(f"- [ ] pay {n} 📅 2026-02-09\n" for n in range(12)),
}


EXPORT = """\
{"type": "entity", "name": "Joe Bloggs", "entityType": "person", "observations": ["Sails"]}
no JSON
"""


def test_every_answer_is_what_the_page_says(aurelius: Aurelius, vault: Vaults) -> None:
    copies: dict[str, Path] = {}
    seen: dict[str, set[str]] = {}
    for section, name, argv in RUNS:
        if name == "chain" and name not in copies:
            copies[name] = vault("empty")
            (copies[name] / "api.md").write_text(CHAIN, "utf-8")
        if name == "days" and name not in copies:
            copies[name] = vault("where")
            for path, text in DAYS.items():
                (copies[name] / path).write_text(text, "utf-8")
        if name == "overdue" and name not in copies:
            copies[name] = vault("unicode")
            (copies[name] / "joe.md").write_text(
                "# Joe\n## Facts\n- Visits Lisbon (2026-01-02, plan)\n", "utf-8"
            )
        if name not in copies:
            copies[name] = vault(name)
        if section == "review accept":
            aurelius("review", cwd=copies[name])  # a number means the list that was shown last
        (copies[name] / "questions.tsv").write_text("joe\tjoe-bloggs\njoe\tgone\n", "utf-8")
        if section == "status --ageing":
            twins = (
                "# Ann\n## Facts\n- Has a red boat (2025-01-01)\n- Has a red boat. (2025-02-01)\n"
            )
            (copies[name] / "people/ann-twice.md").write_text(twins, "utf-8")
        (copies[name] / "export.json").write_text(EXPORT, "utf-8")
        done = aurelius(*argv, "--json", cwd=copies[name])
        assert done.code == (section in {"doctor", "doctor --tidy --check"}), done.err
        seen.setdefault(section, set()).update(check(done.out, section))
    # the one does not end: tests/test_serve.py reads what it says; the other needs a repository
    waits = {"serve", "sync"}
    assert set(seen) == set(SECTIONS) - waits, "every section is looked at"
    seen["maintain"] |= SECTIONS["review"].keys()
    missing = {
        section: set(SECTIONS[section]) - keys - NEVER_HERE for section, keys in seen.items()
    }
    assert {section: keys for section, keys in missing.items() if keys} == {}, (
        "the page names keys that never come"
    )


def test_every_command_with_json_has_a_section() -> None:
    names = {name for name, command in COMMANDS.items() if "json" in command.defaults}
    assert names == {section.split(" ")[0] for section in SECTIONS}


def test_jsonl_is_a_hit_a_line(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    whole = json.loads(aurelius("search", "joe", "--no-use", "--json", cwd=there).out)
    lines = aurelius("search", "joe", "--jsonl", cwd=there).out.splitlines()
    assert [json.loads(line) for line in lines] == [{"schema": 1, **hit} for hit in whole["hits"]]


def test_a_fact_has_the_keys_of_the_seed(aurelius: Aurelius, vault: Vaults) -> None:
    """A fact in `show` has all nine keys, and no other."""
    view = json.loads(aurelius("show", "mira", "--json", cwd=vault("superseded")).out)
    assert [list(fact) for fact in view["facts"]] == [SEED_KEYS] * 3
    old = view["facts"][2]
    assert (old["id"], old["status"], old["supersededBy"]) == ("libr01", "superseded", "bake01")
    assert view["facts"][0]["timestamp"] == "2025-11-02"
    assert view["facts"][1]["category"] == "preference"


def test_the_terms_of_explain_make_the_score(aurelius: Aurelius, vault: Vaults) -> None:
    """Score = (sum of the weighted legs) × product of the priors, exact to 1e-6."""
    there = vault("template")
    for mode in ("hybrid", "keyword", "vector"):
        for fusion in ("default", "rrf", "weighted"):
            line = aurelius(
                "search",
                "where does joe live",
                "--json",
                "--explain",
                "--mode",
                mode,
                "--fusion",
                fusion,
                cwd=there,
            ).out
            hits = json.loads(line)["hits"]
            assert hits
            for hit in hits:
                terms = hit["explain"]
                score = sum(terms["legs"].values()) * math.prod(terms["priors"].values())
                assert abs(score - hit["score"]) < 1e-6


def test_numbers_that_json_has_not_are_text() -> None:
    line = json_text.dump(front_matter={"a": math.inf, "b": [math.nan, 1.5], "c": {"d": -math.inf}})
    assert json.loads(line)["front_matter"] == {"a": "inf", "b": ["nan", 1.5], "c": {"d": "-inf"}}


def test_json_is_ascii_where_it_must_be() -> None:
    name = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    line = json_text.dump(path=name, text="\x1b[31m\u202e東京")
    line.encode("utf-8")
    assert line == '{"schema":1,"path":"caf\\udce9.md","text":"\\u001b[31m\\u202e東京"}'
    assert json.loads(line)["path"] == name
