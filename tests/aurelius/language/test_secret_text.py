"""Secrets are found in the forms that those who give them out have published; what only speaks of one is none.

Every secret here is made of parts and of drawn letters, so that nothing in the repository looks like one.
"""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from aurelius.language import secret_text
from aurelius.language.secret_text import find_secret

ROOT = Path(__file__).resolve().parents[3]
R = random.Random(20260210)
LOW, UP, NUM, HEX = (
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits,
    "0123456789abcdef",
)
MIX = LOW + UP + NUM


def draw(count: int, letters: str = MIX) -> str:
    """So many letters by lot, with a digit among them."""
    body = "".join(R.choices(letters, k=count - 1))
    return body + R.choice([each for each in letters if each.isdigit()] or letters)


def uuid() -> str:
    return "-".join(draw(count, HEX) for count in (8, 4, 4, 4, 12))


def card(first: str, length: int) -> str:
    """A number whose check digit is right."""
    body = first + draw(length - len(first) - 1, NUM)
    for last in NUM:
        total = 0
        for at, digit in enumerate(reversed(body + last)):
            value = int(digit) * (2 if at % 2 else 1)
            total += value - 9 if value > 9 else value
        if total % 10 == 0:
            return body + last
    raise AssertionError


def grouped(number: str) -> str:
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4))


SEEDS = (
    "legal winner thank year wave sausage worth useful legal winner thank yellow",
    "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
    "army van defense carry jealous true garbage claim echo media make crunch",
    "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic",
)

FORMS = {
    "private key": [
        f"-----BEGIN {kind}PRIVATE {'KEY'}-----"
        for kind in ("", "RSA ", "EC ", "OPENSSH ", "DSA ", "ENCRYPTED ")
    ]
    + [f"-----BEGIN PGP PRIVATE {'KEY'} BLOCK-----", "AGE-SECRET-" + "KEY-1" + draw(58, UP + NUM)],
    "cloud": [
        "AKIA" + draw(16, UP + "234567"),
        "ASIA" + draw(16, UP + "234567"),
        "aws_secret_access_key = " + draw(40, MIX + "/+"),
        "AIza" + draw(35, MIX + "-_"),
        "GOCSPX-" + draw(28),
        "ya29." + draw(60, MIX + "-_"),
        "dop_v1_" + draw(64, HEX),
        "AccountKey=" + draw(86, MIX + "+/") + "==",
        draw(3) + "8Q~" + draw(34, MIX + "_~.-"),
        "dapi" + draw(32, HEX),
        "hvs." + draw(90, MIX + "-_"),
        draw(14) + ".atlasv1." + draw(67, MIX + "-_"),
        "pul-" + draw(40, HEX),
        "HRKU-" + uuid(),
        "tskey-auth-" + draw(12) + "-" + draw(32),
        "?sv=2022-11-02&sig=" + draw(43) + "%3D",
        "nfp_" + draw(36),
        "https://x.blob.core.windows.net/c?sp=r&sig=" + draw(44),
    ],
    "code": [
        "ghp_" + draw(36),
        "gho_" + draw(36),
        "ghs_" + draw(36),
        "github_pat_" + draw(22) + "_" + draw(59),
        "glpat-" + draw(20),
        "npm_" + draw(36),
        "pypi-AgEIcHlwaS5vcmc" + draw(80, MIX + "-_"),
        "rubygems_" + draw(48, HEX),
        "dckr_pat_" + draw(27, MIX + "-_"),
        "ATATT3xFfGF0" + draw(170, MIX + "-_"),
        "lin_api_" + draw(40),
        "figd_" + draw(40, MIX + "-_"),
        "PMAK-" + draw(24, HEX) + "-" + draw(34, HEX),
        "sntrys_" + draw(80, MIX),
        "NRAK-" + draw(27, UP + NUM),
        "CFPAT-" + draw(43, MIX + "-_"),
        "ATBB" + draw(32),
    ],
    "talk": [
        "xoxb-" + draw(12, NUM) + "-" + draw(12, NUM) + "-" + draw(24),
        "xoxp-" + draw(12, NUM) + "-" + draw(32, HEX),
        "xapp-1-A" + draw(10, UP + NUM) + "-" + draw(13, NUM) + "-" + draw(64, HEX),
        "https://hooks.slack.com/"
        "services/T" + draw(10, UP + NUM) + "/B" + draw(10, UP + NUM) + "/" + draw(24),
        "https://discord.com/api/" + "webhooks/" + draw(18, NUM) + "/" + draw(68, MIX + "-_"),
        draw(10, NUM) + ":AA" + draw(33, MIX + "-_"),
        "MTk" + draw(21) + "." + draw(6) + "." + draw(38, MIX + "-_"),
        "SG." + draw(22, MIX + "-_") + "." + draw(43, MIX + "-_"),
        "key-" + draw(32, HEX),
        draw(32, HEX) + "-us12",
        "SK" + draw(32, HEX),
        "xkeysib-" + draw(64, HEX) + "-" + draw(16),
    ],
    "models": [
        "sk-" + draw(48),
        "sk-proj-" + draw(120, MIX + "-_"),
        "sk-ant-api03-" + draw(93, MIX + "-_"),
        "hf_" + draw(34),
        "gsk_" + draw(52),
        "r8_" + draw(37),
        "pplx-" + draw(48),
        "xai-" + draw(80),
        "sk-or-v1-" + draw(64, HEX),
        "nvapi-" + draw(64, MIX + "-_"),
    ],
    "money": [
        "sk_" + "live_" + draw(24),
        "rk_" + "live_" + draw(24),
        "sk_" + "test_" + draw(24),
        "whsec_" + draw(32),
        "shpat_" + draw(32, HEX),
        "sq0atp-" + draw(22, MIX + "-_"),
        "access-production-" + uuid(),
        "shippo_live_" + draw(40, HEX),
        "access_token$production$" + draw(16) + "$" + draw(32, HEX),
        *(grouped(card(first, 16)) for first in ("4", "51", "55", "2221", "6011", "65")),
        card("4", 16),
        "card 4111 " + "1111 1111 1111",
        "4111" + 12 * "1",
        card("34", 15),
        card("37", 15),
        "My Visa is " + card("45", 16) + ", valid to 09/29",
        "mastercard " + "-".join(grouped(card("53", 16)).split()),
    ],
    "web": [
        "eyJ" + draw(33) + ".eyJ" + draw(60, MIX + "-_") + "." + draw(43, MIX + "-_"),
        "Authorization: Bearer " + draw(40),
        "Authorization: Basic " + draw(32) + "==",
        "postgres://app:" + draw(14) + "@db.example.com:5432/shop",
        "mysql://root:" + draw(9) + "@10.0.0.4/x",
        "mongodb+srv://joe:" + draw(16) + "@cluster0.ab1cd.mongodb.net/",
        "redis://:" + draw(20) + "@cache:6379/0",
        "https://joe:" + draw(12) + "@git.example.com/x.git",
        "amqp://svc:" + draw(12) + "@mq:5672",
        "Server=db;User Id=sa;Password=" + draw(12) + ";",
        "https://api.example.com/v1?api_key=" + draw(32),
        "https://x.io/cb?access_token=" + draw(40),
        "otpauth://totp/Acme:joe?secret=" + draw(16, UP + "234567") + "&issuer=Acme",
        "curl -u joe:" + draw(10) + " https://x.io",
        "sshpass -p '" + draw(9) + "' ssh joe@x",
        "machine x.io login joe password " + draw(12),
        "mysql -u root -p" + draw(10) + " shop",
    ],
    "config": [
        "OPENAI_API_KEY=" + draw(40),
        "export DB_PASSWORD=" + draw(12),
        'password: "' + draw(12) + '"',
        "client_secret: " + draw(32),
        "api_key = '" + draw(24) + "'",
        '"secret": "' + draw(30) + '",',
        "SECRET_KEY_BASE=" + draw(64, HEX),
        "token: " + draw(40, HEX),
        "API key: " + uuid(),
        "api-token => " + draw(24),
        "dbPassword=" + draw(10),
        "encryption key: " + draw(44, MIX + "+/"),
        "NPM_TOKEN=" + uuid(),
        "joe:$6$" + draw(12) + "$" + draw(80, MIX + "./"),
        "$2b$12$" + draw(53, MIX + "./"),
    ],
    "words": [
        "The wifi password is hunter2",
        "wifi password: correcthorse",
        "My password for the bank is Tr0ub4dor&3",
        "Netflix pw: kitten2019!",
        "**Password:** `S3cret-Garden`",
        'password is "open sesame now"',
        "The admin password is now Winter2024!",
        "login joe, password: Zx9!kk2p",
        "Passwort: Sonnenschein77",
        "Das WLAN-Passwort ist Regen!2020",
        "contraseña: luna_llena_88",
        "mot de passe : Bonjour#2021",
        "passphrase: 'purple-monkey-dishwasher-42'",
        "The PIN of my card is 4821",
        "PIN: 9034",
        "pin code 7741".replace("code", "code:"),
        "alarm code: 4471#",
        "The door code is 19452",
        "CVV: 731",
        "backup codes: 4829 1173",
        "the passcode for the tablet is 551990",
        "SSN 078-05-1120".replace("078", "219"),
        "my social security number is 219-09-9999",
        "router admin password = " + draw(8),
        "secret key: " + draw(20),
        "The API token for Jira is " + draw(24),
        "Netflix login: joe@example.com / Sommer2020!",
        "wifi pw kitten2019",
        "hunter2 is the wifi password",
        "Use Blau99Meise as the password",
        "GitHub recovery codes: a1b2c-3d4e5 f6g7h-8i9j0",
        "PIN 4821",
        "Windows product key: " + "-".join(draw(5, UP + NUM) for _ in range(5)),
        "WPA2 key: " + draw(12),
        "Use the token " + draw(32) + " for the deploy",
        "recovery key " + "-".join(draw(6, NUM) for _ in range(8)),
    ],
    "wallets": [
        *SEEDS,
        *(f"Seed phrase: {words}" for words in SEEDS),
        "Recovery words: "
        + " ".join(f"{at}. {word}" for at, word in enumerate(SEEDS[2].split(), 1)),
        "wallet private key: 0x" + draw(64, HEX),
        "private key 5" + draw(50, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
        "xprv" + draw(107, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    ],
}

HARMLESS = (
    "The Stripe API key is stored in the vault under stripe_api_key",
    "The wifi password is in 1Password under Home",
    "Password reset mails go to Ann",
    "The password is wrong",
    "The password is required",
    "Ask Joe for the password",
    "password: see 1Password",
    "Password: ********",
    "Forgot the password of the printer again",
    "API key rotated (2026-02-01)",
    "The API key is rotated every quarter",
    "Token: see the keychain",
    "The token is expired",
    "password = params[:password]",
    "const token = await getToken()",
    "token = os.environ['TOKEN']",
    "api_key: ${API_KEY}",
    "API_KEY=your-api-key-here",
    "password: <your password>",
    "export TOKEN=$(pass show x)",
    "postgres://user:password@localhost/db",
    "https://user:pass@example.com",
    "postgres://postgres:postgres@localhost:5432",
    "The secret is patience",
    "The secret to good bread is time",
    "Joe's secret: he hates tea",
    "The key is to listen",
    "Secret Santa is on Friday",
    "The secret ingredient is cinnamon",
    "A token of love: a ring",
    "The token limit is 4096",
    "max_tokens: 4096",
    "tokens: 128000",
    "Password length: 16 characters",
    "Passwords must have 12 letters",
    "Order 4111-2233 arrived",
    "Invoice 2026-0000123",
    "Call +1 415 555 0132 4400",
    "ISBN 978-0-306-40615-7",
    "IBAN ends in 4821",
    "Build 1769990400000",
    "The card ends in 4242",
    "Flight LH 4821 at 12:40",
    "uuid " + uuid(),
    "commit " + draw(40, HEX),
    "sha256 " + draw(64, HEX),
    "https://docs.google.com/document/d/" + draw(44) + "/edit",
    "https://youtu.be/" + draw(11),
    "![[" + draw(24) + ".png]]",
    "id: " + draw(23, LOW + NUM),
    "Lives in Los Angeles (2026-02-01) ^k3v9qa",
    "Works at [[companies/techcorp]] as engineer (2026-01-15, milestone) ^p7x2mn",
    "We use JWTs that begin with eyJ",
    "AWS keys begin with AKIA",
    "Stripe keys look like sk_live_...",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "Keys are kept in ~/.ssh/id_ed25519",
    "GPIO pin 13 is the LED",
    "pin: 13",
    "Pin the tab",
    "Meeting ID: 893 4424 1829",
    "The combination is unusual: jazz and metal",
    "zip code: 90210",
    "area code is 415",
    "country code: 49",
    "error code: 4041",
    "The dress code is casual",
    "Access code review is at 10:30",
    "password_hash column added",
    "resetPassword() is called twice",
    "Set `token` in config.toml",
    "api_token_path = config/keys.yml",
    "The bearer of the ring is Frodo",
    "Basic understanding of Kubernetes",
    "private key lies on the YubiKey",
    "The master key is with the caretaker",
    "two-factor is on for GitHub",
    "password sha256 hashing",
    "The password manager is 1Password",
    "Zoom https://us02web.zoom.us/j/89174320990?pwd=" + draw(32),
    "tests/test_bpe_tokenizer.py::test_merge_1 PASSED",
    "max_tokens_to_sample: 1024",
    "credentials: 'include'",
    "npm-run-has-some-typo-aliases-in-it-2",
    "sk-learn-contrib-packages-for-python3-and-more",
    "Login page is at /login, see RFC 6749",
    "Account with 20% interest, since 2019",
    "user.signingkey 1A8656918A8D016B",
    "Cookie recipe: 200g butter",
    "The cookie is set by the server",
    "PIN codes have 4 digits",
    "otp is Erlang's library",
    "Backup codes are in the safe",
)


def test_secrets_in_published_forms_are_found() -> None:
    every = [(kind, line) for kind, lines in FORMS.items() for line in lines]
    missed = [
        (kind, re.sub(r"\w{12,}", "…", line)) for kind, line in every if not find_secret(line)
    ]
    assert len(every) >= 150
    assert len(missed) <= 0.05 * len(every), missed


@pytest.mark.parametrize("line", HARMLESS)
def test_a_line_that_only_speaks_of_secrets_holds_none(line: str) -> None:
    assert find_secret(line) is None


@pytest.mark.parametrize("kind", FORMS)
def test_a_secret_is_found_amid_a_sentence(kind: str) -> None:
    for line in FORMS[kind]:
        found = find_secret(line)
        if kind == "wallets":
            assert find_secret(f"- {line} (2026-02-01) ^k3v9qa")
        if found and kind in {"cloud", "code", "talk", "models"}:
            assert find_secret(f"- For the shop Joe uses {line} since May (2026-02-01) ^k3v9qa"), (
                found.what
            )


def test_what_is_found_is_a_part_of_the_line() -> None:
    for line in (line for lines in FORMS.values() for line in lines):
        found = find_secret(line)
        if found and "wallet" not in found.what:
            assert found.text in line
            assert found.text not in found.what


@pytest.mark.skipif(
    sys.platform == "win32", reason="a limit of processor time, which Windows sets otherwise"
)
def test_a_long_line_made_to_be_slow_is_looked_through_in_bounded_time() -> None:
    """Counted in the processor time of a child, which other work on the machine does not add to."""
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (12, 12))\n"
        "from aurelius.language.secret_text import find_secret\n"
        "for filler in ('secret_', 'password: ', 'cookie-', 'apikey_a.', '-'):\n"
        "    assert find_secret((filler * 50_000)[:50_000]) is None\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_no_known_form_is_shorter_than_what_is_looked_for_first() -> None:
    parser = import_module("re._parser")
    for _, form in secret_text._KNOWN:
        assert parser.parse(form.pattern).getwidth()[0] >= 15, form.pattern
