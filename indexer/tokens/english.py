"""English words as every rule about lines takes them: their stems, and which of them carry no
content."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from posixpath import commonprefix
from typing import TYPE_CHECKING

from indexer.spelling import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    Words = tuple[str, ...]

_STOP = (
    "a about after all also am an and any are as at be because been before being but by can could"
    " did do does doing don during each few for from get had has have having he her here hers him"
    " himself his how i if in into is isn it its itself just let ll me more most my myself of on"
    " once only or other our ours out own re she should so some such than that the their theirs"
    " them themselves then there these they this those through to too until up us ve very was wasn"
    " we were what when where which while who whom whose why will with would you your yours"
    " yourself didn doesn aren weren hasn haven hadn wouldn couldn shouldn"
)
STOP = frozenset(_STOP.split())
"""English words that carry a question's grammar, not its content: they carry no weight."""
MODALS = frozenset({"may", "might", "must", "should"})
"""Verbs that make a line a rule or a guess; `May` is a month as well."""
_SHADES = "again always down good off over per quite really shall since still"
GRAMMAR = (STOP - MODALS) | frozenset(_SHADES.split())
"""Words that say nothing of what a line is about: those that a search leaves out, and those that
only shade a line. Not modal verbs, which lines of one matter often share."""
_TELLING = (
    "about after again all always because before by down during each few from good how if into let"
    " more most off once only other over own per since still than then through to until up what"
    " when where while why"
)
EMPTY = (GRAMMAR | MODALS) - frozenset(_TELLING.split())
"""Words in which two lines may differ and yet state the same: when, how much and which way are no
such words."""

NOT = frozenset(
    (
        "not no never none nobody nothing neither nor without cannot stop stopped stops quit "
        "former formerly ex unless except instead"
    ).split()
)
ORDERED = frozenset(
    ("over than before after to from by rather versus vs more less under above into onto").split()
)
"""Words beside which the order of the others is what a line says: tea over coffee."""
PEOPLE = frozenset(
    (
        "wife husband partner spouse girlfriend boyfriend fiance fiancee ex child children kid "
        "kids son sons daughter daughters baby mother mum mom father dad parent parents brother "
        "brothers sister sisters sibling siblings twin grandmother grandfather grandparents "
        "grandson granddaughter uncle aunt cousin nephew niece friend friends colleague "
        "colleagues boss neighbour neighbours neighbor neighbors landlord landlady tenant "
        "flatmate roommate assistant client guest dog cat"
    ).split()
)
"""Who a line may be about instead of the note's own person."""
BEGINS = frozenset(
    (
        "near beside beyond behind around along across within inside outside since until till "
        "during through because where when while which who whose via per like among between "
        "against towards toward amid despite throughout"
    ).split()
)
"""Words that begin what more is said, behind a statement that holds without it."""
FILLERS = frozenset(
    (
        "a an the now currently today presently nowadays just actually recently lately finally new"
    ).split()
)
"""Words that shade a line and are no part of what it states."""
SUBJECTS = frozenset("i he she it they we you his her its their my our your".split())
BE = frozenset("is are am was were be been being became become".split())
PLACED = frozenset("in at for to with by from on as of near under into within through".split())
"""Words after which a place, a time or a part stands, of which a line has one."""
_MANY = (
    "like love enjoy hate dislike adore read watch visit speak know meet met have has own get buy "
    "bring try eat drink cook bake play collect learn study want need wish hope dream recommend "
    "mention say tell think feel believe discuss talk ask help support follow grow plan listen "
    "subscribe volunteer belong travel go come attend join sing dance write paint make build take "
    "give send see hear hobby interest interested fan friend member child children kid son "
    "daughter brother sister sibling cousin pet cat dog allergy allergic skill language fluent "
    "book film movie song part aunt uncle nephew niece colleague include contain feature involve "
    "mean remember miss admire respect trust fear worry care consider suggest offer share sell "
    "ship teach train practise practice some also another too owe passionate curious proud "
    "grateful thankful appreciate emphasize emphasise forward excite inspire fascinate"
)
_STATES = (
    "live reside work based located employed headquartered stay cost weigh earn pay charge drive "
    "head lead captain coach married date prefer run"
)
ONE = frozenset(
    (
        "favourite favorite main primary current best only preferred latest next oldest youngest "
        "usual official default native maiden"
    ).split()
)
"""Words with which a matter has one value, whatever its noun."""
MEASURES = frozenset(
    (
        "weight weighs weigh weighed sleep slept steps pulse temperature pressure mood glucose "
        "bpm mmhg kg lbs km miles ml kcal calories reps pushups meter odometer mileage"
    ).split()
)
"""What is measured anew each day."""
OPENS = frozenset("how why what when where who which breakfast lunch dinner".split())
"""Words with which a question or a title begins, which states nothing, or what is had anew each
day."""
WENT = frozenset(
    (
        "went ran met saw read bought ate had took made flew got gave left came sold told said "
        "won lost sent spent drove swam slept wrote sang began broke chose did drank fell felt "
        "forgot grew heard held kept knew led paid rode rose spoke taught thought threw woke wore "
        "built caught fought found sat stood"
    ).split()
)
"""Past forms without -ed: a line with one tells what happened."""
NUMBERS = frozenset(
    (
        "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty "
        "forty fifty once twice"
    ).split()
)
CRAFT = (
    "python javascript typescript js jsx css html sql postgres mysql sqlite regex bash zsh shell "
    "sed awk grep git docker react vue node npm pip pandas numpy jwt json yaml toml csv http "
    "https curl rest selector function async null array dict string loop compile compiler "
    "stack_trace terminal command_line vim linux ubuntu kubernetes nginx webpack deno rust java "
    "kotlin swift php ruby django flask excel latex wcag container vm refactor unit_test "
    "unit_tests parser endpoint typo lint linter type_error merge_conflict"
)
"""Words of a programmer's craft, each with `_` for a space."""
_FRAMES = (
    "remind recall remember note noted notes write wrote written jot record recorded bookmark "
    "bookmarked collect collected conclude concluded decide decided settle settled say said tell "
    "told mention mentioned keep kept find found look looking thing things something anything "
    "somewhere someone somebody one ones stuff give gimme show pull together put let lets make "
    "made want wants need needs know known knows think thinking like please pls quick quickly btw "
    "ok okay well now again still yet already ever once also actually really just maybe whats "
    "whos whens wheres im its ask asks asked asking get gets getting got going go come comes day "
    "time way lot bit sort kind inclined idea nice good best better new"
)
FRAMES = frozenset(_FRAMES.split())
"""Words that only introduce a question, and say nothing of its subject."""
_IDLE = (
    "ok okay k kk yes yep yeah yup sure no nope nah thanks thank thx ty cheers great perfect nice "
    "cool good lovely awesome fine right exactly correct please pls continue go on ahead do it "
    "that this lol haha of course man you so much a lot proceed next again more morning afternoon "
    "evening night hi hello hey bye everything alright with done looks lgtm works got understood "
    "sounds agreed wow super brilliant amazing excellent all and the there shorter longer simpler "
    "just try now stop wait keep going use one less in english dutch german french spanish"
)
IDLE = frozenset(_IDLE.split())
"""Words of which a prompt consists that asks for nothing but to go on."""
_MEANINGS = (
    "mother mum mom mama mummy mam | father dad papa daddy | kid child children son daughter baby "
    "toddler boy girl little | brother sister sibling twin | wife husband spouse partner fiance "
    "fiancee married girlfriend boyfriend wedding anniversary | grandmother grandma granny nan "
    "oma grandfather grandpa grandad opa | dog cat pet vet puppy kitten | doctor gp physician dr "
    "medical clinic practice surgery | dentist orthodontist tooth teeth dental | hospital "
    "operation op surgery ward nurse emergency | medicine medication pill tablet prescription "
    "dose drug inhaler | sick ill illness cough fever flu asthma asthmatic allergy symptom health "
    "| eat food meal dinner lunch breakfast cook bake cake recipe dish menu restaurant snack diet "
    "vegetarian vegan allergic | allergic allergy intolerant gluten coeliac celiac lactose nut "
    "peanut hazelnut walnut cashew almond eat bake vegetarian | drink coffee tea beer wine | "
    "accountant bookkeeper tax vat adviser advisor | lawyer solicitor attorney notary | builder "
    "contractor craftsman tradesman plumber electrician carpenter roofer handyman workman painter "
    "| call ring phone mobile telephone dial reach | mail email message letter write reply inbox "
    "newsletter | text sms whatsapp telegram message signal chat | address street postcode lives "
    "home house flat apartment | price cost charge fee pay rate bill expensive cheap euro dollar "
    "pound amount | invoice bill receipt quote estimate | salary earn wage income pay paid | "
    "money refund deposit reimburse payment | bank account iban transfer | buy order purchase "
    "shop deliver delivery supplier shipment | stock spare left supply store drawer | cancel "
    "withdraw revoke quit unsubscribe terminate | due deadline latest until | hour opening open "
    "closed | appointment slot meeting schedule calendar booking book date | holiday vacation "
    "trip travel away leave | flight fly plane train airport station ticket | hotel room stay bed "
    "sleep night guest accommodation | repair fix mend broken leak replace | car vehicle van "
    "garage mot inspection | door key code lock gate | wifi wi-fi internet router network | "
    "password login credential token secret auth sign-in | class course workshop lesson training "
    "seminar | exam test quiz assessment grading | student pupil learner undergraduate | teacher "
    "instructor faculty professor lecturer | birthday bday born birth age old | gift present wish "
    "| delete remove erase trash rm rid purge discard throw clean | install update upgrade "
    "version release | deploy release launch live publish ship production prod rollout | commit "
    "push merge branch pull pr git repository repo | fail failure error bug crash broken flaky | "
    "database migration schema table sql | fixture test faker seed sample | customer client "
    "patient user buyer | boss manager supervisor lead director | colleague coworker team office "
    "staff employee | company firm business agency employer | contract agreement lease | payday "
    "salary payroll | post social media instagram facebook linkedin tweet hashtag caption | photo "
    "picture image camera | file folder directory | article blog piece draft copy | link url "
    "website site page bookmark | video clip film footage reel | colour color hex palette shade | "
    "size width height length cm dimension | temperature degree heat oven hot | rule policy "
    "guideline allowed allow permit must never | decide decision chose choice agreed | prefer "
    "like favourite favorite | fake scam phishing official genuine real | slide talk presentation "
    "deck keynote | sport rowing running gym club coach training | music song concert recital "
    "band | garden plant flower | chatbot bot assistant tutor gpt | feedback view opinion survey "
    "evaluation"
)
"""Words of everyday life that speak of one matter, matter by matter."""

_ENDINGS = ("ation", "ings", "ing", "edly", "ied", "ies", "ed", "es", "s", "e")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending, so that lives, lived and living are one."""
    word = word.casefold().partition("'")[0] or word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    if word[-1:] in {"y", "i"} and len(word) > 3:
        return word[:-1]
    return word


@cache
def any_of(words: str) -> re.Pattern[str]:
    """A pattern that finds each of some words, and phrases in which `_` is a space, whatever the
    case."""
    return re.compile(rf"(?i)\b(?:{'|'.join(words.split()).replace('_', ' ')})\b")


@cache
def _matters() -> dict[str, frozenset[int]]:
    """The numbers of the matters that each stem speaks of."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_MEANINGS.split("|")):
        for word in group.split():
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def matters(word: str) -> frozenset[int]:
    """The matters of everyday life that a word speaks of, by number: `mum` and `mother` have one in
    common."""
    return _matters().get(stem(word), frozenset())


def mates(word: str) -> list[str]:
    """The words that speak of the same matters as a word, and itself."""
    wanted = matters(word)
    groups = (
        group.split() for number, group in enumerate(_MEANINGS.split("|")) if number in wanted
    )
    return [word, *(each for group in groups for each in group if stem(each) != stem(word))]


MANY = frozenset(map(stem, _MANY.split()))
"""Stems of verbs and nouns that take several objects at a time: none of them makes another one
old."""
ONE_PLACE = frozenset(
    (stem(one), other)
    for one, other in (("play", "for"), ("play", "home"), ("train", "at"), ("study", "at"))
)
"""Stems of such verbs with the word behind them that makes them have one."""
FOND = frozenset(("interested", "involved", "loved", "liked", "excited", "inspired", "fascinated"))
"""Participles that count as such verbs."""
STATES = frozenset(map(stem, _STATES.split()))
"""Stems of verbs that have one object at a time."""


LINK = re.compile(r"\[\[([^\[\]|\n]{1,1000})(?:\|([^\[\]\n]{0,1000}))?\]\]")
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATED = (
    r"(?:\d|last|this|next|today|yesterday|now\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)[a-z]*\b|"
    rf"{_WEEKDAY})"
)
_ASIDE = (  # as those below a text: compiled where it is needed first
    r"(?i)\s*[,;(–—-]?\s*\b(?:(?:instead of|rather than|and no longer|no longer) [^.;]{1,80}$|"
    r"not [^.;]{1,40} any ?more|not [^.;,]{1,40} but\b|"
    rf"(?:as of|since|from|until|starting|effective) {_DATED}[^.;,]{{0,20}}$)|"
    r"\s*\((?:was|were|formerly|previously|before)\b[^()]*\)"
)
"""What a line says of the value that went before, or since when it holds."""
_NOW = r"(?i)(?<!is)(?<!are) now (?=[$€£]?\d)"
"""What stands for `is` before a number: `budget now 21,000`."""
_SPELT = r"[$€£]?\d+(?:[.,:/-]\d+)*%?|[^\W_]+(?:'[^\W\d_]{2,})?"
NAME = "\0"
"""What stands for a name of the note that a line is compared with."""
LABEL = re.compile(r"^([^:\n]{1,40}):\s+")
_NAMED = r"(?:\[\[)?[^\W\d_a-z]\w(?!.*(?:#\w|://))"
_PASSING = (
    rf"(?i)\b(?:(?:last|next|this) (?:week|weekend|month|year|night|evening|morning|{_WEEKDAY})|"
    r"yesterday|tonight|tomorrow)\b"
)


@lru_cache(maxsize=4096)
def told(text: str) -> tuple[str, ...]:
    """The words of a line as they are compared: those before a colon as a subject, asides and
    emphasis left out."""
    from indexer.reading.path_meaning import (
        unaccented,
    )  # who asks for words alone has no use for it

    text = LINK.sub(lambda found: found[2] or found[1].rpartition("/")[2].replace("-", " "), text)
    text = LABEL.sub(r"\1 is ", re.sub(_ASIDE, "", text.replace("’", "'")).strip("*_ "), count=1)
    text = re.sub(_NOW, " is ", text, count=1)
    found = re.findall(_SPELT, unaccented(text).replace("'s ", " "))
    return tuple("is" if word in {"are", "am"} else word for word in found if word not in FILLERS)


def bare(word: str) -> str:
    """A word without its ending, but for past forms, which tell of another time."""
    if word.endswith("ed"):
        return word
    return stem(word)


def tells(word: str) -> bool:
    """Whether a word says what a line is about."""
    return word not in EMPTY and word not in PLACED and word not in BE and word not in SUBJECTS


def is_number(word: str) -> bool:
    """Whether a word is a number, in digits or not."""
    return word[-1:].isdigit() or word[:1].isdigit() or word in NUMBERS


def passing(text: str) -> bool:
    """Whether a line is about a day or a week that it names as seen from its own day: yesterday,
    next month."""
    return bool(re.search(_PASSING, text))


def of_somebody(text: str) -> bool:
    """Whether a line begins with a name and says of it what has one object at a time: `Joe lives in
    Rome`."""
    if re.match(_NAMED, text):
        words = told(text)[1:4]
    else:
        words = ()
    return any(stem(word) in STATES or word in ONE for word in words)


def happened(frame: Sequence[str]) -> bool:
    """Whether a line tells what happened on a day: its verb is a past form, and no participle."""
    return any(
        word in WENT or (len(word) > 4 and word.endswith("ed") and word not in ONE)
        for at, word in enumerate(frame)
        if not at or frame[at - 1] not in BE | {"has", "have"}
    )


def named(told: tuple[str, ...], names: frozenset[str]) -> tuple[str, ...]:
    """The words of a line, with `NAME` where one of these names stands."""
    parts = _parts(names)
    if parts.keys().isdisjoint(told):
        return told
    found: list[str] = []
    at = 0
    while at < len(told):
        name = next(
            (name for name in parts.get(told[at], ()) if told[at : at + len(name)] == name), ()
        )
        found.append(NAME if name else told[at])
        at += len(name) or 1
    return tuple(found)


def unnamed(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a line without what it is about: names, pronouns, and the verb behind them."""
    left = tuple(
        word
        for at, word in enumerate(words)
        if word != NAME and not (word == "of" and words[at + 1 : at + 2] == (NAME,))
    )
    left = left[next((at for at, word in enumerate(left) if word not in SUBJECTS), 0) :]
    if left[:1] == ("is",) and not (left[1:2] and left[1].endswith("ed")):
        return left[1:]
    return left


@lru_cache(maxsize=256)
def _parts(names: frozenset[str]) -> dict[str, list[tuple[str, ...]]]:
    """The words of names by the first of each, the longest first."""
    longest = (tuple(name.split()) for name in sorted(names, key=len, reverse=True))
    return grouped((name[0], name) for name in longest)


_THE = r"(?i)\b(?:\w+s|became)\s+(?:\w+\s+)?(?:the|our|my|his|her|its|their)\s|['’]s\s"
_MONEY = r"(?i)[$€£]\s?\d|\d\s?(?:[$€£%]|k\b|euros?|dollars?|pounds|usd|eur|gbp|chf|francs?)"
_NO_VALUE = BE | {NAME, "he", "she", "we", "they", "too"}
"""Words with which a run is a statement of its own, or says that something is added."""
_LONGEST = 6
_SHORT = 4
"""Words of a run in which two lines differ: at most, or twice as many where they share more than a
word, and in a plain value."""


def exchange(
    one: Words, other: Words, bares: tuple[Words, Words], *, least: int
) -> tuple[Words, Words, tuple[Words, Words]] | None:
    """The words before and behind the one run in which two lines differ, and both runs; None where
    there is more.

    `bares` are the words of both without their endings. They share at least so many telling words,
    and no run has a verb that says what something is.
    """
    first, second = bares
    start = len(commonprefix(bares))
    end = min(len(commonprefix((first[::-1], second[::-1]))), len(one) - start, len(other) - start)
    runs = one[start : len(one) - end], other[start : len(other) - end]
    if not all(0 < len(run) <= 2 * _LONGEST for run in runs):
        return None
    before = one[:start]
    after = one[len(one) - end :]
    shared = sum(word != NAME and tells(word) for word in (*before, *after)) + (
        after == ("is", NAME)
    )
    short = all(len(run) <= _LONGEST * min(shared, 2) for run in runs)
    if shared < least or not short or not _NO_VALUE.isdisjoint(runs[0] + runs[1]):
        return None
    if shared < 2 and not {*map(bare, filter(tells, runs[0]))}.isdisjoint(
        map(bare, filter(tells, runs[1]))
    ):
        return None
    return before, after, runs


def one_value(
    before: Words, after: Words, runs: tuple[Words, Words], *, label: bool, counted: bool
) -> bool | None:
    """Whether what is said in these words around a value has one value: True where it surely has,
    None for no."""
    frame = *before, *after
    if happened(frame) or not OPENS.isdisjoint(before[:1]):
        return None
    if ONE & {*frame}:
        return True
    pairs = {*pairwise(map(stem, frame))}
    stems = {stem(word) for word in frame if not word.endswith("ed") or word in FOND}
    if stems & MANY and not ONE_PLACE & pairs:
        if counted and len(runs[0]) == len(runs[1]) == 1:
            return True
        return None
    short = all(len(run) <= _SHORT for run in runs)
    hinge = next((at for at in range(len(before) - 1, -1, -1) if before[at] in BE | PLACED), -1)
    if hinge >= 0 and before[hinge] in BE:
        if label:
            if short:
                return False
            return None
        if any(map(tells, before)):
            return short
        return False
    if stems & STATES or ONE_PLACE & pairs:
        return True
    if hinge > 1 and before[hinge - 2] in BE and before[hinge - 1].endswith(("ed", "en", "lt")):
        return True
    if hinge >= 0 or any(map(tells, after)) or counted:
        return False
    return None


def other_subject(one: str, other: str, after: Words, runs: tuple[Words, Words]) -> bool | None:
    """The same of lines that differ in their first words: where only one at a time can be what
    follows."""
    only = after == ("is", NAME) or bool(
        len(after) > 1 and re.search(_THE, one) and re.search(_THE, other)
    )
    alone = sum(map(tells, after)) > 1 and all(len(run) == 1 for run in runs)
    many = {*map(stem, after)} & MANY or happened(after) or any(len(run) > _SHORT for run in runs)
    part = ("one", "of") in pairwise(after)
    if (only or alone) and not (many or part):
        return NAME in after and only
    return None


def measured(text: str, words: Words, *, counted: bool, days: bool) -> bool:
    """Whether lines that begin and end in these words say what is measured anew, or, where they are
    `counted` and both stand in notes of `days`, the numbers of each day."""
    if not MEASURES.isdisjoint(words):
        return True
    return counted and days and not (re.search(_MONEY, text) or BE & {*words})
