"""HTML blocks inside Markdown, as CommonMark 4.6 numbers their seven kinds."""

from __future__ import annotations

import re

_HTML_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_RAW = re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_ELEMENT = re.compile(rf"</?(?:{_HTML_NAMES})(?:\s|/?>|$)", re.IGNORECASE)
_TAG = re.compile(
    r"(?:<[A-Za-z][A-Za-z0-9-]*"
    r"(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"
)
_COMMENT_END = re.compile("-->")
_INSTRUCTION_END = re.compile(r"\?>")
_CDATA_END = re.compile(r"\]\]>")
_DECLARATION_END = re.compile(">")

BLANK = re.compile(r"^$")
"""What ends the kinds that last until a blank line."""


def html_end(text: str, *, starts: bool) -> re.Pattern[str] | None:
    """What ends the HTML block a line starts, or None where it starts none; `starts` allows any lone tag."""
    if _RAW.match(text):
        return _RAW_END
    if text.startswith("<!--"):
        return _COMMENT_END
    if text.startswith("<?"):
        return _INSTRUCTION_END
    if text.startswith("<![CDATA["):
        return _CDATA_END
    if text[:2] == "<!" and text[2:3].isalpha() and text[2:3].isascii():
        return _DECLARATION_END
    return BLANK if _ELEMENT.match(text) or (starts and _TAG.match(text)) else None
