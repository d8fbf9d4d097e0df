"""The commands that look after a vault and its index: init, index, status, doctor, config, forget,
bench; and help."""

from __future__ import annotations

import os
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING

from aurelius import api
from aurelius.ageing import usage_log
from aurelius.agents.llm import described
from aurelius.agents.session import hook_troubles
from aurelius.answers import leftovers
from aurelius.answers.doctor import of_model, prove
from aurelius.answers.findings import FINDING_HEADINGS, CheckResult
from aurelius.answers.lookup import daily_path, why_ignored
from aurelius.cli import topics
from aurelius.cli.declarations import COMMANDS
from aurelius.cli.line import run_command_line
from aurelius.cli.open_vault import ProgressLine, answer_reading, open_vault
from aurelius.cli.options import nearest
from aurelius.cli.run import STOPPED
from aurelius.settings.change_settings import named_key, plan_setting, unset_key
from aurelius.settings.config import explain, find_vault, load_config, locate
from aurelius.settings.places import shell_word
from aurelius.show import changes, health, json_text
from aurelius.show.page import clip
from aurelius.sync.merge_setup import set_up_merge
from aurelius.writing import init as begin
from aurelius.writing import own_files, undo_log
from aurelius.writing.own_files import write_settings
from indexer.errors import ConfigError, ConflictError, UsageError
from indexer.tokens.embed import words_alone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.settings.change_settings import SettingChange
    from aurelius.vault import Vault

FINDINGS = 1
"""Exit code when something is wrong with notes: findings of doctor, notes that failed."""


def run_init(args: SimpleNamespace, context: Context) -> int:
    """Make a vault, or make a folder of notes one."""
    directory = _directory(args, context)
    start = begin.Start(args.adopt, args.template, args.empty)
    done = begin.make_vault(directory, start, git=args.git, now=context.clock().date())
    if not done.existed:
        with suppress(ConflictError):  # then `daemon start` asks
            own_files.agree(directory, context.env)
    if args.git:
        set_up_merge(directory, context.env)
    done = begin.commit_vault(done, context.env)
    where = f" --vault {shell_word(args.directory)}" * (directory != context.cwd)
    config = load_config(directory, context.env)
    if args.adopt:
        counts = begin.count_kinds(config)
        told = changes.kinds_told(counts, where)
        done = done._replace(
            told=(*done.told, *told),
        )
    if args.json:
        context.put(json_text.record_json(done))
    else:
        context.put(changes.vault_made(done))
    context.tell(*changes.vault_told(done, where))
    day = daily_path(context.clock().date().isoformat(), config)
    why = why_ignored(config, day, there=False)
    if why:
        context.tell(f"what you note would never be found: {why}")
    return 0


def _directory(args: SimpleNamespace, context: Context) -> str:
    """The folder that `init` is to make a vault; UsageError for none, and for choices that cannot
    go together."""
    if not args.directory.strip():
        raise UsageError("DIR is empty", "give a folder, or leave it out for this one")
    chosen = [f"--{name}" for name in ("adopt", "template", "empty") if getattr(args, name)]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} cannot go together", "choose one")
    return os.path.normpath(os.path.join(context.cwd, os.path.expanduser(args.directory)))


def run_index(args: SimpleNamespace, context: Context) -> int:
    """Update the index, or rebuild it."""
    progress = ProgressLine(context, quiet=1)
    with open_vault(args, context, refresh=False) as vault:
        try:
            if args.rebuild:
                report = vault.rebuild(progress=progress)
            else:
                report = vault.refresh(progress=progress, accept_deletions=args.accept_deletions)
        except KeyboardInterrupt:
            context.tell("stopped; the index still works, and `aurelius index` does the rest")
            return STOPPED
        finally:
            progress.close()
    context.put(
        json_text.report_json(report)
        if args.json
        else clip(health.report_text(report), every=False, how="`aurelius status`")
    )
    if report.failed:
        return FINDINGS
    return 0


def run_status(args: SimpleNamespace, context: Context) -> int:
    """Show where vault and index are, and their state; or tiers, or how facts have aged."""
    if args.tiers or args.ageing:
        from .keep import show_ageing, show_tiers

        return (show_tiers if args.tiers else show_ageing)(args, context)
    _refuse(args, ("notes", "all", "private"), "--tiers or --ageing")
    with open_vault(args, context) as vault:
        state = vault.status()
        vault.notices += [
            words_alone(ConfigError(each.message, each.fix)) for each in of_model(vault.settings)
        ]
        around = api.surroundings(vault, llm=described(vault.config))
        context.tell(*usage_log.oversized_log_files(vault), *hook_troubles(vault.config.state))
    if args.json:
        context.put(json_text.status_json(state, around))
    else:
        context.put(health.status_text(state, around, verbose=args.verbose))
    return FINDINGS if state.failed else 0


def _refuse(args: SimpleNamespace, names: Sequence[str], flags: str) -> None:
    """UsageError for what was typed and means something only with other topics."""
    for name in names:
        if getattr(args, name):
            shown = "NOTE" if name == "notes" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{shown} goes only with {flags}", f"add {flags}, or leave it out")


def run_doctor(args: SimpleNamespace, context: Context) -> int:
    """List problems in the notes with line and remedy; tidy fact lines, or verify the index against
    the files."""
    if args.tidy:
        from .keep import tidy_notes

        return tidy_notes(args, context)
    _refuse(args, ("notes", "stamp", "check", "dry_run", "force"), "--tidy")
    if args.verify or args.fix:
        if args.kind or args.limit or args.all:
            shown = "--verify" if args.verify else "--fix"
            raise UsageError(
                f"{shown} lists no findings to choose from",
                f"leave out --kind, --limit and --all, or {shown}",
            )
        return (_verify if args.verify else _clean)(args, context)
    for code in args.kind:
        if code not in FINDING_HEADINGS:
            raise UsageError(f"--kind cannot be {code!r}", nearest(code, FINDING_HEADINGS))
    return answer_reading(args, context, lambda vault, draft: _check(args, draft, vault))


def _check(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
) -> int:
    hooks = hook_troubles(vault.config.state)
    seen = [CheckResult("hooks", each) for each in hooks]
    if llm := described(vault.config):
        seen.append(CheckResult("llm", llm))
    limit = 0 if args.all else args.limit
    how = locate(args.vault, context.env, context.cwd)[1]
    found = api.doctor(vault, args.kind, limit, chosen=how, also=seen)
    if args.json:
        context.put(json_text.record_json(found))
    else:
        told = [health.findings_text(found, paint=context.paint(vault.root))]
        if not args.kind:
            told.append(health.checked_text(found))
        context.put("\n".join(filter(None, told)), indent=4)
    verdict = health.verdict_of(found, args.kind)
    if hooks and verdict == "nothing is wrong":
        verdict += " in the notes"
    context.tell(*hooks, verdict)
    if found.faults:
        return FINDINGS
    return 0


def _clean(args: SimpleNamespace, context: Context) -> int:
    """Remove what vaults that are gone, earlier versions and crashes left on this device; no vault
    is touched."""
    with open_vault(args, context, refresh=False) as vault:
        found = leftovers.find_leftovers(vault.config)
    gone = leftovers.remove_leftovers(found)
    told, verdict = health.removed_text(gone, kept=len(found) - len(gone))
    context.put(json_text.removed_json(gone, len(found) - len(gone)) if args.json else told)
    context.tell(verdict)
    return 0


def _verify(args: SimpleNamespace, context: Context) -> int:

    progress = ProgressLine(context, doing="verifying")
    with open_vault(args, context, refresh=False) as vault:
        try:
            found = prove(vault, fix=args.fix, progress=progress)
        finally:
            progress.close()
    context.put(
        json_text.verification_json(found) if args.json else health.verification_text(found)
    )
    context.tell(health.verdict(found, fixed=args.fix))
    if found.differences:
        return FINDINGS
    return 0


def run_config(args: SimpleNamespace, context: Context) -> int:
    """Show every setting and where it comes from, or one; set or unset one."""
    if args.action in {"set", "unset"}:
        return _change(args, context)
    if any(args.value):
        raise UsageError(
            f"too many words: {' '.join(args.value)}", "aurelius config set KEY VALUE sets one"
        )
    if args.action == "get":
        _check_words(args)

    with open_vault(args, context, refresh=False) as vault:
        rows = explain(vault.config)
        in_vain = vault.config.in_vain
    if args.key:
        name = named_key(args.key, context.env).name
        rows = tuple(row for row in rows if row.key == name)
        in_vain = tuple(each for each in in_vain if each.key == name)
    context.put(json_text.settings_json(rows, in_vain) if args.json else health.settings_text(rows))
    context.tell(*health.in_vain(in_vain))
    return 0


def _change(args: SimpleNamespace, context: Context) -> int:
    """Set or unset one key in the file whose word counts for it, and say which file that is."""
    takes = args.action == "set"
    _check_words(args)
    root = find_vault(args.vault, context.env, context.cwd)
    plan = _planned(args, context, root)
    is_new = (plan.before or b"") != plan.after
    if is_new:
        write_settings(plan, context.env)
    now = load_config(root, context.env)
    if is_new:  # which `undo` does not take back
        other = f"unset {args.key}" if takes else f"set {args.key} VALUE"
        undo_log.log_undo_bar(
            now.state,
            context.clock().timestamp(),
            f"config {args.action}",
            f"`aurelius config {other}` changes it",
        )
    row = next(each for each in explain(now) if each.key == args.key)
    if args.json:
        context.put(json_text.record_json(row, file=plan.file))
    else:
        context.put(health.settings_text([row]))
    context.tell(_outcome(args, plan, is_new=is_new))
    if row.source != "default" and takes != row.source.startswith(f"{plan.file}:"):
        before = f"{row.source} comes before that file, so its value is used"
        context.tell(*health.in_vain(now.in_vain, args.key) or [before])
    return 0


def _planned(args: SimpleNamespace, context: Context, root: str) -> SettingChange:
    if args.action == "set":
        return plan_setting(root, context.env, args.key, args.value, context.cwd)
    return unset_key(root, context.env, args.key)


def _outcome(args: SimpleNamespace, plan: SettingChange, *, is_new: bool) -> str:
    """What a change of settings came to."""
    if is_new:
        return f"wrote {plan.file}" + ", for this vault" * (not plan.vault)
    if args.action == "set":
        return f"{plan.file} already has that value"
    return f"{plan.file} does not set {args.key}"


def _check_words(args: SimpleNamespace) -> None:
    """UsageError where a word of `config set` or `config unset` is missing or too much."""
    takes = args.action == "set"
    given = any(args.value)
    if not args.key or (takes and not given):
        missing = "VALUE" if args.key else "KEY"
        example = f"aurelius config {args.action} search.limit{' 5' * takes}"
        raise UsageError(f"missing argument: {missing}", f"for example: {example}")
    if given and not takes:
        raise UsageError(
            f"too many words: {' '.join(args.value)}", f"aurelius config unset {args.key}"
        )


def run_forget(args: SimpleNamespace, context: Context) -> int:
    """Remove a note from the index, every byte of it."""
    with open_vault(args, context, refresh=False) as vault:
        done = vault.forget(args.path)
        remedy = health.UNFORGET if done.ignored_added else ""
        api.forbid_undo(vault, "forget", remedy, now=context.now)
    context.put(json_text.record_json(done) if args.json else health.forgotten_text(done))
    return 0


# -- help ------------------------------------------------------------------------------

_LONG_TOPICS = frozenset({"json", "programs"})
"""Topics of which nobody needs all sections at once: their names are printed, and with `--all` the
sections."""


def run_help(
    args: SimpleNamespace,
    context: Context,
) -> int:
    """Print a topic or one section, or the help of a command; without either, the first commands,
    or with `--all` every one.

    Where a topic and a command share a name, both are printed.
    """
    words = [word.lower() for word in args.topic if word]
    section = _section(words)
    if section:
        context.put(section)
        return 0
    topic = " ".join(words)
    command = COMMANDS.keys() & words[:1]
    if args.all and not words:
        context.put(topics.everything())
    elif command or not words:
        run_command_line([*command, "--help"], context)
        context.put("\n" if topic in topics.TOPICS else "")
    elif topic not in topics.TOPICS:
        raise UsageError(f"no topic or command {topic!r}", _near(topic))
    if topic in topics.TOPICS:
        whole = args.all or topic not in _LONG_TOPICS
        context.put(topics.topic_text(topic) if whole else topics.topic_sections(topic))
    return 0


def _section(words: Sequence[str]) -> str:
    """The section that is asked for: of the topic that comes first, or, where that is no topic and
    no command, of any topic; "" for none.  UsageError for one that the topic does not have, and no
    command's word either."""
    name = " ".join(words[1:])
    if name and words[0] in topics.TOPICS:
        found = topics.topic_section(words[0], name)
        if not found and words[0] not in COMMANDS:
            raise UsageError(f"{words[0]} has no section {name!r}", f"aurelius help {words[0]}")
        return found
    if {*words[:1]} & {*COMMANDS, *topics.TOPICS}:
        return ""
    sections = (topics.topic_section(topic, " ".join(words)) for topic in topics.TOPICS)
    return "\n".join(filter(None, sections))


def _near(topic: str) -> str:

    near = get_close_matches(topic, [*COMMANDS, *topics.TOPICS], 1)
    if near:
        return f"did you mean {near[0]}?  aurelius help --all lists them"
    return "aurelius help --all lists them"
