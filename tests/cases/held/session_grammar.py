"""Sealed sessions for the hook that keeps sentences: threads of a life, told in other shapes.

The same interface as the open grammar (`session(seed) -> Session`), built otherwise: every thread
is a small story with what is told, its echo, its turn, and cousins that share a cue word with it
but are about something else. Sentences are given as typed, without list markers, time stamps and
line breaks (a wrapped sentence has single spaces).
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


class Thread(NamedTuple):
    """One story: A and B are two of its options; capital first letters are put later."""

    path: str
    title: str
    heading: str
    options: tuple[str, ...]
    told: tuple[str, ...]
    echo: tuple[str, ...]
    turn: tuple[str, ...]
    cousins: tuple[str, ...]


WORDS: dict[str, tuple[str, ...]] = {
    "who": (
        "Ayşe",
        "Bjarne",
        "Caoimhe",
        "Dmitri",
        "Edda",
        "Farid",
        "Guillermo",
        "Hyun-woo",
        "Ibrahim",
        "Jadwiga",
        "Keiko",
        "Ludovic",
        "Mbali",
        "Noor",
        "Oisín",
        "Pilar",
        "Quentin",
        "Rosalind",
        "Siobhán",
        "Thandi",
        "Uwe",
        "Vasilis",
        "Wilhelmina",
        "Xiomara",
        "Yrsa",
        "Zbigniew",
    ),
    "full": (
        "Ayşe Demir",
        "Bjarne Sørensen",
        "Caoimhe Byrne",
        "Dmitri Volkov",
        "Edda Kranz",
        "Farid Rahimi",
        "Hyun-woo Park",
        "Jadwiga Lis",
        "Ludovic Perrin",
        "Mbali Dlamini",
        "Pilar Ortega",
        "Rosalind Ashe",
        "Vasilis Pappas",
        "Wilhelmina Groot",
        "Yrsa Jónsdóttir",
    ),
    "title": (
        "Dr. Sanyal",
        "Rev. Whitby",
        "Capt. Ekman",
        "Mrs. Achterberg",
        "Sgt. Moss",
        "Sr. Inés",
    ),
    "firm": (
        "Ropewalk Theatre",
        "Hoste & Zonen",
        "the Quay Bakery",
        "Bramble Vets",
        "Port of Varna",
        "Tern Sailing",
        "Ullswater Press",
        "the Clockmakers' Guild",
        "Vintner & Daughter",
        "Palimpsest GmbH",
        "Mudlark Museum",
        "Canning & Co.",
        "Lindgren Optics",
        "Orchard Primary",
        "Tramline Cycles",
        "the allotment society",
        "Yarrow Ceramics",
        "Basalt Records",
    ),
    "town": (
        "Brno",
        "Cádiz",
        "Dunkirk",
        "Esbjerg",
        "Faro",
        "Groningen",
        "Hobart",
        "Izmir",
        "Jaipur",
        "Kraków",
        "Lund",
        "Matsue",
        "Namur",
        "Ostend",
        "Plovdiv",
        "Quimper",
        "Rostock",
        "St. Ives",
        "Tromsø",
        "Uppsala",
        "Vigo",
        "Whitby",
        "Ystad",
        "Zadar",
    ),
    "stuff": (
        "beeswax",
        "turmeric",
        "cling film",
        "glitter",
        "lanolin",
        "latex gloves",
        "mothballs",
        "palm oil",
        "plywood",
        "polyester",
        "quinoa",
        "scented candles",
        "spray paint",
        "tahini",
    ),
    "when": (
        "half past six",
        "07:40",
        "a quarter to nine",
        "1400 hrs",
        "dusk",
        "high tide",
        "21.15",
    ),
    "day": (
        "Shrove Tuesday",
        "Maundy Thursday",
        "the 29th",
        "the first Sunday of the month",
        "bank holidays",
        "market day",
        "4/6",
        "20 Nov.",
        "the last school day",
        "Midsummer",
    ),
    "later": (
        "the day after tomorrow",
        "a week from now",
        "come Monday",
        "by the end of March",
        "next time",
        "in ten days",
        "before the weekend",
    ),
    "past": (
        "the other day",
        "the day before yesterday",
        "on Monday night",
        "earlier today",
        "back in January",
        "a fortnight ago",
    ),
    "sum": ("£75", "1,250 kr", "€0.35", "two thousand zloty", "US$99", "3.2k", "¥48,000"),
    "count": ("75", "80", "6", "twelve", "3.5", "24", "1,100", "0.8", "forty"),
    "unit": ("litres", "km", "pages", "chairs", "degrees", "kilos", "lessons", "copies"),
    "dog": ("Kompot", "Tilly", "Mr. Whiskers", "Ravn", "Fidget", "Old Tom"),
    "why": (
        "the tide turns at {when}",
        "{who} gets seasick",
        "the kiln has to cool down first",
        "the insurance of {firm} doesn't cover it",
        "the neighbours complained {past}",
        "half the cast comes by ferry",
        "{stuff} gives {who} a rash",
        "the ice was too thin",
        "the print shop in {town} shuts for three weeks",
        "we ran out of {unit} twice",
        "{title} forbade it",
        "no bus runs after {when}",
        "the grant pays only {sum}",
        "the hive swarmed last year",
        "the bees are asleep then",
        "her knee is still in plaster",
    ),
    "np": (
        "the low ceiling",
        "the ban on {stuff}",
        "{who}'s night shifts",
        "the strike in {town}",
        "the drought",
        "a leak at {firm}",
        "the new by-law",
        "last year's flood",
        "the price",
    ),
    "do": (
        "order more {stuff}",
        "ring {who}",
        "print a fresh list",
        "pack the lamps",
        "chase {firm}",
        "water the seedlings",
        "fetch the keys from {who}",
        "mend the tear",
        "feed {dog}",
    ),
    "hedge": (
        "provided that {who} agrees",
        "weather permitting",
        "no matter what {firm} says",
        "except where {who} has signed",
        "in so far as {firm} pays",
        "with or without {who}",
    ),
}

THREADS: tuple[Thread, ...] = (
    Thread(
        "projects/winter-play.md",
        "Winter play",
        "Decisions",
        ("in the crypt", "on the barge", "in the gym", "at the old tram depot", "in {town}"),
        (
            "we agreed to rehearse the winter play A",
            "rehearsals for the winter play happen A",
            "A – that's where the winter play gets rehearsed",
        ),
        ("the winter play: rehearsals A", "it is A that we rehearse the winter play"),
        (
            "we'll rehearse the winter play B, A having been double-booked",
            "scrap what I said about rehearsing the winter play A: it's going to be B",
            "the winter play is rehearsed B these days, no longer A",
        ),
        (
            "we agreed to print the programme on grey paper",
            "we agreed not to sell {stuff} at the bar",
            "{who} agreed to prompt instead of {who2}",
            "we agreed to pay the pianist {sum}",
        ),
    ),
    Thread(
        "areas/apiary.md",
        "Apiary",
        "Facts",
        ("oxalic acid", "thymol", "formic acid", "no treatment at all", "heat"),
        (
            "against mites the hives get A",
            "what the hives get against mites is A",
            "the mites are treated with A",
        ),
        ("A: that is our answer to the mites", "mites? A, every year"),
        (
            "this year the mites are treated with B in place of A",
            "A is off the table, the mites get B",
            "we gave up on A against mites and went for B",
        ),
        (
            "the hives were painted with linseed oil",
            "hive no. 4 gets a new queen {later}",
            "in place of the old smoker we bought a Dadant",
            "we gave up on selling honey to {firm}",
        ),
    ),
    Thread(
        "people/{slug}.md",
        "{full}",
        "Facts",
        ("in {town}", "on a houseboat", "above {firm}", "with {who}", "in the old rectory"),
        ("{full} lives A", "home, for {full}, is A", "{full} has been living A since the autumn"),
        ("it's A that you find {full} in the evenings",),
        (
            "{full} has moved out and now lives B",
            "A was only for the winter: {full} lives B again",
            "{full} never did settle A and lives B",
        ),
        (
            "{full} now sings in two choirs",
            "{full} has moved the piano lesson to {day}",
            "{full} doesn't eat {stuff}, but {who} does",
            "{full} lives for cycling",
            "{full} owes {who} {sum}",
        ),
    ),
    Thread(
        "companies/ropewalk-theatre.md",
        "Ropewalk Theatre",
        "Facts",
        ("within 30 days", "in advance", "in two instalments", "on delivery", "by standing order"),
        ("Ropewalk Theatre settles its bills A", "the bills to Ropewalk Theatre are paid A"),
        ("A is how Ropewalk Theatre pays",),
        (
            "Ropewalk Theatre has asked to settle its bills B, A being too tight for them",
            "Ropewalk Theatre used to settle its bills A; as of {day} it's B",
        ),
        (
            "Ropewalk Theatre has asked for {count} extra {unit}",
            "Ropewalk Theatre used to be a rope factory",
            "the bar at Ropewalk Theatre is let to {firm}, not to {who}",
        ),
    ),
    Thread(
        "ME.md",
        "Me",
        "Preferences",
        ("before sunrise", "late at night", "on the train", "in cafés", "standing up"),
        ("I write best A", "my best writing gets done A", "writing works for me A"),
        ("A is when the writing goes well for me",),
        (
            "A doesn't work for writing any more, B does",
            "I write best B these days, not A",
            "switching my writing from A to B was the right thing",
        ),
        (
            "I write postcards to {who} every month, not mails",
            "I can't swim any more",
            "I'm switching dentists, from {title} to {who}",
            "my handwriting is unreadable",
        ),
    ),
    Thread(
        "resources/darkroom.md",
        "Darkroom",
        "How-to",
        ("20 °C", "24 °C", "18.5 °C", "room temperature", "38 °C"),
        ("develop film at A", "the developer has to be at A", "A is right for the developer"),
        ("the developer bath: A",),
        (
            "develop film at B rather than A",
            "forget A: the developer has to be at B",
            "with the new chemistry the developer has to be at B, A was for the old one",
        ),
        (
            "the fixer is reusable up to {count} times",
            "develop prints face down, not face up",
            "with the new chemistry gloves are a must",
            "the red lamp is broken after all",
        ),
    ),
    Thread(
        "projects/tern-refit.md",
        "Tern refit",
        "Decisions",
        ("teak", "iroko", "fibreglass", "marine plywood", "aluminium"),
        (
            "the deck of the Tern will be A",
            "A it is for the deck of the Tern",
            "for the deck of the Tern {who} and I chose A",
        ),
        ("the Tern gets a deck of A", "A goes on the deck of the Tern"),
        (
            "the deck of the Tern won't be A after all; it'll be B",
            "B replaces A on the deck of the Tern",
            "we've changed our minds on the deck of the Tern, B beats A",
        ),
        (
            "the mast of the Tern won't be replaced after all",
            "we've changed the name of the dinghy to {dog}",
            "for the sails {who} and I chose red-brown",
            "it'll be {day} when the Tern is back in the water",
        ),
    ),
    Thread(
        "areas/school-run.md",
        "School run",
        "Facts",
        ("{who}", "{who} and {who2}", "my brother", "the neighbour at no. 14", "nobody"),
        ("the school run on {day} is done by A", "on {day} the kids are picked up by A"),
        ("A: school run, {day}",),
        ("the school run on {day} has passed from A to B", "B picks up the kids on {day}, A can't"),
        (
            "the school fair is on {day}, not the day before",
            "the kids can't have {stuff}",
            "piano has passed to {who}",
            "the lunch money is {sum} a week now",
        ),
    ),
    Thread(
        "projects/field-guide.md",
        "Field guide",
        "Decisions",
        ("Typst", "LaTeX", "InDesign", "Scribus", "Word", "pandoc"),
        (
            "the field guide is typeset in A",
            "for typesetting the field guide, {who} talked me into A",
            "A will typeset the field guide, not B",
        ),
        ("typesetting of the field guide: A",),
        (
            "typesetting the field guide in A was a dead end, so B it is",
            "{who} and I dropped A for B, that is for the field guide",
            "as of {later} the field guide is typeset in B and no longer in A",
        ),
        (
            "{who} talked me into a second index",
            "the field guide drops the chapter on lichens",
            "the field guide has {count} plates, no longer two more",
            "maps are drawn in QGIS, not by hand",
        ),
    ),
    Thread(
        "companies/bramble-vets.md",
        "Bramble Vets",
        "Facts",
        ("{title}", "{who}", "the locum", "{who2}"),
        ("{dog} is seen by A at Bramble Vets", "at Bramble Vets, ask for A"),
        ("A looks after {dog} at Bramble Vets",),
        (
            "at Bramble Vets, ask for B, A has retired",
            "{dog} growls at A, so B it is at Bramble Vets",
        ),
        (
            "Bramble Vets has a new number, 0117 496 0123",
            "{dog} has retired from agility",
            "{dog} takes half a tablet (12.5 mg), not a whole one",
            "{dog} is chipped",
        ),
    ),
    Thread(
        "areas/translation.md",
        "Translation",
        "Rules",
        ("“Sie”", "“du”", "no form of address", "whichever the author used", "the passive"),
        (
            "texts for Palimpsest GmbH: address the reader with A",
            "with Palimpsest GmbH, A is the rule for addressing readers",
            "Palimpsest GmbH insists on A towards readers",
        ),
        ("towards readers, Palimpsest GmbH wants A",),
        (
            "Palimpsest GmbH has dropped A towards readers in favour of B",
            "texts for Palimpsest GmbH: B towards readers where it used to be A",
        ),
        (
            "Palimpsest GmbH insists on purchase orders",
            "Palimpsest GmbH has dropped the rate to {sum} a line",
            "texts for {firm}: no more than {count} characters in a heading",
        ),
    ),
    Thread(
        "projects/wedding.md",
        "Wedding",
        "Plans",
        ("the orangery", "{firm}", "a tent by the lake", "the town hall of {town}", "the barn"),
        (
            "the wedding party is at A",
            "for the wedding party we've booked A",
            "booked for the wedding party: A",
        ),
        ("A is where the party after the wedding is",),
        (
            "A cancelled on us, so the wedding party is at B",
            "the wedding party has been moved out of A and into B",
            "not A but B, that's where the wedding party is",
        ),
        (
            "the florist cancelled on us",
            "for the honeymoon we've booked {town}",
            "the cake is not from {firm} but from {who}",
            "the band has been moved to {day}",
        ),
    ),
)

FREE: tuple[str, ...] = (
    "should the forecast exceed {count} Bft, the regatta is off",
    "only when {who} has signed do we send anything to {firm}",
    "no text for {firm} without a second pair of eyes",
    "whoever leaves last switches off the compressor, since {why}",
    "given the choice, {who} always takes the night train",
    "where children are present, {stuff} stays in the cupboard",
    "because {why}, nobody goes out on the water before {when}",
    "since {why}, we count the {unit} twice",
    "as {why}, {who} and not {who2} holds the key",
    "in case of fog – and only then – the horn is blown every two minutes",
    "from {day} to {day2}, orders go through {firm}, owing to {np}",
    "as regards {firm}: nothing on the phone, everything in writing",
    "anyone who brings {stuff} has to take it home again",
    "the moment {who} arrives, the phones are put away",
    "{who} is married to {who2}, who teaches physics in {town}",
    "neither {who} nor {who2} drives after {when}, on account of {np}",
    "{dog} (the {unit} thief) is allergic to {stuff}",
    "it was {who} who founded {firm}, back in 1987, together with {who2}",
    "my blood type is 0 neg., the card is in my wallet",
    "our house number is 7b, not 7, which is why parcels go to {who}",
    "what I can't bear is {stuff}",
    "the landlord of the studio, a Mr. J. P. Aalto, wants the rent by the 3rd, i.e. two days early",
    "the bike takes 28 × 1.75 in. tyres, 4.5 bar at the front",
    "at {firm} they close at {when}, Saturdays included",
    "{who}'s number plate is BX-71-KL",
    "there is a spare fuse (3.15 A, slow) taped inside the lid",
    "half of the {unit} belong to {who}, the other half to {firm}",
    "{who} was made head of {firm} {past}, thanks to {title}",
    "I've been deaf in my left ear from birth, so sit on my right, please",
    "thank-you letters go out within a week – handwritten, blue ink, no cards from {firm}",
    "never quote {title} without asking, lest we lose the interview",
    "all measurements in millimetres, in order not to confuse {who}",
    "round down, not up, when splitting the bill, for fear of another row with {who}",
    "{who} retires {later}, after which {who2} runs the shop",
    "we pay {sum} per hour, travel included, to anyone from {firm}",
    "the alarm code for {firm} changed {past}; ask {who}, not me",
    "after thinking it over, {who} and I have decided against a second car",
    "it has been decided that the AGM is in {town}, {hedge}",
    "the committee settled on {count} {unit} a head, {hedge}",
    "my decision on the boiler: repair it, don't replace it",
)

SPOKEN: tuple[str, ...] = (
    "{title} put it this way: “Bring {stuff}, or don't come at all.”",
    "according to {who}, “{firm} never pays before {day}” – true, as we know",
    "'closed for stocktaking' is what {firm} says when they mean 'closed'",
    '{who} calls the cellar "the lab", so "in the lab" means downstairs',
    "« pas de {stuff} » is written on the door of {firm}, and it's meant",
    "the password hint is “dog + year”, nothing else is written down anywhere",
    'when {who} says "nearly there. give me five." it takes an hour, so plan for that',
)

MARATHON: tuple[str, ...] = (
    "with {who} away in {town} until {day}, and {who2}, who would normally "
    "stand in, laid up with a "
    "bad back, the keys of {firm} are with {title}, who wants them returned by {when} on the dot, "
    "no exceptions",
    "what we agreed with {firm} {past} – and what {who} wrote down, in pencil, on the back of the "
    "menu – is that they deliver {count} {unit} on {day}, that we pay {sum} at the door, and that "
    "nobody mentions {np}",
    "the reason I never want the workshop on {day} again is that {why}, that "
    "{why2}, and that, quite "
    "apart from all this, {who} and {who2} can only come if their mother looks after the twins",
)

BLURT: tuple[str, ...] = (
    "{who} smokes",
    "no {stuff}, ever",
    "I snore",
    "{firm} folded",
    "we're moving to {town}",
    "{dog} died",
    "call me {who}",
    "{town} it is",
    "I'm colour-blind",
    "{who} is pregnant",
)

CUES: tuple[str, ...] = (
    "actually: ",
    "scratch that – ",
    "I stand corrected: ",
    "not that it matters, but ",
    "to be precise, ",
    "while I think of it, ",
    "new: ",
    "as it turns out, ",
    "separate matter: ",
    "different topic – ",
    "and now for {firm}: ",
    "before I forget, ",
    "I was wrong about one thing: ",
    "one more change: ",
    "so, after all that: ",
    "FYI ",
    "re {firm}: ",
    "instead of a long story: ",
    "rather than explain, let me just say: ",
    "small correction, nothing to do with the above: ",
)

AFTER: tuple[str, ...] = (
    ", owing to {np}",
    ", given that {why}",
    " on account of {np}",
    " — {why}",
    ", as {why}",
    ", the reason being that {why}",
    " in order to spare {who} the trip",
    ", thanks to {np}",
    " (the reason: {why})",
    "; otherwise {who} has to {do} again",
    ", so do {do} when you can",
    ", hence please {do}",
    ", lest {who} has to {do}",
    ", since {why} and {why2}",
    " now that {why}",
    ", {hedge}",
    ", which is why {who} may not {do}",
    ", inasmuch as {why}",
)

BEFORE: tuple[str, ...] = (
    "because {why}, ",
    "as of {later}, ",
    "in view of {np}, ",
    "with {who} on board, ",
    "for the sake of {who}, ",
    "barring {np}, ",
    "from {day} on, ",
    "whatever {firm} may say, ",
    "now that {why}, ",
    "if and only if {who} is there, ",
    "while {who} is in {town}, ",
)

TALK: tuple[str, ...] = (
    "Any idea where {who} put the list?",
    "How far is it from {town} to {town2}?",
    "Ping.",
    "Would it help if I scanned the page?",
    "Mind having a look at the second table?",
    "Fetch me the numbers for {firm}.",
    "Give me three titles for the talk.",
    "lol",
    "Cheers!",
    "Let me see the draft first.",
    "Summarise this in one line.",
    "Much better.",
    "Ta 🙏",
    "Which of these is older?",
    "Is there a way to undo the last step?",
    "Good night 🌙",
    "Aha.",
    "Who wrote that?",
    "Say it again, but politely.",
    "Still there?",
    "I'm back from lunch.",
    "Were I to sell the boat, who would buy it?",
    "Perhaps {who} could be talked into {town}.",
    "Had we but gone with {firm}...",
    "Supposing {firm} went bust, what then?",
    "Whatever.",
    "Wouldn't {town} be nicer instead?",
    "Why not {town} after all?",
    "Really? No longer than that?",
    "I can't decide between {town} and {town2}.",
    "Not now, please.",
    "Go ahead with the first one.",
    "Could go either way, honestly.",
    "How would one switch from {firm} to {firm2}?",
    "Hang on...",
    "Draft a note to {who}, in Danish if possible.",
    "Sort these by date.",
    "Undo that.",
    "🤔",
    "Convert 3.5 in. to mm for me, would you?",
    "Try {town} instead of {town2} in the query.",
    "What's the plural of “octopus”?",
    "Proofread the caption.",
    "Shorter, please!",
    "I might ask {who} about it, might not.",
    "Don't worry about it.",
    "You're a gem.",
    "Mhm",
)

PASTES: tuple[str, ...] = (
    "panicked at 'index out of bounds: the len is 3', src/hive.rs:88:14\nnote: "
    "run with `RUST_BACKTRACE=1`",
    "| stop | from | to |\n|---|---|---|\n| {town} | 07:40 | 08:05 |\n| {town2} | 08:05 | 09:30 |",
    "$ df -h /srv\n/dev/sdb1  1.8T  1.7T  92G  95% /srv",
    '{\n"replace": true,\n"reason": "we no longer ship {stuff}"\n}',
    "  30 |   let now = 0; // not used after all\n  31 |   switch_to(b);",
    "Dear customer,\nwe have decided to change our terms.\nYou always prefer the best, don't you?",
    "commit 9f2c61d\nAuthor: robot\n    use {stuff} instead of {stuff2} (#41)",
)


def _put(rng: random.Random, text: str, known: dict[str, str]) -> str:
    """Fill {word} from the lists; a word ending in 2 differs from the one without."""
    again = ("why", "why2", "np", "do", "hedge")

    def one(match: re.Match[str]) -> str:
        key = match.group(1)
        if key in known:
            return known[key]
        base = key.rstrip("2")
        others = [w for w in WORDS[base] if w not in known.values()]
        word = rng.choice(others)
        if base not in again:
            known[key] = word
        return word

    for _ in range(5):
        text = re.sub(r"\{(\w+)\}", one, text)
    return text


def _upper(text: str) -> str:
    return text[0].upper() + text[1:] if text[0].isalpha() else text


class Running(NamedTuple):
    thread: Thread
    known: dict[str, str]
    order: tuple[str, ...]
    step: int

    def now(self, rng: random.Random, frames: tuple[str, ...], *, back: int) -> str:
        """A frame with A and B: before a turn A is so; in a turn A was and B is."""
        size = len(self.order)
        first = self.order[(self.step + back) % size]
        second = self.order[(self.step + back + 1) % size]
        known = dict(self.known)
        text = re.sub(r"\bA\b", lambda _: first, rng.choice(frames))
        text = re.sub(r"\bB\b", lambda _: second, text)
        return _put(rng, text, known)


class _Teller:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed * 7919 + 11)
        self.running: list[Running] = []
        self.statements: list[str] = []
        self.talk: list[str] = []
        self.spoken: list[str] = []
        pool = list(THREADS)
        self.rng.shuffle(pool)
        self.pool = pool

    def start(self) -> Running:
        """A thread not told yet, with its people, places and the order of its options."""
        rng = self.rng
        thread = self.pool.pop() if self.pool else rng.choice(THREADS)
        known: dict[str, str] = {}
        for key in ("who", "who2", "day", "dog"):
            known[key] = rng.choice([w for w in WORDS[key.rstrip("2")] if w not in known.values()])
        known["full"] = rng.choice(WORDS["full"])
        known["slug"] = known["full"].lower().replace(" ", "-")
        options = []
        for option in thread.options:
            options.append(_put(rng, option, {k: v for k, v in known.items() if "who" in k}))
        options = list(dict.fromkeys(options))
        rng.shuffle(options)
        running = Running(thread, known, tuple(options), 0)
        self.running.append(running)
        return running

    # --- sentences -------------------------------------------------------------------------

    def finish(self, text: str, *, around: float = 0.55, lead: float = 0.0) -> str:
        """A clause made a sentence: circumstances before and after it, its end as typed."""
        rng = self.rng
        if text[-1] not in '.!?”"':
            if rng.random() < around * 0.35:
                text = _put(rng, rng.choice(BEFORE), {}) + text
            if rng.random() < around:
                text = text + _put(rng, rng.choice(AFTER), {})
        if rng.random() < lead:
            text = _put(rng, rng.choice(CUES), {}) + text
        roll = rng.random()
        if roll < 0.06:
            text = text + rng.choice((" 🐝", " ⛵", " 🥨", " …", " 🎭", " 🧶"))
        elif text[-1] not in '.!?”"':
            text = text + ("." if roll < 0.9 else "!")
        return _upper(text)

    def new(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.35:
            running = self.start()
            return self.finish(running.now(rng, running.thread.told, back=0))
        if roll < 0.80:
            return self.finish(_put(rng, rng.choice(FREE), {}), around=0.15)
        if roll < 0.88:
            return self.finish(_put(rng, rng.choice(SPOKEN), {}), around=0.0)
        if roll < 0.94:
            return self.finish(_put(rng, rng.choice(MARATHON), {}), around=0.0)
        return self.finish(_put(rng, rng.choice(BLURT), {}), around=0.0)

    def cousin(self) -> str:
        """Shares words and a cue with what was told, and has nothing to do with it."""
        rng = self.rng
        running = rng.choice(self.running)
        text = _put(rng, rng.choice(running.thread.cousins), dict(running.known))
        return self.finish(text, lead=0.7)

    def twist(self) -> str:
        rng = self.rng
        at = rng.randrange(len(self.running))
        running = self.running[at]
        text = running.now(rng, running.thread.turn, back=0)
        self.running[at] = running._replace(step=running.step + 1)
        return self.finish(text, around=0.45, lead=0.35)

    def echo(self) -> str:
        rng = self.rng
        if self.spoken and rng.random() < 0.45:
            return rng.choice(self.spoken)
        running = rng.choice(self.running)
        return self.finish(running.now(rng, running.thread.echo, back=0), around=0.3)

    def small(self) -> str:
        return _put(self.rng, self.rng.choice(TALK), {})

    # --- books -----------------------------------------------------------------------------

    def keep(self, text: str) -> str:
        flat = " ".join(text.split())
        if flat not in self.statements:
            self.statements.append(flat)
        self.spoken.append(flat)
        return text

    def drop(self, text: str) -> str:
        for line in text.split("\n"):
            flat = " ".join(line.split())
            if flat and flat not in self.talk:
                self.talk.append(flat)
        return text

    def something(self) -> str:
        """One durable sentence of any kind, with the weights of a working day."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.40:
            return self.new()
        if roll < 0.66:
            return self.cousin()
        if roll < 0.86:
            return self.twist()
        return self.echo()

    # --- shapes of a message ---------------------------------------------------------------

    def chatter(self) -> str:
        rng = self.rng
        return " ".join(self.drop(self.small()) for _ in range(rng.choice((1, 1, 2))))

    def single(self) -> str:
        return self.keep(self.something())

    def sandwiched(self) -> str:
        """Talk, a statement, talk: in one line or in paragraphs."""
        parts = [self.drop(self.small()), self.keep(self.something())]
        if self.rng.random() < 0.6:
            parts.append(self.drop(self.small()))
        loose = any(part[-1] not in '.!?”"' for part in parts[:-1])
        return ("\n" if loose else self.rng.choice((" ", "\n\n"))).join(parts)

    def mail(self) -> str:
        """A letter: greeting, wrapped paragraph, sign-off, postscript ("PS: " is no part of it)."""
        rng = self.rng
        body = self.keep(self.something())
        words, lines = body.split(" "), [""]
        for word in words:
            if len(lines[-1]) + len(word) > 66:
                lines.append("")
            lines[-1] = (lines[-1] + " " + word).strip()
        hello = self.drop(_put(rng, rng.choice(("Hi there,", "Hello,", "Good evening,")), {}))
        bye = self.drop(rng.choice(("Best,", "Talk soon", "Yours as ever,")))
        text = f"{hello}\n\n" + "\n".join(lines) + f"\n\n{bye}"
        if rng.random() < 0.4:
            text += "\n\nPS: " + self.keep(self.something())
        return text

    def texting(self) -> str:
        """Short lines in lower case, no full stops, one thought on each."""
        rng = self.rng
        lines = []
        for _ in range(rng.randrange(1, 4)):
            if rng.random() < 0.3:
                lines.append(self.drop(self.small().lower().rstrip(".")))
            else:
                text = self.something().lower().rstrip(".!… ")
                lines.append(self.keep(rng.choice(("", "", "", "hey, ", "ok ", "btw ")) + text))
        return "\n".join(lines)

    def minutes(self) -> str:
        """Check marks, letters or times before whole sentences, under a heading."""
        rng = self.rng
        head = self.drop(
            rng.choice(("Minutes", "Where we stand", "To be filed", "News of the day"))
        )
        style = rng.choice(("+ ", "a", "• ", "- "))
        out = [head + rng.choice((":", "", " –"))]
        for number in range(rng.randrange(2, 5)):
            mark = f"{'abcd'[number]}) " if style == "a" else style
            out.append(mark + self.keep(self.something()))
        return "\n".join(out)

    def pasted(self) -> str:
        rng = self.rng
        body = _put(rng, rng.choice(PASTES), {})
        self.drop(body)
        ask = self.drop(
            rng.choice(
                (
                    "Does this tell you anything?",
                    "Explain, please:",
                    "See below.",
                    "From the log, no idea why:",
                    "Got this in the post.",
                )
            )
        )
        fence = rng.choice(("```", "~~~", "```text"))
        text = f"{ask}\n{fence}\n{body}\n{fence[:3]}"
        if rng.random() < 0.3:
            text += "\n\n" + self.keep(self.something())
        return text

    def pair(self) -> str:
        first, second = self.keep(self.something()), self.keep(self.something())
        loose = first[-1] not in '.!?”"'
        return first + ("\n\n" if loose else self.rng.choice((" ", " ", "\n"))) + second

    def message(self) -> str:
        shapes: tuple[tuple[float, Callable[[], str]], ...] = (
            (0.20, self.chatter),
            (0.24, self.single),
            (0.18, self.sandwiched),
            (0.09, self.mail),
            (0.11, self.texting),
            (0.07, self.minutes),
            (0.05, self.pasted),
            (0.06, self.pair),
        )
        weights = [weight for weight, _ in shapes]
        return self.rng.choices([shape for _, shape in shapes], weights)[0]()

    # --- the vault -------------------------------------------------------------------------

    def vault(self, first: datetime.date) -> dict[str, str]:
        rng = self.rng
        notes: dict[str, str] = {}
        diary: list[str] = []
        for _ in range(rng.randrange(2, 7)):
            running = self.start()
            thread = running.thread
            facts = [running.now(rng, thread.told, back=0)]
            for cousin in rng.sample(thread.cousins, rng.randrange(0, 3)):
                facts.append(_put(rng, cousin, dict(running.known)))
            facts = [_upper(fact) for fact in dict.fromkeys(facts)]
            if rng.random() < 0.2:
                diary.extend(f"* {fact}." for fact in facts)
                self.spoken.extend(f"{fact}." for fact in facts)
                continue
            lines = []
            for fact in facts:
                tail = f"(2026-02-0{rng.randrange(1, 9)}{rng.choice(('', ', pinned', ', status'))})"
                mark = f" ^{rng.randrange(36**5, 36**6 - 1):06x}"[:8] if rng.random() < 0.3 else ""
                lines.append(f"- {fact} {tail}{mark}")
                if rng.random() < 0.25:
                    self.spoken.append(fact + ".")
            path = _put(rng, thread.path, dict(running.known))
            title = _put(rng, thread.title, dict(running.known))
            notes[path] = self.page(title, thread.heading, lines, plain=path == "ME.md")
        yesterday = (first - datetime.timedelta(days=1)).isoformat()
        if diary or not notes or rng.random() < 0.4:
            proposed = "\n## Captured\n\n- Tea with the neighbours went on until ten.\n"
            text = f"# {yesterday}\n\n* Rain all day.\n" + "".join(line + "\n" for line in diary)
            notes[f"memory/{yesterday}.md"] = text + (proposed if rng.random() < 0.4 else "")
        if rng.random() < 0.2:
            notes["MEMORY.md"] = "# Memory\n\n- The vault was begun in January. (2026-02-01)\n"
        return notes

    def page(self, title: str, heading: str, lines: list[str], *, plain: bool) -> str:
        rng = self.rng
        text = f"# {title}\n\n## {heading}\n\n" + "\n".join(lines) + "\n"
        if rng.random() < 0.3:
            text += "\n## Notes\n\nNothing here is final, and nothing here is meant as a rule.\n"
        if rng.random() < 0.3:
            text += "\n## History\n\n- ~~Filed under something else~~ (2025-11-02 → 2026-01-20)\n"
        if not plain and rng.random() < 0.5:
            text = f"---\ntags: [{heading.lower()}]\nupdated: 2026-02-08\n---\n\n" + text
        return text if rng.random() < 0.9 else text.rstrip("\n")


def session(seed: int) -> Session:
    """The session of this seed; the same seed gives the same session."""
    teller = _Teller(seed)
    rng = teller.rng
    day = datetime.date(2026, 2, 9 + rng.randrange(17))
    notes = teller.vault(day)
    turns: list[list[str]] = []
    days: list[str] = []
    for _ in range(rng.randrange(1, 4)):
        turns.append([teller.message() for _ in range(rng.randrange(1, 6))])
        days.append(day.isoformat())
        day += datetime.timedelta(days=rng.choice((0, 1)))
    durable = set(teller.statements)
    talk = [text for text in teller.talk if text not in durable]
    return Session(notes, turns, days, teller.statements, talk)
