"""Notes and lines as HTML: what each rule of Markdown shows, and that nothing else gets through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aurelius.show.hits import word_finder
from aurelius.web import render as render_module
from aurelius.web.markup import Target, anchor_of, marked
from aurelius.web.render import (
    ATTRIBUTES,
    EMBEDDED_LINES,
    SCHEMES,
    TAGS,
    Rendered,
    embedded_lines,
    render_line,
    render_note,
)
from indexer.note import Link
from indexer.reading.blocks import decode, split_lines
from indexer.reading.inline import wikilink
from indexer.reading.parse import parse
from tests.cases.pages.hostile import vault as hostile
from tests.daily import daily
from tests.seen_page import SeenPage, complaints

JOE = "# Joe\n\nLikes **tea** ^tea\n\n## Work\nBuilds ![[Ann]]\n\n![[Joe]]\n\n## Home\nA garden.\n"
NOTES = {"Joe": "people/joe b.md", "people/joe": "people/joe b.md", "Ann": "people/ann.md"}
FILES = {
    "pic.png": "img/pic.png",
    "day.base": "day.base",
    "a drawing.svg": "img/a drawing.svg",
    "old.pdf": "old.pdf",
}


def links(link: Link) -> Target | None:
    if link.target in FILES:
        return Target(FILES[link.target])
    if link.target not in NOTES:
        return None
    note = parse(NOTES[link.target], JOE.encode())
    return Target(note.path, note.title, embedded_lines(note, link) if link.embed else ())


def render(text: str, **more: Any) -> Rendered:
    return render_note(split_lines(text), links, **more)


def html(text: str, **more: Any) -> str:
    """The HTML of a note without the anchors of its lines."""
    shown = render(text, **more).html
    return re.sub(r'<span id="line-\d+"></span>| id="line-\d+"', "", shown).strip()


class Tags(HTMLParser):
    """Every tag of an HTML text, with its attributes, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def unsafe(text: str) -> Iterator[str]:
    """What of an HTML text is not on the list of what a page may hold."""
    seen = set()
    for tag, attributes in Tags(text).tags:
        if tag not in TAGS:
            yield tag
        if set(attributes) - ATTRIBUTES["*"] - ATTRIBUTES.get(tag, set()):
            yield f"{tag} {attributes}"
        source = attributes.get("src") or "/file/a"
        if not source.startswith("/file/") or source.startswith("/file//"):
            yield source
        address = attributes.get("href") or "#a"
        own = address.startswith(("#", "/note/", "/memory/search?tag=")) and address[6:7] != "/"
        if not own and address.partition(":")[0].lower() not in SCHEMES:
            yield address
        if not own and attributes.get("rel") != "noreferrer noopener":
            yield f"no rel: {address}"
        anchor = attributes.get("id")
        if anchor in seen:
            yield f"twice: {anchor}"
        seen.add(anchor or object())


# -- what a note may say ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[[Joe]]", '<p><a href="/note/people/joe%20b.md">Joe</a></p>'),
        ("[[people/joe]]", '<p><a href="/note/people/joe%20b.md">Joe</a></p>'),
        ("[[Joe|old friend]]", '<p><a href="/note/people/joe%20b.md">old friend</a></p>'),
        ("[friend]([[Joe]])", '<p><a href="/note/people/joe%20b.md">friend</a></p>'),
        ("[friend](people/joe)", '<p><a href="/note/people/joe%20b.md">friend</a></p>'),
        (
            "[[Joe#Work]]",
            '<p><a href="/note/people/joe%20b.md#heading-work">Joe &gt; Work</a></p>',
        ),
        ("[[Joe#^Tea]]", '<p><a href="/note/people/joe%20b.md#block-tea">Joe &gt; ^Tea</a></p>'),
        ("[[#Work at Home]]", '<p><a href="#heading-workathome">Work at Home</a></p>'),
        (
            "[[Bob]]",
            '<p><span class="missing" title="no note of this name yet">Bob</span></p>',
        ),
        (
            "[his](bob.md)",
            '<p><span class="missing" title="no note of this name yet">his</span></p>',
        ),
        (
            "[plan](no.pdf)",
            '<p><span class="missing" title="no such file in the vault">plan</span></p>',
        ),
        (
            "[[old.pdf]]",
            '<p><span class="file" title="old.pdf">old.pdf</span></p>',
        ),
        ("`[[Joe]]` \\[[Joe]]", "<p><code>[[Joe]]</code> [[Joe]]</p>"),
        (
            "a #tag/b.",
            '<p>a <a class="tag" href="/memory/search?tag=tag%2Fb">#tag/b</a>.</p>',
        ),
        ("a#b #12 [[Joe|#x]]", '<p>a#b #12 <a href="/note/people/joe%20b.md">#x</a></p>'),
        ("==so *it* is== a == b == c", "<p><mark>so <em>it</em> is</mark> a == b == c</p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("$a_1*b_2*$ or $5 and $6", '<p><code class="formula">a_1*b_2*</code> or $5 and $6</p>'),
        ("a %%hidden%% b<!-- too -->", "<p>a b</p>"),
        ("`%%shown%%`", "<p><code>%%shown%%</code></p>"),
        ("**Title:** x ^k3v9qa", '<p><span id="block-k3v9qa"></span><strong>Title:</strong> x</p>'),
        ("2^n and ^ here", "<p>2^n and ^ here</p>"),
        ("kind:: a book", '<p><span class="key">kind:</span> a book</p>'),
        (
            "long " * 13 + "\nkind:: a book",
            f"<p>{'long ' * 13}".rstrip() + '<br>\n<span class="key">kind:</span> a book</p>',
        ),
        ("words, kind:: a book", "<p>words, kind:: a book</p>"),
        ("Said\nid:: 66-77\ncollapsed:: true", "<p>Said</p>"),
        (":LOGBOOK:\nCLOCK: [2026-02-01]\n:END:\nSaid", "<p>Said</p>"),
        ("short\nlines", "<p>short<br>\nlines</p>"),
        ("a backslash\\\nends it", "<p>a backslash<br>\nends it</p>"),
        ("long " * 13 + "\nline", f"<p>{'long ' * 13}".rstrip() + "\nline</p>"),
        ("---\na: [[Joe]]\n---\nText", "<p>Text</p>"),
    ],
)
def test_text(text: str, shown: str) -> None:
    assert html(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "https://a.b/c_(d)_e, see",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="https://a.b/c_(d)_e">https://a.b/c_(d)_e</a>, see</p>',
        ),
        (
            "[a](mailto:joe@b.c)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="mailto:joe@b.c">a</a></p>',
        ),
        ("[a](ftp://b.c)", '<p><span class="missing" title="ftp://b.c">a</span></p>'),
        ("[a](obsidian://open)", '<p><span class="missing" title="obsidian://open">a</span></p>'),
        ("[a](//b.c/d)", '<p><span class="missing" title="//b.c/d">a</span></p>'),
        ("[a](javascript:alert`1`)", "<p>[a](javascript:alert<code>1</code>)</p>"),
        ("<b onclick=a>c</b>", "<p>&lt;b onclick=a&gt;c&lt;/b&gt;</p>"),
        ("<script>\na\n</script>", "<p>&lt;script&gt;<br>\na<br>\n&lt;/script&gt;</p>"),
        (
            "![[pic.png|300]]",
            '<p><img src="/file/img/pic.png" alt="pic.png" loading="lazy" width="300"></p>',
        ),
        (
            "![a **view**](pic.png) so",
            '<p><img src="/file/img/pic.png" alt="a view" loading="lazy"> so</p>',
        ),
        (
            "![](a%20drawing.svg)",
            '<p><img src="/file/img/a%20drawing.svg" alt="a drawing.svg" loading="lazy"></p>',
        ),
        (
            "![it](http://a.b/c.png)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="http://a.b/c.png">image from elsewhere: it (a.b)</a></p>',
        ),
        (
            "![](http://a.b/c.png)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="http://a.b/c.png">image from elsewhere: http://a.b/c.png</a></p>',
        ),
        (
            "[![view](pic.png)](http://a.b) [![[Joe]]](http://a.b)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="http://a.b"><img src="/file/img/pic.png" alt="view" loading="lazy"></a>'
            ' <a class="elsewhere" rel="noreferrer noopener" href="http://a.b">![[Joe]]</a></p>',
        ),
        (
            "[![it](http://a.b/c.png)](http://a.b)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="http://a.b"><span class="missing">image from elsewhere: it (a.b)</span></a></p>',
        ),
        (
            "[![his](people/joe)](http://a.b)",
            '<p><a class="elsewhere" rel="noreferrer noopener" href="http://a.b">his</a></p>',
        ),
        (
            '![a "b"](pic.png)',
            '<p><img src="/file/img/pic.png" alt="a &quot;b&quot;" loading="lazy"></p>',
        ),
        (
            "![[old.pdf]]",
            '<p><span class="file" title="old.pdf">old.pdf</span> (a file, not shown here)</p>',
        ),
        (
            "![[no.png]]",
            '<p><span class="missing">not in the vault: no.png</span></p>',
        ),
    ],
)
def test_addresses(text: str, shown: str) -> None:
    assert html(text) == shown


@pytest.mark.parametrize(
    ("mark", "box"),
    [
        ("[ ]", '<li class="task"><input type="checkbox" disabled="1" aria-label="open"> '),
        (
            "[x]",
            '<li class="task closed"><input type="checkbox" checked="1" disabled="1" aria-label="done"> ',
        ),
        (
            "[-]",
            '<li class="task closed"><input type="checkbox" disabled="1" aria-label="cancelled">'
            ' <span class="box" title="cancelled" aria-hidden="true">-</span> ',
        ),
        (
            "[/]",
            '<li class="task"><input type="checkbox" disabled="1" aria-label="in progress">'
            ' <span class="box" title="in progress" aria-hidden="true">/</span> ',
        ),
        *(
            (
                f"[{mark}]",
                f'<li class="task"><input type="checkbox" disabled="1" aria-label="{name}">'
                f' <span class="box" title="{name}" aria-hidden="true">{escape(mark)}</span> ',
            )
            for mark, name in (
                (">", "forwarded"),
                ("!", "important"),
                ("?", "question"),
                ("i", "marked i"),
            )
        ),
        ("TODO", '<li class="task"><input type="checkbox" disabled="1" aria-label="open"> '),
    ],
)
def test_tasks(mark: str, box: str) -> None:
    assert html(f"- {mark} Call [[Ann]]") == (
        f'<ul>\n{box}Call <a href="/note/people/ann.md">Ann</a></li>\n</ul>'
    )


def test_what_is_no_task() -> None:
    assert "input" not in html("- [x](http://a.b) c\n- [ab] c\n- TODOs\n\n[x] c")


def test_a_callout_is_told_and_may_be_folded() -> None:
    assert html("> [!tip] Do *this*\n> so") == (
        '<div class="callout tip">\n<p class="callout-title">Do <em>this</em></p>\n<p>so</p>\n</div>'
    )
    assert html("> [!error]- \n> a\n> - b") == (
        '<details class="callout warning">\n<summary class="callout-title">Error</summary>\n'
        "<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</details>"
    )
    assert '<details class="callout note" open="open">' in html("> [!my-own]+ Title")


def test_a_quote_is_no_callout() -> None:
    assert html("> a [!tip]") == "<blockquote>\n<p>a [!tip]</p>\n</blockquote>"


def test_headings_stay_below_the_title_and_skip_no_level() -> None:
    note = render("# Joe\n## Facts\n#### Deep ^d\n# Joe\n# [[Ann|Her]] way\n", title="Joe")
    levels = [tag for tag, _ in Tags(note.html).tags if tag in {"h1", "h2", "h3", "h4"}]
    assert levels == ["h2", "h3", "h2", "h2"]
    assert [tuple(each) for each in note.headings] == [
        (2, "Facts", "heading-facts"),
        (3, "Deep", "heading-deep"),
        (2, "Joe", "heading-joe"),
        (2, "Her way", "heading-herway"),
    ]
    assert '<span id="block-d"></span><span id="heading-deep"></span>Deep</h3>' in note.html


def test_another_first_heading_is_no_title() -> None:
    assert html("# Joe B.", title="Joe") == '<h2><span id="heading-joeb"></span>Joe B.</h2>'
    assert "<h2" in html("Text\n\n# Joe", title="Joe")


def test_every_heading_and_block_has_one_anchor() -> None:
    shown = html("## A b\n## A-b\n- c ^x\n- d ^x")
    assert shown.count("heading-ab") == shown.count("block-x") == 1


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        ("Joe", ""),
        ("Joe#A b!", "heading-ab"),
        ("Joe#A#B", "heading-b"),
        ("Joe#^Ab-1", "block-ab-1"),
    ],
)
def test_a_links_anchor_is_that_of_the_place(written: str, anchor: str) -> None:
    link = wikilink(written, 1, embed=False)
    assert link
    assert anchor_of(link) == anchor
    if anchor:
        assert f'"{anchor}"' in render("# x\n## A b!\n## B\nText ^ab-1").html


def test_a_table_can_be_scrolled_by_keyboard() -> None:
    shown = html("| a | b |\n|---|--:|\n| [[Joe\\|J]] | 2 |")
    assert shown.startswith(
        '<div class="wide" role="group" tabindex="0" aria-label="table on line 1"><table>'
    )
    assert '<th class="right">b</th>' in shown
    assert '<td><a href="/note/people/joe%20b.md">J</a></td>' in shown
    assert "style" not in shown


def test_a_table_that_short_lines_would_fill_is_text() -> None:
    assert "<table" not in html("|a" * 100 + "\n" + "|-" * 100 + "\n" + "b\n" * 400)
    assert html("|a" * 20 + "\n" + "|-" * 20 + "\n" + "|b" * 20).count("<td") == 20


def test_code_tells_its_language_and_is_shown_as_it_is() -> None:
    assert html("```Python {x}\n[[Joe]] <b> ^id\n```") == (
        '<pre tabindex="0"><code class="language-python">[[Joe]] &lt;b&gt; ^id\n</code></pre>'
    )
    assert html('```"><b>\na\n```') == (
        '<pre tabindex="0"><code class="language-b">a\n</code></pre>'
    )


def test_lines_have_anchors() -> None:
    note = render(
        "---\na: b\n---\nOne\ntwo\n\n> [!tip] T\n> three\n> four\n\n- a\n\n  b\n- c\n\n|d|\n|-|\n|e|"
    )
    found = {str(of["id"]): tag for tag, of in Tags(note.html).tags if "id" in of}
    assert found == {
        "line-4": "p",
        "line-5": "span",
        "line-7": "div",
        "line-8": "p",
        "line-9": "span",
        "line-11": "li",
        "line-13": "p",
        "line-14": "li",
        "line-16": "tr",
        "line-18": "tr",
    }


def test_footnotes_and_references_work_across_parts() -> None:
    text = "Say[^1] [so].\n\n" + "A line of words.\n\n" * 300 + "[^1]: At last\n[so]: http://a.b\n"
    first = render(text, size=1000)
    assert first.rest
    assert '<a href="#fn1" id="fnref1">[1]</a>' in first.html
    assert '<li id="fn1" class="footnote-item"><p>At last ' in first.html
    assert 'href="http://a.b">so</a>' in first.html


# -- embeds ----------------------------------------------------------------------------


def test_an_embedded_note_is_a_quote_one_level_deep() -> None:
    shown = html("![[Joe]]")
    assert shown.startswith(
        '<blockquote class="embed"><p><a href="/note/people/joe%20b.md">Joe</a></p>\n'
        '<p class="heading">Joe</p>\n<p>Likes <strong>tea</strong></p>'
    )
    assert 'Builds <a href="/note/people/ann.md">Ann</a>' in shown
    assert shown.count("<blockquote") == 1
    assert "id=" not in shown


def test_an_embed_shows_the_place_it_names() -> None:
    home = html("![[Joe#Home]]")
    assert "A garden." in home
    assert "tea" not in home
    block = html("![[Joe#^tea]]")
    assert "tea" in block
    assert "garden" not in block
    for place in ("Nowhere", "^gone"):
        assert "<em>This note has no such heading or block.</em>" in html(f"![[Joe#{place}]]")


def test_an_embed_in_a_line_and_one_of_no_note_are_no_quotes() -> None:
    assert html("see ![[Joe]]") == '<p>see <a href="/note/people/joe%20b.md">Joe</a></p>'
    assert html("![[Bob]]") == (
        '<p><span class="missing" title="no note of this name yet">Bob</span></p>'
    )


def test_embeds_are_bounded() -> None:
    long = parse("a.md", ("x" * 5000 + "\n").encode() * 100)
    link = Link("a", "", "", "", 1, "wiki", embed=True)
    lines = embedded_lines(long, link)
    assert len(lines) <= EMBEDDED_LINES + 2
    assert max(map(len, lines)) < 1100
    many = html("![[Joe]]\n\n" * 100)
    assert many.count("<blockquote") == 20
    assert many.count("Joe</a> (not shown here: 20 notes are already)") == 80


def test_embeds_on_lines_below_each_other_are_each_shown() -> None:
    shown = html("![[Joe]]\n![[Joe#Home]]\n![[pic.png]]\n![[day.base]]")
    assert shown.count("<blockquote") == 2
    assert '<p><img src="/file/img/pic.png"' in shown
    assert "day.base</span> (a base of Obsidian, not shown here)</p>" in shown
    assert "Joe</a> (not shown inside another note)</p>" in shown
    assert "<blockquote" not in html("See\n![[Joe]]")


def test_a_link_to_a_picture_leads_to_it() -> None:
    assert html("[[pic.png]]") == '<p><a href="/file/img/pic.png">pic.png</a></p>'


# -- parts -----------------------------------------------------------------------------


def parts(text: str, size: int) -> list[Rendered]:
    found = [render(text, size=size)]
    while found[-1].rest:
        found.append(render(text, size=size, part=len(found) + 1))
    return found


def test_parts_hold_every_line_once() -> None:
    text = "".join(f"- fact {n}\n  and on\n" if n % 3 else f"\n## H {n}\n\n" for n in range(400))
    found = parts(text, 2000)
    assert len(found) > 5
    whole = "".join(part.html for part in found)
    numbers = re.findall(r'id="line-(\d+)"', whole)
    assert numbers == re.findall(r'id="line-(\d+)"', render(text, size=10**6).html)
    assert whole.count("<li") == whole.count("and on")
    assert "<p" not in whole
    assert re.findall(r"fact (\d+)", whole) == [str(n) for n in range(400) if n % 3]
    assert render(text, size=2000, part=len(found) + 1).html == ""
    assert render(text, size=2000, part=10**12).html == ""


def test_a_part_begins_no_code_or_table_anew() -> None:
    code = "```python\n" + "# [[Joe]]\n" * 600 + "```\n\nafter\n"
    for part in parts(code, 2000):
        assert "<h2" not in part.html
        assert "<a " not in part.html
    table = "|a|b|\n|-|-|\n" + "|c|d|\n" * 600
    for part in parts(table, 2000):
        assert "<th>a</th>" in part.html
        assert "|" not in part.html


def test_a_comment_over_the_end_of_a_part_stays_hidden() -> None:
    text = "Words.\n\n" * 60 + "%%\n" + "hidden\n\n" * 12 + "%%\n\n" + "Words.\n\n" * 200
    assert all("hidden" not in part.html and "Words" in part.html for part in parts(text, 2000))


def test_no_part_begins_within_a_comment() -> None:
    found = parts("%% hidden\nhidden %% Words.\n\n" * 300, 2000)
    assert len(found) > 5
    whole = "".join(part.html for part in found)
    assert whole.count("Words.") == 300
    assert "hidden" not in whole


@pytest.mark.parametrize(("mark", "end"), [("%%", "%%"), ("<!--", "-->")])
def test_a_comment_that_nothing_closes_is_shown(mark: str, end: str) -> None:
    assert "<li>so</li>" in html(f"One\n\n{mark} open\n\n- so\n")
    assert html(f"One\n\n{mark} open\n\n- so\n{end}\n") == "<p>One</p>"


# -- lines -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('Lives in <LA> & "works": 10:30', 'Lives in &lt;LA&gt; &amp; "works": 10:30'),
        ("Works at [[Joe]]'s ^k3v9qa", 'Works at <a href="/note/people/joe%20b.md">Joe</a>\'s'),
        ("a %%b%% c", "a c"),
        ("a\x1b[31m \u202eb \uffff", "a\\x1b[31m \\u202eb \\uffff"),
        ("**a** &#x202e;b", "<strong>a</strong> \\u202eb"),
        (
            "![it](http://a.b/c) <img src=x>",
            '<a class="elsewhere" rel="noreferrer noopener" href="http://a.b/c">image from elsewhere: it (a.b)</a> &lt;img src=x&gt;',
        ),
    ],
)
def test_a_line(text: str, shown: str) -> None:
    assert render_line(text, links) == shown


def test_words_of_a_hit_are_marked() -> None:
    find = word_finder(["tea", "joe"])
    assert render_line("**Tea** for [[Joe|old Joe]], a team's <b>", links, find) == (
        "<strong><mark>Tea</mark></strong> for"
        ' <a href="/note/people/joe%20b.md">old Joe</a>, a team\'s &lt;b&gt;'
    )
    assert render_line("a <b> tea", links, find) == "a &lt;b&gt; <mark>tea</mark>"
    assert marked("a <b> tea", find("a <b> tea")) == "a &lt;b&gt; <mark>tea</mark>"


# -- anything --------------------------------------------------------------------------

HOSTILE = [
    '<img src=x onerror=alert(1)>"><script>alert(1)</script>',
    "[a](javascript&colon;alert(1)) [a](JaVaScRiPt:alert(1)) [a](data:text/html,b)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=) ![a](javascript:b) ![a](//b.c/d.png)",
    '[[Joe|"><svg onload=alert(1)>]] [[Joe#"><b>]] ![[pic.png|" onerror="a]]',
    '[a](http://b.c/"onclick="d) <http://a.b/"onclick="c> http://a.b/"onclick="c',
    "# <style>*{}</style>\n[a]: javascript:b\n[a] ![a]",
    "```</code><script>\n</pre><script>\n```",
    '> [!"><script>] a\n\n> [!tip] <script>\n\n- [<] b\n- ["] c\n- [\'] c',
    "[^1]\n\n[^1]: <script>alert(1)</script> [a](javascript:b)",
    "%%\n<script>\n%%\n<!-- --><script>--!><b>",
    "|<b>|\n|-|\n|[a](vbscript:b)|",
    'a ^"><b>\n\nb ^b\n\n![[Joe#^"><b>]]',
    "\x00\x01\x1b[31m\u202e\u2028\ufeff<\x00script>",
    "%%\n<!-- --><script>--!><b>\r# <style>*{}</style>\n[a] ![a]",
    "<svg><style><!--</style><img src=x onerror=a>--></style>",
]


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE,
        '<a href="/do/forget" class="notice" id="main" style="a:b" onclick="c">d</a>',
        '<a href="http://a.b/c" target="_blank">d</a>',
        '<a href="/memory/search?tag=a&q=b">c</a><a href="/note//b.c">d</a><a href="//b.c">d</a>',
        '<img src="http://a.b/c.png"><img src="/note/a"><img srcset="/file/a" src="/file//b.c/d">',
        '<form action="/do/forget"><input type="text" name="token" formaction="/do/a"></form>',
        '<iframe src="/file/a"></iframe><base href="/a"><meta http-equiv="refresh"><h1>a</h1>',
        '<div role="alert" tabindex="3">a</div><span hidden contenteditable>b</span>',
    ],
)
def test_the_second_wall_holds_alone(text: str) -> None:
    shown = render_module._wall().clean(text)
    held = {name for _, of in Tags(shown).tags for name in of}
    assert not held & {"class", "id", "style", "role", "tabindex", "src", "type"}
    assert "/do/" not in shown
    assert 'href="/' not in shown
    assert [each for each in unsafe(shown) if not each.startswith("no rel")] == []


@pytest.mark.parametrize("note", hostile.NOTES, ids=lambda note: ascii(note.path)[:40])
def test_a_hostile_vault_is_shown_whole_and_harmless(note: hostile.Note) -> None:
    shown = render_note(decode(note.data).lines, links)
    page = f"<!doctype html><html><body>{shown.html}</body></html>"
    assert complaints(page.encode()) == []
    if note.last and not shown.rest:
        assert hostile.LAST in SeenPage(page).text


@settings(max_examples=daily(150, 400))
@given(
    st.lists(
        st.one_of(
            st.sampled_from(HOSTILE),
            st.sampled_from(
                "[[Joe]] ![[Joe]] [[ ]] ![ ]( ) ** * _ ~~ == ` ``` > - 1. # | --- ^ab [^1] [^1]: $"
                " $$ %% <!-- --> <b> http:// javascript: :: [!tip] [x] TODO \\ & &lt; { } ( ) [ ]"
                " \t \n \n\n".split(" ")
            ),
            st.text(max_size=8),
        ),
        max_size=30,
    ).map("".join),
    st.integers(1, 3),
)
@example("\n\n".join(HOSTILE), 1)
def test_whatever_a_note_holds_only_what_is_allowed_is_shown(text: str, part: int) -> None:
    assert [*unsafe(render(text, part=part, size=200).html)] == []
    assert [*unsafe(render_line(text, links))] == []
    assert [*unsafe(render_line(text, links, word_finder(["tip", "b"])))] == []


@pytest.mark.parametrize(
    "text",
    [
        *(mark * 200_000 for mark in "[ * ` [[ ![[ == $ < # > | _ [^ ~~ ://".split()),
        "word " * 400_000,
        "[^1]: a\n\n" + "[^" * 100_000,
        "".join(">" * depth + " a\n" for depth in range(300)),
        "- a\n" * 50_000,
        "|a" * 2000 + "\n" + "|-" * 2000 + "\n" + "b\n" * 5000,
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_note_is_cut_to_a_page(text: str) -> None:
    assert len(render(text).html) < 400_000
    assert len(render_line(text, links)) < 200_000


def test_what_nests_too_deep_is_shown_as_it_is_written() -> None:
    text = "\n".join("  " * depth + f"- level {depth}" for depth in range(80))
    assert "level 79" in render(text).html
