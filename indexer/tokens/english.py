"""English words as every rule about lines takes them: which carry no content, and which speak of
one matter."""

from __future__ import annotations

import re
from functools import cache

from .terms import english_stem

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
EMPTY_WORDS = (GRAMMAR | MODALS) - frozenset(_TELLING.split())
"""Words in which two lines may differ and yet state the same: when, how much and which way are no
such words."""

CRAFT = (
    "python javascript typescript js jsx css html sql postgres mysql sqlite regex bash zsh shell "
    "sed awk grep git docker react vue node npm pip pandas numpy jwt json yaml toml csv http "
    "https curl rest selector function async null array dict string loop compile compiler "
    "stack_trace terminal command_line vim linux ubuntu kubernetes nginx webpack deno rust java "
    "kotlin swift php ruby django flask excel latex wcag container vm refactor unit_test "
    "unit_tests pytest fixture parser endpoint typo lint linter type_error merge_conflict"
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
            found.setdefault(english_stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def word_matters(word: str) -> frozenset[int]:
    """The matters of everyday life that a word speaks of, by number: `mum` and `mother` have one in
    common."""
    return _matters().get(english_stem(word), frozenset())


def mates(word: str) -> list[str]:
    """The words that speak of the same matters as a word, and itself."""
    wanted = word_matters(word)
    stem = english_stem(word)
    found = [word]
    for number, group in enumerate(_MEANINGS.split("|")):
        if number in wanted:
            found += [each for each in group.split() if english_stem(each) != stem]
    return found
