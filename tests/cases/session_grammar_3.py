"""A third grammar of sessions: what one person types to their agent, written without the others.

`session(seed)` gives a vault, the conversations, the day of each, the whole sentences that state
something durable, and the sentences that state nothing durable.

Sentences are given as typed, white space folded; a list marker is no part of a sentence. A sentence
without a final mark is always the last of its line or list item. Pasted text is talk.
"""

from __future__ import annotations

import datetime
import random
import re
import string
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


class Subject(NamedTuple):
    """A thing with one value at a time: {v} is the value, {o} the one before it.

    Every template begins as in the middle of a sentence and has no final mark.
    """

    home: str
    title: str
    values: str
    says: tuple[str, ...]
    why: tuple[str, ...]
    changes: tuple[str, ...]
    gone: tuple[str, ...]


class Known(NamedTuple):
    subject: Subject
    fixed: dict[str, str]
    value: str


class Bit(NamedTuple):
    text: str
    durable: bool
    closed: bool  # ends with a mark, so another sentence may follow on the same line


WORDS: dict[str, tuple[str, ...]] = {
    "person": (
        "Dr. Bligh",
        "Mrs. Adair",
        "Prof. Szymańska",
        "J. R. Okoro",
        "Henning Quist",
        "Marguerite St. Cloud",
        "Tavi Rosenthal",
        "Mr. Kowalczyk Jr.",
        "Beatrix Ng",
        "Ola Fjeldstad",
        "Rafiq Chowdhury",
        "Ms. d'Ambrosio",
        "Sgt. Pell",
        "Rev. Thackeray",
        "Ingrid-Marie Thorsen",
        "Çağla Demir",
        "K. Varga",
        "T. S. Imrie",
        "Lubomír Hašek",
        "Perpetua Vane",
    ),
    "first": (
        "Otis",
        "Saskia",
        "Bram",
        "Ludo",
        "Noor",
        "Wilhelmina",
        "Ezra",
        "Thandi",
        "Pim",
        "Aoife",
        "Gus",
        "Marisol",
    ),
    "kin": (
        "my sister-in-law",
        "our landlady",
        "the night porter",
        "my nephew",
        "our bookkeeper",
        "my old boss",
        "the vet",
        "my running partner",
        "the caretaker",
        "my godmother",
    ),
    "firm": (
        "Thistle & Pike Ltd.",
        "Ostrava Castings",
        "Bluewhistle Inc.",
        "Lowtide Ferries",
        "Gebr. Aumann",
        "Sycamore Optics Co.",
        "Vantablue",
        "Quillfeather Books",
        "Mossgate Vets",
        "E. & J. Tarrant",
    ),
    "work": (
        "Project Gannet",
        "the kiln rebuild",
        "the Aveiro anthology",
        "Ferrybot",
        "the regatta site",
        "the seed catalogue",
        "Copperleaf",
        "the tenants' handbook",
        "paperclip-api",
        "the orchard survey",
    ),
    "club": (
        "the rowing club",
        "the beekeepers",
        "St. Olave's bell ringers",
        "the chess evening",
        "the allotment committee",
        "the repair café",
        "the Thursday sketchers",
    ),
    "pet": (
        "Marzipan",
        "Mrs. Whiskerson",
        "the tortoise",
        "old Pepper",
        "Sir Barksalot",
        "the goose",
    ),
    "weekday": (
        "Mon.",
        "Tuesday",
        "Wed.",
        "Thursdays",
        "Fri.",
        "Saturday mornings",
        "Sun. evenings",
    ),
    "time": (
        "6.15 a.m.",
        "7:40",
        "approx. 11 a.m.",
        "twelve sharp",
        "half past four",
        "18:05",
        "9 p.m.",
    ),
    "date": (
        "3 Nov.",
        "Dec. 12",
        "2026-09-30",
        "21/4",
        "the 5th of Oct.",
        "Jan. 8, 2027",
        "Whit Monday",
    ),
    "sum": (
        "£1,250.50",
        "€38.20",
        "approx. $900",
        "14.- CHF",
        "2.4k",
        "1 350 kr",
        "$0.07 per page",
    ),
    "place": (
        "No. 5, St. Anne's Court",
        "Gullane",
        "Washington, D.C.",
        "Mt. Pleasant",
        "Zwolle",
        "the old pump house",
        "14b Wherry Ln.",
        "St. Monans",
        "Fort Wm.",
        "Trondheim",
    ),
    "spot": (
        "behind the flour bin",
        "in drawer No. 3",
        "on the hook by the fuse box",
        "in the blue biscuit tin",
        "under the third flowerpot",
        "inside the piano stool",
        "at my neighbour's (flat 2b)",
    ),
    "version": (
        "v2.14.1",
        "3.0.0-rc.2",
        "Python 3.13",
        "1.9.x",
        "Node 22.4",
        "0.7",
        "PostgreSQL 16.3",
    ),
    "link": (
        "https://wiki.gannet.example/ops/readme.html",
        "http://10.0.4.17:8080/status?full=1",
        "docs.copperleaf.example/v2.1/intro",
        "https://lowtide.example/timetable/2026.pdf",
        "ferrybot.example",
    ),
    "mail": (
        "p.vane@quillfeather.example",
        "billing+eu@bluewhistle.example",
        "j.r.okoro@uni.example",
        "office@mossgate.example",
        "hello@tarrant.co.example",
    ),
    "phone": ("+44 20 7946 0018", "0131 496 0772", "ext. 409", "(555) 010-4477"),
    "food": (
        "walnuts",
        "celery",
        "squid",
        "sheep's yoghurt",
        "rice flour",
        "anything with aspartame",
        "raw onion",
        "liquorice",
    ),
    "drink": (
        "nettle tea",
        "flat whites",
        "ginger beer",
        "decaf after 2 p.m.",
        "lapsang",
        "tap water",
    ),
    "dose": ("2.5 mg", "half a tablet", "10 ml", "two drops per eye", "0.4 mg", "one sachet"),
    "tool": ("Typst", "Helix", "Penpot", "DuckDB", "LibreOffice", "just", "Caddy", "Inkscape 1.3"),
    "format": (
        "CSV",
        "plain text, no tables",
        "A5 landscape",
        "ISO dates",
        "24-hour times",
        "one column per page",
        "tabs",
    ),
    "person_job": (
        "a locksmith",
        "head of procurement",
        "the new treasurer",
        "an anaesthetist",
        "deputy editor",
        "a Ph.D. student",
        "interim CFO",
        "a glazier",
    ),
    "code": ("4471", "KX-88.2", "9913#", "B/207-A", "gannet_ro", "No. 118"),
    "glaze": ("tin white", "celadon", "shino", "iron black", "clear (lead-free)", "ash No. 2"),
    "branch": ("integration", "maint-2.8", "stable", "next", "prod-eu"),
    "size": ("38.5", "EU 44", "a men's M", "size 7½", "12 W", "XXL"),
    "lang": (
        "Frisian",
        "Portuguese",
        "U.S. English",
        "Czech",
        "British Sign Language",
        "German (Sie, not du)",
    ),
    "ride": (
        "the 7.52 train",
        "bus no. 23",
        "the 6:10 ferry",
        "her cargo bike",
        "a lift from Gus",
        "the tram",
    ),
    "number": ("three", "12", "seven", "approx. 40", "no more than 5", "twenty-two"),
    "supplier": (
        "Nordkiln",
        "Potts Bros.",
        "Atelier Rive",
        "Greenhalgh & Daughters",
        "Tri-State Paper Corp.",
        "Ekblad",
    ),
    "topic": (
        "the drainage",
        "the cover letter",
        "the spare tyre",
        "that spreadsheet",
        "the quince jam",
        "the quiz",
    ),
}


SUBJECTS: tuple[Subject, ...] = (
    Subject(
        "people",
        "{person}",
        "place",
        (
            "{person} lives at {v}",
            "the address of {person} is {v}",
            "{person} has settled in {v} for good",
            "post for {person} should be sent to {v}",
        ),
        (
            "because the old lease ran out",
            "as the Dr. Grant estate was sold",
            "to be near the clinic",
        ),
        (
            "{person} has moved from {o} to {v}",
            "{v} is where {person} lives these days, {o} is history",
            "{person}'s address is {v} and not {o}",
        ),
        ("{person} doesn't live at {o} any more", "{person} has given up the flat at {o}"),
    ),
    Subject(
        "people",
        "{person}",
        "person_job",
        (
            "{person} is {v} at {firm}",
            "{firm} hired {person}, who is {v} there",
            "over at {firm}, {person} works as {v}",
        ),
        ("since the merger with Pratt & Co. went through", "because nobody else applied"),
        (
            "{person} isn't {o} any longer but {v}",
            "at {firm} they made {person} {v}; before that it was {o}",
            "I called {person} {o}, the right title is {v}",
        ),
        ("{person} has left {firm}", "{person} retired from {firm} on 1 Oct. after 31 years"),
    ),
    Subject(
        "people",
        "{first}",
        "food",
        (
            "{first} is allergic to {v}",
            "{first} can't stand {v}",
            "{v} makes {first} ill",
            "no {v} for {first}, ever",
        ),
        ("so check the label twice", "because of what happened in St. Malo", "(doctor's orders)"),
        (
            "it's {v} that {first} can't have, not {o}",
            "{first} eats {o} again, the trouble is {v}",
        ),
        ("{first} has outgrown the {o} thing", "{first} is fine with {o} again"),
    ),
    Subject(
        "me",
        "ME",
        "drink",
        (
            "I only drink {v} at work",
            "my drink of choice is {v}",
            "if anybody asks what I'd like, it's {v}",
            "given the choice I take {v} over coffee",
        ),
        ("because my stomach rebels otherwise", "since Dr. Bligh told me off"),
        ("I've gone off {o} and onto {v}", "{v} instead of {o} for me, starting this week"),
        ("I gave up {o}", "I don't drink {o} at all any more"),
    ),
    Subject(
        "me",
        "ME",
        "format",
        (
            "I want reports in {v}",
            "whenever you hand me a table, use {v}",
            "my preference for exports is {v}",
            "{v}, please, in everything you write for me from now on",
        ),
        ("because the screen reader trips over the rest", "as my laptop is an old 11 in. one"),
        ("no more {o} in exports, {v} from here on", "I take back {o}: I prefer {v}"),
        ("you needn't bother with {o} any longer", "the {o} requirement is off the table"),
    ),
    Subject(
        "me",
        "ME",
        "size",
        ("my shoe size is {v}", "I take {v} in boots", "for the club jacket I'm {v}"),
        ("at least with Ekblad, who run small", "because my feet grew with the twins"),
        ("I'm {v} these days, {o} pinches", "my size is {v}, I misremembered {o}"),
        ("{o} doesn't fit me any longer",),
    ),
    Subject(
        "me",
        "ME",
        "lang",
        (
            "I write to the insurers in {v}",
            "my working language is {v}",
            "I've been learning {v} since Sept.",
            "drafts to {person} go out in {v}",
        ),
        ("because that's what the form (p. 4) demands", "so nobody has to translate it twice"),
        (
            "drafts to {person} go out in {v}, no longer in {o}",
            "{v} is the language to use, {o} was my mistake",
        ),
        ("I've stopped {o} lessons",),
    ),
    Subject(
        "projects",
        "{work}",
        "tool",
        (
            "we settled on {v} for {work}",
            "{work} is built with {v}",
            "{person} and I agreed that {work} runs on {v}",
            "the decision for {work} is {v}, full stop",
        ),
        (
            "because the licence of the other one changed",
            "since it starts in approx. 0.2 s",
            "mainly on cost grounds, i.e. it's free",
        ),
        (
            "{work} swapped {o} for {v}",
            "we dropped {o} in {work} and took {v}",
            "for {work} it's going to be {v} after all, not {o}",
        ),
        ("{work} doesn't use {o} any more", "we've ripped {o} out of {work}"),
    ),
    Subject(
        "projects",
        "{work}",
        "version",
        (
            "{work} is pinned to {v}",
            "the oldest release that {work} supports is {v}",
            "production of {work} is still on {v}",
            "{v} is what {work} ships with",
        ),
        ("because 4.x breaks the importer", "until the vendor fixes issue no. 81"),
        (
            "{work} went from {o} to {v}",
            "we bumped {work} to {v}, so forget {o}",
            "the pin in {work} reads {v} instead of {o}",
        ),
        ("support for {o} in {work} has ended", "{work} isn't held at {o} any longer"),
    ),
    Subject(
        "projects",
        "{work}",
        "branch",
        (
            "hotfixes for {work} branch off {v}",
            "in {work} nobody pushes to {v} without a review",
            "{work} deploys from {v}",
        ),
        ("because the runner can't see the others", "as agreed with {person}"),
        (
            "{work} deploys from {v}, it used to be {o}",
            "not {o} but {v} is the deploy branch of {work}",
        ),
        ("the {o} branch of {work} has been deleted",),
    ),
    Subject(
        "projects",
        "{work}",
        "date",
        (
            "the deadline for {work} is {v}",
            "{work} goes live on {v}",
            "{firm} expects {work} by {v} at the latest",
            "we promised {person} {work} for {v}",
        ),
        ("because the grant runs out then", "as their fiscal year starts the day after"),
        (
            "the deadline for {work} slipped from {o} to {v}",
            "{work} is due {v}, not {o}",
            "they moved {work} to {v}; {o} is dead",
        ),
        ("there's no deadline for {work} any more", "{work} has been called off"),
    ),
    Subject(
        "projects",
        "{work}",
        "link",
        (
            "the runbook for {work} lives at {v}",
            "{v} is the staging address of {work}",
            "status of {work} can be seen under {v}",
        ),
        ("because the intranet was shut down",),
        ("the runbook for {work} is at {v}, {o} gives a 404", "{o} was replaced by {v}"),
        ("{o} is offline for good",),
    ),
    Subject(
        "projects",
        "{work}",
        "sum",
        (
            "the budget for {work} is {v}",
            "{firm} pays {v} a month towards {work}",
            "{work} may cost {v} at most (incl. VAT)",
        ),
        ("because the board wouldn't sign more", "since the Q3 review"),
        ("the budget for {work} went up to {v}", "it's {v} for {work}, not {o} as I said"),
        ("the {o} for {work} has been withdrawn",),
    ),
    Subject(
        "companies",
        "{firm}",
        "mail",
        (
            "invoices for {firm} go to {v}",
            "{firm} can be reached at {v}",
            "the only address {firm} ever answers is {v}",
        ),
        ("because the portal loses attachments", "as per their letter of 2 Nov."),
        ("{firm} changed its address from {o} to {v}", "use {v} for {firm}, {o} bounces"),
        ("{o} isn't read by anybody any more", "mail to {o} bounces these days"),
    ),
    Subject(
        "companies",
        "{firm}",
        "supplier",
        (
            "{firm} buys its paper from {v}",
            "we get our clay through {firm}, who order it from {v}",
            "{firm} and {v} have merged their warehouses",
        ),
        ("because the others want cash up front",),
        ("{firm} left {o} and went to {v}", "it's {v} who supplies {firm}, {o} was last year"),
        ("{firm} no longer deals with {o}",),
    ),
    Subject(
        "companies",
        "{firm}",
        "number",
        (
            "{firm} gives us {v} days to pay",
            "{firm} employs {v} people",
            "the contract with {firm} covers {v} visits a year",
        ),
        ("(see cl. 9.2 of the contract)", "since the Mar. renewal"),
        (
            "with {firm} we have {v} days to pay instead of {o}",
            "the contract with {firm} says {v}, not {o}",
        ),
        ("we've cancelled the contract with {firm}",),
    ),
    Subject(
        "areas",
        "{club}",
        "weekday",
        (
            "{club} meet on {v}",
            "I'm at {club} on {v}",
            "{v} is when I help out with {club}",
            "keep {v} free for {club}",
        ),
        ("because the hall is cheaper then", "since {first} can't do any other day"),
        ("{club} have switched from {o} to {v}", "{club} is {v} now rather than {o}"),
        ("I've quit {club}", "{club} has been wound up"),
    ),
    Subject(
        "areas",
        "{club}",
        "person_job",
        (
            "{person} is {v} of sorts for {club}",
            "{club} voted for {person} as {v}",
        ),
        ("because Mr. Ames stepped down",),
        ("for {club}, {person} is {v}, not {o}",),
        ("{person} doesn't belong to {club} any longer",),
    ),
    Subject(
        "areas",
        "Home",
        "spot",
        (
            "the cellar key is {v}",
            "I keep the fuses {v}",
            "passports are {v}",
            "{kin} always leaves the post {v}",
        ),
        ("because {first} kept losing it", "so the cat can't get at it"),
        ("the cellar key isn't {o} any more, it's {v}", "I moved the fuses: {o} before, {v} now"),
        ("nothing is kept {o} any longer",),
    ),
    Subject(
        "areas",
        "Home",
        "code",
        (
            "the code for the bike shed is {v}",
            "our meter number is {v}",
            "the alarm at the studio takes {v}",
        ),
        ("ever since the break-in on 4 Dec.",),
        ("the shed code changed to {v}", "the alarm takes {v}, {o} sets it off"),
        ("code {o} stopped working",),
    ),
    Subject(
        "areas",
        "Home",
        "sum",
        (
            "rent is {v} a month, due on the 3rd",
            "{kin} gets {v} from us every quarter",
            "I put {v} aside for repairs each Jan.",
        ),
        ("because the roof won't last", "as agreed in writing"),
        ("rent rose from {o} to {v}", "it's {v} we pay, not {o}"),
        ("we don't pay the {o} any more",),
    ),
    Subject(
        "areas",
        "{pet}",
        "dose",
        (
            "{pet} gets {v} every morning",
            "the vet prescribed {v} twice a day for {pet}",
            "{pet} needs {v} with food, not before",
        ),
        ("because of the kidneys", "until the check-up on Feb. 20"),
        ("{pet} is down from {o} to {v}", "{v} is the right dose for {pet}, {o} was too strong"),
        ("{pet} is off the medicine", "no more {o} for {pet}"),
    ),
    Subject(
        "areas",
        "Health",
        "dose",
        (
            "I take {v} of the blood-pressure stuff before bed",
            "{person} put me on {v} a day",
            "{first} needs {v} at approx. 8 p.m.",
        ),
        ("because the lab values (cf. Nov.) were off",),
        ("{person} lowered it from {o} to {v}", "make that {v}, the {o} was for the first week"),
        ("I've come off the {o}",),
    ),
    Subject(
        "areas",
        "Studio",
        "glaze",
        (
            "the tea bowls for {firm} get {v}",
            "{person} ordered all mugs in {v}",
            "our house glaze is {v}",
        ),
        ("because it hides fingerprints", "since the tin one crazes"),
        (
            "{person} wants {v} rather than {o}",
            "our house glaze is {v}, we ran out of {o} for good",
        ),
        ("we stopped using {o}",),
    ),
    Subject(
        "people",
        "{kin}",
        "ride",
        (
            "{kin} takes {v} to work",
            "{kin} always comes by {v}",
            "on {weekday} {kin} arrives on {v}",
        ),
        ("because parking near St. James's is hopeless",),
        ("{kin} comes by {v} since they cut {o}", "it's {v} that {kin} takes, not {o}"),
        ("{kin} doesn't take {o} any more",),
    ),
    Subject(
        "people",
        "{person}",
        "phone",
        (
            "{person} picks up under {v}",
            "the direct line of {person} is {v}",
            "in an emergency, call {person} on {v}",
        ),
        ("because the switchboard shuts at 5 p.m.",),
        ("{person} has a new number, {v}, and {o} is dead",),
        ("{o} isn't {person}'s number any longer",),
    ),
    Subject(
        "people",
        "{person}",
        "time",
        (
            "{person} never takes calls before {v}",
            "my slot with {person} is at {v} on {weekday}",
            "{person} likes the summary by {v}",
        ),
        ("because of the school run", "as the U.S. team wakes up then"),
        ("{person} shifted our slot from {o} to {v}", "the slot with {person} is {v}, not {o}"),
        ("my slot with {person} is gone",),
    ),
    Subject(
        "people",
        "{first}",
        "date",
        (
            "{first} was born on {v}",
            "{first}'s wedding is on {v}",
            "{first} starts at the new school on {v}",
        ),
        ("(I looked it up in the calendar)",),
        ("{first}'s day is {v}, I had written {o}", "{v}, not {o}, is the date for {first}"),
        ("{first}'s wedding is off",),
    ),
)

RULES: tuple[str, ...] = (
    "if {person} writes after {time}, don't answer until the next morning",
    "when a mail comes from {mail}, flag it for {first}",
    "before you touch anything in {work}, run the tests with {version}",
    "unless I say otherwise, round sums up to the next full euro",
    "whenever {firm} sends a quote, compare it with {supplier} first",
    "should the kiln go above 1,240 °C, shut the damper and call {person}",
    "once an invoice is older than 30 days, it goes to {kin}",
    "in letters to {person}, never use exclamation marks",
    "if it rains on {weekday}, {club} is cancelled and nobody tells me",
    "as soon as {pet} skips two meals, ring {firm}",
    "for anything over {sum}, ask me before you book",
    "on {weekday} nobody may disturb me before {time}",
    "as long as {first} is in hospital, meetings end at 3 p.m. sharp",
    "after each release of {work}, post the notes to {link}",
    "never quote {person} by name in {work}",
    "don't ever put {food} on a shared shopping list",
    "always cc {mail} when you write to {firm}",
    "sign my letters with “Yours, M.” and nothing else",
    "file names are lower case with dots, e.g. kiln.log.2026.txt",
    "titles like Dr. or Prof. stay in the salutation, even with friends",
    "if two dates clash, {club} wins over {work}",
    "in case of a power cut, the router password is taped {spot}",
    "when {kin} visits, the dog sleeps {spot}",
    "every order to {supplier} needs a P.O. number",
    "whenever I write “tmrw”, I mean the next working day",
    "if the total is below {sum}, pay it without asking",
    "prior to any call with {firm}, send me three bullet points (no more!)",
    "not a single line of {work} gets merged on Fri. after 4 p.m.",
)

RULE_WHY: tuple[str, ...] = (
    "because I got burnt in Nov. with exactly that",
    "since {person} complained",
    "otherwise the auditors (Messrs. Hill et al.) come knocking",
    "so that {first} can sleep",
    "because it's the law in the U.S. as well",
    "for tax reasons",
    "the reason being {topic}",
)

FACTS: tuple[str, ...] = (
    "{person} and {kin} went to school together",
    "{first} is left-handed",
    "{kin} was born in {place}",
    "{person} speaks fluent {lang}",
    "{first} and I share a birthday ({date})",
    "{firm} was founded in {place} in 1987",
    "I have a season ticket for {ride}",
    "{person} wrote the standard book on glazes (2nd ed., vol. 1)",
    "I studied under {person} in {place}",
    "{kin} owes me {sum}",
    "{firm} keeps its archive at {place}",
    "{first}'s favourite film is “Mr. Hulot's Holiday”",
    "we chose {supplier} over {firm} for the new shelves",
    "I decided against a second kiln",
    "{person} prefers to be called “J.R.” by everybody",
    "{club} own {number} boats, two of them leaky",
    "I hate being phoned, text me",
    "the Wi-Fi at {place} is called HOUSE_5G",
    "{person} lost an eye in an accident in '09",
    "{first} is vegetarian – strictly, i.e. no fish either",
    "our house was built in 1911 ± a year or two",
    "{firm} won't deliver to {place}",
    "I proofread on paper, never on screen",
    "{person} is married to {kin}",
    "{pet} was chipped at {firm}, chip no. {code}",
    "my middle name is Aurélie",
    "the warranty on the boiler runs until {date}",
    "{work} belongs to {firm}, we only maintain it",
    "we agreed (all {number} of us) to stop the newsletter for {club}",
    "{person} answers mail only on {weekday}",
)

OTHER_GONE: tuple[str, ...] = (
    "the bakery at {place} has closed down",
    "{person} and {kin} aren't speaking any more",
    "the discount at {supplier} has expired",
    "my subscription to {firm} has ended",
    "{work} no longer needs sign-off from {person}",
    "I don't teach on {weekday} any longer",
    "you can't park at {place} any more",
)

OPENERS: tuple[str, ...] = (
    "FYI: ",
    "in case I haven't said so, ",
    "for your notes: ",
    "bear in mind that ",
    "btw, ",
    "by the way – ",
    "one thing for the file: ",
    "N.B. ",
    "don't forget: ",
    "ah, and ",
    "P.S. ",
    "so, ",
    "well… ",
    "heads-up: ",
)

FIXERS: tuple[str, ...] = (
    "actually, ",
    "correction: ",
    "sorry, I got that wrong: ",
    "hm, no, ",
    "oops – ",
    "strike what I told you, ",
    "update: ",
    "I have to take that back, ",
    "not quite: ",
    "turns out ",
    "as of this week, ",
    "",
    "",
    "",
)

ASIDES: tuple[str, ...] = (
    " (I double-checked)",
    " – promise",
    ", as far as I'm concerned",
    ", in case it matters",
    " [see p. 12]",
    ", says {kin}",
    " (sic)",
    ", and that's final",
)

EMOJI: tuple[str, ...] = (" 🔑", " 🙃", " 🐝", " 👍🏽", " ❤️", " :-)", " ✅")

QUESTIONS: tuple[str, ...] = (
    "what's the weather like in {place}?",
    "do you happen to know when {ride} leaves?",
    "did {person} ever reply?",
    "how many grams is 2.5 oz. again?",
    "who was it that recommended {supplier}?",
    "could {topic} wait till {weekday}, do you think?",
    "is {version} out yet?",
    "why does {link} time out?",
    "which is cheaper, {tool} or {tool2}?",
    "where did I put {topic}??",
    "how far did we get with {topic}, e.g. last Nov.?",
    "would it be silly to ask {person} for {sum}?",
    "isn't {firm} closed on {weekday}?",
    "can you see {mail} in the thread?",
    "how do you pronounce “{place}”?",
    "does {first} like {food}, or am I making that up?",
    "should we move {club} to {weekday}?",
    "any idea what “approx.” is in {lang}?",
    "shall I go with {glaze}… or rather {glaze2}?",
    "am I right that Dr. and Mrs. Farrant are both coming?",
)

REQUESTS: tuple[str, ...] = (
    "please draft a short reply to {person}",
    "remind me about {topic} in an hour",
    "translate the second paragraph into {lang}",
    "look up {firm} and give me a two-line summary",
    "shorten this to approx. 80 words",
    "open {link} and tell me what's broken",
    "find me a train to {place}, ideally around {time} today",
    "make the list alphabetical, would you",
    "show me what's on for today",
    "compare {version} with the one before it",
    "give me three titles for {topic}",
    "go ahead and send it to {mail}",
    "try that again, but slower",
    "put {topic} at the top of today's list",
    "count the commas in that paragraph",
    "read me the last message from {person}",
    "let me see the draft once more",
    "add up lines 3 to 9",
    "write a limerick about {pet}",
    "explain {tool} to me like I'm five",
)

CHAT: tuple[str, ...] = (
    "thanks, that's perfect",
    "good morning",
    "haha, brilliant",
    "what a day",
    "okay, let me think",
    "never mind",
    "always a pleasure",
    "I'm just on {ride}, bad reception",
    "the jury's still out on {topic}",
    "maybe we'll use {tool}, maybe not",
    "it's pouring here",
    "back in ten minutes",
    "hm… let me sleep on it",
    "I might ask {person} at some point",
    "no worries at all",
    "that looks a lot better",
    "ugh, the printer is jammed again",
    "great, see you at {time}",
    "I wonder whether {firm} would be interested",
    "perhaps {first} could take over one day, who knows",
    "yes please",
    "the second one, I think",
    "sounds good to me",
    "you're a star",
    "I'm thinking about {tool} for {work}, nothing decided",
    "phew, that took a while",
    "hi there",
    "well, well, well",
    "as Mr. T. would say: pity",
    "lol, e.g. me before coffee",
)

TITLES: tuple[str, ...] = (
    "Odds and ends:",
    "From my notebook:",
    "Two or three things:",
    "Stuff from the call:",
    "Before I forget:",
    "Today's pile:",
)

PASTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "would you polish this paragraph?",
        (
            "The harbour master keeps his boots in the chapel.",
            "Nobody in Port Ash eats herring on a Friday.",
            "St. Brannoc's bell is rung at 4 a.m. each day.",
        ),
    ),
    (
        "what is this trace trying to tell me?",
        (
            "panic: index out of range [7] with length 6",
            "    /srv/app/loader.go:88 +0x1d4",
            "exit status 2",
        ),
    ),
    (
        "proofread this blurb, please:",
        (
            "Our tents are waterproof up to 5,000 mm.",
            "We ship to the U.S., the U.K. and Norway.",
            "Returns are always free!",
        ),
    ),
    (
        "why does this fail?",
        (
            "def total(rows: list[int]) -> int:",
            "    return sum(rows[1:])",
            "assert total([1, 2]) == 3",
        ),
    ),
    (
        "turn this into one sentence:",
        (
            "Attendees: 14 (2 online).",
            "Item 1 was postponed.",
            "Item 2 took forty minutes.",
        ),
    ),
    (
        "is this log normal?",
        (
            "11:02:07.113 DEBUG pool size=8 idle=7",
            "11:02:09.540 WARN slow query (2.41 s)",
            "11:02:09.541 DEBUG pool size=8 idle=8",
        ),
    ),
    (
        "which column is the odd one out?",
        ("id;name;qty;price", "17;hinge;40;0.85", "18;hasp;x;1.10"),
    ),
    (
        "sum up this thread in ten words:",
        (
            "[14:02] bo: is the lift stuck again?",
            "[14:03] wanda k.: no idea, ask Mr. Lund",
            "[14:09] bo: never mind, it moves",
        ),
    ),
    (
        "what tone does this mail have?",
        (
            "From: A. Nonym <a.nonym@post.example>",
            "Subject: Re: Fwd: No. 44",
            "Dear Sir or Madam,",
            "We acknowledge receipt of yours of the 9th inst.",
            "Yours etc.",
        ),
    ),
    (
        "what do you make of this poem?",
        (
            "The fog has never paid its rent,",
            "it sleeps on every sill;",
            "and Mrs. Rain, who came and went,",
            "is coming, going still.",
        ),
    ),
)

_FIELDS = string.Formatter()
_MARKERISH = re.compile(r"^(?:[-*+>#–—•]+|\d+[.)])(?:\s|$)|^[>#|`~]|^\d+[.)]$")


def _slots(template: str) -> list[str]:
    return [name for _, name, _, _ in _FIELDS.parse(template) if name]


def _pick(rng: random.Random, name: str, taken: Sequence[str] = ()) -> str:
    words = [word for word in WORDS[name.rstrip("2")] if word not in taken]
    return rng.choice(words)


def _fill(rng: random.Random, template: str, fixed: dict[str, str] | None = None) -> str:
    values = dict(fixed or {})
    for name in _slots(template):
        if name not in values:
            values[name] = _pick(rng, name, tuple(values.values()))
    return template.format(**values)


def _cap(text: str) -> str:
    """The first letter in upper case, unless the sentence opens with an address or a program."""
    first = text.split(maxsplit=1)[0]
    if "://" in first or "@" in first or "." in first[:-1] or "-api" in first:
        return text
    return text[:1].upper() + text[1:]


def _end(text: str, mark: str) -> str:
    """Add the final mark, but no second full stop after an abbreviation or a mark."""
    if text[-1:] in "?!…:" or (mark == "." and text[-1:] == "."):
        return text
    return text + mark


def _dictate(rng: random.Random, text: str) -> str:
    said = text.lower().replace(",", "").replace("–", "").replace(";", "")
    said = re.sub(r"[“”…]", "", said)
    said = " ".join(said.split())
    if rng.random() < 0.4:
        said = rng.choice(("okay so ", "um ", "right ", "hey ", "and ")) + said
    return said


def _sloppy(text: str) -> str:
    for word in ("don't", "doesn't", "isn't", "it's", "It's", "I've", "can't", "Don't", "won't"):
        text = re.sub(rf"\b{word}\b", word.replace("'", ""), text)
    return text


def _bit(rng: random.Random, text: str, durable: bool, last: bool) -> Bit:
    """A sentence from its text; `last` says that nothing follows on its line."""
    text = _cap(text)
    roll = rng.random()
    if text.endswith("?"):
        return Bit(text, durable, True)
    if last and roll < 0.22:
        return Bit(text, durable, False)
    if last and roll < 0.30:
        return Bit(text + rng.choice(EMOJI), durable, False)
    if roll < 0.38:
        return Bit(_end(text, "!"), durable, True)
    if roll < 0.41 and text[-1] != ".":
        return Bit(_end(text, "…"), durable, True)
    if text.endswith(":"):
        return Bit(text, durable, False)
    return Bit(_end(text, "."), durable, True)


def _join_why(rng: random.Random, text: str, why: str) -> str:
    if why.startswith("("):
        return f"{text} {why}"
    joints = (", ", " – ") if why.startswith(("the reason", "otherwise")) else (" ", ", ", " – ")
    return text + rng.choice(joints) + why


def _fixed(rng: random.Random, subject: Subject) -> dict[str, str]:
    """One value for each slot that any sentence about the subject has."""
    fixed: dict[str, str] = {}
    for template in (subject.title, *subject.says, *subject.changes, *subject.gone):
        for name in _slots(template):
            if name not in ("v", "o") and name not in fixed:
                fixed[name] = _pick(rng, name, tuple(fixed.values()))
    return fixed


def _learn(rng: random.Random) -> Known:
    subject = rng.choice(SUBJECTS)
    fixed = _fixed(rng, subject)
    return Known(subject, fixed, _pick(rng, subject.values, tuple(fixed.values())))


def _opened(rng: random.Random, text: str, command: bool = False) -> str:
    """Put an opener before some sentences; "that" takes no command after it."""
    if rng.random() < 0.3:
        fits = [opener for opener in OPENERS if not (command and opener.endswith("that "))]
        text = rng.choice(fits) + text
    return text


def _say(rng: random.Random, known: Known) -> str:
    text = _fill(rng, rng.choice(known.subject.says), {**known.fixed, "v": known.value})
    if rng.random() < 0.4:
        text = _join_why(rng, text, _fill(rng, rng.choice(known.subject.why), known.fixed))
    elif rng.random() < 0.2:
        text += _fill(rng, rng.choice(ASIDES), known.fixed)
    return _opened(rng, text)


def _change(rng: random.Random, known: Known) -> tuple[str, Known]:
    value = _pick(rng, known.subject.values, (known.value, *known.fixed.values()))
    slots = {**known.fixed, "v": value, "o": known.value}
    text = rng.choice(FIXERS) + _fill(rng, rng.choice(known.subject.changes), slots)
    if rng.random() < 0.25:
        text = _join_why(rng, text, _fill(rng, rng.choice(known.subject.why), known.fixed))
    return text, known._replace(value=value)


def _gone(rng: random.Random, known: Known) -> str:
    slots = {**known.fixed, "o": known.value}
    return rng.choice(FIXERS) + _fill(rng, rng.choice(known.subject.gone), slots)


def _rule(rng: random.Random) -> str:
    text = _fill(rng, rng.choice(RULES))
    if rng.random() < 0.4:
        text = _join_why(rng, text, _fill(rng, rng.choice(RULE_WHY)))
    return _opened(rng, text, command=True)


def _durable(rng: random.Random, known: list[Known]) -> str:
    """One durable statement; `known` is what has been said or noted so far, and is kept up."""
    roll = rng.random()
    if known and roll < 0.22:
        at = rng.randrange(len(known))
        text, known[at] = _change(rng, known[at])
        return text
    if known and roll < 0.30:
        return _gone(rng, known.pop(rng.randrange(len(known))))
    if roll < 0.36:  # worded as a correction, of nothing that was said here
        return _change(rng, _learn(rng))[0]
    if roll < 0.40:
        return rng.choice(FIXERS) + _fill(rng, rng.choice(OTHER_GONE))
    if roll < 0.56:
        return _rule(rng)
    if roll < 0.72:
        return _opened(rng, _fill(rng, rng.choice(FACTS)))
    fresh = _learn(rng)
    known.append(fresh)
    return _say(rng, fresh)


def _talk(rng: random.Random) -> str:
    return _fill(rng, rng.choice(rng.choice((QUESTIONS, REQUESTS, CHAT))))


def _wrap(rng: random.Random, text: str, indent: str = "") -> str:
    """Break a text into lines as a mail program does, or leave it where a line would mislead."""
    width = rng.randrange(34, 73)
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    if any(_MARKERISH.match(line) for line in lines):
        return text
    return f"\n{indent}".join(lines)


def _paste(rng: random.Random) -> tuple[str, list[Bit]]:
    ask, lines = rng.choice(PASTES)
    ask = _cap(ask)
    shape = rng.randrange(3)
    if shape == 0:
        block = "```\n" + "\n".join(lines) + "\n```"
    elif shape == 1:
        block = "\n".join(f"> {line}" for line in lines)
    else:
        block = '"""\n' + "\n".join(lines) + '\n"""'
    return f"{ask}\n\n{block}", [Bit(line.strip(), False, True) for line in (ask, *lines)]


def _listed(rng: random.Random, texts: Sequence[tuple[str, bool]]) -> tuple[str, list[Bit]]:
    bits: list[Bit] = []
    lines: list[str] = []
    if rng.random() < 0.5:
        title = rng.choice(TITLES)
        lines.append(title)
        bits.append(Bit(title, False, False))
        if rng.random() < 0.4:
            lines.append("")
    kind = rng.choice(("- ", "* ", "{}. ", "{}) ", "+ ", "• "))
    for number, (text, durable) in enumerate(texts, 1):
        bit = _bit(rng, text, durable, last=True)
        bits.append(bit)
        marker = kind.format(number)
        shown = _wrap(rng, bit.text, " " * len(marker)) if rng.random() < 0.3 else bit.text
        lines.append(marker + shown)
    return "\n".join(lines), bits


def _row(rng: random.Random, texts: Sequence[tuple[str, bool]]) -> tuple[str, list[Bit]]:
    """Sentences one after the other on one line, on wrapped lines, or in paragraphs."""
    gap = rng.choice((" ", " ", " ", " ", "  ", "\n", "\n\n"))
    bits = [
        _bit(rng, text, durable, last="\n" in gap or number == len(texts))
        for number, (text, durable) in enumerate(texts, 1)
    ]
    if rng.random() < 0.12:
        bits = [bit._replace(text=_sloppy(bit.text)) for bit in bits]
    message = gap.join(bit.text for bit in bits)
    if "\n" not in gap and rng.random() < 0.3:
        message = _wrap(rng, message)
    return message, bits


def _spoken(rng: random.Random, text: str, durable: bool) -> tuple[str, list[Bit]]:
    bit = Bit(_dictate(rng, text), durable, False)
    return bit.text, [bit]


def _message(
    rng: random.Random, known: list[Known], seen: set[str], plain: bool
) -> tuple[str, list[Bit]]:
    """One message; a plain one has nothing durable in it."""

    def new(make: Callable[[], str]) -> str:
        for _ in range(50):
            text = make()
            if text not in seen:
                break
        seen.add(text)
        return text

    roll = rng.random()
    if plain and roll < 0.15:
        return _paste(rng)
    talks = [(new(lambda: _talk(rng)), False) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    if plain:
        if roll < 0.25:
            return _spoken(rng, *talks[0])
        if roll < 0.33 and len(talks) > 1:
            return _listed(rng, talks)
        return _row(rng, talks)
    count = 1 if roll < 0.12 else rng.choice((1, 1, 1, 1, 2, 2, 3))
    said = [(new(lambda: _durable(rng, known)), True) for _ in range(count)]
    if roll < 0.12:
        return _spoken(rng, *said[0])
    if roll < 0.34:
        while len(said) < rng.choice((2, 3, 4)):
            said.append((new(lambda: _durable(rng, known)), True))
        if rng.random() < 0.3:
            said.insert(rng.randrange(len(said) + 1), talks[0])
        return _listed(rng, said)
    if roll < 0.40:
        before, first = _row(rng, said)
        after, second = _paste(rng)
        return f"{before}\n\n{after}", first + second
    if roll < 0.72:
        for talk in talks[:2]:
            said.insert(rng.randrange(len(said) + 1), talk)
    return _row(rng, said)


def _slug(title: str) -> str:
    plain = re.sub(r"[^\w]+", "-", title.lower(), flags=re.ASCII).strip("-")
    return plain or "note"


def _notes(rng: random.Random, day: datetime.date, known: list[Known]) -> dict[str, str]:
    """A small vault that holds what was known before the first message."""
    facts: dict[tuple[str, str], list[str]] = {}
    for item in known:
        title = _cap(item.subject.title.format(**item.fixed))
        # The first frame and what is fixed are enough: a note is tidier than talk.
        text = _cap(_fill(rng, item.subject.says[0], {**item.fixed, "v": item.value}))
        dated = (day - datetime.timedelta(days=rng.randrange(3, 200))).isoformat()
        tail = rng.choice((f"({dated})", f"({dated})", f"({dated}, importance 0.7)"))
        anchor = "".join(rng.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(6))
        line = f"- {text} {tail}" + (f" ^{anchor}" if rng.random() < 0.6 else "")
        facts.setdefault((item.subject.home, title), []).append(line)
    notes: dict[str, str] = {}
    kinds = {"people": "person", "projects": "project", "companies": "company", "areas": "area"}
    for (home, title), lines in facts.items():
        if home == "me":
            notes["ME.md"] = "# Me\n\n## Preferences\n" + "\n".join(lines) + "\n"
            continue
        head = ""
        if rng.random() < 0.4:
            head = f"---\ntype: {kinds[home]}\nupdated: {day.isoformat()}\n---\n"
        body = "## Facts\n" + "\n".join(lines) + "\n"
        if rng.random() < 0.3:
            body += "\n## Notes\nStarted from a scrap of paper.\n"
        notes[f"{home}/{_slug(title)}.md"] = f"{head}# {title}\n\n{body}"
    if rng.random() < 0.5:
        before = (day - datetime.timedelta(days=1)).isoformat()
        notes[f"memory/{before}.md"] = f"# {before}\n\n- Swept the studio\n"
    return notes


def session(seed: int) -> Session:
    rng = random.Random(f"third-{seed}")
    day = datetime.date(2026, 3, 1) + datetime.timedelta(days=rng.randrange(240))
    known = [_learn(rng) for _ in range(rng.randrange(2, 8))]
    notes = _notes(rng, day, known)
    turns: list[list[str]] = []
    days: list[str] = []
    statements: list[str] = []
    talk: list[str] = []
    seen: set[str] = set()
    for _ in range(rng.choice((1, 2, 2, 3))):
        conversation: list[str] = []
        for _ in range(rng.randrange(2, 9)):
            message, bits = _message(rng, known, seen, plain=rng.random() < 0.5)
            conversation.append(message)
            for bit in bits:
                kept = statements if bit.durable else talk
                folded = " ".join(bit.text.split())
                if folded not in kept:
                    kept.append(folded)
        turns.append(conversation)
        days.append(day.isoformat())
        day += datetime.timedelta(days=rng.randrange(1, 12))
    return Session(notes, turns, days, statements, talk)
