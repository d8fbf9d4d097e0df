"""A small vault that gives the pages everything to show: the starting notes and a few more."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle" * 3
NOTES = {
    "resources/everything.md": f"""---
tags: [reading, garden/beds]
status: growing
rating: 4
---
# Everything a note may hold

A paragraph with *emphasis*, **weight**, ~~what is struck~~, ==a mark==, `code`, a #tag,
a link to [[people/joe-bloggs]], to [[people/sarah|somebody]], to [[no/such/note]], to
[[#A table]], to ![[areas/health]] and to <https://example.com/a?b=c&d>.[^1]

{LONG_WORD}

> [!warning] Mind the step
> A callout of two lines,
> and a [link](people/sarah.md).

> Only a quote.

## A table

| name | what it is | a number |
|:-----|:----------:|---------:|
| first | a row with `code` | 1 |
| {LONG_WORD} | a row that is wide, as wide as some are who were written on a large screen | 1,000,000 |

## Code

```python
def a_long_line_of_code(that: int, goes: int, on: int, and_on: int, until: int, it: int, ends: int) -> None: ...
```

## Tasks

- [ ] Water the beds 📅 2026-02-09
- [ ] Mend the gate
- [x] Buy seeds ✅ 2026-02-01
  - a line below a line
    - and one below that

1. one
2. two

## A picture

![A single point](pictures/point.png)
![[pictures/point.png]]

## In other scripts

שלום עולם, مرحبا بالعالم, 東京タワー, नमस्ते, 🍋🌊

### A heading of the third rank

---

Last words. ^last1

[^1]: What stands at the foot.
""",
    "projects/boat.md": """---
type: project
status: active
due: 2026-02-20
---
# The boat

With [[people/sarah]], in the yard of [[companies/techcorp]].

## Facts

- The hull is of larch (2026-01-20) ^hull01
- The mast is of spruce (2026-01-25, decision) ^mast01

## Tasks

- [ ] Order oakum 📅 2026-02-12
""",
    "archives/kayak.md": "---\ntype: project\nstatus: done\n---\n# The kayak\n\nSold in 2024.\n",
    "people/ana-li.md": """---
type: person
aliases: [Ana]
---
# Ana Li

## Facts

- Lives in Lisbon (status, 2025-06-01) ^ana001
- Lives in Porto (status, 2026-02-05) ^ana002
- Works at [[companies/techcorp]] (2025-06-01) ^ana003
""",
    "memory/2026-02-08.md": """# 2026-02-08

- Lunch with [[people/ana-li]] and Joe Bloggs
- [ ] Send Ana the plans of the boat
- [[people/sarah]] moved to Berlin

## Captured

- Sarah works at TechCorp as a designer (from session)
- Ana prefers the train
""",
    "memory/2026-02-09.md": "# 2026-02-09\n\n- The oakum is sold out until March\n",
    "memory/2025-02-10.md": "# 2025-02-10\n\n- A year ago: first sail in the harbour\n",
    "people/hidden.md": "---\nprivate: true\n---\n# Quill Hidden\n\nNobody sees quillwort here.\n",
}


def make_everything_vault(root: Path) -> None:
    """Write the vault into the new folder `root`."""
    shutil.copytree(ROOT / "vault_template", root)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    (root / "pictures").mkdir()
    (root / "pictures" / "point.png").write_bytes(PIXEL)
