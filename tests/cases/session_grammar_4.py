"""Sessions typed by an office manager who also runs a choir: careful paragraphs, some haste.

`session(seed)` is deterministic. Every sentence typed is in exactly one of `statements` and `talk`.
"""
from __future__ import annotations

import random
import re
from datetime import date, timedelta
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


SLOTS: dict[str, list[str]] = {
    "person": ["Marta Keane", "Oliver Brandt", "Priya Nair", "Tom Hallam", "Lena Vogt", "Samuel Okoro",
               "Ingrid Moss", "Dev Chowdhury", "Clare Whitfield", "Bruno Falk"],
    "first": ["Nina", "Gareth", "Yusuf", "Petra", "Alistair", "Bea", "Colm", "Fatima", "Hugo", "Jess", "Al", "Jo"],
    "titled": ["Dr. Ellison", "Mrs. Abbott", "Mr. Kowalski", "Ms. Tran", "Rev. Pike", "Dr. S. Mehta",
               "Ms. J. Harker", "Mme. Girard", "Mr. St. Clair", "Mrs. O'Dowd"],
    "initials": ["J. R. Salter", "A. B. Farrow", "P.J. Quinn", "T. S. Langley", "M. K. Desai", "R.J. Holt",
                 "C. Winterbourne", "L. M. Ashby", "Peter D. Rowe"],
    "firm": ["Holloway & Co.", "Brightwell Ltd.", "Tanner Bros.", "Castle Joinery Inc.", "Fenwick Paper Co.",
             "St. Luke's Print Ltd.", "Northgate Assoc.", "R. Dunne & Sons Ltd.", "Dr. Oetker"],
    "trade": ["Larkfield Catering", "Riverside Glass", "Blue Door Cleaning", "Hartmann Aufzüge",
              "Okehampton Tiles", "Quayside Couriers", "Greenline Plants", "Morley Locksmiths"],
    "town": ["Bath", "Leeds", "Truro", "Ghent", "Freiburg", "Kendal", "Malmö", "Utrecht", "Swansea", "Ely"],
    "saint": ["St. Ives", "St. Albans", "St. Gallen", "Bury St. Edmunds", "Lytham St. Annes",
              "Chalfont St. Giles", "Ottery St. Mary", "St. Andrews", "Westward Ho!"],
    "address": ["14 Clifton Rd.", "Unit 3, Temple St.", "22 Park Ave.", "9 Old Mill Ln.",
                "Flat 2, 60 Gordon Sq.", "7 Whiteladies Rd.", "31 Queen's Ct.", "5b Victoria Pl."],
    "weekday": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday morning",
                "Friday afternoon", "Tuesday evening"],
    "date": ["4 May", "17 June", "the 9th of July", "22 September", "the 3rd of October", "11 April",
             "30 November", "the 1st of August", "26 March"],
    "shortdate": ["Jan. 12", "Feb. 3rd", "Oct. 30", "Nov. 21", "Dec. 5", "Aug. 18", "Sept. 7", "Mar. 26", "16.4.2026"],
    "clock": ["half past eight", "9:15", "17:30", "noon", "a quarter to four", "08:45", "ten", "20:00", "seven"],
    "ampm": ["9 a.m.", "4.30 p.m.", "8.15 a.m.", "12 p.m.", "6 p.m.", "7.45 a.m.", "2.10 p.m.", "11 a.m."],
    "room": ["the blue meeting room", "the loft", "the sample library", "the reception", "the print room",
             "the bike shed", "the lower kitchen", "the model workshop", "the archive"],
    "numbered": ["room no. 4", "bay No. 12", "store rm. 3", "desk no. 27", "locker no. 108", "room 3.14",
                 "cupboard no. 6", "box no. 9"],
    "sum": ["40 pounds", "about 300 euros", "£85", "€1,250", "two hundred pounds", "£18", "£3,400",
            "a little under €70"],
    "price": ["£12.50", "€99.90", "£1,204.75", "£3.20 a head", "approx. £60", "€0.85 per sheet",
              "£7.99 a month", "2.5 % of the total"],
    "thing": ["the projector", "the coffee machine", "the plotter", "the big ladder", "the label printer",
              "the laminator", "the first-aid kit", "the conductor's stand", "the franking machine"],
    "file": ["minutes_v2.docx", "floorplan.final.pdf", "rota-2026.xlsx", "keys.csv", "badge_list.ods",
             "invoice.0417.pdf", "contacts.txt", "menu.spring.md"],
    "url": ["https://www.larkfield.co.uk/menus", "bookings.stgeorges.org", "https://rota.example.org/?week=14",
            "www.citychoirs.org.uk", "intranet.local/forms.html", "http://parking.example.com/permit?id=88",
            "hall-hire.example.net", "https://example.org/keys/list.php?all=1"],
    "app": ["monday.com", "Booking.com", "Kahoot!", "Yell.com", "Cal.com", "Jotform.io", "draw.io", "Evite.com"],
    "show": ["Oliver!", "Hello, Dolly!", "Mamma Mia!", "Oklahoma!", "Moulin Rouge!",
             "Who's Afraid of Virginia Woolf?", "Help!", "Oh, What a Lovely War!"],
    "diet": ["eats no pork", "is allergic to hazelnuts", "is vegan except for honey", "cannot have gluten",
             "avoids onions", "drinks no alcohol", "is lactose intolerant", "eats fish but no meat"],
    "colour": ["dark green", "grey", "mustard", "off-white", "navy", "terracotta", "pale blue", "black"],
    "job": ["quantity surveyor", "receptionist", "model maker", "bookkeeper", "trainee architect",
            "landscape designer", "caretaker", "IT contractor", "draughtsman"],
    "because": ["because the lift is too small for pallets", "since the neighbours complained about the noise",
                "because it saves us a second trip", "as nobody is in before then",
                "because the insurer asked for it", "since that is when the post comes",
                "because we ran out twice last winter", "so that the evening team can find it"],
    "count": ["six", "nine", "eleven", "fourteen", "twenty-two", "thirty", "four", "seventeen"],
    "ext": ["ext. 114", "ext. 220", "ext. 31", "tel. 0117 496 0021", "tel. 0117 496 0388", "ext. 402",
            "ext. 77", "tel. 0117 496 0142"],
    "brand": ["iZettle", "eBay", "gov.uk", "easyJet", "giffgaff", "tesa", "ebookers", "npower"],
    "gdate": ["14. März", "3. Oktober", "1. Juni", "27. April", "8. September", "31. Januar", "12. Mai", "6. Februar"],
    "kin": ["my sister", "my brother-in-law", "my neighbour", "my aunt", "my oldest friend", "my godson",
            "my niece", "my father"],
    "voice": ["soprano", "alto", "tenor", "second alto", "baritone", "bass", "mezzo", "first tenor"],
    "piece": ["the Fauré Requiem", "the Rutter carols", "the Britten hymn", "the Brahms waltzes",
              "the Bruckner motet", "the sea shanties", "the Tallis canon", "the Elgar part-songs"],
}

# --- statements with no mark inside -------------------------------------------------------------
FACTS = [
    "{first} has been our {job} since last autumn.",
    "{person} lives in {town} and comes in twice a week.",
    "The spare keys hang in {room}, behind the door.",
    "We order our fruit from {trade} every second {weekday}.",
    "{first} {diet}.",
    "I prefer agendas that fit on one page.",
    "{thing|C} belongs in {room}, not in the corridor.",
    "Our office closes between Christmas and the sixth of January.",
    "{trade} comes to clean the windows four times a year.",
    "I never book meetings before {clock} {because}.",
    "{person} signs all contracts over {sum}.",
    "The choir rehearses on {weekday} in the parish hall.",
    "{first} sings {voice} and also keeps the music library.",
    "We decided to repaint {room} in {colour}.",
    "From now on every visitor has to sign the book at the reception.",
    "My middle name is Rosalind, but nobody uses it.",
    "The lease for the ground floor runs out on {date}.",
    "{kin|C} moved to {town} in the spring.",
    "{first} and {first2} share a desk in {room}.",
    "Whenever the alarm goes off at night, {first} is the first person they ring.",
    "We pay {trade} {sum} a quarter {because}.",
    "The bike shed holds {count} bikes, and two of the places are for guests.",
    "I like my reminders in the evening rather than in the morning.",
    "{person} is the godmother of {first}'s daughter.",
    "Deliveries can only be taken after {clock} {because}.",
    "{first} is left-handed, which is why the till stands the other way round.",
    "Our wedding anniversary is on {date}.",
    "I decided against a second printer, as the one we have is idle most of the week.",
    "If {first} is away, {first2} opens the post and puts the cheques in the safe.",
    "The choir sings {piece} at the summer concert.",
    "{first} only works mornings now, because the nursery shuts at one.",
    "All invitations have to be in English and German.",
    "We keep the old drawings for {count} years and shred them afterwards.",
    "{first} used to work for {trade}, so please never copy them in on our quotes.",
    "My desk is the one by the radiator.",
    "I would rather get one long message than five short ones.",
    "The caterers need the final number a week ahead, and after that they charge for every change.",
    "Always put the total at the top of a quote, even when it is only an estimate.",
    "{person} is on parental leave until {date}.",
    "{first}'s birthday is on {date}, and she hates surprises.",
    "{thing|C} was bought second-hand from {trade} for {sum}.",
    "We have {count} members in the choir, of whom {count2} sing {voice}.",
    "Neither {first} nor I can read the old alarm manual, so {trade} does the yearly test.",
    "I take the train on {weekday} and drive on all other days.",
    "The fire drill is held twice a year, always without warning.",
    "{kin|C} plays the organ in {town}.",
    "Nobody but {first} may move the models in {room}.",
    "I'm allergic to lilies, so there are none in the reception.",
    "The {colour} folders are for contracts and the {colour2} ones for insurance.",
    "Our bookkeeping year starts in April!",
    "Unless it rains, the team has lunch in the yard on {weekday}.",
    "{first} took over the rota from {first2}, who had done it for {count} years.",
    "I want all dates in the rota with the weekday in front.",
    "The new carpet in {room} is {colour} and must not be cleaned wet.",
    "Wir haben die Kaffeemaschine nur gemietet, sie gehört {trade}.",
    "Meine Schwester wohnt in {town} und spricht kaum noch Deutsch.",
    "{first} is our Ansprechpartner for everything to do with the Hausverwaltung.",
    "The lift engineer has his own key; he does not need to ring.",
    "{first} gave up smoking, so the ashtray in the yard is gone for good.",
    "{room|C} — our quietest — is for telephone calls only.",
    "Guests from abroad stay at the small hotel next to the station, because it has a night porter.",
]

# --- statements with marks inside that end nothing ------------------------------------------------
FACTS_MARKED = [
    "{titled} looks after the first-aid course and wants {count} people at most.",
    "Our accountant is {initials}, who also does the books of the choir.",
    "We changed from {trade} to {firm} for the paper, mainly because of the price.",
    "{first} moved into {address} at the beginning of the year.",
    "The minutes are always kept in {file} and nowhere else.",
    "The staff entrance opens at {ampm} and the yard gate an hour later.",
    "The cleaning costs {price}, which {first} agreed with them.",
    "{person} grew up in {saint} and still goes there every summer.",
    "{titled} prefers letters to e-mail, i.e. nothing goes out to her without a stamp.",
    "For small repairs (e.g. hinges, locks or blinds) we call {trade} directly.",
    "The spare fuse is in {numbered} with the torches.",
    "{first} can be reached at {ext} until {clock}.",
    "The choir's web page is {url} and {first} looks after it.",
    "We use {app} for the rota {because}.",
    "The choir sings a medley from {show} at the harvest supper.",
    "The tenancy of the annex started on {shortdate} and runs for {count} years.",
    "The floor area is approx. 240 sq. m. including the yard.",
    "Mail for the tenants upstairs, incl. parcels, goes into {numbered} until they fetch it.",
    "{titled} and {titled2} share the parking place by the gate.",
    "The printer driver has to stay at version 4.2.1 because newer ones print no labels.",
    "The insurer is {firm}, policy no. 55-871, and {first} has the papers.",
    "I want every quote to show the price excl. VAT as well.",
    "Der Putzdienst kommt ab dem {gdate} nur noch einmal pro Woche.",
    "Das Büro von {first} ist im 2. Stock links.",
    "Our choir patron is the Rt. Hon. Margaret Lyle, who lives in {town}.",
    "The prize is named after {initials}, a founder of the office.",
    "The kitchen rule is \"who finishes the milk buys the milk!\" and it holds for guests too.",
    "The café opposite, Where's Fred?, gives us ten per cent off.",
    "{first} (our {job} vs. everyone's agony aunt) has asked for Fridays off for good.",
    "We measure rooms in metres, never in feet, as {initials} once ordered {count} doors too short.",
    "The safe is rated to Eurograde no. 2 and bolted to the floor in {room}.",
    "Parcels over 7.5 kg have to go to the side door, where {first} has a trolley.",
    "The singers pay {price}, and students pay nothing.",
    "The plaque by the door says “Est. 1881.” and must not be painted over.",
    "Coffee for clients is served from 9.30 to 10.15 and after that they get tea.",
    "P.S. Our florist only takes cash.",
    "Small firms, e.g. {trade}, get their money within a week.",
    "The parking list covers everyone incl. {first} and the caretaker.",
    "The crypt is unheated Jan. to Mar. and we rehearse at the school then.",
    "Our landlord is the Dean & Chapter of {saint} and they only answer letters.",
]

# --- talk with no mark inside ----------------------------------------------------------------------
TALK = [
    "Could you draft a short invitation for that?",
    "What did we say about {room}?",
    "Please make the second paragraph friendlier.",
    "Thanks, that was quick!",
    "Which of the two would you take?",
    "I am off to lunch now.",
    "What a morning!",
    "Can you turn this into a table?",
    "How do I get a coffee stain out of a wool carpet?",
    "Please remind me of the name of the window people.",
    "Sorry, I was on the phone.",
    "Let me think about it over the weekend.",
    "Do you know a good rhyme for orange?",
    "Never mind, I found it.",
    "Is it normal that {thing} hums like that?",
    "Give me three ideas for the summer party.",
    "If we moved to {town}, would the rates be lower?",
    "Suppose {first} left tomorrow; who could open the safe?",
    "Good morning!",
    "Back again.",
    "Make it a bit shorter, please.",
    "No, I meant the other paragraph.",
    "Actually, leave the heading as it was.",
    "Wait, not that one, the first draft.",
    "Scratch that, put the greeting back in.",
    "Phew.",
    "Can you check the spelling of the last one?",
    "How many chairs fit in a row of eight metres?",
    "Perhaps we should all just move to {town} and open a bakery.",
    "What would you say to someone who always comes late?",
    "Lovely.",
    "How long does oil paint take to dry?",
    "Could {first} possibly be meant by that?",
    "I wonder whether that would even fit.",
    "Translate the last sentence into German, please.",
    "Kannst du das bitte kürzer machen?",
    "Wie heißt noch mal der Aufzugmensch?",
    "Danke dir!",
    "Right, on to the next thing.",
    "Read it to me once more.",
    "Would {colour} go with oak?",
    "Let's leave it there for today.",
    "Ha, very good!",
    "What is the plural of octopus?",
    "Compare the two offers for me and tell me what you would ask them.",
    "Imagine we had {count} more desks.",
    "That is exactly what I was after.",
    "Who said that about the bell tower?",
    "Please list what you know about {first}.",
    "Do I need a permit for a banner?",
]

TALK_MARKED = [
    "Can you find out when {titled} last wrote to us?",
    "Please write to {firm} and ask for a new offer.",
    "Could you open {file} and count the rows?",
    "What does {url} say about refunds?",
    "Hmm... what would you do?",
    "How far is it from {saint} to {town}?",
    "Is {ampm} too early for a call to Brisbane?",
    "Please put a list together (names, roles etc.) that I can print.",
    "How do you pronounce the name of {initials}?",
    "Have you ever heard of {show} being sung by amateurs?",
    "Would {price} be a fair price for that?",
    "Well... let me look again.",
    "Does {app} have a dark mode?",
    "Shall I answer \"yes, please!\" or is that too much?",
    "Round 3.14159 to two places, please.",
    "Do the trains to {saint} still stop at {town}?",
    "Is there anything in chap. 4 or on pp. 12-15 that I should read first?",
]

# --- groups that are typed one after the other ----------------------------------------------------
GROUPS = [
    ("t:I saw it.", "s:Tom lives in {town} now and only comes in for the board."),
    ("t:Yes, do so.", "s:{first} wants to be asked first in future."),
    ("t:No.", "s:The {colour} chairs stay in {room} for good."),
    ("t:Oh!", "s:{first} is the new treasurer of the choir, by the way."),
    ("t:Hmm…", "s:{person} has the only key to the bell tower."),
    ("t:OK.", "s:We go with {trade} for the new blinds."),
    ("s:The new surveyor is called Wu.", "s:Her desk is the one next to {first}."),
    ("s:My contact at the council is now Jo.", "s:Everything about parking permits goes through her."),
    ("s:We meet at 9.", "s:10 is too late for {first}, who has to leave at noon."),
    ("s:Our team sits on floor 3.", "s:7 of us have a parking card."),
    ("s:We chose plan B.", "s:Plan A would have cost {sum} more."),
    ("s:The stationery is kept in block C.", "s:Visitors are not allowed in there."),
    ("s:The office opens at 8 a.m.", "s:Nobody gets in earlier without a fob."),
    ("s:We keep pens, tape, string etc.", "s:The cupboard for them is never locked."),
    ("s:The museum store is on Church St.", "s:The van has to park on Dean St."),
    ("s:We closed the account at {firm}", "s:{first} was very relieved about that, and orders now go to {trade}."),
    ("s:In the rota she is listed as {first} B.", "s:The other {first} has no letter."),
    ("s:Our card reader was replaced in the spring.", "s:{brand} sends the statement to {first} every month."),
    ("s:The sign on the loft stairs says \"Mind your head!\"", "s:It has to stay there {because}."),
    ("s:{first} likes to say \"ask me before noon.\"", "s:After that she is with clients and must not be rung."),
    ("s:The second fob is with {first} (third floor).", "s:The third one was lost and has been blocked."),
    ("s:{kin|C} is our guest for the whole of August.", "s:(She brings her own sheets and hates feather pillows.)"),
    ("t:Is that so?", "s:In our office nobody wears a tie, not even for clients."),
    ("t:Well…", "s:{first} never reads attachments, so everything important goes into the mail itself."),
    ("s:The heating is set to 20.", "s:21 was too warm for most of us."),
    ("s:The lease of the copier ends in Dec.", "s:After that we pay by the page."),
    ("s:The budget for the party is £40.", "s:{first} keeps the receipts."),
    ("s:Die Besprechung ist immer um 10.", "s:{first} bringt den Beamer mit."),
    ("s:We never order from {brand}.", "s:{brand2} is fine as long as the invoice has our address on it."),
    ("t:I asked him.", "t:What do you make of his answer?"),
    ("t:Not for us.", "s:Our choir sings without microphones, whatever the hall."),
    ("t:Did you see it?", "t:I mean the mail from {titled}."),
    ("s:{first}'s new flat is no. 5.", "s:No. 6 belongs to {first2}, and they share a cellar."),
    ("s:The last song is always in A.", "s:The tenors asked for it to be kept low."),
    ("s:The shelves were built by Ed.", "s:He also made the counter in {room}."),
    ("s:{person} is head of HR.", "s:IT belongs to her as well since {date}."),
    ("t:Thank you!", "t:One more thing."),
    ("s:The patent for the hinge belongs to {initials}.", "s:We pay {sum} a year to use it."),
    ("s:The choir's favourite show is {show}", "s:We sing two songs from it at every wedding."),
]

# --- one subject, told and then put right (or seemingly so) ----------------------------------------
# (line in a note or "", opening or "", later sentences)
THREADS = [
    ("{first} starts as {job} on {date}", "", ["s:Correction: {first} starts on {date2}, not on {date}."]),
    ("", "The board meets on {weekday} at {clock}.", ["s:Sorry, the board meets at {clock2}; the day stays the same."]),
    ("Rehearsals are in {room}", "Rehearsals begin at {clock} sharp.",
     ["s:Rehearsals no longer begin at {clock} but at {clock2}."]),
    ("", "{thing|C} is kept in {room}.", ["s:I was wrong about {thing}: it is kept in {room2} these days.",
                                          "s:We moved {thing} again, this time to {room3}."]),
    ("{person} lives in {town}", "", ["s:{person} has moved from {town} to {town2} for good."]),
    ("", "The florist charges {price}, which includes delivery.",
     ["s:The florist now charges {price2}; the old price was for members only."]),
    ("{titled} is the examiner for the apprentices", "", ["s:{titled} has retired, so {titled2} is the examiner now."]),
    ("", "{first} will lead the workshop in {town}.",
     ["s:Not {first} but {first2} leads the workshop in {town}.", "t:Actually, can you put the workshop in bold?"]),
    ("", "We sing {piece} at Easter.", ["s:Change of plan: we sing {piece2} at Easter instead of {piece}."]),
    ("The walls of the stairwell are {colour}", "", ["s:The stairwell is {colour2} now; it was {colour} until the leak."]),
    ("", "The Tuesday choir has {count} members.", ["s:The children's choir, not the Tuesday one, has {count2} members."]),
    ("", "{first} has the key to {room}.", ["s:{first2} has a key to {room} as well, so there are two of them now.",
                                         "t:No wait, I meant the word key in the heading."]),
    ("", "I ride to work by bike.", ["s:I stopped cycling to work after the accident and take bus no. 4 instead."]),
    ("Our caterer is {trade}", "", ["s:We dropped {trade} as caterer and took {trade2} {because}."]),
    ("", "The summer concert is on {date}.", ["s:The summer concert has been moved to {date2} {because}.",
                                            "s:The winter concert stays on {date3}, that one did not move."]),
    ("", "{person} is the chair of the choir.", ["s:I mixed them up: {person2} is the chair and {person} the secretary."]),
    ("", "The wifi for guests is switched off at {clock}.", ["s:Forget what I said about the guest wifi, it now stays on all night."]),
    ("{first} sings {voice}", "", ["s:{first} is a {voice2} really, the list has her wrong."]),
    ("", "The invoice address is {address}", ["s:The invoice address was wrong, it has to be {address2}"]),
    ("", "Lunch is paid by the office on {weekday}.", ["s:From {date} on lunch is no longer paid by the office."]),
    ("", "Dienstags hat {first} Telefondienst.", ["s:Doch nicht {first}, sondern {first2} hat dienstags Telefondienst."]),
    ("", "My favourite hall is the old customs house.", ["s:I no longer like the old customs house, the echo is too long."]),
    ("", "The deadline for {file} is {date}.", ["s:The deadline for {file} was put back to {date2}."]),
    ("", "{first}'s extension is {ext}, if reception is closed.",
     ["s:{first} has a new number, {ext2}, and the old one is dead."]),
]

# --- long run-ons spoken into the telephone, without any marks -------------------------------------
SPOKEN = [
    "s:so just so you know {first} is now doing the keys and {first2} does the alarm and if both are away it is me again",
    "s:um the thing with the lift is that {trade} only come on {weekday} and they want someone downstairs to let them in",
    "s:okay note to self we agreed that the choir gets {room} on {weekday} and that nobody else books it before {clock}",
    "s:right so {person} said she is moving to {town} with the kids but she keeps her desk here two days a week",
    "t:hello can you hear me I think the microphone was off just now",
    "t:um so what I wanted to ask is how long do I have to boil a pudding that was frozen",
    "t:could you write that down as a mail and make it sound a bit more polite than I just did",
    "s:for the record the {colour} paint is for {room} and not for the stairs and we have {count} tins of it",
    "s:I forgot to say that {first} cannot lift anything heavy since the operation so {first2} does the water bottles",
    "t:let me ring you back no sorry you are the computer what am I saying",
    "s:please remember I do not want any meetings on {weekday} any more no matter who asks for them",
    "s:also {kin} gave us the old piano and it stays in the hall because it does not go up the stairs",
]

# --- text that is not the person's own: pasted, invented -----------------------------------------
# "|" parts paragraphs
BLOCKS = [
    ("t:Can you shorten this mail for me?", "|", "t:Dear Ms. Penrose, your order no. 4471 left our warehouse on {shortdate} and is on its way.",
     "t:Please have someone ready at {clock}.", "t:Kind regards, the dispatch team at {firm}"),
    ("t:What do they want from me here:", "|", "t:NOTICE TO ALL TENANTS", "|",
     "t:The water will be shut off on {date} from {ampm} to noon.", "t:Residents of blocks A to D are advised to fill a bucket."),
    ("t:Please translate the text below into plain English.", "|",
     "t:The lessee shall keep the premises (incl. fixtures, fittings etc.) in good repair.",
     "t:Any breach of cl. 7.2 entitles the lessor to terminate forthwith."),
    ("t:I am writing a little story for the newsletter, please go on with it:", "|",
     "t:Mrs. Quill lived alone in a lighthouse and collected lost umbrellas.",
     "t:Every evening she opened one of them and listened.",
     "t:\"Who left you?\" she asked, and the umbrella sighed."),
    ("t:Summarise this review in one line:", "|", "t:We had a wonderful evening at the old mill!",
     "t:The soup was cold, but the waiter (a Mr. Bell) was charming.", "t:We live in {town} and will certainly be back."),
    ("t:Write a limerick that begins like this:", "|", "t:A {job} who came from {saint} kept {count} grey geese in a tent"),
    ("t:This popped up on my screen, what is it?", "|",
     "t:Error 0x80.4: the file {file} could not be opened by user r.keller.", "t:Contact your administrator."),
    ("t:Is this advert any good?", "|", "t:Tired of stairs?", "t:{trade} moves anything, anywhere, any day!",
     "t:We have been in business since 1974 and our head office is in {town}."),
    ("t:Here is a role play for the training, you are the guest:", "|",
     "t:You are {titled} and you have lost your suitcase.", "t:You live in {town}, you are vegan and you hate waiting."),
    ("t:Does the following sound too stiff?", "|", "t:Sehr geehrte Frau Dr. Amann, wir bestätigen den Termin am {gdate} um 15 Uhr.",
     "t:Mit freundlichen Grüßen"),
    ("t:Someone sent me this riddle:", "|", "t:I have a neck and no head, two arms and no hands.", "t:What am I?"),
]

INTROS = ["Some things to know about the office:", "Notes from this morning:", "Before I forget:", "For your memory:",
          "What we agreed:", "So, in short:", "Three things I keep forgetting:", "House rules:", "Das Wichtigste:",
          "From my walk through the building:"]
OPENERS = ["Hi,", "Hello again,", "Morning,", "Dear all-knowing one,", "Hallo,", "Me again", "Quick one"]
CLOSERS = ["Thanks so much! :)", "Thanks, Ros", "Best, R.", "That was all for now", "Cheers", "Bis morgen", "More later", "Over and out", "xx"]

NOTE_LINES = [
    "The office has {count} desks ({day})", "{first} likes {colour} pens ({day}, preference)",
    "The parish hall costs {sum} an evening ({day})", "Chose {trade} for the doors ({day}, decision, {because})",
    "{titled} wrote about the fire doors ({day})", "The stair light was mended ({day})",
    "Music is lent out for a term at most ({day}, rule)", "{first} met {person} at the fair ({day})",
]

MARKER = re.compile(r"(?:[-*+]|\d+[.)])(?:\s|$)")
SHORT = {"etc", "co", "ltd", "inc", "bros", "assoc", "rd", "st", "ave", "ln", "sq", "ct", "pl", "dec", "no"}


class _Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"fourth grammar {seed}")
        self.cast = {name: self.rng.sample(SLOTS[name], 6) for name in ("first", "person", "titled")}
        self.used: set[str] = set()
        self.said: list[tuple[str, str]] = []
        self.pools: dict[str, list] = {}

    def fill(self, text: str, bound: dict[str, str]) -> str:
        def value(found: re.Match) -> str:
            name, digit, capital = found.group(1), found.group(2), found.group(3)
            key = name + digit
            if key not in bound:
                taken = {v for k, v in bound.items() if k.rstrip("0123456789") == name}
                choices = [v for v in self.cast.get(name, SLOTS[name]) if v not in taken]
                bound[key] = self.rng.choice(choices)
            got = bound[key]
            return got[0].upper() + got[1:] if capital else got
        out = re.sub(r"\{([a-z]+)(\d?)(\|C)?\}", value, text)
        return re.sub(r"(?<!\.)([.!?])\.$", r"\1", out)

    def pick(self, name: str, source: list):
        pool = self.pools.setdefault(name, [])
        if not pool:
            pool.extend(self.rng.sample(source, len(source)))
            if name in self.used:
                return None
            self.used.add(name)
        return pool.pop()

    def unit(self, kind: str) -> list[tuple[str, str]]:
        """One or more sentences that belong together."""
        source = {"fact": FACTS, "marked": FACTS_MARKED, "talk": TALK, "talkmarked": TALK_MARKED, "group": GROUPS}[kind]
        got = self.pick(kind, source)
        if got is None:
            return []
        bound: dict[str, str] = {}
        if kind == "group":
            return [(part[0], self.fill(self.end(part[2:]), bound)) for part in got]
        return [("s" if kind in ("fact", "marked") else "t", self.fill(got, bound))]

    @staticmethod
    def end(text: str) -> str:
        """Give a sentence that ends with an open slot its full stop (one stop serves both)."""
        return text + "." if text.endswith("}") else text

    def any_unit(self) -> list[tuple[str, str]]:
        kind = self.rng.choices(["fact", "marked", "talk", "talkmarked", "group"], [36, 19, 26, 9, 13])[0]
        return self.unit(kind)

    # --- layouts: each gives the text of a message and the sentences as typed --------------------
    @staticmethod
    def bare(text: str) -> str:
        """Without the final full stop, if that stop is not one of an abbreviation."""
        if not text.endswith(".") or text.endswith(".."):
            return text
        last = text[:-1].split(" ")[-1].strip("(\"")
        if "." in last or len(last) == 1 and last.isupper() or last.lower() in SHORT:
            return text
        return text[:-1]

    def wrap(self, text: str, indent: str = "") -> str:
        for _ in range(12):
            width = self.rng.randint(46, 78)
            lines, line = [], ""
            for word in text.split(" "):
                if line and len(line) + 1 + len(word) > width:
                    lines.append(line)
                    line = word
                else:
                    line = f"{line} {word}" if line else word
            lines.append(line)
            if not any(MARKER.match(one) for one in lines[1:]):
                return ("\n" + indent).join(lines)
        return text

    def paragraph(self, parts: list[tuple[str, str]]) -> tuple[str, list]:
        return " ".join(text for _, text in parts), parts

    def wrapped(self, parts: list[tuple[str, str]]) -> tuple[str, list]:
        return self.wrap(" ".join(text for _, text in parts)), parts

    def lines(self, parts: list[tuple[str, str]]) -> tuple[str, list]:
        if self.rng.random() < 0.4:
            parts = [(kind, self.bare(text)) for kind, text in parts]
        return "\n".join(text for _, text in parts), parts

    def lower(self, parts: list[tuple[str, str]]) -> tuple[str, list]:
        if any(text.endswith(("…", "...")) for _, text in parts[:-1]):
            return self.paragraph(parts)  # three dots end a sentence only where a capital follows
        parts = [(kind, text.lower()) for kind, text in parts]
        parts[-1] = (parts[-1][0], self.bare(parts[-1][1]))
        return " ".join(text for _, text in parts), parts

    def smile(self, parts: list[tuple[str, str]]) -> tuple[str, list]:
        kind, text = parts[-1]
        plain = self.bare(text)
        if plain != text:
            parts = parts[:-1] + [(kind, plain + self.rng.choice([" :)", " ;-)", " 😊", " :-/", " 🎶"]))]
        return " ".join(one for _, one in parts), parts

    def listed(self, units: list[list[tuple[str, str]]]) -> tuple[str, list]:
        out, all_parts = [], []
        if self.rng.random() < 0.6:
            intro = self.pick("intro", INTROS)
            if intro:
                out.append(intro)
                all_parts.append(("t", intro))
                if self.rng.random() < 0.4:
                    out.append("")
        style = self.rng.choice(["- ", "- ", "1", "* "])
        bare = self.rng.random() < 0.5
        long = self.rng.random() < 0.3
        for number, parts in enumerate(units, 1):
            if bare:
                parts = parts[:-1] + [(parts[-1][0], self.bare(parts[-1][1]))]
            mark = f"{number}. " if style == "1" else style
            text = " ".join(one for _, one in parts)
            out.append(mark + (self.wrap(text, " " * len(mark)) if long else text))
            all_parts.extend(parts)
        return "\n".join(out), all_parts

    def block(self) -> tuple[str, list]:
        got = self.pick("block", BLOCKS)
        bound: dict[str, str] = {}
        out, row, parts = [], [], []
        for part in got:
            if part == "|":
                out.append(" ".join(row))
                row = []
                continue
            text = self.fill(part[2:], bound)
            parts.append(("t", text))
            row.append(text)
        out.append(" ".join(row))
        return "\n\n".join(out), parts

    def message(self, must: list[tuple[str, str]]) -> tuple[str, list]:
        rng = self.rng
        if not must and rng.random() < 0.07:
            return self.block()
        if not must and rng.random() < 0.08:
            got = self.pick("spoken", SPOKEN)
            if got:
                text = self.fill(got[2:], {})
                return text, [(got[0], text)]
        layout = rng.choices(["paragraph", "wrapped", "lines", "listed", "lower", "smile"], [44, 14, 12, 12, 10, 8])[0]
        size = {"paragraph": rng.choice([1, 2, 2, 3, 3, 4, 5]), "wrapped": rng.choice([2, 3, 4, 5]),
                "lines": rng.choice([2, 3]), "listed": rng.choice([2, 3, 4]), "lower": rng.choice([1, 2, 3]),
                "smile": rng.choice([1, 1, 2])}[layout]
        units = [unit for unit in (self.any_unit() for _ in range(size)) if unit]
        for one in must:
            units.insert(rng.randint(0, len(units)), [one])
        if not units:
            units = [[("t", f"Same as before, number {len(self.said)}.")]]
        if layout == "listed":
            text, parts = self.listed(units)
        else:
            text, parts = getattr(self, layout)([one for unit in units for one in unit])
        if layout in ("paragraph", "wrapped") and rng.random() < 0.12:
            opener = self.pick("opener", OPENERS)
            if opener:
                text, parts = f"{opener}\n\n{text}", [("t", opener)] + parts
        if layout in ("paragraph", "listed") and rng.random() < 0.1:
            closer = self.pick("closer", CLOSERS)
            if closer:
                text, parts = f"{text}\n\n{closer}", parts + [("t", closer)]
        return text, parts


def _notes(maker: _Maker, start: date, lines: list[str]) -> dict[str, str]:
    rng = maker.rng
    notes: dict[str, str] = {}
    day = (start - timedelta(days=rng.randint(20, 90))).isoformat()
    filled = [f"{line} ({day})" for line in lines]
    for line in rng.sample(NOTE_LINES, 5):
        filled.append(maker.fill(line.replace("{day}", day), {}))
    rng.shuffle(filled)
    name = rng.choice(maker.cast["person"])
    slug = name.lower().replace(" ", "-")
    third = max(1, len(filled) // 3)
    bullets = ["\n".join(f"- {line}" for line in part) for part in
               (filled[:third], filled[third:2 * third], filled[2 * third:])]
    notes[f"people/{slug}.md"] = (f"# {name}\n\n**Type:** Person\n**Last Updated:** {day}\n\n## Summary\n\n"
                                  f"Colleague from the office.\n\n## Facts\n\n{bullets[0]}\n\n## History\n")
    project = rng.choice(["summer-concert", "new-blinds", "fire-doors", "annex-move"])
    notes[f"projects/{project}.md"] = (f"# {project.replace('-', ' ').capitalize()}\n\n**Type:** Project\n\n## Facts\n\n"
                                       f"{bullets[1]}\n\n## Tasks\n\n- [ ] Ask for two more offers\n- [x] Measure the hall\n")
    notes[f"memory/{day}.md"] = f"# {day}\n\n{bullets[2]}\n"
    notes["MEMORY.md"] = (f"# Memory\n\n## Decisions\n\n- Quotes are kept for six years ({day}, rule)\n\n## Facts\n\n"
                          f"- The office moved here in 2019 ({day})\n")
    return notes


def session(seed: int) -> Session:
    maker = _Maker(seed)
    rng = maker.rng
    start = date(2026, 2, 2) + timedelta(days=rng.randint(0, 200))
    count = rng.randint(2, 4)
    days, when = [], start
    for number in range(count):
        if number and rng.random() > 0.2:
            when += timedelta(days=rng.choice([1, 2, 3, 6, 12, 30]))
        days.append(when.isoformat())
    shape = [rng.randint(2, 8) for _ in range(count)]
    places = [(talk, number) for talk, length in enumerate(shape) for number in range(length)]
    must: dict[tuple[int, int], list[tuple[str, str]]] = {}
    note_lines = []
    for line, opening, later in rng.sample(THREADS, rng.randint(2, 5)):
        bound: dict[str, str] = {}
        queue = []
        if line:
            note_lines.append(maker.fill(line, bound))
        if opening:
            queue.append(("s", maker.fill(maker.end(opening), bound)))
        queue += [(part[0], maker.fill(maker.end(part[2:]), bound)) for part in later]
        for place, one in zip(sorted(rng.sample(range(len(places)), min(len(queue), len(places)))), queue):
            must.setdefault(places[place], []).append(one)
    turns = []
    for talk, length in enumerate(shape):
        messages = []
        for number in range(length):
            text, parts = maker.message(must.get((talk, number), []))
            messages.append(text)
            maker.said.extend(parts)
        turns.append(messages)
    notes = _notes(maker, start, note_lines)
    return Session(notes, turns, days, [text for kind, text in maker.said if kind == "s"],
                   [text for kind, text in maker.said if kind == "t"])
