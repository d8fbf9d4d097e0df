"""`python -m tests.storms.inside MODULE CASE FOLDER [full]`: one case in this process; its row as JSON at the end."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from tests.storms import harness


def main() -> None:
    module, name, top, *full = sys.argv[1:]
    cases: harness.Cases = importlib.import_module(module).CASES
    sys.stdout.write(json.dumps(harness.run(name, cases[name], Path(top), full=bool(full))) + "\n")


if __name__ == "__main__":
    main()
