"""The command that git runs: merge-file.

Git runs it once for each note that two branches changed, so it imports nothing but the merge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.sync.merge_file import merge_file

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context

UNMERGED = 1
"""Exit code where both versions are kept: git then says that there is a conflict."""


def run_merge_file(args: SimpleNamespace, context: Context) -> int:
    """Merge the three files that git made of a note."""
    done = merge_file(context.cwd, (args.base, args.ours, args.theirs), args.path)
    context.tell(*done.told)
    return UNMERGED if done.copy else 0
