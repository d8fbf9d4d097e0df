"""What a hook says, and what is to be kept once that was said in time.

The process that the client started prints the answer; the vault's daemon may have made it. Between
the two it is a text of five lines. It is no JSON object, because `json` takes longer to
import than everything else that a hook does where a daemon runs.
"""

from __future__ import annotations


class HookAnswer:
    """An answer, as the client reads it: a line of JSON, or "" for nothing to say.

    `session` is the text to be kept in the session's file, whose name is `session_file`; `traced`
    is a line for the trace; both are JSON on one line, or "" for nothing. `outdated` says that the
    index should be made equal to the files, once the client has its answer.
    """

    text = ""
    session_file = ""
    session = ""
    traced = ""
    outdated = False


def write_hook_answer(answer: HookAnswer) -> str:
    """An answer as text: a line for each field. No field holds the end of a line, because JSON
    escapes it."""
    outdated = "outdated" if answer.outdated else ""
    return "\n".join((answer.text, answer.session_file, answer.session, answer.traced, outdated))


def read_hook_answer(written: str) -> HookAnswer:
    """The answer that `write_hook_answer` wrote; of an empty text, nothing. ValueError for any
    other text."""
    answer = HookAnswer()
    if written:
        answer.text, answer.session_file, *rest = written.split("\n")
        answer.session, answer.traced, outdated = rest
        answer.outdated = outdated != ""
    return answer
