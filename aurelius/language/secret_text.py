"""Secrets in a line of text: keys, tokens, passwords and card numbers that no note should hold.

A note goes to git, to other devices and to agents, and a secret in it cannot be called back.  What
only says where a secret lies is no secret: "the Stripe key is in the vault under stripe_api_key".
"""

from __future__ import annotations

import re
from math import log2
from typing import NamedTuple


class Secret(NamedTuple):
    """What kind of secret a line holds, and the part of the line that is it, which nothing may ever
    print."""

    what: str
    text: str


_KEYS = (
    (
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-1[0-9A-Z]{40,}",
    ),
    ("a private key", r"PuTTY-User-Key-File-\d|(?:xprv|yprv|zprv)[1-9A-HJ-NP-Za-km-z]{90,}"),
    ("a private key", r"nsec1[02-9ac-hj-np-z]{50,}"),
    ("a JSON Web Token", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("an AWS key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    ("a GitHub token", r"gh[pousr]_\w{30,}|github_pat_\w{30,}"),
    (
        "a GitLab token",
        r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|agent|oas|imt|ffct)-[\w-]{20,}|GR1348941[\w-]{20}",
    ),
    ("a Slack token", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,}"),
    ("a webhook address", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}"),
    ("a webhook address", r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}"),
    ("a webhook address", r"webhook\.office\.com/webhookb2/[\w@/-]{30,}"),
    ("a Stripe key", r"(?:sk|rk)_(?:live|test|prod)_\w{10,}|whsec_[\w+/=]{20,}"),
    ("a Google key", r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|1//0[\w-]{30,}"),
    (
        "an OpenAI or Anthropic key",
        r"sk-(?:(?:proj|svcacct|admin|None|or|ant|lf)-)?(?:\w+-)?[\w-]{20,}",
    ),
    ("an access token", r"(?:hf|r8|gsk|tvly|npm|pnu)[_-][\w.-]{20,}"),
    (
        "an access token",
        r"(?:dckr_pat|dckr_oat|lin_api|lin_oauth|figd|rdme|pscale_\w{2,5})[_-][\w.-]{20,}",
    ),
    (
        "an access token",
        r"(?:pplx|xai|fo1|pul|tskey|glsa|glc|api_org|nvapi|csk|fw|jina|voyage|pa)[_-][\w=-]{32,}",
    ),
    (
        "an access token",
        r"(?:pypi-AgE[\w-]{30,}|rubygems_[a-f0-9]{40,}|cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43})",
    ),
    (
        "an access token",
        r"do[opr]_v1_[a-f0-9]{60,}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.]{35,}"
        r"|dt0c01\.\w{20,}\.\w{60}",
    ),
    (
        "an access token",
        r"SG\.[\w-]{16,}\.[\w-]{30,}|key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|SK[a-f0-9]{32}",
    ),
    (
        "an access token",
        r"xkeysib-[a-f0-9]{60,}-\w{10,}|shippo_(?:live|test)_[a-f0-9]{40}|EZ[AT]K[A-Za-z0-9]{50,}",
    ),
    ("an access token", r"\d{8,10}:AA[\w-]{32,34}|[MNO][\w-]{23,26}\.[\w-]{6}\.[\w-]{27,}"),
    (
        "an access token",
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|sq0(?:atp|csp|idp)-[\w-]{22,}|EAAA[\w-]{60}",
    ),
    ("an access token", r"(?:secret|ntn)_[A-Za-z0-9]{40,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}"),
    ("an access token", r"access_token\$\w+\$\w+\$[a-f0-9]{32}"),
    ("an access token", r"AT(?:ATT3|CTT3|STT3)[\w=-]{60,}|ATBB[A-Za-z0-9]{24,}|dapi[a-f0-9]{32}"),
    ("an access token", r"sl\.[\w-]{60,}|sb(?:p|_secret)_\w{20,}"),
    (
        "an access token",
        r"NR(?:AK|AA|II|JS)-[\w-]{19,}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|sntry[su]_[\w=+/-]{30,}",
    ),
    (
        "an access token",
        r"\w{14}\.atlasv1\.[\w-]{60,}|hv[sbr]\.[\w-]{24,}|[\w~.-]{3}\dQ~[\w~.-]{30,}",
    ),
    ("an access token", r"HRKU-[\w-]{30,}"),
    (
        "an access token",
        r"ops_eyJ[\w-]{60,}|CFPAT-[\w-]{40,}|FLWSECK(?:_TEST)?-\w{12,}|EAA[A-Za-z0-9]{80,}",
    ),
    ("an access token", r"access-(?:sandbox|production)-[a-f0-9-]{36}"),
    (
        "an access token",
        r"[a-z]{2,10}(?:_[a-z]{2,8})?_(?=\w{0,99}[A-Z])(?=\w{0,99}\d)[A-Za-z0-9]{32,}(?!\w)",
    ),
    (
        "a licence or recovery key",
        r"(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![\w-])|(?:\d{6}-){7}\d{6}(?![\w-])",
    ),
    ("a password's hash", r"\$(?:1|2[abxy]?|5|6|y|argon2(?:id?|d))\$[./\w$=,+-]{25,}"),
    ("a key", r"(?:AccountKey|SharedAccessKey)=[\w+/]{30,}={0,2}"),
    ("a key", r"[?&]sig=[\w%+/-]{30,}"),
)
"""Forms that nothing but a secret has, as those who give them out have published them."""

_MOST_LETTERS_AT_ONCE = 1200
OVERLAP = 400
"""Letters that are looked at together, and of those how many with the ones before."""

_SURE = {"a private key", "a licence or recovery key"}
"""What its form alone says, whatever letters it has."""

_KNOWN = tuple(
    (what, re.compile(form if form[0] in "-[\\" else rf"(?<![A-Za-z0-9])(?:{form})"))
    for what, form in _KEYS
)

_MAY_BE_KNOWN = re.compile(r"-----BEGIN |\S{15}")
"""What every known form has: words of text are mostly shorter."""

_ADDRESS = re.compile(r"\b[a-zA-Z][\w+.-]{1,20}://([^\s/:@'\"<>]*):([^\s/@'\"<>]{3,})@[\w\[.-]")
_QUERY = re.compile(
    r"(?i)[?&#](?:access_token|api_?key|apikey|client_secret|pass(?:word)?|secret"
    r"|token)=([\w.~%+/-]{12,})"
)
_HEADER = re.compile(r"(?i)\b(?:bearer|basic|token)[ \t]+[\"'`]?([\w.~+/-]{16,}={0,2})")
_TYPED = (
    re.compile(r"\bsshpass[ \t]+-p[ \t]*[\"']?([^\s\"']{3,})"),
    re.compile(r"\b(?:mysql|mysqldump|mariadb)\b[^|]{0,99}?[ \t]-p([^\s\"']{3,})"),
    re.compile(r"\bcurl\b[^|]{0,199}?[ \t](?:-u|--user)[ \t]+[\"']?[^\s:\"']+:([^\s\"']{3,})"),
    re.compile(r"\blogin[ \t]+\S+[ \t]+password[ \t]+(\S+)"),
    re.compile(r"\botpauth://\S*?[?&]secret=([A-Za-z2-7]{8,})"),
)
"""Where a password is typed as one."""

_CHOSEN = (
    r"(?:pass[ _-]?(?:words?|codes?|phrases?|wd)|passwd|pwd|pw|wpa2?[ -](?:key|psk)|contrase(?:ñ"
    r"|n)as?|"
    r"mots? de passe|"
    r"passw(?:ö|oe)rter|passwort|kennwort|senha|wachtwoord|l(?:ö|o)senord|пароль|密码|密碼|パスワード|비밀번호)"
)
_CUE = (
    rf"(?:{_CHOSEN}|secrets?|credentials?|creds|api[ _-]?keys?|apikeys?|"
    r"(?:access|auth(?:entication|orization)?|bearer|refresh|session|security|personal[ _-]access"
    r"|api|bot|id|csrf|"
    r"deploy)"
    r"[ _-]?tokens?|tokens?|(?:access|secret|private|encryption|master|account|license|licence"
    r"|recovery|product|"
    r"activation|"
    r"security|ssh|auth|service|shared|webhook|wi-?fi|wlan|network)[ _-]?(?:access[ _-]?)?keys?"
    r"|client[ _-]?secret|"
    r"(?:recovery|backup|one[ -]time|license|activation)[ -]codes?|session[ _-]?(?:id|cookie)"
    r"|cookie)"
)
_SAID = re.compile(
    rf"(?i)(?<![^\W_])(?P<cue>{_CUE})(?![A-Za-z])(?P<about>(?:[\"'`*_]{{0,3}}[ \t]+(?:for|of|to|on"
    rf"|at|"
    rf"in)[ \t]+[^:=]{{1,50}}?)?)"
    r"[\"'`*_)\]]{0,4}[ \t]*"
    r"(?P<sign>:=|=>|->|→|::(?=\s)|[:=：]|\b(?:is|was|are|es|est|ist|é)(?:[ \t]+(?:now|set to|still"
    r"|just))?\b|是|は)"
    r"[ \t]*(?=(?P<value>\S.{0,200}))"
)
_SNAKE = re.compile(
    rf"(?i)(?P<cue>{_CUE})(?:[_.-](?!to\b|count|limit|len|"
    rf"hash)[A-Za-z0-9_.-]{{0,20}})?"
    r"[\"'`]?[ \t]*(?:=>|:=|=|::?(?=\s)|:(?!:))[ \t]*(?=(?P<value>\S.{0,200}))"
)
_SNAKE_HEAD = re.compile(r"(?<![\w?&/])[A-Za-z0-9_.-]{0,40}\Z")
_BARE = re.compile(rf"(?i)(?<![^\W_]){_CHOSEN}[ \t]+[\"'`*]*(?P<value>\S{{5,}})")
_AFTER = re.compile(
    rf"(?i)(?<!\S)(?P<value>\S{{5,200}})[ \t]+(?:is|as|was)[ \t]+(?:the|my|our|his|her|their|new|"
    rf"a)\b[^.:\n]{{0,30}}?(?<![^\W_]){_CHOSEN}(?![A-Za-z])"
)
_LOGIN = re.compile(r"(?i)\b(?:log[ -]?ins?|sign[ -]?in|credentials|creds|wi-?fi|account)\b")
_WITH = re.compile(r"(?i)(?:[/:,|]|\band|\bwith)[ \t]+(?P<value>[^\s/|,]{7,})(?=$|[\s,.)])")
_ANY_CUE = re.compile(_CUE, re.IGNORECASE)
_IS_CHOSEN = re.compile(_CHOSEN, re.IGNORECASE)
_ALGORITHM = re.compile(
    r"(?i)\W*(?:sha-?\d+|md5|base64|utf-?\d+|oauth-?2|1password|keepass\w*|bcrypt\w*|argon2\w*"
    r"|[a-z]+\d{1,2}\.\w+)\W*"
)
_PIN = re.compile(
    r"(?i)\b(?:pin|pin[ _-]?(?:code|number)|tan|cvv|cvc|cv2|puk|(?:pass|door|gate|alarm|safe|lock"
    r"|entry|access|unlock|"
    r"garage|"
    r"security|verification|backup|recovery|confirmation|2fa|mfa|otp"
    r"|one[ -]time)[ -]?(?:pass)?codes?|otp|"
    r"(?:safe|lock|locker)?[ ]?combination)\b"
    r"[^:=\d\n]{0,40}?(?:[:=：]|\b(?:is|was|are)\b(?: now)?|(?-i:(?<=PIN)|(?<=CVV)|(?<=CVC)|"
    r"(?<=PUK)))[ \t]*[\"'`*]{0,3}#?(?P<value>\d[\d \t-]{1,14}\d[#*]?)(?![\w/.:%€$,]*\w)"
)
_SSN = re.compile(
    r"(?i)\b(?:ssn|social security(?: number"
    r"| no\.?)?)\b[^\d\n]{0,20}(\d{3}[- ]?\d{2}[- ]?\d{4})(?!\d)"
)
_CARD = re.compile(r"(?<![\w/=.#&?-])(?:\d[ -]?){13,18}\d(?![\w/-]|\.\d)")
_ISSUERS = re.compile(r"4|5[0-8]|2[2-7]|3[04-9]|6")
_SEED_CUE = re.compile(
    r"(?i)\b(?:seed|recovery|secret|backup|wallet|mnemonic)(?:[ -](?:recovery|backup"
    r"|secret))?[ -]?(?:phrases?|words?|"
    r"seed)|\bmnemonic\b"
)
_SEED_WORD = re.compile(r"(?:\d{1,2}[.):]?[ \t]*)?([a-z]{3,8})[,;]?(?=\s|$)")
_BARE_WORDS = re.compile(
    r"[-*+ \t]*([a-z]{3,8}(?: [a-z]{3,8}){11,23})[ \t\r]*(?:\(\d{4}-.*|\^\w+)?$"
)
_COMMON = re.compile(
    r"\b(?:the|and|for|are|not|but|was|has|had|from|were|his|her|she|him|its|our|their|which|would|"
    r"been|than|could|did|got|let|too|per|via|who|how|why|does|him|your|yours|mine|these|those"
    r"|have|been)\b"
)
_WALLET = re.compile(r"(?<!\w)(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|(?:0x)?[a-fA-F0-9]{64})(?!\w)")

_PLACEHOLDER = re.compile(
    r"(?i)[\"'`]*(?:[<\[{(%$].*|[.…*•x_#?-]+(?![^\W_])|x{3,}.*|\*{3,}.*|\W*(?:your|my|the|some|any"
    r"|an?|new|old|same|"
    r"this|that)(?:[ _-].*|$)|"
    r"(?:see|ask|in|on|under|at|kept|stored|saved|none|null|nil|true|false|yes|no|n/a|tbd|todo"
    r"|empty|blank|unset|"
    r"undefined|unknown|"
    r"required|optional|string|str|text|int|integer|number|bool|boolean|varchar|password|passwd"
    r"|pass|secret|token|"
    r"value|key|user|username|"
    r"postgres|default|invalid|valid|wrong|correct|missing|expired|reset|changed|needed|incorrect"
    r"|here|there|"
    r"prompt|input|ask|"
    r"everything|nothing|something|somewhere)\b)"
)
_SAYS_NONE = (
    "redacted",
    "placeholder",
    "removed",
    "hidden",
    "changeme",
    "insert-",
    "insert_",
    "insert ",
    "process.env",
    "os.environ",
    "getenv",
    "secrets.",
    "env.",
    "env[",
    "vault.",
    "op://",
    "keyring",
    "keychain",
)
"""What stands where a value would, and is none: how it begins, and what is in it."""

_PROSE = re.compile(
    r"(?:ent|ous|ful|less|ive|al|ic|ant|ary|ten|er|est|gone|known|long|short|weak|strong|unique"
    r"|secret|safe|secure|"
    r"broken|obsolete|public|private|shared|stolen)$"
)
"""How a word ends that says something about a password rather than being it."""

_CODE = re.compile(
    r"[A-Za-z_$@&!][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[\[({<].*|[A-Za-z_$@][\w$]*(?:(?:\."
    r"|::|"
    r"->)[A-Za-z_$][\w$]*)+[;,)]*"
)
_QUOTED = re.compile(r"([\"'`])(?P<inner>[^\"'`]{1,200})\1")
_TOKEN = re.compile(r"(?<![\w./-])[\w+/=~.-]{16,}(?![\w/])")
_NEAR = re.compile(rf"(?i)(?<![^\W_]){_CUE}(?![A-Za-z])")


def find_secret(line: str) -> Secret | None:
    """The secret that a line holds, None for none.  Nothing of the text is looked up anywhere.

    A long line is looked at piece by piece, so that the time it takes grows with its length alone.
    """
    for at in range(0, max(1, len(line) - OVERLAP), _MOST_LETTERS_AT_ONCE - OVERLAP):
        found = _find(line[at : at + _MOST_LETTERS_AT_ONCE])
        if found:
            return found
    return None


def _find(line: str) -> Secret | None:
    """The secret in a line, or in a piece of one."""
    found_here = _in_known_form(line) or _in_address(line) or _card(line) or _given(line)
    found_here = found_here or _seed_phrase(line)
    is_cued = _ANY_CUE.search(line)  # without it nothing is left to be a secret
    if is_cued and not found_here:
        return _said(line) or _beside_cue(line)
    return found_here


def _in_known_form(line: str) -> Secret | None:
    """A secret in a form that nothing else has."""
    if not _MAY_BE_KNOWN.search(line):
        return None
    for what, form in _KNOWN:
        for found in form.finditer(line):
            if what in _SURE or _is_drawn(found[0]):
                return Secret(what, found[0])
    return None


def _in_address(line: str) -> Secret | None:
    """A password or token in an address or a command."""
    for found in _ADDRESS.finditer(line):
        if found[2] != found[1] and not _is_placeholder(found[2]):
            return Secret("an address with a password in it", found[2])
    token = next(filter(_is_random, _QUERY.findall(line)), "")
    if token:
        return Secret("an address with a token in it", token)
    for form in _TYPED:
        for typed in form.findall(line):
            if not _is_placeholder(typed):
                return Secret("a password", typed)
    token = next(filter(_is_random, _HEADER.findall(line)), "")
    if token:
        return Secret("an access token", token)
    return None


def _card(line: str) -> Secret | None:
    """The number of a payment card, by its issuer, its length and its check digit."""
    for found in _CARD.finditer(line):
        digits = re.sub(r"\D", "", found[0])
        if (
            len(digits) in {14, 15, 16, 19}
            and _ISSUERS.match(digits)
            and len(set(digits)) > 1
            and _luhn(digits)
        ):
            return Secret("the number of a payment card", found[0])
    found_ssn = _SSN.search(line)
    if found_ssn:
        return Secret("a social security number", found_ssn[1])
    return None


def _luhn(digits: str) -> bool:
    twice = [sum(divmod(2 * int(each), 10)) for each in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(twice)) % 10 == 0


def _given(line: str) -> Secret | None:
    """A PIN or a door's code, and the password that follows a name to log in with."""
    pin = _PIN.search(line)
    if pin:
        return Secret("a PIN or code", pin["value"])
    login = _LOGIN.search(line)
    for found in _WITH.finditer(line, login.end()) if login else ():
        value = found["value"].strip("\"'`*.,;:()")
        if re.search(r"[!$%^&*+?#]", value) and _is_letters_and_digits(value):
            return Secret("a password", value)
    return None


def _said(line: str) -> Secret | None:
    """A password or key that is given as a value: `wifi password: …`, `the API key is …`."""
    snakes = (
        it
        for it in _SNAKE.finditer(line)
        if _SNAKE_HEAD.search(line, max(0, it.start() - 40), it.start())
    )
    for found in (*_SAID.finditer(line), *snakes):
        worded = found.groupdict().get("sign", "")[:1].isalpha()
        value = _value(
            found["value"], worded=worded, password=bool(_IS_CHOSEN.fullmatch(found["cue"]))
        )
        if value and not _in_link(line, found.start("value")):
            return Secret("a password or key", value)
    for found in (*_BARE.finditer(line), *_AFTER.finditer(line)):
        value = found["value"].strip("\"'`*.,;:()")
        if _is_letters_and_digits(value) and not _is_name(value) and not _is_placeholder(value):
            return Secret("a password", value)
    return None


def _is_letters_and_digits(value: str) -> bool:
    """True if a word is mixed enough to be a password where nothing but its place says so."""
    if _ALGORITHM.fullmatch(value) or ("@" in value[1:-1] and "." in value.rpartition("@")[2]):
        return False
    if re.fullmatch(r"[A-Za-z]{4,}\d+", value):
        return True
    return (
        bool(re.search(r"[A-Za-z]{2}", value) and re.search(r"\d", value))
        and _is_mixed(value)
        and "/" not in value
    )


def _value(text: str, *, worded: bool, password: bool) -> str:
    """The secret that a text begins with, where it is one rather than words about it; "" for none.

    `worded` says that it follows `is` rather than a colon, where much more is prose; `password`
    that it is one which a person chose, and may be a plain word or a number.
    """
    text = text.lstrip("*_ \t")
    if _is_placeholder(text):
        return ""
    quoted = _QUOTED.match(text)
    if quoted:
        return _quoted_value(quoted["inner"], password=password)
    first, _, rest = text.partition(" ")
    value = first.rstrip(".,;:!?)'\"`*_~")
    if len(value) < 4 or _CODE.fullmatch(first) or _is_reference(value):
        return ""
    if _is_mixed(value) and not value.isdigit():
        return value
    if password and _is_password(value, rest, worded=worded):
        return value
    return ""


def _quoted_value(inner: str, *, password: bool) -> str:
    """The secret in quotation marks, "" for none."""
    if _is_placeholder(inner) or _is_name(inner) or len(inner) < 4 or inner.count(" ") > 7:
        return ""
    return inner if password or _is_mixed(inner) else ""


def _is_reference(value: str) -> bool:
    """True for the name of something, an address, a link or a path."""
    return _is_name(value) or "://" in value or "](" in value or "/" in value[:2]


def _is_password(value: str, rest: str, *, worded: bool) -> bool:
    """True if what stands where a password would is one: `rest` is behind it."""
    if _is_mixed(value) or re.fullmatch(r"[A-Za-z]{4,}\d+", value):
        return True
    alone = not rest.strip(" .!*_`") or rest.lstrip().startswith(("(", "#", "^", "—", "- "))
    if not alone or not re.fullmatch(r"[a-z]{6,}", value):
        return False
    is_prose = worded and _PROSE.search(value)
    return not (is_prose or re.search(r"(?:ed|ing|able|ible|ly|ory)$", value))


def _is_mixed(value: str) -> bool:
    """True if a value has what a word of prose has not: digits or signs among its letters, or
    capitals inside."""
    if not re.search(r"[^\W_]", value) or re.fullmatch(
        r"[\d.,:/%-]+(?:[a-z]{1,7})?|v\d[\d.]*|[\w.+-]+@[\w.-]+\.\w+", value
    ):
        return _is_number(value)
    if len(value) < 5 or not any(map(str.isalpha, value)):
        return False
    if re.fullmatch(
        r"[A-Z]{1,6}-?\d{1,4}|[a-z]+\d?|\d+(?:st|nd|rd|th|px|ms|kb|mb|gb)?|[A-Z][a-z]+", value
    ):
        return False
    if any(map(str.isdigit, value)) or re.search(r"[^\w\s'’.,/()\[\]-]", value):
        return True
    is_camel = re.fullmatch(r"(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]+)+", value)
    return bool(re.search(r"[a-z][A-Z]", value)) and not is_camel


def _is_number(value: str) -> bool:
    """True for a number that may open something, which a year does not."""
    is_year = re.fullmatch(r"(?:19|20)\d\d", value)
    return value.isdigit() and 4 <= len(value) <= 19 and not is_year


def _is_name(value: str) -> bool:
    """True if a value is the name of something, `stripe_api_key`, `config/keys.yml`, rather than a
    secret."""
    if re.fullmatch(
        r"\[\[.*|\]\].*|@?[a-zA-Z_$][a-z_$]*(?:[_./:-][a-zA-Z]+)+[;,]?|[A-Z]+(?:_[A-Z0-9]+)+", value
    ):
        return True
    endings = (
        "md|txt|ya?ml|json|env|toml|ini|cfg|py|rb|js|ts|go|sh|pem|key|kdbx?|gpg|asc|com|org|io|net"
        "|de"
    )
    return bool(re.fullmatch(rf"[\w./~-]*\.(?:{endings})\b.*", value))


def _seed_phrase(line: str) -> Secret | None:
    """The twelve to twenty-four words that open a wallet, or its key beside a word that says so."""
    cue = _SEED_CUE.search(line)
    if cue:
        bare = None
    else:
        bare = _BARE_WORDS.match(line)
    if cue:
        text = line[cue.end() :].strip()
    elif bare:
        text = bare[1]
    else:
        text = ""
    words = _SEED_WORD.findall(text)
    if len(words) in {12, 15, 18, 21, 24} and len(set(words)) > 8 and not _COMMON.search(text):
        return Secret("the recovery words of a wallet", text)
    if re.search(r"(?i)private[ _-]?key|\bwif\b", line):
        found = _WALLET.search(line)
        if found and _is_drawn(found[0]):
            return Secret("the private key of a wallet", found[0])
    return None


def _beside_cue(line: str) -> Secret | None:
    """A token that looks drawn by lot within a few words of what says that it is a secret."""
    for cue in _NEAR.finditer(line):
        for found in _TOKEN.finditer(
            line, max(0, cue.start() - 80), min(len(line), cue.end() + 120)
        ):
            if _is_random(found[0].strip("=.")) and not _in_link(line, found.start()):
                return Secret("a key or token", found[0])
    return None


def _in_link(line: str, at: int) -> bool:
    """True if the text there is part of an address or a path."""
    if line[: at + 1].strip():
        word = line[: at + 1].rsplit(None, 1)[-1]
    else:
        word = ""
    return "://" in word or "](" in word or "www." in word


def _is_random(text: str) -> bool:
    """True if a text looks drawn by lot: one long piece of letters and digits that spells
    nothing."""
    if re.fullmatch(r"[\d.-]+|\d{4}-\d{2}-\d{2}T[\d:.Z+-]+", text):
        return False
    longest = max(re.split(r"[._/~:-]", text), key=len)
    if len(longest) < 16:
        return False
    kinds = (re.search(r"[a-z]", longest), re.search(r"[A-Z]", longest), re.search(r"\d", longest))
    if not kinds[2] and not (
        kinds[0] and kinds[1] and len(re.findall(r"[a-z][A-Z]", longest)) > len(longest) / 6
    ):
        return False
    return _entropy(longest) > 2.9


def _is_drawn(text: str) -> bool:
    """True if what follows the known beginning of a key looks drawn by lot, and is no name made of
    words."""
    pieces = [each for each in re.split(r"[^A-Za-z0-9]", text) if len(each) >= 8]
    mixed = [each for each in pieces if re.search(r"\d", each) or re.search(r"[a-z][A-Z]", each)]
    return any(_entropy(each) > 1.5 for each in mixed)


def _entropy(text: str) -> float:
    """Bits of surprise in each character."""
    shares = [text.count(char) / len(text) for char in set(text)]
    return -sum(share * log2(share) for share in shares)


def _is_placeholder(text: str) -> bool:
    text = text.strip()
    return bool(_PLACEHOLDER.match(text)) or any(each in text.lower() for each in _SAYS_NONE)
