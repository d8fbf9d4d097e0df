"""How many harmless lines of other people's notes would be refused as secrets.

    python scripts/benches/secret_lines.py DIR... [--lines 300] [--seed 8] [--all] [--show]

Takes the same share of lines at random from every DIR, empty ones aside; the seed makes the sample
one that anybody with the same notes can draw again. `--all` looks at every line there is instead.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from aurelius.language.secret_text import find_secret


def lines_of(folder: str) -> list[str]:
    """Every line of every note below a folder, in an order that does not depend on the disk."""
    found = []
    for path in sorted(Path(folder).rglob("*.md")):
        if path.is_file():
            found += [line.strip() for line in path.read_text("utf-8", "replace").splitlines()]
    return [line for line in found if line]


def main() -> None:
    """Count, and print the kinds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the refused lines as well")
    args = parser.parse_args()
    chosen = random.Random(args.seed)
    taken: list[str] = []
    for at, folder in enumerate(args.folders):
        lines = lines_of(folder)
        share = args.lines * (at + 1) // len(args.folders) - args.lines * at // len(args.folders)
        taken += lines if args.all else chosen.sample(lines, share)
    refused = [(found.what, line) for line in taken if (found := find_secret(line))]
    print(f"{len(refused)} of {len(taken)} lines refused: {100 * len(refused) / len(taken):.2f} %")
    for what, count in Counter(what for what, _ in refused).most_common():
        print(f"  {count}  {what}")
    if args.show:
        print(*(f"{what}: {line[:300]}" for what, line in refused), sep="\n")


if __name__ == "__main__":
    main()
