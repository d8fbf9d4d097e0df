from __future__ import annotations

import time

import pytest

from aurelius.importing.html_text import MOST_HTML, html_as_markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h1>Spring</h1><div>a <b>bold </b>b</div><div><br/></div><div>c<br>d</div>", "# Spring\n\na **bold** b\n\nc\nd"),
        ("<ul><li>a<ul><li>b</li></ul></li><ul><li>c</li></ul></ul>", "- a\n  - b\n  - c"),
        ('<ol start="9"><li>x<li><p>y</p><p>z</p></ol>', "9. x\n10. y\n\n    z"),
        ('<div><en-todo checked="true"/>a</div><ul><li><input type="checkbox">b</li></ul>', "- [x] a\n\n- [ ] b"),
        ("<table><tr><th>a|b<th>c</tr><tr><td colspan=2>d<br>e</table>", "| a\\|b | c |\n| --- | --- |\n| d e |  |"),
        ("<table><tr><td><p>only</p><p>looks</p></td></tr></table>", "only\n\nlooks"),
        ("<pre>x = 1\n\n\n  y</pre>", "```\nx = 1\n\n\n  y\n```"),
        ("<pre>```</pre> and <code>a`b</code> c", "````\n```\n````\n\nand ``a`b`` c"),
        ("<blockquote>q<div>r</div></blockquote>s", "> q\n> r\n\ns"),
        ('<a href="https://e.org/a (b)">w*x*</a>', "[w\\*x\\*](https://e.org/a%28b%29)"),
        ('<a href="javascript:alert(1)">w</a><a href="data:text/html,x">v</a>', "wv"),
        ('<img src="https://e.org/x.png" alt="A"><img src="etc/passwd">', "[A](https://e.org/x.png)img"),
        ("<p>1. x<p># y<p>- [ ] z<p>---", "1\\. x\n\n\\# y\n\n\\- [ ] z\n\n\\---"),
        ("a &lt;script&gt; [[b]] &amp;lt; 2*3", "a \\<script> \\[[b]] \\&lt; 2\\*3"),
        ("<script>x</script><style>y</style><svg><p>z</p></svg>a", "a"),
        ("<head><title>x<body>a", "a"),
        ("<![if x]>a<![endif]><!-- b --><?c?><![CDATA[d]]>", "ad"),
        ("<b><i>a</i><b>b</b></b> <s>c</s>", "*a***b** ~~c~~"),
    ],
)  # fmt: skip
def test_html_is_markdown(html: str, markdown: str) -> None:
    assert html_as_markdown(html) == markdown


@pytest.mark.parametrize(
    "part",
    ["<div>", "<b>", "<ul><li>", "<ol><li>", "</p>", "<", "<!--", "<a href='", "<table><tr><td>", "&#x", "<![", "<br>",
     "<blockquote><br>", "<pre> ", "<pre><br>", "<li>", "<td>", "<td colspan=99>", "**", "<en-todo>", "<p> <b> ", "`", "<code>`", "<!x ", "</", "<a b='>", "<a b='\"", "<?", "<a =", "<p '\">", "<a/"],
)  # fmt: skip
def test_hostile_html_takes_time_by_its_length(part: str) -> None:
    begin = time.perf_counter()
    found = html_as_markdown(part * (100_000 // len(part)))
    assert time.perf_counter() - begin < 5
    assert len(found) < 30_000_000
    assert "<script" not in html_as_markdown(part + "<script>alert(1)</script>" + part)


def test_too_much_is_an_error() -> None:
    with pytest.raises(ValueError, match="longer than 4 MB"):
        html_as_markdown("a" * (MOST_HTML + 1))
