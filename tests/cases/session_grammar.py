"""Sessions for the hook that keeps sentences: a grammar of statements, corrections and talk.

`session(seed)` gives a vault, the conversations a person has with their agent, the day of each,
the whole sentences that state something durable, and the sentences that state nothing durable.

Sentences are given as typed. A list marker ("- ", "2. ") and a line break inside a sentence are no
part of it: a wrapped sentence is given with single spaces. Nothing here says what should be kept:
a statement may be kept or not, but if it is, then whole.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Sequence
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


class Matter(NamedTuple):
    """One kind of thing that can be so and later be otherwise: v is the value, o another one."""

    name: str
    home: str  # folder of the note that would hold it; "me" for ME.md
    title: str  # template of that note's title
    slots: str  # slots that are the same in every sentence about this matter
    values: str  # vocabulary of the value
    says: tuple[str, ...]
    again: tuple[str, ...]
    contrasts: tuple[str, ...]
    changes: tuple[str, ...]


class Live(NamedTuple):
    """A matter with its slots filled and its value as last said."""

    matter: Matter
    fixed: dict[str, str]
    values: tuple[str, ...]
    at: int


class Piece(NamedTuple):
    text: str
    durable: bool


VOCAB: dict[str, tuple[str, ...]] = {
    "person": (
        "Mira Okafor",
        "Dr. Roth",
        "Tomás Pereira",
        "Ines Vogel",
        "Jonas Lindqvist",
        "Priya Nair",
        "Hannah Weiss",
        "Mr. Calloway",
        "Zoë Marchetti",
        "Kofi Mensah",
        "Anneke de Boer",
        "Samir Haddad",
        "Lena Brandt",
        "Prof. Adeyemi",
        "Youssef Amrani",
        "Grace Whitlock",
        "Ms. Tanaka",
        "Olga Petrova",
        "Diego Fuentes",
        "Nora O'Brien",
        "Femi Balogun",
        "Astrid Holm",
        "Wei Chen",
        "Ruth Feldman",
        "Marek Nowak",
        "Clara Bianchi",
        "Aunt Josie",
    ),
    "client": (
        "Brightwell",
        "Anderson",
        "Kestrel & Sons",
        "Halcyon Foods",
        "Northgate Dental",
        "Luma",
        "St. Gallen Tourism",
        "Oakline",
        "Verity Labs",
        "Petit Four",
        "Tideway Inc.",
        "Moss & Co.",
        "Sable Hotels",
        "Quill Press",
        "Redfern Clinic",
        "Ostara",
        "Bluebird Bikes",
        "Harrow Law",
    ),
    "company": (
        "Techcorp",
        "Fjord Analytics",
        "Castillo Logistics",
        "Greenfold",
        "Nimbus AG",
        "Pebble",
        "Arden Motors",
        "Copperfield Bank",
        "Saltmarsh Media",
        "Ivory Labs",
        "Juniper Health",
        "Kilnworks",
        "Larkspur Ltd.",
        "Meridian Rail",
        "Owl & Finch",
        "Parallax Inc.",
        "Zephyr",
    ),
    "project": (
        "Kiteworks",
        "the Aurora site",
        "Lighthouse",
        "the garden shed",
        "Papertrail",
        "Bluefin",
        "the spring catalogue",
        "Tangerine",
        "the attic conversion",
        "Marble",
        "Heron",
        "Saffron",
        "the choir app",
        "Compass",
        "the podcast",
        "Driftwood",
        "the van build",
        "Snowdrop",
    ),
    "place": (
        "Lisbon",
        "Ghent",
        "St. Gallen",
        "Porto",
        "Leeds",
        "Kyoto",
        "Montréal",
        "Trieste",
        "Oslo",
        "Santa Fe",
        "Utrecht",
        "Galway",
        "Tallinn",
        "Graz",
        "Valencia",
        "Accra",
        "Bergen",
        "Riga",
        "Chiang Mai",
        "Halifax",
        "Nantes",
        "Córdoba",
        "Aarhus",
        "Dundee",
        "Ljubljana",
        "Basel",
    ),
    "food": (
        "peanuts",
        "oat milk",
        "coriander",
        "shellfish",
        "rye bread",
        "blue cheese",
        "dark roast",
        "green tea",
        "kimchi",
        "lentil soup",
        "pickled herring",
        "mango",
        "tofu",
        "goat cheese",
        "espresso",
        "sourdough",
        "black beans",
        "celery",
        "fennel",
        "hazelnuts",
        "miso",
        "okra",
    ),
    "drink": (
        "oat-milk flat whites",
        "black coffee",
        "rooibos",
        "green tea",
        "decaf",
        "sparkling water",
        "earl grey",
        "ginger tea",
        "cold brew",
        "hot chocolate",
        "jasmine tea",
        "tonic water",
    ),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "clock": ("8:30", "9:15 a.m.", "10:00", "11.30", "noon", "2 pm", "3:45 p.m.", "16:30", "7 pm"),
    "date": (
        "1 May",
        "3 March",
        "12 April",
        "the 15th of June",
        "March 9th",
        "2026-04-20",
        "2 July",
        "27 Feb.",
        "14 September",
        "30 March",
        "May 22",
        "18 August",
        "the first week of June",
    ),
    "soon": (
        "tomorrow",
        "next Friday",
        "the day after tomorrow",
        "in two weeks",
        "next month",
        "this weekend",
        "on Monday",
        "tonight",
        "at the end of the week",
        "the week after next",
    ),
    "gone": (
        "yesterday",
        "last Thursday",
        "two days ago",
        "this morning",
        "last week",
        "on Sunday",
    ),
    "money": ("€4,500", "$12,000", "800 euros", "£2.300", "15k", "€950", "CHF 7'200", "$640.50"),
    "number": ("75+", "80+", "60", "85", "90+", "65+", "70", "95"),
    "words": ("600", "750", "900", "1,200", "1,500", "400", "2,000"),
    "percent": ("5 %", "7.5%", "10 percent", "12.5 %", "15%", "20 %", "3%"),
    "size": ("3.5 mm", "2.5 mm", "6.35 mm", "USB-C", "Lightning", "4.4 mm", "mini-XLR"),
    "cadence": ("monthly", "quarterly", "weekly", "once a year", "every two weeks", "per article"),
    "diet": ("vegan", "vegetarian", "pescatarian", "gluten-free", "low-carb", "dairy-free"),
    "tone": (
        "British spelling",
        "American spelling",
        "short sentences",
        "the present tense",
        "the first person",
        "sentence-case headings",
        "the Oxford comma",
        "a formal tone",
        "metric units",
        "plain English",
        "the second person",
        "title-case headings",
    ),
    "room": (
        "the green cabinet",
        "the top drawer",
        "the shed",
        "box no. 12",
        "the hall cupboard",
        "the blue binder",
        "the safe at the bank",
        "the glove compartment",
        "the cellar",
    ),
    "thing": (
        "the spare key",
        "the warranty papers",
        "the label printer",
        "the router manual",
        "the passport",
        "the projector cable",
        "the first-aid kit",
        "the tax folder",
        "the tripod",
    ),
    "group": (
        "the choir",
        "the design review",
        "the book club",
        "our stand-up",
        "the board meeting",
        "Zoë's swimming class",
        "the budget call",
        "the physio session",
        "the retro",
        "yoga",
    ),
    "role": (
        "CTO",
        "head of sales",
        "a nurse",
        "a data engineer",
        "the account manager",
        "an architect",
        "a translator",
        "the office manager",
        "a sous-chef",
        "a patent lawyer",
        "the editor",
    ),
    "instrument": (
        "the cello",
        "drums",
        "the oboe",
        "bass guitar",
        "the accordion",
        "the harp",
        "jazz piano",
    ),
    "pet": ("Biscuit", "Momo", "Captain", "Nala", "Pixel", "Waffles", "Sir Barks"),
    "medicine": (
        "ibuprofen 400 mg",
        "2.5 mg of ramipril",
        "vitamin D",
        "5 ml of the syrup",
        "cetirizine",
        "one aspirin (100 mg)",
        "magnesium",
        "eye drops",
    ),
    "branch": ("main", "develop", "release/2.x", "trunk", "staging", "v3-next"),
    "file": ("config.toml", "settings.yaml", "README.md", "deploy.sh", "pyproject.toml", ".env"),
    "seat": ("a window seat", "an aisle seat", "the quiet car", "the upper bunk", "the front row"),
    "colour": ("dark teal", "warm grey", "#1a5f7a", "mustard", "forest green", "off-white", "navy"),
    "slogan": (
        "“Fresh by noon”",
        '"Made to mend"',
        "“Slow is smooth”",
        "'Less, but kinder'",
        "“Read. Rest. Repeat.”",
        '"Every mile counts"',
        "“It’s your move”",
    ),
    "event": (
        "the fair",
        "the audit",
        "the move",
        "the launch",
        "the school holiday",
        "the conference",
        "the renovation",
        "the election",
        "parental leave",
        "the migration",
        "tax season",
    ),
    "reason": (
        "the fair is that week",
        "{person} is allergic to it",
        "the accountant asked for it",
        "the old one broke twice last winter",
        "the licence runs out in June",
        "{person} can't make it before {clock}",
        "it was too slow on big files",
        "their legal team insists",
        "the landlord won't allow it",
        "half the team is in {place}",
        "it costs less than {money} a year",
        "we lost a day to it last time",
        "nobody reads the long version",
        "my back hurts otherwise",
        "the trains are empty then",
        "the readers are mostly nurses",
        "that is what the contract with {client} says",
        "{person} asked me twice",
        "it's not worth the fight",
        "there is no parking in {place}",
        "the API changed without notice",
        "switching again would cost us {money}",
    ),
    "goal": (
        "{person} can read it on the train",
        "nobody has to ask",
        "the numbers add up",
        "we don't run out before {event}",
        "the kids can come along",
        "the tests stay fast",
        "{client} gets it before {day}",
        "it survives a power cut",
        "both teams can comment",
    ),
    "condition": (
        "for Client {client}, ",
        "when writing for {client}, ",
        "on {day}s, ",
        "until {event} is over, ",
        "as long as {person} is away, ",
        "if it rains, ",
        "before every release, ",
        "in {place}, ",
        "for invoices over {money}, ",
        "whenever {person} is in the room, ",
        "during {event}, ",
        "with guests from {company}, ",
        "after 8 p.m., ",
        "once {event} starts, ",
        "for anything that goes to {person}, ",
        "in the {client} newsletter, ",
        "on mobile, e.g. the iPhone app, ",
        "unless {person} objects, ",
        "at {company}, ",
    ),
    "late": (
        " when writing for {client}",
        " if {person} is in the room",
        " unless {person} objects",
        " until {event} is over",
        " whenever the invoice is over {money}",
        " during {event}",
        " for Client {client}",
        " as long as we're in {place}",
        " except on {day}s",
        " once {event} starts",
        " in mails to {person}",
        " before every release",
    ),
    "order": (
        "always use {tone}",
        "never send invoices on a {day}",
        "keep the intro under {words} words",
        "always put {person} in cc",
        "quote prices in euros",
        "don't book anything before {clock}",
        "call {person} before changing {file}",
        "never push to {branch} directly",
        "use {tone}, never {tone2}",
        "add a summary of at most three lines",
        "never serve {food}",
        "round to the nearest 0.5",
        "always ask for {seat}",
        "leave {day} afternoons free",
        "run the tests twice",
        "spell the name {client}, with a capital letter",
        "no meetings after {clock}",
        "double-check every figure",
        "sign as “The {client} team”",
        "write dates as 2026-02-14, not 14.02.26",
        "do not mention {company} by name",
    ),
    "must": (
        "every text needs {tone}",
        "all drafts go to {person} first",
        "we always use {tone}",
        "I don't take calls before {clock}",
        "the minutes have to be in by {clock}",
        "all photos must be at least 1,600 px wide",
        "we never deploy on a {day}",
        "each article must have three sources, i.e. no press releases",
        "I want {tone}",
        "the invoice number comes first",
        "I only read mail at {clock}",
        "we pay within 14 days",
    ),
    "fact": (
        "{person} has two children, Ada and Lou",
        "{person}'s birthday is {date}",
        "{company} was founded in {place}",
        "my sister's name is {person}",
        "I was born in {place}",
        "{person} used to work at {company}",
        "the flat in {place} has no lift",
        "{person} and {person2} got married {gone}",
        "{client} sells through {company}",
        "{person} speaks Portuguese, Dutch and a little Greek",
        "the car needs 5W-30 oil",
        "our fiscal year starts on {date}",
        "{pet} is {person}'s dog",
        "the gate code is 4471",
        "{person} is left-handed",
        "I can't stand {food}",
        "{company} has 340 employees",
        "{person} reports to {person2}",
        "the Wi-Fi in {place} is called “Casa_5G”",
        "{person} missed the {client} deadline {gone}",
        "we signed the contract with {client}",
        "{project} has to be finished before {event}",
        "I'm afraid of heights",
        "{person} is training for the marathon in {place}",
        "the roof was redone {gone}",
        "the boiler is a Vaillant ecoTEC, approx. 12 years old",
        "I learned {instrument} as a child",
        "we decided to skip {event} this year",
        "we decided to hire {person}",
        "the workshop in {place} is on {date}",
        "{person} flies to {place} {soon}",
    ),
    "request": (
        "update the invoice template",
        "draft a mail to {person}",
        "tidy up {file}",
        "book a table in {place}",
        "remind me {soon}",
        "move the call with {person}",
        "put together a short agenda",
        "rename the folder",
        "check the figures once more",
        "send {person} the slides",
        "look up the trains to {place}",
        "rerun the build",
    ),
    "ask": (
        "Can you {request}?",
        "Could you {request} before {clock}?",
        "Please {request}.",
        "What did we say about {project}?",
        "When is the next call with {person}?",
        "Who is responsible for {project}?",
        "Is {person} still in {place}?",
        "Should we switch to {company} instead?",
        "Do we really need {tone} there?",
        "Why does {file} not load after all?",
        "Which one is cheaper, {place} or {place2}?",
        "Have we decided anything about {event}?",
        "Is it {day} or {day2} now?",
        "How many words is that?",
        "Would you rather take {place}?",
        "Can I see the diff?",
        "Show me the last three changes in {file}.",
        "Please summarise the thread with {client}.",
        "What if {person} says no?",
        "Did I ever tell you where {thing} is?",
        "Isn't that the one {person} no longer likes?",
        "Translate that into Dutch, please.",
        "Try again with a shorter title.",
        "Open {file} and tell me what is wrong with line 12.",
        "Make the second paragraph shorter instead.",
        "Not that one, the other one, please.",
        "Can you check whether {person} mentioned {event} in the mail from {gone}?",
        "go on",
        "Run it once more, but with the other file.",
        "Find me a cheap flight to {place} {soon}.",
    ),
    "chat": (
        "Thanks!",
        "Great, thank you.",
        "Hm.",
        "ok",
        "Good morning!",
        "Haha, fair enough.",
        "Wow 😄",
        "Never mind.",
        "Perfect.",
        "Hello again.",
        "No worries.",
        "Sorry for the typos.",
        "Nice one!",
        "That looks good to me.",
        "Let me think about it.",
        "One moment.",
        "I'll be right back.",
        "Looks fine, thanks!",
        "Oh no.",
        "That was quick 🚀",
        "Not bad.",
        "Yes.",
        "No.",
        "Right.",
        "Hope you had a good weekend!",
        "Back again.",
        "Actually, never mind.",
        "Ah, now I see.",
    ),
    "maybe": (
        "If we moved to {place}, we could see {person} more often.",
        "Suppose {person} took over {project}.",
        "Maybe we should try {company} some day.",
        "I wonder whether {person} would like {place}.",
        "Imagine we had {money} left over.",
        "We could switch to {company} instead, but I haven't made up my mind.",
        "I'm not sure yet whether it will be {day} or {day2}.",
        "Let's say, just for the sake of argument, that {client} leaves us.",
        "In theory {person} might move to {place} one day.",
        "Perhaps {day} would be better.",
        "If I won the lottery, I'd buy a house in {place}.",
        "It would be nice to see {place}.",
        "Assuming {person} agreed, would {day} work instead?",
    ),
    "paste": (
        'Traceback (most recent call last):\n  File "{file}", line 41, in load\n'
        "KeyError: 'retry'",
        "$ git status\nOn branch {branch}\nnothing to commit, working tree clean",
        "def switch(a, b):\n    # no longer used, see {file}\n    return b if a is None else a",
        "[2026-02-03 10:41:07] WARN  cache miss for key 0x3f\n[2026-02-03 10:41:08] INFO  retrying",
        "SELECT name, price FROM items\nWHERE price > 80 AND place = '{place}';",
        "- name: deploy\n  if: always()\n  run: ./{file} --not-now",
        "From: sales@{branch}.example\nSubject: We decided to lower our prices!\n"
        "You no longer have to wait. Switch now instead of later.",
    ),
    "cue": (
        "Actually, ",
        "Actually ",
        "Correction: ",
        "No wait, ",
        "From now on, ",
        "Now ",
        "By the way, ",
        "Also, ",
        "Instead of talking about it: ",
        "Oh, and ",
        "Not to forget: ",
        "Change of topic: ",
        "On second thought, ",
        "One correction to the list: ",
        "Hi Claude, ",
        "For the record, ",
        "Note that ",
        "Just so you know, ",
        "Remember: ",
        "In fact, ",
        "Sorry, ",
        "Update: ",
        "I should have said it earlier, but ",
        "Not urgent, but ",
    ),
}

FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("the checkout", ("Stripe", "Adyen", "Mollie", "PayPal", "SumUp", "Square")),
    ("YAML parsing", ("ruamel", "pyyaml", "strictyaml", "python-frontmatter", "libyaml")),
    ("the database", ("PostgreSQL", "SQLite", "DuckDB", "MySQL", "MongoDB", "Redis")),
    ("error tracking", ("Sentry", "Bugsnag", "Rollbar", "GlitchTip", "Honeybadger")),
    ("hosting", ("Hetzner", "Fly.io", "AWS", "Render", "OVH", "a Raspberry Pi")),
    ("e-mail delivery", ("Postmark", "Mailgun", "SES", "Brevo", "our own SMTP server")),
    ("the test suite", ("pytest", "unittest", "Playwright", "Cypress", "Jest")),
    ("authentication", ("JWT", "session cookies", "passkeys", "OAuth 2.1", "Auth0", "Keycloak")),
    ("the newsletter", ("Buttondown", "Mailchimp", "Ghost", "Substack", "Listmonk")),
    ("time tracking", ("Toggl", "Harvest", "Clockify", "a spreadsheet", "pen and paper")),
    ("the front end", ("Svelte", "React", "Vue 3", "htmx", "plain HTML", "Angular")),
    ("accounting", ("Lexware", "Xero", "QuickBooks", "Moneybird", "beancount")),
    ("the floor", ("oak", "cork", "linoleum", "larch", "polished concrete")),
    ("the cover", ("linen", "kraft paper", "matt 300 g board", "felt", "recycled card")),
)

LOWER = (
    "pyyaml",
    "ruamel",
    "libyaml",
    "strictyaml",
    "pytest",
    "unittest",
    "htmx",
    "python-",
    "beancount",
    "config.toml",
    "settings.yaml",
    "deploy.sh",
    "pyproject.toml",
)

MATTERS: tuple[Matter, ...] = (
    Matter(
        "tool",
        "projects",
        "{project}",
        "project",
        "*family",
        (
            "we decided to use {v} for {job} in {project}",
            "{project} uses {v} for {job}",
            "for {job} in {project} we're going with {v}",
            "I picked {v} for {job} in {project}",
            "we settled on {v} for {job} in {project}, and {person} agrees",
        ),
        (
            "{job} in {project} runs on {v}",
            "{v} is what we use for {job} in {project}",
            "in {project}, {v} does {job}",
        ),
        (
            "{project} uses {v} for {job}, not {o}",
            "we chose {v} over {o} for {job} in {project}",
            "for {job} in {project} it's {v} rather than {o}",
        ),
        (
            "we use {v} instead of {o} for {job} in {project} now",
            "{project} no longer uses {o} for {job}; it's {v} now",
            "we won't use {o} for {job} in {project} after all, it will be {v}",
            "let's switch to {v} for {job} in {project}",
            "we moved {job} in {project} from {o} to {v} {gone}",
            "for {job} in {project} it's {v}, not {o}",
        ),
    ),
    Matter(
        "lives",
        "people",
        "{person}",
        "person",
        "place",
        ("{person} lives in {v}", "{person} has a flat in {v}", "{person} moved to {v} {gone}"),
        ("{v} is where {person} lives", "{person}'s home is in {v}"),
        ("{person} lives in {v}, not in {o}", "{person} lives in {v} rather than {o}"),
        (
            "{person} no longer lives in {o}, but in {v}",
            "{person} moved from {o} to {v}",
            "{person} lives in {v} now",
            "{person} didn't move to {o} after all but to {v}",
        ),
    ),
    Matter(
        "works",
        "people",
        "{person}",
        "person",
        "company",
        ("{person} works at {v}", "{person} is with {v}", "{person} joined {v} {gone}"),
        ("{v} is {person}'s employer", "{person} is employed at {v}"),
        ("{person} works for {v}, not for {o}", "it's {v} that {person} works for, not {o}"),
        (
            "{person} left {o} and works at {v}",
            "{person} no longer works at {o}; it's {v} now",
            "{person} works at {v} instead of {o}",
            "{person} isn't joining {o} after all, but {v}",
        ),
    ),
    Matter(
        "role",
        "people",
        "{person}",
        "person company",
        "role",
        ("{person} is {v} at {company}", "at {company}, {person} is {v}"),
        ("{person}'s job at {company} is {v}", "{company} has {person} as {v}"),
        ("{person} is {v} at {company}, not {o}",),
        (
            "{person} is no longer {o} at {company} but {v}",
            "{person} is {v} at {company} now",
            "{person} was promoted from {o} to {v} at {company}",
        ),
    ),
    Matter(
        "meets",
        "areas",
        "{group}",
        "group",
        "day",
        (
            "{group} is on {v}s",
            "{group} takes place every {v} at {clock}",
            "we decided to hold {group} on {v}s",
        ),
        ("{v} is the day for {group}", "every {v} there is {group}"),
        ("{group} is on {v}s, not {o}s", "{group} is on {v}s and not on {o}s, as the flyer says"),
        (
            "{group} moved from {o} to {v}",
            "{group} is no longer on {o}s but on {v}s",
            "let's switch {group} to {v}s",
            "{group} is on {v}s instead of {o}s",
            "{group} stays on {v}s after all, not on {o}s",
        ),
    ),
    Matter(
        "launch",
        "projects",
        "{project}",
        "project",
        "date",
        (
            "we decided to launch {project} on {v}",
            "{project} launches on {v}",
            "the deadline for {project} is {v}",
        ),
        ("{v} is when {project} goes live", "{project} goes out on {v}"),
        ("the deadline for {project} is {v}, not {o}", "{project} is due on {v} rather than {o}"),
        (
            "{project} is postponed from {o} to {v}",
            "{project} launches on {v}, not on {o} after all",
            "we decided to launch {project} on {v} instead of {o}",
            "{project} no longer launches on {o}; the new date is {v}",
        ),
    ),
    Matter(
        "score",
        "companies",
        "{client}",
        "client",
        "number",
        (
            "all articles for {client} must score {v} on Surfer before publishing",
            "for {client}, the minimum Surfer score is {v}",
            "articles for Client {client} need a Surfer score of {v}",
        ),
        ("{v} is the Surfer score that {client} expects",),
        ("the Surfer target for {client} is {v}, not {o}",),
        (
            "for {client}, articles must now score {v} instead of {o} on Surfer",
            "the Surfer target for {client} went from {o} to {v}",
            "{client} no longer accepts {o} on Surfer, they want {v}",
            "the Surfer minimum for {client} is {v} from now on",
        ),
    ),
    Matter(
        "billing",
        "companies",
        "{client}",
        "client",
        "cadence",
        ("{client} is billed {v}", "we bill {client} {v}", "{client} pays {v}"),
        ("invoices to {client} go out {v}",),
        ("{client} is billed {v}, not {o}", "{client} pays {v} rather than {o}"),
        (
            "{client} is no longer billed {o} but {v}",
            "let's switch {client} from {o} to {v} billing",
            "{client} wants to be billed {v} instead of {o}",
            "{client} is billed {v} now",
        ),
    ),
    Matter(
        "budget",
        "projects",
        "{project}",
        "project",
        "money",
        (
            "the budget for {project} is {v}",
            "we have {v} for {project}",
            "we decided to spend {v} on {project}",
        ),
        ("{project} may cost {v}", "{v} is what we have for {project}"),
        ("the budget for {project} is {v}, not {o}",),
        (
            "the budget for {project} went from {o} to {v}",
            "we have {v} instead of {o} for {project}",
            "the budget for {project} is no longer {o}, it's {v}",
            "the budget for {project} is {v} after all, not {o}",
        ),
    ),
    Matter(
        "likes",
        "me",
        "Me",
        "",
        "drink",
        ("I prefer {v} in the morning", "I drink {v} in the morning", "my morning drink is {v}"),
        ("{v} in the morning is what I like best", "mornings start with {v} for me"),
        ("I drink {v} in the morning, not {o}", "I like {v} better than {o} in the morning"),
        (
            "I no longer drink {o} in the morning, it's {v} now",
            "I switched from {o} to {v} in the morning",
            "I drink {v} instead of {o} in the morning",
            "in the morning it's {v} for me after all, not {o}",
        ),
    ),
    Matter(
        "diet",
        "people",
        "{person}",
        "person",
        "diet",
        ("{person} is {v}", "{person} eats {v}", "{person} has been {v} since the summer"),
        ("{person} follows a {v} diet",),
        ("{person} is {v}, not {o}",),
        (
            "{person} is no longer {o} but {v}",
            "{person} is {v} now",
            "{person} isn't {o} after all but {v}",
            "{person} switched from {o} to {v}",
        ),
    ),
    Matter(
        "mydiet",
        "me",
        "Me",
        "",
        "diet",
        ("I'm {v}", "I eat {v}", "I've been {v} for three years"),
        ("my diet is {v}",),
        ("I'm {v}, not {o}",),
        ("I'm no longer {o} but {v}", "I'm {v} now instead of {o}", "I stopped being {o}, I'm {v}"),
    ),
    Matter(
        "keeps",
        "areas",
        "Household",
        "thing",
        "room",
        ("{thing} is in {v}", "we keep {thing} in {v}", "I put {thing} in {v} {gone}"),
        ("you find {thing} in {v}", "{v} is where {thing} is"),
        ("{thing} is in {v}, not in {o}",),
        (
            "{thing} is no longer in {o} but in {v}",
            "I moved {thing} from {o} to {v}",
            "{thing} is in {v} now",
            "{thing} wasn't in {o} after all, it's in {v}",
        ),
    ),
    Matter(
        "style",
        "companies",
        "{client}",
        "client",
        "tone",
        (
            "when writing for {client}, always use {v}",
            "{client} wants {v}",
            "texts for {client} need {v}",
            "always use {v} when writing for {client}",
        ),
        ("{client} asked for {v} in all texts",),
        ("for {client} we use {v}, not {o}", "{client} likes {v} better than {o}"),
        (
            "when writing for {client}, use {v} instead of {o}",
            "{client} no longer wants {o} but {v}",
            "let's switch to {v} in texts for {client}",
            "{client} wants {v} after all, not {o}",
            "for {client}, use {v} from now on",
        ),
    ),
    Matter(
        "plug",
        "resources",
        "Gear",
        "person",
        "size",
        ("{person}'s headphones have a {v} plug", "the plug on {person}'s headphones is {v}"),
        ("{person} needs a {v} cable for the headphones",),
        ("{person}'s headphones have a {v} plug, not {o}",),
        (
            "{person}'s new headphones have a {v} plug instead of {o}",
            "the plug on {person}'s headphones is {v} after all, not {o}",
        ),
    ),
    Matter(
        "plays",
        "people",
        "{person}",
        "person",
        "instrument",
        ("{person} plays {v}", "{person} is learning {v}", "{person} wants to play {v}"),
        ("{v} is {person}'s instrument",),
        ("{person} plays {v}, not {o}",),
        (
            "{person} gave up {o} and plays {v}",
            "{person} plays {v} instead of {o}",
            "{person} switched from {o} to {v}",
            "{person} no longer plays {o}, but {v}",
        ),
    ),
    Matter(
        "takes",
        "people",
        "{person}",
        "person",
        "medicine",
        ("{person} takes {v} before breakfast", "Dr. Roth put {person} on {v}"),
        ("before breakfast {person} has {v}",),
        ("{person} takes {v}, not {o}, before breakfast",),
        (
            "{person} no longer takes {o} but {v}",
            "{person} takes {v} instead of {o}",
            "Dr. Roth changed {person}'s prescription from {o} to {v}",
        ),
    ),
    Matter(
        "branch",
        "projects",
        "{project}",
        "project",
        "branch",
        (
            "the default branch of {project} is {v}",
            "in {project} we merge into {v}",
            "pull requests for {project} go against {v}",
        ),
        ("{v} is the branch that {project} is built from",),
        ("pull requests for {project} go against {v}, not {o}",),
        (
            "pull requests for {project} go against {v} instead of {o}",
            "{project} switched from {o} to {v} as its default branch",
            "we no longer merge into {o} in {project}; {v} is the one",
        ),
    ),
    Matter(
        "seat",
        "me",
        "Me",
        "",
        "seat",
        ("I always take {v} on long trips", "on long trips I want {v}"),
        ("{v} is my choice on long trips",),
        ("on long trips I take {v}, not {o}", "I like {v} better than {o} on long trips"),
        (
            "on long trips I want {v} instead of {o}",
            "I no longer take {o} on long trips, {v} is better for my knee",
            "on long trips it's {v} for me after all",
        ),
    ),
    Matter(
        "paint",
        "projects",
        "{project}",
        "project",
        "colour",
        (
            "we decided to paint {project} {v}",
            "the main colour of {project} is {v}",
            "{project} is going to be {v}",
        ),
        ("{v} is the colour for {project}",),
        ("the main colour of {project} is {v}, not {o}",),
        (
            "{project} is going to be {v} instead of {o}",
            "let's switch {project} to {v}",
            "{project} won't be {o} after all but {v}",
            "the colour of {project} is no longer {o}, we took {v}",
        ),
    ),
    Matter(
        "slogan",
        "companies",
        "{client}",
        "client",
        "slogan",
        ("{client}'s slogan is {v}", "the slogan of {client} reads {v}"),
        ("{client} advertises with {v}",),
        ("{client}'s slogan is {v}, not {o}",),
        (
            "{client}'s slogan is {v} now, no longer {o}",
            "{client} replaced {o} with {v} on all posters",
        ),
    ),
    Matter(
        "fee",
        "companies",
        "{company}",
        "company",
        "percent",
        (
            "{company} takes a fee of {v}",
            "the commission at {company} is {v}",
            "{company} gives us a discount of {v} on orders over {money}",
        ),
        ("with {company} we're at {v}",),
        ("the fee at {company} is {v}, not {o}",),
        (
            "{company} raised its fee from {o} to {v}",
            "{company} no longer takes {o} but {v}",
            "the fee at {company} is {v} instead of {o}",
        ),
    ),
)

EMOJI = ("🎉", "🚚", "👍", "🙈", "☕", "🌧️", "✅", "💡", "🥜", "📅")
FILLERS = ("so yeah ", "um ", "okay so ", "right so ", "and ", "oh and ")


def _fill(rng: random.Random, template: str, fixed: dict[str, str]) -> str:
    """The template with every {slot}: a fixed one, or drawn (slot2 differs from slot)."""
    known = dict(fixed)

    def draw(match: re.Match[str]) -> str:
        key = match.group(1)
        if key not in known:
            taken = set(known.values())
            words = [w for w in VOCAB[key.rstrip("2")] if w not in taken]
            known[key] = rng.choice(words)
        return known[key]

    text = template
    for _ in range(6):
        if "{" not in text:
            break
        text = re.sub(r"\{(\w+)\}", draw, text)
        for key in ("reason", "goal", "condition", "late", "order", "must", "fact", "request"):
            known.pop(key, None)
    return text.replace("..", ".")


def _cap(text: str) -> str:
    if text.startswith(LOWER):
        return text
    return text[0].upper() + text[1:]


def _short(rng: random.Random, text: str) -> str:
    """People often go by their first name once they are known."""
    for name in VOCAB["person"]:
        first, _, rest = name.partition(" ")
        if first not in ("Dr.", "Mr.", "Ms.", "Prof.", "Aunt") and rng.random() < 0.35:
            text = text.replace(name, first)
    return text


def _end(rng: random.Random, text: str) -> str:
    """The final punctuation as people type it."""
    if text.endswith((".", "!", "?")):
        return text
    roll = rng.random()
    if text.endswith(("”", '"')) and text[-2] in ".!?":
        return text
    if roll < 0.80:
        return text + "."
    if roll < 0.88:
        return text + "!"
    if roll < 0.93:
        return text + " " + rng.choice(EMOJI)
    if roll < 0.96:
        return text + " :)"
    return text + "."


def _why(rng: random.Random, text: str) -> str:
    joint = rng.choice(
        (
            " because {reason}",
            ", because {reason}",
            ", since {reason}",
            ", as {reason}",
            " so that {goal}",
            ", so that {goal}",
            "; {reason}",
            " because of {event}",
            " – {reason}",
            " (because {reason})",
            ", seeing that {reason}",
            ": {reason}",
        )
    )
    return text + _fill(rng, joint, {})


def _dress(rng: random.Random, clause: str, *, cue: bool = False, plain: bool = False) -> str:
    """One whole sentence around a clause: lead, condition, reason, request, quotation, end."""
    text = clause
    if not plain:
        roll = rng.random()
        if roll < 0.30:
            text = _why(rng, text)
        elif roll < 0.38:
            text = text + _fill(rng, ", so please {request}", {})
        elif roll < 0.42:
            text = text + _fill(rng, " and {fact}", {})
        elif roll < 0.46:
            text = _fill(rng, "{person} said {gone} that ", {}) + text
        elif roll < 0.50:
            text = text + _fill(rng, ", which {person} told me {gone}", {})
        elif roll < 0.53:
            text = _fill(rng, "as I told {person} {gone}, ", {}) + text
        elif roll < 0.56:
            text = text + _fill(rng, ", although {person} would have liked it otherwise", {})
        elif roll < 0.59:
            text = "I'd like you to remember that " + text
        if rng.random() < 0.10 and "; " not in text:
            text = _fill(rng, "{text} until {event} is over because {reason}", {"text": text})
        if rng.random() < 0.08:
            text = _fill(rng, "{condition}", {}) + text
    if cue:
        text = rng.choice(VOCAB["cue"]) + text
    return _end(rng, _cap(_short(rng, text)))


def _live(rng: random.Random, matter: Matter, taken: set[str]) -> Live | None:
    fixed: dict[str, str] = {}
    if matter.values == "*family":
        job, values = rng.choice(FAMILIES)
        fixed["job"] = job
    else:
        values = VOCAB[matter.values]
    for slot in matter.slots.split():
        fixed[slot] = rng.choice(VOCAB[slot])
    values = tuple(v for v in values if v not in fixed.values())
    key = matter.name + "|" + "|".join(sorted(fixed.values()))
    if key in taken:
        return None
    taken.add(key)
    return Live(matter, fixed, tuple(rng.sample(values, len(values))), 0)


def _clause(rng: random.Random, live: Live, frames: Sequence[str], *, old: int = -1) -> str:
    slots = dict(live.fixed)
    slots["v"] = live.values[live.at % len(live.values)]
    slots["o"] = live.values[(live.at + old) % len(live.values)]
    return _fill(rng, rng.choice(tuple(frames)), slots)


def _rule(rng: random.Random) -> str:
    """A rule: condition first, condition last, bare; with or without its reason."""
    body = _fill(rng, "{order}" if rng.random() < 0.6 else "{must}", {})
    roll = rng.random()
    if roll < 0.55:
        body = _fill(rng, "{condition}", {}) + body
    elif roll < 0.85:
        body = body + _fill(rng, "{late}", {})
    if rng.random() < 0.45:
        body = _why(rng, body)
    if rng.random() < 0.10:
        body = body + _fill(rng, ", so please {request}", {})
    return _end(rng, _cap(_short(rng, body)))


def _quotation(rng: random.Random) -> str:
    """Someone's words inside the sentence, with straight or curly quotes."""
    frames = (
        "{person} wrote: “We no longer work with {company}, please use {company2}.”",
        '{person} told me "no meetings on {day}s" and I promised to stick to it.',
        "Dr. Roth said to take {medicine} “with food, i.e. never on an empty stomach”.",
        "The sign at {company} says 'closed on {day}s', so we go on {day2}s.",
        "When {person} writes “ASAP”, it means by {clock} the next day.",
        'The file is called "{client}_final_v2.1.docx" and it\'s the one that counts.',
        "We decided to call the newsletter “Not {day}, but Now” because {reason}.",
        "{client}’s motto isn’t {slogan} but {slogan2}, since {reason}.",
    )
    return _cap(_fill(rng, rng.choice(frames), {}))


def _long(rng: random.Random) -> str:
    frames = (
        "{condition}we decided {gone} to keep working with {company} for another year, at least "
        "until {event} is over, because {reason} and because {person}, who knows them best, thinks "
        "that {reason}.",
        "{person}, who used to be {role} at {company} and who still lives in {place}, takes over "
        "{project} {soon}, so all questions about the budget ({money}, approx. {percent} of it "
        "travel) go to {person2} and not to me.",
        "{condition}all texts must be shorter than {words} words, use {tone}, name at least two "
        "sources (e.g. a study and a person), and go to {person} by {clock}, so that {goal}.",
        "I no longer want to get reminders about {group} on {day}s, since {reason}, but I do want "
        "one on {day2}s at {clock}, as {reason}.",
    )
    return _cap(_short(rng, _fill(rng, rng.choice(frames), {})))


def _tiny(rng: random.Random) -> str:
    frames = (
        "I'm {diet}.",
        "{person} is {diet}.",
        "I hate {food}.",
        "{pet} bites.",
        "No {food}!",
        "I'm left-handed.",
        "My name is {person}.",
        "I love {place}.",
        "{client} left us.",
        "We chose {place}.",
        "I play {instrument}.",
        "Rent is {money}.",
    )
    return _cap(_fill(rng, rng.choice(frames), {}))


def _talk(rng: random.Random) -> str:
    roll = rng.random()
    name = "ask" if roll < 0.55 else "chat" if roll < 0.80 else "maybe"
    return _short(rng, _fill(rng, rng.choice(VOCAB[name]), {}))


def _paste(rng: random.Random) -> tuple[str, list[str]]:
    """Pasted text: fenced, quoted or bare under a request; with its lines."""
    body = _fill(rng, rng.choice(VOCAB["paste"]), {})
    lines = [line.strip() for line in body.split("\n")]
    ask = rng.choice(
        (
            "What does this mean?",
            "Can you fix this?",
            "Why is that?",
            "I got this, please have a look:",
        )
    )
    roll = rng.random()
    if roll < 0.6:
        return f"{ask}\n```\n{body}\n```", [ask, *lines]
    quoted = "\n".join("> " + line for line in body.split("\n"))
    return f"{ask}\n\n{quoted}", [ask, *lines]


def _dictated(rng: random.Random, text: str) -> str:
    """As a phone hears it: no capitals, no final full stop, sometimes a filler first."""
    text = text.lower().replace("“", "").replace("”", "").replace('"', "")
    text = text.rstrip(".! ")
    return (rng.choice(FILLERS) if rng.random() < 0.35 else "") + text


def _wrap(rng: random.Random, text: str) -> str:
    """A sentence broken over two lines, as when pasted from a mail."""
    words = text.split(" ")
    at = rng.randrange(len(words) // 3, 2 * len(words) // 3 + 1)
    return " ".join(words[:at]) + "\n" + " ".join(words[at:])


class _Writer:
    """Draws one session; all state is here, all chance is in one generator."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.taken: set[str] = set()
        self.lives: list[Live] = []
        self.said: list[str] = []
        self.statements: list[str] = []
        self.talk: list[str] = []

    def fresh(self) -> Live:
        while True:
            live = _live(self.rng, self.rng.choice(MATTERS), self.taken)
            if live is not None:
                self.lives.append(live)
                return live

    def state(self, *, cue: bool) -> str:
        """Something new: a matter never spoken of, a plain fact, a rule, a quotation."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.45:
            live = self.fresh()
            frames = live.matter.contrasts if rng.random() < 0.25 else live.matter.says
            return _dress(rng, _clause(rng, live, frames), cue=cue)
        if roll < 0.65:
            return _dress(rng, _fill(rng, "{fact}", {}), cue=cue)
        if roll < 0.85:
            return _rule(rng)
        if roll < 0.91:
            return _quotation(rng)
        if roll < 0.96:
            return _long(rng)
        return _tiny(rng)

    def change(self) -> str:
        """A later word on a matter that a note or an earlier message speaks of."""
        rng = self.rng
        at = rng.randrange(len(self.lives))
        live = self.lives[at]
        live = live._replace(at=live.at + 1)
        self.lives[at] = live
        clause = _clause(rng, live, live.matter.changes)
        return _dress(rng, clause, cue=rng.random() < 0.3)

    def again(self) -> str:
        """The same once more: word for word, or in other words."""
        rng = self.rng
        if self.said and rng.random() < 0.5:
            return rng.choice(self.said)
        live = rng.choice(self.lives)
        frames = live.matter.again if rng.random() < 0.7 else live.matter.says
        return _dress(rng, _clause(rng, live, frames), plain=rng.random() < 0.5)

    def message(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.24:
            if rng.random() < 0.2:
                text, lines = _paste(rng)
                self.talk.extend(lines)
                return text
            parts = [Piece(_talk(rng), False) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        elif roll < 0.38:
            parts = [Piece(self.state(cue=False), True)]
        elif roll < 0.54:
            parts = [Piece(self.state(cue=True), True)]
        elif roll < 0.70:
            parts = [Piece(self.change(), True)]
        elif roll < 0.80:
            parts = [Piece(self.again(), True)]
        elif roll < 0.88:
            parts = [Piece(self.state(cue=False), True), Piece(self.state(cue=True), True)]
        elif roll < 0.93:
            parts = [Piece(self.state(cue=False), True), Piece(self.change(), True)]
        else:
            return self.listing()
        if any(p.durable for p in parts):
            if rng.random() < 0.25:
                parts.append(Piece(_talk(rng), False))
            if rng.random() < 0.12:
                parts.insert(0, Piece(_talk(rng), False))
        return self.lay_out(parts)

    def listing(self) -> str:
        """A list of statements under a line that only announces it."""
        rng = self.rng
        intro = _fill(
            rng,
            rng.choice(
                (
                    "A few things about {client}:",
                    "Notes from the call with {person}:",
                    "For later:",
                    "What came out of the meeting:",
                    "Some corrections and news:",
                    "Please keep in mind:",
                )
            ),
            {},
        )
        lines = [intro]
        self.note_talk(intro)
        for number in range(1, rng.randrange(2, 5) + 1):
            roll = rng.random()
            text = self.change() if roll < 0.2 else self.state(cue=False)
            if rng.random() < 0.4:
                text = text.rstrip(".")
            mark = {"-": "- ", "*": "* ", "1": f"{number}. "}
            lines.append(mark[rng.choice("--*") if number == 1 else lines[1][0]] + text)
            self.note_statement(text)
        return "\n".join(lines)

    def lay_out(self, parts: list[Piece]) -> str:
        rng = self.rng
        dictated = rng.random() < 0.15
        texts: list[str] = []
        for part in parts:
            text = part.text
            if dictated:
                text = _dictated(rng, text)
            if part.durable:
                self.note_statement(text)
            else:
                self.note_talk(text)
            if not dictated and len(text.split()) > 14 and rng.random() < 0.06:
                text = _wrap(rng, text)
            texts.append(text)
        if dictated:
            return "\n".join(texts)
        bare = any(t[-1] not in '.!?”"' for t in texts[:-1])
        joint = rng.choice(("\n", "\n\n")) if bare else rng.choice((" ", " ", " ", "\n", "\n\n"))
        return joint.join(texts)

    def note_statement(self, text: str) -> None:
        if text not in self.statements:
            self.statements.append(text)
        self.said.append(text)

    def note_talk(self, text: str) -> None:
        if text not in self.talk:
            self.talk.append(text)

    def notes(self, first: datetime.date) -> dict[str, str]:
        """The vault before the session: a few notes, some of them about what is said later."""
        rng = self.rng
        bullets: dict[tuple[str, str], list[str]] = {}
        daily: list[str] = []
        used: set[str] = set()
        for _ in range(rng.randrange(3, 9)):
            live = self.fresh()
            frames = live.matter.contrasts if rng.random() < 0.15 else live.matter.says
            clause = _clause(rng, live, frames)
            if rng.random() < 0.25:
                clause = _why(rng, clause)
            text = _cap(clause)
            if text in used:
                continue
            used.add(text)
            day = datetime.date(2026, 2, rng.randrange(1, 9)).isoformat()
            if rng.random() < 0.2:
                daily.append(f"- {text}{rng.choice(('', '.'))}")
                self.said.append(text + ".")
                continue
            tail = rng.choice((day, day, f"{day}, from chat", f"{day}, importance 0.8"))
            mark = " ^" + "".join(rng.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(6))
            title = _cap(_fill(rng, live.matter.title, live.fixed))
            line = f"- {text} ({tail}){mark if rng.random() < 0.4 else ''}"
            bullets.setdefault((live.matter.home, title), []).append(line)
            if rng.random() < 0.3:
                self.said.append(text + ".")
        if rng.random() < 0.5:
            person = rng.choice(VOCAB["person"])
            text = _cap(_fill(rng, "{fact}", {"person": person}))
            if text not in used:
                bullets.setdefault(("people", person), []).append(f"- {text} (2026-02-02)")
        notes = {
            _path(home, title): self.note(home, title, lines)
            for (home, title), lines in bullets.items()
        }
        if rng.random() < 0.4 and "ME.md" not in notes:
            notes["ME.md"] = self.note("me", "Me", ["- I get up at 6:30 (2026-02-01)"])
        if daily or rng.random() < 0.5:
            yesterday = first - datetime.timedelta(days=1)
            head = f"# {yesterday.isoformat()}\n\n" if rng.random() < 0.7 else ""
            body = "\n".join(["- Long walk with the dog, then mail.", *daily])
            if rng.random() < 0.3:
                body += "\n\n## Captured\n- The printer at work is out of toner again."
            notes[f"memory/{yesterday.isoformat()}.md"] = head + body + "\n"
        if rng.random() < 0.25:
            text = f"# {first.isoformat()}\n\n- [ ] Call the plumber\n- Slept badly.\n"
            notes[f"memory/{first.isoformat()}.md"] = text
        return notes

    def note(self, home: str, title: str, lines: list[str]) -> str:
        rng = self.rng
        kinds = {
            "people": "person",
            "projects": "project",
            "companies": "company",
            "areas": "area",
            "resources": "resource",
        }
        head = ""
        if home in kinds and rng.random() < 0.6:
            alias = title.split()[0].strip(".")
            extra = f"aliases: [{alias}]\n" if home == "people" and len(alias) > 3 else ""
            head = f"---\ntype: {kinds[home]}\n{extra}updated: 2026-02-08\n---\n"
        body = [f"# {title}", ""]
        if rng.random() < 0.4:
            body += ["## Summary", f"What we know about {title}".rstrip(".") + ".", ""]
        heading = (
            "Preferences"
            if home == "me"
            else rng.choice(("Decisions", "Facts") if home == "projects" else ("Facts",))
        )
        body += [f"## {heading}", *dict.fromkeys(lines)]
        if rng.random() < 0.15:
            body += ["", "## History", "- ~~Not yet known to us~~ (2025-06-01 → 2026-01-05)"]
        return head + "\n".join(body) + "\n"


def _path(home: str, title: str) -> str:
    if home == "me":
        return "ME.md"
    slug = re.sub(r"[^\w]+", "-", title.lower()).strip("-")
    return f"{home}/{slug}.md"


def session(seed: int) -> Session:
    """The session of this seed; the same seed gives the same session."""
    writer = _Writer(seed)
    rng = writer.rng
    day = datetime.date(2026, 2, rng.randrange(9, 25))
    notes = writer.notes(day)
    turns: list[list[str]] = []
    days: list[str] = []
    for _ in range(rng.choice((1, 2, 2, 3, 3))):
        days.append(day.isoformat())
        turns.append([writer.message() for _ in range(rng.randrange(1, 6))])
        if rng.random() < 0.5:
            day += datetime.timedelta(days=1)
    durable = set(writer.statements)
    talk = [text for text in dict.fromkeys(writer.talk) if text and text not in durable]
    return Session(notes, turns, days, writer.statements, talk)
