"""What tests/seen_page.py complains about: each bad part by itself, within a page that is right without it."""

from __future__ import annotations

import pytest

from tests.seen_page import SeenPage, complaints

BAD = [
    "<script>x()</script>",
    '<script src="/x.js"></script>',
    '<script src="https://evil.invalid/x.js"></script>',
    "<style>p{}</style>",
    '<p style="color:red">x</p>',
    '<p onclick="x()">x</p>',
    '<img src="/file/a.png" onerror="x()" alt="">',
    '<img src="https://evil.invalid/a.png" alt="">',
    '<img src="//evil.invalid/a.png" alt="">',
    '<img src="/\\evil.invalid/a.png" alt="">',
    '<img src="data:image/png;base64,x" alt="">',
    '<img src="/do/undo" alt="">',
    '<img alt="">',
    '<iframe src="/memory"></iframe>',
    '<object data="/x"></object>',
    '<meta http-equiv="refresh" content="0">',
    '<base href="/x">',
    '<link rel="stylesheet" href="//evil.invalid/x.css">',
    '<a href="javascript:x()">x</a>',
    '<a href=" javascript:x()">x</a>',
    '<a href="java&#10;script:x()">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="//evil.invalid">x</a>',
    '<a href="/\\evil.invalid">x</a>',
    '<a href="obsidian://open">x</a>',
    '<a href="file:///etc/passwd">x</a>',
    '<a href="/do/undo">x</a>',
    '<a href="people/anna.md">x</a>',
    '<form action="https://evil.invalid" method="post"></form>',
    '<form><button formaction="//evil.invalid">x</button></form>',
    '<svg><use href="https://evil.invalid/x.svg#a"></use></svg>',
    '<svg><image xlink:href="https://evil.invalid/x"></image></svg>',
    "<math><mi>x</mi></math>",
    "<template><p>x</p></template>",
    "<!-- x -->",
    "<?x?>",
    "<![CDATA[x]]>",
    "a < b",
    "<p>x",
    "x</p>",
    "<p><b>x</p></b>",
    '<p id="a">x</p><p id="a">y</p>',
    '<p class="a" class="b">x</p>',
    "<p class=a>x</p>",
    '<p x"y="1">x</p>',
    "\x00",
    "\x1b[31m",
    "</main></body></html>",
]
PAGE = '<!doctype html><html lang="en"><head><title>x</title><link rel="stylesheet" href="/static/style.css"></head><body><main>%s</main></body></html>\n'
GOOD = (
    '<h1 id="main">x &lt;script&gt;</h1><p class="a">a <a href="/note/a%20b.md#line-3">x</a> <a href="https://example.invalid/" rel="noreferrer">y</a>'
    '<img src="/file/a.png" alt="&quot;&gt;"></p><form action="/do/tick" method="post"><input type="hidden" name="token" value="t"><button>Go</button></form>'
    '<svg viewBox="0 0 1 1" role="img"><title>x</title><a href="/note/b.md"><rect x="0" class="c"></rect></a></svg>'
)


@pytest.mark.parametrize("part", BAD)
def test_what_could_run_load_or_break_is_complained_about(part: str) -> None:
    assert complaints((PAGE % part.replace("%", "%%")).encode())


def test_a_page_of_ours_is_not() -> None:
    page = PAGE.replace("%s", GOOD)
    assert complaints(page.encode()) == []
    seen = SeenPage(page)
    assert seen.links == ["/note/a%20b.md#line-3", "https://example.invalid/", "/note/b.md"]
    assert seen.forms == [{":action": "/do/tick", ":method": "post", "token": "t", "": ""}]
    assert "x <script>" in seen.text


def test_a_page_that_is_too_long_or_cut_off_is_complained_about() -> None:
    assert complaints(PAGE.replace("%s", "a" * 100_000).encode())
    assert complaints(PAGE.partition("%s")[0].encode())
    assert complaints(PAGE.replace("%s", "\u00e9").encode("latin-1"))
