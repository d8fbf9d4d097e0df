"""Seeded typed sessions for a memory product: a small vault, what a person types, and its sentences."""
import random
import re
import textwrap
from datetime import date, timedelta
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


SLOTS = {
    "first": "Marta Kwame Ines Tobias Priya Declan Yuki Salma Henrik Rosalind Bogdan Noor Emeka Lucia".split(),
    "last": "Okafor Lindqvist Byrne Castellano Nguyen Haddad Petrov Marsh O'Leary Schmidt Tanaka Rivera".split(),
    "title": ["Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "Dr.", "Mr.", "Mrs.", "Sr.", "Rev."],
    "city": "Ghent Leeds Porto Tallinn Bologna Galway Utrecht Malmo Denver Nantes Halifax".split() + ["St. Louis", "St. Andrews"],
    "street": ["14 Mill Rd.", "221 W. Oak St.", "8 St. Mary's Ave.", "Flat 3, 40 Park Ln.", "1905 N. 5th St.", "17b Harbour Rd.", "62 Elm Ct.", "9 Abbey St."],
    "company": ["Brandt & Co.", "Halloran Ltd.", "Acme Inc.", "Yamato Corp.", "Lowe Bros.", "Nordhus GmbH", "Tesco", "Pinecrest LLC", "J. P. Dunne & Sons", "Yahoo! Japan", "Fresh.ly"],
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split() + ["Friday evening"],
    "month": "January February March April June August September October November".split(),
    "time": ["8 a.m.", "7:30", "3 p.m.", "14:15", "9.30", "6 pm", "10:45 a.m.", "noon", "half past four", "17h30"],
    "date": ["14 March", "3.5.2026", "2026-04-09", "Sept. 12", "Feb. 27th", "the 21st", "11/06", "Jan. 8", "June 2nd"],
    "food": ["cilantro", "shellfish", "walnuts", "blue cheese", "olives", "sesame", "raw onion", "mushrooms", "oat milk"],
    "drug": ["metformin", "amoxicillin", "ibuprofen", "levothyroxine", "sertraline", "lisinopril", "warfarin", "cetirizine"],
    "dose": ["0.5 mg", "2.5 mg", "75 mcg", "500 mg", "12.5 mg", "5 ml", "1.25 mg", "40 mg"],
    "file": ["budget_v2.xlsx", "notes.md", "Q3-plan.docx", "main.py", "thesis_final.final.pdf", "rota.csv", "settings.json", "README.txt", "floor-2.dwg"],
    "url": ["https://wiki.example.com/start", "example.org/rota?id=7", "www.school-portal.example", "https://docs.example.net/v2.1/api.html", "trello.example/b/92", "http://intranet.local:8080", "status.example.io", "forms.example.com/a.b"],
    "version": ["3.11", "v2.0.4", "22.04", "1.9", "v14", "0.8.1", "5.0-rc1", "17.2"],
    "app": ["Excel", "Notion", "Outlook", "Node.js", "ASP.NET", "Google Docs", "Teams", "AutoCAD", "Zotero", "Slack"],
    "pet": ["cat", "dog", "rabbit", "parrot", "hamster", "tortoise", "old greyhound", "kitten"],
    "petname": "Biscuit Pixel Olive Mungo Tofu Waffles Kiwi Bramble".split(),
    "kid": "Leo Amira Finn Tess Oskar Mina Jude Elsie".split(),
    "num": "3 4 6 7 8 11 15 24".split(),
    "amount": ["$1,250.50", "€900", "£3.4k", "1.200,00 EUR", "$18.75", "£60", "€2.5 million", "450 dollars"],
    "hobby": ["bouldering", "choir", "pottery", "night fishing", "chess", "five-a-side", "sourdough", "birdwatching", "D&D"],
    "relation": ["my sister", "my brother-in-law", "my mum", "my flatmate", "my husband", "my ex-wife", "my oldest friend", "my aunt"],
    "subject": ["organic chemistry", "statistics", "EU law", "art history", "thermodynamics", "Python", "macroeconomics", "anatomy"],
    "material": ["oak", "12.5 mm plasterboard", "OSB", "C24 timber", "lime mortar", "PIR board", "slate", "No. 8 screws"],
    "mood": ["knackered", "a bit lost", "in a rush", "half asleep", "on the train", "so done with today", "in a much better mood", "back at my desk"],
    "phone": ["555-0142", "+44 20 7946 0018", "(212) 555-0199", "01632 960 211", "0170/555 12 12", "555.0117", "+1-202-555-0173", "ext. 4471"],
    "team": ["finance", "the night shift", "payroll", "the design team", "HR", "the R&D group", "the front desk", "procurement"],
    "doc": ["email", "cover letter", "report", "summary", "shopping list", "speech", "agenda", "spreadsheet formula"],
    "style": ["short", "in bullet points", "in British spelling", "without emojis", "in plain English", "under 150 words", "formal", "friendly but brief"],
}

# S: something durable.
S = {
    "any": """I live in {city} now.
I moved to {city} in {month}, so the old address is wrong.
My new address is {street}, {city}.
My address is {street}
I work at {company} and have been there for {num} years.
I started at {company} on {date}.
My manager is {title} {last}.
{title} {last} is my boss until {month}, then it's {first}.
I'm allergic to {food}.
I can't stand {food}, never put it in a recipe for me.
I am vegetarian, but I do eat fish (only at {relation}'s place).
I take {dose} of {drug} every morning.
My doctor, {title} {last}, raised the {drug} to {dose} in {month}.
I stopped taking {drug} because it made me dizzy.
Keep your answers {style}.
From now on, write every {doc} {style}.
Never send anything to {first} without asking me first.
Always show dates as day/month/year, e.g. 03/11/2026.
Don't call me {first}, call me "{petname}".
I prefer {app} over {app}.
We decided to go with {company} for the insurance.
We have dropped {app} and use {app} instead.
My {pet} is called {petname}.
{petname} is our {pet}, and she's {num} years old.
{relation!} lives in {city} with two kids.
{relation!}'s birthday is {date}.
{first} and I got married in {city} in 2019.
Actually, it's {first} {last}, not {first} {last}.
Correction: the meeting with {last} is on {weekday}, not {weekday}.
Sorry, I got that wrong, the budget is {amount} and not {amount}.
No, {first} doesn't work at {company} any more.
I go to {hobby} every {weekday} at {time}.
I gave up {hobby} last year because of my knee.
I don't work on {weekday}s.
If a meeting starts before {time}, I join by phone.
If {first} asks for money, the answer is no, whatever the reason.
Unless I say otherwise, use metric units.
My rent is {amount} a month.
My phone number is {phone}.
You can reach {relation} at {phone} after {time}
The password reminder lives in {file}, never in the chat.
My main file is called {file}.
Everything about the move is at {url}.
The team page is {url} and {first} keeps it up to date.
My laptop runs Ubuntu 22.04 and Python {version}.
We're staying on version {version} until {month}, since the upgrade broke {app}.
I speak Dutch, French and some Arabic.
I'm left-handed, which is why the mouse sits on the left.
My favourite colour is green :)
we adopted a {pet} and named it {petname} :D
I'd rather get one long message than {num} short ones.
I like my coffee black... and no sugar, ever.
I used to smoke; I quit in {month}.
I wake up at {time} and I'm no use to anyone before that.
{first} {last[0]}. {last} is my accountant.
My lawyer is {first} {last}, Esq., of {company}
{first} said "I'll never fly again", so we always take the train.
My therapist told me, "No screens after {time}."
(My partner {first} handles all the bills.)
I have two brothers (Tom and {first}) and no sisters.
Please remember that I'm colour-blind.
Remember: my passport expires on {date}.
For the record, I own the flat and {first} only rents the room.
Just so you know, I hate phone calls.
so um I guess you should know I'm diabetic type 2 and I check my sugar like {num} times a day
okay so the thing is {first} and I split up in {month} and the kids stay with me during the week
My goal is to run a 10.5 km race by {month}.
I don't drink alcohol, but I'm fine with 0.0% beer.
Our wifi only works in the kitchen, so that's where I work.
My blood type is O neg.
I pay for {app} out of my own pocket.
The gym, the bakery, etc. are all closed on {weekday}s here.
We're saving for a house in {city}.
I was born in {city} and grew up in {city}.
{weekday}s are for family, so don't plan anything then.
I weigh 71.5 kg and I'm 1.78 m tall.
The car is a 2.0 diesel from 2014.
I always fly from {city} vs. {city}, as it's cheaper.""",
    "office": """{team!} needs every invoice by {time} on {weekday}.
Our fiscal year ends in {month}.
The contract with {company} runs until {date}.
All quotes over {amount} need a signature from {title} {last}.
{first} leads {team}, and {first} is her deputy.
We decided on {weekday} that the launch moves to {month}.
The weekly report goes to {first} (cc {first}), never to the whole list.
My job title is Sr. Analyst, not Jr. Analyst.
The template is {file} and the old one must not be used.
Client names never go in subject lines, because {company} complained.
Our U.S. office is closed on {weekday}s.
Invoices are numbered like INV-2026.014.
Approx. {num} people report to me.
We don't quote in dollars any more, only in euros.""",
    "nurse": """I work nights on Ward {num}, usually 7 p.m. to 7.30 a.m.
Handover is at {time} sharp.
{title} {last} is the consultant on our ward.
We give {dose} {drug} b.i.d. as the default on this ward.
Never round doses in my notes.
If a patient is on {drug}, the pharmacist has to sign as well.
I'm off every second {weekday}.
The rota is kept in {file} by {first}.
My registration is due for renewal on {date}.
I write handovers in SBAR format, i.e. situation first.
The charge nurse is {first}, not {first}, since {month}.
I want abbreviations like p.r.n. spelled out in leaflets.""",
    "student": """I'm in my second year of {subject} at the Univ. of {city}.
My thesis is about {subject} in the 19th century.
My supervisor is {title} {first} {last}.
The thesis is due on {date}.
I cite in APA style (7th ed.), never MLA.
I dropped {subject} because it clashed with {hobby}.
My notes for {subject} are in {file}.
Don't give me full solutions, only hints.
I learn best from examples, then the theory.
My tutor {first} only answers emails before {time}.
i failed {subject} last term so i resit it in {month}
I have ADHD and get 25% extra time in exams.""",
    "builder": """I run a {num}-man crew out of {city}.
We only use {material} for outside walls.
The site is at {street}, {city}.
The inspector, {title} {last}, comes on {date} at {time}.
I charge {amount} a day plus VAT.
{company} delivers on {weekday}s only.
No radio on site before 8 a.m. or the neighbours kick off.
The client changed her mind, it's {material} in the hall now.
All drawings are in {file} and rev. C is the one that counts.
Measurements are in mm, never in cm.
{first} is my sparky and {first} does the plumbing.
The ceiling is 2.45 m high, not 2.54.""",
    "parent": """{kid} is {num} and goes to St. Anne's.
{kid} is allergic to {food}, so is her cousin.
School finishes at {time} on {weekday}s.
{kid}'s teacher is {title} {last}.
{kid} gets {dose} of {drug} at bedtime.
No sweets in {kid}'s lunchbox, school rule.
{kid} has {hobby} on {weekday}s and I drive.
{relation!} picks up {kid} every {weekday}.
We don't post photos of {kid} online.
{kid} won't eat {food} unless it's hidden in a sauce.
The school portal is {url}.
The babysitter is {first} and she takes {amount} an hour.""",
}

# T: everything else.
T = {
    "any": """Can you help me with a {doc}?
Could you write a {doc} to {title} {last}?
What time is it in {city} right now?
Thanks!
Thank you so much, that's perfect.
thx
ok
Hmm, not quite.
Try again please.
Make it shorter.
Can you translate that into French?
Hi there!
Good morning.
hey, quick question
I'm {mood}.
What's the weather like in {city} this weekend?
Which is better, {app} or {app}?
How do I freeze the top row in {app}?
Please check {file} for typos.
Open {url} and tell me what it says.
Why does {app} {version} keep crashing?
Can you find a restaurant near {street}?
What does "p.p." mean in a letter?
What do you know about me?
Did I already tell you about {first}?
Do you remember where {first} lives?
Haha, good one :)
lol
Great, let's do that.
Wait... what?
Wow!!
Sounds good to me.
Never mind.
Give me {num} ideas for a birthday present.
Please sort this list by date.
Tell me a joke about {pet}s.
Explain {subject} to me like I'm five.
Is {dose} of {drug} a lot?
How many euros is {amount}?
Could you set that out as a table, please?
What's a good substitute for {food}?
Hold on, the phone is ringing.
ugh my screen froze again
Sorry for the typos, I'm typing with one thumb.
Let me see the second version, i.e. the one with the longer intro.
okay um can you uh read that back to me
Who wrote "The Old Man and the Sea"?
Is it true that {city} has no airport?
Draft something for {weekday}, nothing fancy.
(Take your time.)
That's all for today.
See you tomorrow!
Is there a difference between {version} and {version}?
Any tips for packing light?
Can you compare the U.K. and the U.S. on this?
Just give me the gist.
What would you do?
What rhymes with "orange"?
How long does a letter to {city} take?
Let's start over.
I'll paste the text in a sec.
Hm, what about {time} instead?
Make the second paragraph sound less like a robot :P
Please rewrite the bit after "Dear {title} {last}".""",
    "office": """Can you turn these minutes into a {doc}?
What's the formula for a 2.5% increase?
Please draft a reply to {company}.
How do I say no to {first} politely?
Give me a subject line for this.
Can you check whether 1,200 x 0.19 is right?""",
    "nurse": """How many ml is {dose} at 2 mg/ml?
Can you quiz me on {drug} side effects?
What does q.i.d. stand for again?
Write a leaflet about hand washing.
What a shift.
Summarise this handover for me.""",
    "student": """Can you quiz me on {subject}?
What's the difference between i.e. and e.g.?
Please proofread my intro.
Explain Fig. 3 in simple words.
how do i even start this essay
Is a 2.1 good?""",
    "builder": """How much {material} do I need for 18.5 m2?
Whats 2.4 x 3.6?
Write the client a polite reminder.
Can you do me a quote?
What's the going rate for {material}?
Knock up a list for the merchant's.""",
    "parent": """Any ideas for a rainy afternoon?
Write a note to {title} {last} about {kid}'s absence.
What can I bake without {food}?
How do I get slime out of a carpet?
Tell me a bedtime story about a {pet}.
Help, {kid} has a spelling test tomorrow!""",
}

PASTES = [
    ["here's the error:", "Traceback (most recent call last):", "ModuleNotFoundError: No module named 'yaml'", "how do i fix this?"],
    ["Please tidy up this email:", "Dear {title} {last},", "Thank you for your letter of {date}.", "We regret that the order is delayed.", "Kind regards,", "{first} {last}"],
    ["Can you summarise this?", "\"The council has approved the plan.\"", "\"Work at {street} begins in {month}.\""],
    ["What does this mean?", "WARN {app}: retry 3/5 after 1.5s", "ERROR timeout at {url}"],
    ["From their website:", "Opening hours Mon.-Fri. 9-17", "Closed on public holidays.", "Is that open on {weekday}?"],
    ["Translate this for me:", "Der Zug nach Berlin hat ca. 20 Minuten Verspätung.", "Wir bitten um Entschuldigung."],
]
INTROS = ["A few things about me:", "For your notes:", "Some corrections:", "Please remember these:", "House rules:", "What you should know:", "ok list time", "Here goes:"]
ABBR = re.compile(r"(?:\b(?:a\.m|p\.m|St|Rd|Ave|Co|Inc|Ltd|Corp|Bros|Ct|Ln|etc|Esq|Dr|Mr|Mrs|Ms|Jr|Sr|neg|Fri|d)|\.\.)\.$")
MARKER = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
FIELD = re.compile(r"\{(\w+)(!|\[0\])?\}")


def _fill(rng, template):
    used = {}

    def one(m):
        name, how = m.group(1), m.group(2)
        if how == "[0]":
            return rng.choice("ABCDEHJKLMRST")
        options = [v for v in SLOTS[name] if v not in used.setdefault(name, [])]
        value = rng.choice(options)
        used[name].append(value)
        return value[0].upper() + value[1:] if how == "!" else value

    text = FIELD.sub(one, template)
    return re.sub(r"(?<!\.)\.\.$", ".", text)


def _lower(text):
    return " ".join(w if re.search(r"\d|://", w) or (len(w) > 2 and w.isupper()) else w.lower() for w in text.split(" "))


def _marked(text):
    return bool(re.search(r"[.!?…][\"')\]”’]*$", text))


def _wrap(text, width):
    for w in range(width, width + 40):
        lines = textwrap.wrap(text, w, break_on_hyphens=False, break_long_words=False)
        if not any(MARKER.match(x) for x in lines):
            return "\n".join(lines)
    return text


class _Typist:
    def __init__(self, rng, persona):
        self.rng = rng
        self.low = rng.random() < 0.3
        self.bare = 0.75 if self.low else rng.choice([0.03, 0.1, 0.3])
        self.width = rng.choice([0, 0, 0, 60, 66, 72, 80])
        self.chatty = rng.random() < (0.6 if self.low else 0.25)
        self.bullet = rng.choice(["- ", "- ", "* ", "n. ", "n) "])
        self.seen = set()
        self.pools = {}
        for kind, book in (("S", S), ("T", T)):
            mine, general = book[persona].split("\n"), book["any"].split("\n")
            rng.shuffle(mine)
            rng.shuffle(general)
            pool = []
            while mine or general:
                src = mine if mine and (not general or rng.random() < 0.35) else general
                pool.append(src.pop())
            self.pools[kind] = pool
        self.out = {"S": [], "T": []}

    def style(self, text):
        return _lower(text) if self.low else text

    def draw(self, kind):
        while True:
            text = self.style(_fill(self.rng, self.pools[kind].pop()))
            if text.lower() not in self.seen:
                self.seen.add(text.lower())
                return [kind, text]

    def bareness(self, item):
        text = item[1]
        if text.endswith((".", "?")) and not ABBR.search(text) and self.rng.random() < self.bare * (0.4 if text.endswith("?") else 1):
            bare = text[:-1]
            if bare.lower() not in self.seen:
                self.seen.add(bare.lower())
                item[1] = bare

    def lines(self, items):
        """Lines of sentences; an unmarked one ends its line."""
        rows, row = [], []
        for i, item in enumerate(items):
            row.append(item)
            if not _marked(item[1]) or (self.chatty and self.rng.random() < 0.6) or i == len(items) - 1:
                self.bareness(item)
                rows.append(row)
                row = []
        out = []
        for r in rows:
            text = " ".join(x[1] for x in r)
            out.append(_wrap(text, self.width) if self.width else text)
            for k, x in r:
                self.out[k].append(x)
        return "\n".join(out)

    def listing(self, count):
        rng, rows = self.rng, []
        intro = self.style(rng.choice(INTROS))
        if rng.random() < 0.8 and intro.lower() not in self.seen:
            self.seen.add(intro.lower())
            self.out["T"].append(intro)
            rows.append(intro)
        for n in range(1, count + 1):
            items = [self.draw("S")]
            if rng.random() < 0.15 and _marked(items[0][1]):
                items.append(self.draw("S"))
            self.bareness(items[-1])
            text = " ".join(x[1] for x in items)
            mark = self.bullet.replace("n", str(n))
            if self.width:
                first, *rest = _wrap(text, self.width - 3).split("\n")
                text = "\n".join([first] + [" " * len(mark) + x for x in rest])
            rows.append(mark + text)
            self.out["S"].extend(x[1] for x in items)
        return "\n".join(rows)

    def paste(self):
        rows = [_fill(self.rng, x) for x in self.rng.choice(PASTES)]
        if any(x.lower() in self.seen for x in rows):
            return self.lines([self.draw("T")])
        self.seen.update(x.lower() for x in rows)
        self.out["T"].extend(rows)
        return "\n".join(rows)

    def message(self):
        rng, r = self.rng, self.rng.random()
        if r < 0.07:
            text = self.listing(rng.randint(2, 5))
            if rng.random() < 0.4:
                text += "\n\n" + self.lines([self.draw("T")])
            return text
        if r < 0.14:
            return self.paste()
        shape = rng.choice(["T", "T", "T", "T", "T", "T", "TT", "TT", "TST", "TTT", "TTS", "S", "S", "ST", "ST", "TS", "SS", "SST", "TSS", "TT", "TST", "SSS", "SSTS", "TSSST", "SSSS"])
        if len(shape) > 3 and rng.random() < 0.4:
            return self.lines([self.draw(k) for k in shape[:2]]) + "\n\n" + self.lines([self.draw(k) for k in shape[2:]])
        return self.lines([self.draw(k) for k in shape])


def _vault(rng, persona, start):
    def tag():
        return "^" + "".join(rng.choice("0123456789abcdef") for _ in range(6))

    def day():
        return (start - timedelta(days=rng.randint(3, 60))).isoformat()

    facts = ["Lives in {city}", "Works at {company}", "Has a {pet} called {petname}", "Allergic to {food}", "Likes {hobby}", "Manager is {title} {last}", "Takes {dose} of {drug}", "Uses {app}", "Rent is {amount} a month"]
    notes = {}
    who = rng.choice(SLOTS["first"])
    for name in [who] + ([rng.choice([x for x in SLOTS["first"] if x != who])] if rng.random() < 0.5 else []):
        rows = "".join(f"- {_fill(rng, f)} ({day()}) {tag()}\n" for f in rng.sample(facts, rng.randint(1, 4)))
        notes[f"people/{name.lower()}.md"] = f"# {name}\n\n## Facts\n{rows}"
    if rng.random() < 0.6:
        d = day()
        notes[f"memory/{d}.md"] = f"# {d}\n\n- " + _fill(rng, "Asked for a {doc} for {first} ({kid} was ill)") + f" {tag()}\n"
    if len(notes) < 2 or (len(notes) == 2 and rng.random() < 0.7):
        notes["MEMORY.md"] = f"# Memory\n\n## Preferences\n- {_fill(rng, 'Answers {style}')} ({day()}) {tag()}\n\n## People\n- [[people/{who.lower()}]]\n"
    return notes


def session(seed: int) -> Session:
    rng = random.Random(f"seventh-{seed}")
    persona = rng.choice([k for k in S if k != "any"])
    start = date(2026, 2, 1) + timedelta(days=rng.randint(0, 120))
    notes = _vault(rng, persona, start)
    typist = _Typist(rng, persona)
    turns, days, at = [], [], start
    for _ in range(rng.randint(2, 3)):
        turns.append([typist.message() for _ in range(rng.randint(2, 6))])
        days.append(at.isoformat())
        at += timedelta(days=rng.randint(1, 20))
    return Session(notes, turns, days, typist.out["S"], typist.out["T"])


def _check():
    for seed in range(100):
        s = session(seed)
        assert s == session(seed)
        assert len(set(s.statements)) == len(s.statements) and s.statements, seed
        assert not set(s.statements) & set(s.talk), seed
        assert 2 <= len(s.notes) <= 3 and s.days == sorted(s.days) and len(s.days) == len(s.turns)
        a, b = list(s.statements), list(s.talk)
        for conv in s.turns:
            for message in conv:
                rest = " ".join(" ".join(MARKER.sub("", x) for x in message.split("\n")).split())
                while rest:
                    for pile in (a, b):
                        if pile and (rest == pile[0] or rest.startswith(pile[0] + " ")):
                            rest = rest[len(pile.pop(0)):].strip()
                            break
                    else:
                        raise AssertionError((seed, message, rest, a[:1], b[:1]))
        assert not a and not b, (seed, a, b)


if __name__ == "__main__":
    _check()
