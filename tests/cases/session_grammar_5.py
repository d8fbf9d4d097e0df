"""Sessions typed by a field-station tech who coaches kids' soccer: phone thumbs, voice memos, long lab notes.

`session(seed)` is deterministic. Every sentence typed is in exactly one of `statements` and `talk`.
"""
from __future__ import annotations

import datetime
import random
import re
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


SLOTS = dict(
    who=["Wanda Kessler", "Luis Ferreira", "Hannah Boone", "Kenji Watabe", "Omar Haddad", "Greta Lindholm",
         "Theo Marchetti", "Sunniva Dahl", "Amara Diallo", "Viktor Stahl"],
    nick=["Kip", "Rosie", "Manny", "Dee", "Ulla", "Bo", "Cy", "Mick", "Anja", "Saskia", "Leif", "Tess", "Ravi"],
    rank=["Capt. Rourke", "Lt. Vance", "Sgt. Olmos", "Prof. Einarsson", "Gen. Whitlock", "Sen. Marsh",
          "Fr. Dominic", "Prof. em. Baum", "Cmdr. Yates", "Dr. med. vet. Hoyer"],
    suffix=["Ray Dalton Jr.", "Hector Ruiz Sr.", "Lily Chen, Ph.D.", "Nora Fitch, M.D.", "Ed Pruitt, D.V.M.",
            "Sam Ott, Esq.", "Joan Pell, R.N.", "Al Kofler, B.Sc."],
    corp=["Bluewater Corp.", "Kestrel Mfg.", "Pelagic Intl.", "Dahl Instr. A.S.", "Marine Supply S.A.",
          "Gulfstream Elec.", "Otter Labs L.L.C.", "H.B. Sumner & Sons", "E.ON"],
    vendor=["Seaboard Rentals", "Kjell's Boatyard", "Pinetop Outfitters", "Harbor Freight Hub", "Watt & Tide",
            "Elbe Kajak", "Sandpiper Diving", "Copperline Electric"],
    place=["Bergen", "Duluth", "Kiel", "Astoria", "Rostock", "Halifax", "Tromsø", "Monterey", "Esbjerg", "Nome"],
    fort=["Mt. Desert Island", "Ft. Collins", "Pt. Reyes", "St. Pete Beach", "Washington, D.C.", "Mt. Vernon",
          "Ste. Anne", "Ft. Lauderdale", "Truth or Consequences, N.M."],
    street=["212 Harbor Blvd.", "88 N. 3rd", "Apt. 6, 40 Cove Dr.", "Hafenstr. 9", "Am Kai 3, 2. OG",
            "1500 Pier Pkwy.", "P.O. Box 77", "17 Shore Hwy."],
    boat=["the Petrel", "the Lady Agnes", "the Zodiac", "the old skiff", "the green kayak", "the workboat",
          "the barge", "the catamaran"],
    ship=["the R.V. Tern", "the S.S. Marlow", "the M.V. Ingeborg", "the U.S.S. Calloway", "the H.M.S. Gannet",
          "the Ahoy!", "the F.S. Alma", "the R/V Odd Job No. 2"],
    gear=["the winch", "the CTD probe", "the drone", "the centrifuge", "the dry suit", "the chest freezer",
          "the sonar", "the microscope", "the outboard"],
    spot=["shed two", "the wet lab", "the boathouse", "my truck", "the container", "the cold room",
          "the top shelf", "the clubhouse", "the pump house"],
    dow=["mondays", "tuesdays", "weds", "thursdays", "fri nights", "saturdays", "sundays", "every other friday"],
    dowabbr=["Mon.", "Tues.", "Wed.", "Thurs.", "Fri.", "Sat.", "Sun.", "Thurs. night"],
    when=["march 3rd", "may 21", "late june", "the 12th", "labor day weekend", "mid october", "april 28",
          "the last week of july"],
    whenabbr=["Apr. 9", "Sept. 14", "Jun. 2", "Jul. 30", "Nov. 8th", "Aug. 1", "Feb. 17", "Dec. 20th"],
    hour=["6am", "7:40", "1500", "quarter past ten", "5:30pm", "midnight", "high tide", "1115", "sunup"],
    cash=["$40", "60 bucks", "two grand", "$275", "ninety euros", "$1,900", "$15", "a case of beer"],
    cents=["$18.75", "$4.20/ft.", "$99.95 a mo.", "max. $50", "ca. 80 euros", "1.5k", "$0.45 per lb.",
           "$2.3 million"],
    size=["3.5 ft.", "12 oz.", "40 lbs.", "0.8 kn", "2.25 in.", "6 ft. 4 in.", "1.2 m", "10 gal."],
    path=["log_0412.csv", "calib.v3.R", "main.py", "README.md", "tides.2026.json", "config.yaml", "roster_u10.xls",
          ".bashrc", "station-map.svg"],
    link=["https://tides.example.gov/now?stn=14", "wiki.fieldstation.example", "http://10.0.0.12:8080/grafana",
          "www.u10league.example.com", "https://git.example.com/buoy/-/issues/31", "photos.example.org/album?p=2",
          "ftp.archive.example.edu", "https://example.edu/~wes/ctd.html!"],
    ver=["v2.4", "3.11.7", "R 4.3", "v0.9.1", "17.2", "build 8.0.33", "rev. B", "2.0-rc.1"],
    soft=["Node.js", "ASP.NET", "Vue.js", "Joomla!", "D3.js", "Next.js", "Yahoo! Mail", "Socket.io"],
    band=["Panic! at the Disco", "Wham!", "Los Campesinos!", "fun.", "P!nk", "Godspeed You! Black Emperor",
          "will.i.am", "Therapy?", "Neu!"],
    beast=["eelgrass", "blue mussels", "harbor seals", "lumpfish", "moon jellies", "bladderwrack", "shore crabs",
           "sea squirts"],
    role=["deckhand", "data tech", "goalie coach", "postdoc", "dive officer", "ranger", "intern", "electrician"],
    why=["bc the tide wont wait", "cause the battery dies in the cold", "since the grant says so",
         "bc someone got hurt last year", "so the parents can plan", "cause my back is shot",
         "since nobody answers the radio after dark", "bc salt gets into everything"],
    pos=["keeper", "left back", "striker", "sweeper", "center mid", "right wing", "holding mid", "wingback"],
    squad=["the otters", "the u10s", "the blue comets", "the river rats", "the saturday squad", "the mini kickers",
           "the b team", "the girls' team"],
    shirt=["orange", "lime", "maroon", "silver", "purple", "teal", "hot pink", "white"],
    num=["12", "3", "eight", "two dozen", "16", "five", "19", "40"],
    bane=["peanuts", "shellfish", "kiwi", "penicillin", "latex", "bee stings", "cats", "wool"],
    gday=["9. August", "22. Juli", "5. Dezember", "17. April", "30. November", "4. Oktober", "11. Februar", "26. Juni"],
    dabbr=["z.B.", "ca.", "mind.", "evtl.", "i.d.R.", "insg.", "ggf.", "jew."],
    cite=["Okafor et al.", "Lind et al.", "Baum et al. 2019", "Reyes (in prep.)", "Dahl et al., Fig. 3",
          "Haas, unpubl.", "Coe, pers. comm.", "Marsh & Yu, op. cit."],
    rel=["my kid", "my ex", "my roomie", "my cousin", "grandpa", "my wife's brother", "my stepdad", "my twin"],
    logo=["adidas", "iNaturalist", "eBird", "xkcd", "uBlox", "arXiv", "macOS", "tado"],
    snack=["black coffee", "shrimp ramen", "gas station burritos", "rye crispbread", "orange slices", "licorice",
           "cold pizza", "oat bars"],
)

# kind, subject area, text; a leading "=" marks a text with stops inside that end nothing
LINES = """
s own i do my best work before {hour} so dont plan anything creative for me after lunch
s own i can't stand small talk in emails, just give me the point
s own my truck is a stick shift and nobody else on the crew can drive it
s own i'm deaf in my left ear since the blast in {place}
s own my blood type is on the card in {spot}
s own i quit drinking two years ago and don't want jokes about it
s own i learned to dive in {place} when i was nineteen
s own i want metric everywhere, never feet
s own when i say "the kids" i mean {squad}, not my own two
s own {rel} is staying with us till {when}
s own {rel} can't eat {bane}
s own i always take {snack} on night shifts
s own i hate phone calls and love voice memos
s own our dog is called Biscuit and she comes along on {boat}
s own i owe {nick} {cash} for the trailer
s own me and {nick} split the rent {why}
s own i never fly, i take the ferry or i stay home
s own i'm on call {dow} and keep my radio on channel {num}
s own i wear a size 46 boot, which nobody stocks
s own the doc told me no more lifting over shoulder height, ever
s crew {nick} is our new {role} and reports to {who}
s crew {who} runs the night shift {dow}
s crew {nick} gets seasick on {boat} so put her on shore duty
s crew {nick} and {nick2} are married but keep it quiet at work
s crew nobody dives alone here, not even {nick}
s crew {nick} is allergic to {bane} and carries a pen
s crew {who} moved up here from {place} with three huskies
s crew the {role} decides when we turn around, no discussion
s crew {nick} speaks Norwegian and does all the calls with {place}
s crew {who} left the station for a job in {place}
s crew {nick} only answers texts, calling her is pointless
s crew whoever comes back last hoses down {boat} {why}
s crew {nick} did her thesis on {beast}
s crew we hired {nick} as {role} even though {who} wanted someone older
s crew {who} approves every purchase above {cash}
s stuff {gear} lives in {spot} now {why}
s stuff we rent {boat} from {vendor} for {cash} a week
s stuff {gear} must be rinsed with fresh water after every trip
s stuff {boat} is out of the water until {when}
s stuff the code name for the new buoy is Gherkin
s stuff {gear} pulls too much power to run together with {gear2}
s stuff {vendor} has our old {role} working for them and gives us a discount
s stuff if the wind is above 25 knots we don't go out, period
s stuff all samples of {beast} go into {spot} within an hour
s stuff we count {beast} twice a year, in spring and in fall
s stuff the tide gauge is {num} minutes slow and we correct for it later
s stuff {gear} belongs to the university and can't leave the state
s stuff we ended the contract with {vendor} over the broken trailer
s stuff raw data never gets edited, we only add flags
s stuff i decided to log in UTC {why}
s stuff the backup drive goes home with {nick} every friday
s stuff we switched the survey of {beast} to drones after {nick} broke her ankle
s team {squad} practice {dow} at {hour}
s team our shirts are {shirt} at home and {shirt2} away
s team {nick}'s boy plays {pos} and nothing else
s team every kid plays at least half a game, that's my rule
s team parents stay behind the rope {why}
s team {nick} drives the van to away games
s team we share the field with {squad} and they get it first {dow}
s team snacks at half time are {snack}, no soda
s team {nick}'s girl moved from {pos} to {pos2} and is much happier
s team the league fee is {cash} per kid and {vendor} sponsors half
s team {nick} refs our home games but never the finals
s team no scores get posted for {squad}
s team tryouts are always in the week before {when}
s german die kids sagen alle du zu mir, eltern bitte auch
s german {nick} wohnt jetzt in {place} und kommt nur noch alle zwei wochen
s german our Zugführer at the volunteer fire brigade is {nick}, super streng
s crew =the grant officer is {rank} and she wants a report every quarter
s crew =our vet on call is {suffix} and he only takes texts
s stuff =we buy all cable from {corp} at {cents} these days
s crew =mail for {who} goes to {street} until further notice
s crew =the next ship time is on {ship} with {num} berths for us
s stuff =the cutoff for legal size is {size} and anything below goes back
s stuff =the station runs on {soft} {ver} and we don't upgrade mid season
s stuff =everything about the buoy is at {link} and we just call it the wiki
s stuff ={path} is the master copy, all others are junk
s crew ={rank} outranks {rank2} at the harbor, so ask him first
s own =i grew up near {fort} and still vote there
s own =i have listened to {band} on every single night shift since college
s stuff =salinity is logged w. two decimals, e.g. 31.25, never rounded
s stuff =max. depth for students is 12.5 m, instructors may go to 40 m
s stuff =the method is from {cite} with one change, we use smaller jars
s own =i take 0.5 mg of the stuff in the a.m. and none at night
s team =league office is at {street} and they only open {dow}
s team =games vs. {squad} start fifteen minutes late on purpose
s team =the ref asked for max. {num} subs per half, incl. the keeper
s crew =Hannah B. and Hannah K. swap weekends, so ask which one is on
s stuff =the lab's P.I. is {rank} but day to day it's {who} who signs
s crew =the U.S. side pays for fuel and the Danes pay for food
s own =i bank w. the credit union on 5th Ave. and nowhere else
s own =i got my Ph.D. in {place} and never use the title
s stuff =spare props (no. 11 and no. 13) hang in {spot}
s stuff =our freezer alarm is set to -18.5 deg. and texts {nick}
s german =wir nehmen {dabbr} acht Leute mit, mehr passen nicht auf {boat}
s german =die Sommerpause geht bis zum {gday} und gilt für alle teams
s german =der Zuschuss läuft seit dem {gday} über {nick}, Nr. 4 auf der Liste
s team =our cheer goes "who are we? otters!" and the kids wrote it
s crew =the dorm rule is shoes off (yes, rubber boots too!) and it has no exceptions
s stuff =surface temp. is read at {hour} sharp, bottom temp. an hour later
s crew =dept. meetings moved to {spot} for good, same time
s team =the van holds approx. nine kids plus one adult, i.e. two trips
s german ={nick} bzw. {nick2} hat immer den Schlüssel, d.h. ihr müsst nie warten
s german =am container hängt ein schild „Finger weg!“ und das gilt auch für {nick}
s stuff =n.b. the spare radio stays on channel {num} day and night
s crew ={nick} a.k.a. the Boss keeps the logbook
s crew =rides to town are shared, ask e.g. {nick} or {nick2} and chip in for gas
s team =the league splits in two, i.e. {place} plays up north w/o us
s own =my call sign is W.E.S. and my locker is no. 31
t ask what's a good warmup for ten year olds?
t ask can u make that a checklist
t ask how do i get mildew out of a tent?
t ask whats the tide like in {place} tomorrow?
t ask remind me what we call {gear} in the manifest
t ask pls write it so a ten year old gets it
t ask who was it that wanted the {shirt} bibs?
t ask could you rank those by price
t ask give me a plan b in case it rains
t ask is there such a thing as left-handed scissors for kids with big hands?
t ask how long can {beast} survive in a bucket?
t ask what would it cost to ship {gear} to {place}?
t ask shorter!
t ask one more time but funnier
t ask any idea why {gear} squeaks?
t ask quiz me on knots
t ask look over my last message and tell me if it sounds angry
t ask do we have anything on file about {vendor}?
t ask can kids head the ball at that age or is it a no?
t ask kannst du mir das kurz auf englisch sagen?
t ask wie schreibt man das nochmal?
t ask so which is it?
t ask how would you tell a parent that their kid isn't a {pos}?
t ask find me a synonym for brackish
t ask sum it up in two lines
t ask is {hour} too early to run a compressor in a neighborhood?
t ask tell me a joke about {beast}
t ask would it be weird to paint the whole hull {shirt}?
t chat lol
t chat ugh, mondays
t chat brb
t chat my hands are still frozen from this morning
t chat ok cool
t chat that came out way better than mine
t chat hang on, someone's at the door
t chat thx!
t chat i'm beat, talk tomorrow
t chat you're a lifesaver
t chat haha no way
t chat so where were we?
t chat hmm let me sleep on it
t chat moin!
t chat super, danke
t chat yo
t chat typing this with one thumb, sorry
t chat sry wrong window
t chat nope, the other paragraph
t chat actually keep the first version
t chat wait, i meant the picture not the text
t chat scrap that, undo the bold
t chat oof
t chat what a game!
t chat good lord
t chat coffee first
t if maybe i should just sell everything and move to {place}
t if if i were ten years younger i'd sail {boat} to {place}
t if what if {nick} quit tomorrow, who'd do the nets?
t if say we had {num} more kids, how many balls would that take?
t if imagine {squad} won the league, we'd never hear the end of it
t if let's pretend {who} says no, what then?
t if i might get a second freezer some day, or not
t ask =can you check if {rank} ever answered?
t ask =what does {cite} say about sampling at night?
t ask =is {ver} newer than what we run?
t ask =open {path} and tell me what column 3 is
t ask =how many oz. are in a gallon, give or take?
t ask =where on {link} would i find the old logs?
t ask =is {fort} worth a stop with kids?
t ask =whats {size} in centimeters?
t ask =does {soft} still get security patches?
t ask =did {band} ever play in {place}?
t ask =draft a note to {corp} asking for a refund
t chat =so... about yesterday
t chat =wow... just wow!!
t chat =p.s. ignore the typos
t chat =hm, 3.2 or 3.3, who knows?
t if =suppose {suffix} said yes, would we still need a permit?
"""

# sentences typed in one go on one line: "A" and "B" between bars
RUNS = """
s kip's boat is the red one | s mine is no. 7
t got it | s {who} moved to {place} and left us the dog
t saw him | s {nick} works at {vendor} now
t i did | s {nick} is out for the season with a torn ligament
t not me | s {nick} has the trailer keys from now on
t nah | s {squad} keep the {shirt} shirts another year
t Nope! | s {boat} stays in {spot} all winter
t u there? | s {who} wants all reports as plain text from now on
s our new {role} is called Le | s she's from {place} and bunks with {nick}
s the guy at customs is named Ng | s he clears our samples without a fuss
s the dock we use is pier 4 | s 5 is for the coast guard
s we have 16 kids | s 12 of them can swim
s practice ends at 7 | s {nick} locks up
s the good maps are in drawer F | s everything older went to the museum
s our buoy is station B | s A was lost in the storm
s the meds for the dog are vitamin K | s she gets them with cheese
s i get up at 5 a.m. | s Nobody in my house talks to me before six
s the seminar is on Thurs. | s Everyone brings their own mug
s we ship everything via {corp} | s {nick} has the login
s the boat is insured by a firm in the U.S. | s The trailer isn't insured at all
s our skipper used to fly for the U.N. | s Planes bored him
s the address is 9 Quay Blvd. | s There's no bell, so knock hard
s we stock line, hooks, floats, etc. | s Refills come from {vendor}
s i'm number two, after Ray Dalton Jr. | s He has been here since the flood
s the field is next to Sumner High. | s {squad} park behind the gym
s we track birds with an app now | s {logo} syncs every night
s our kit comes from one brand only | s {logo} gave us a deal through {when}
s the motto on the van is "no ball, no glory." | s The kids voted for it
s {nick} told everyone "i'm done with boats!" | s She works the desk since then
s the sticker on the freezer says "Open me?" | s It means the lab one, not the lunch one
s {nick} has the second radio (channel {num}) | s The first one is mine
s {rel} watches the dog when i'm at sea | s (He gets paid in {snack}.)
t meh... | s We said no to {vendor} for good
t idk… | s {nick} hates being on the list twice
t anyway!! | s {nick2} is godparent to {nick}'s twins
t is it on? | t say something
t asked her | t she laughed
t made it! | t soaked but happy
t so? | t any news?
s our tide station has id 8. | s 9 is the spare
s the u12 coach is Ty | s he and {nick} share the ball bag
s im in bunk C | s {nick} snores so dont put us together
s our favorite band on the van is {band} | s parents hate it
s Training ist immer um 18 Uhr | s Torwart ist {nick}
s the paper we follow is {cite} | s {who} wrote the R code for it
t yes please | t go for it
"""

# one thing, said and changed: "note:" what the vault has, "s:"/"t:" what is typed, in this order
STORIES = """
note: {nick} is the {role} | s: {nick} isn't the {role} anymore, {nick2} is
s: practice for {squad} is {dow} | s: practice moved, {squad} now train {dow2}
s: {gear} goes to {vendor} for repair every winter | s: edit: {gear} goes to {vendor2} from now on, {vendor} closed
note: {boat} is moored at {place} | s: we moved {boat} from {place} to {place2} last week and it'll stay there
s: {nick} plays {pos} for us | s: my bad, {nick} plays {pos2}, i mixed up the jerseys | t: no no i meant change the font not the kid
s: the fuel card limit is {cash} | s: they raised the fuel card limit to {cash2}
note: {who} chairs the safety board | s: {who} stepped down from the safety board and {who2} took over
s: i'm off {dow} this year | s: scratch what i said about my days off, it's {dow2} now
s: we survey {beast} from {boat} | s: {beast} get surveyed from shore now, {boat} is too loud | s: {beast2} are still done from {boat}, nothing changed there
s: tournament is {when} | s: tournament got pushed to {when2} | s: the other tournament, the indoor one, is {when3} as always
note: Locker key is in {spot} | s: locker key isn't in {spot} anymore, look in {spot2}
s: {rank} signs the dive permits | s: wrong guy, {rank2} signs the dive permits
s: the server runs {soft} {ver} | s: the server is on {ver2} since the weekend, still {soft}
s: i drink {snack} with everything, it's a problem | s: i'm off {snack} for good, doctor's orders
s: {nick} lives above {vendor} | s: {nick} moved out from above {vendor} and in with {nick2}
note: {rel} drives the van | s: {rel} lost his license so {nick} drives the van now
s: away shirts are {shirt} | s: correction, away shirts are {shirt2}, {shirt} is for the keepers | t: correct the spelling of maroon too please
s: fees are due {when} | s: fees are due {when2}, not {when}
s: alarm for the freezer goes to {nick} | s: also {nick2} gets the freezer alarm, on top of {nick}
note: Data goes to {path} | s: we quit using {path} and write straight to the database now
s: treffpunkt ist {spot} | s: nee, treffpunkt ist ab jetzt {spot2}
s: my sister in {place} has the cabin keys | s: my sister in {place} gave the cabin keys to {nick} for the season
s: we pay {corp} {cents} for the cable | s: {corp} wants {cents2} for the cable now and we agreed
note: {who} has room 2 at the dorm | s: {who} swapped rooms with {nick} and is in room 5 now
s: high season ends {when} | t: actually what did i tell you about the season? | s: high season ends {when2}, i had last year's dates
"""

MEMOS = """
s ok memo to self {nick} takes the early boat {dow} and i take the late one and we hand over in {spot}
s hey so {who} called and from now on all the permits go through her and not through the harbor office
s listen i talked to the parents and we all agreed no more games before {hour} because half the kids come by ferry
s alright uh {gear} is back from {vendor} and it stays in {spot} and nobody touches it except {nick} okay
s quick one before i forget {nick} cannot do {dow} anymore she has class so {nick2} covers
s so the thing about {beast} is we only ever take {num} per site that is what the permit says
t hey can you uh look up how cold the water is gonna be and whether i need the thick gloves
t testing testing one two is this thing on
t what was i gonna say never mind it will come back to me
t make me a packing list for {num} kids two nights tents and uh what else bug spray
s for next season {squad} will have two coaches me and {nick} and the budget is {cash}
s comma wait how do i turn off the commas anyway {rel} is the emergency contact now not my brother
t can you read me the last bit again the wind was too loud period
s the new rule is life vests on the dock for everybody under twelve question mark no period it is a rule
"""

# borrowed or made-up text; ";;" parts sentences, "//" parts paragraphs
PASTES = """
whats wrong here? // Traceback (most recent call last): ;; File "main.py", line 12, in load. ;; KeyError: 'depth.m'
rewrite this so it sounds less stiff: // Dear parents, please be advised that practice on {whenabbr} is cancelled. ;; Make-up sessions will be held at the discretion of the club. ;; Sincerely, the board
is this spam? // Congratulations!! ;; You have been selected by {corp} to receive {cents}. ;; Our agent Mr. Smith lives in {place} and is waiting.
help me with the kids' puppet play, it starts so: // Captain Barnacle was born in {place} and feared nothing but soap. ;; "Wash? Never!" he roared at the gulls. ;; He owned one boot and a parrot named Dr. Crumb.
tl;dr pls // In this study we sampled {beast} at nine stations (Fig. 2) between 2015 and 2019. ;; Densities were highest at stn. 4, cf. {cite}, and fell below 0.3 per sq. m. in winter. ;; We conclude that further work is needed.
from the group chat, what do i answer? // {nick}: im out on sat, my mom is visiting // {nick2}: same // {nick3}: i live in {place} now guys remember??
how do i say this in german? // Please keep the gate shut. ;; The goats belong to {rank} and they bite.
give me the next verse: // Oh I was a {role} on {ship} ;; and my heart was as blue as the sea
the label says this, can i use it on rubber? // Apply ca. 5 ml per sq. ft. and let dry for 24 hrs. at room temp. ;; Do not swallow! ;; Made in the U.S. by {corp}
pretend you're the angry dad in this one: // You are {who}, your son plays {pos} and never gets picked. ;; You hate {snack} and you think I am blind.
what's the catch in this ad? // Wanted: {role} for summer in {fort}, own boots req. ;; We pay well. ;; No cats
""".strip().split("\n")

HEADS = ["stuff to remember:", "gear talk:", "ok here goes:", "from today's huddle:", "the short version:",
         "dump of my brain:", "who does what:", "so far:", "fyi:", "things that are true:"]
HELLOS = ["*their", "hey", "hey hey,", "mornin", "servus,", "ahoy", "alright,", "back at it"]
BYES = ["cheers, wes", "k bye", "out", "w.", "later!", "ttyl :)", "bis denn"]
FACES = [" :D", " xD", " <3", " 🐟", " ⚽", " (:", " :P", " 👍"]

OLD = ["{vendor} fixed the trailer ({on})", "{nick} likes {snack} ({on}, preference)", "{who} visited with {nick} ({on})",
       "{squad} lost in the last minute ({on})", "Bought {gear} for {cash} ({on}, decision, used one was cheaper)",
       "Sampled {beast} off {place} ({on})", "{rank} came by about the mooring ({on})"]

LISTLIKE = re.compile(r"(?:[-*+#>]|\d+[.)])(?:\s|$)")
KEEP = {"etc", "jr", "sr", "esq", "corp", "mfg", "intl", "blvd", "pkwy", "hwy", "al", "mon", "tues", "wed", "thurs",
        "fri", "sat", "sun", "ft", "in", "oz", "lbs", "gal", "mo", "lb", "elec", "comm", "unpubl", "cit", "fun", "dr"}


def _table() -> dict[str, list[tuple[str, str]]]:
    table: dict[str, list[tuple[str, str]]] = {}
    for row in LINES.strip().split("\n"):
        kind, area, text = row.split(" ", 2)
        hard = text.startswith("=")
        table.setdefault(kind + ("=" if hard else ""), []).append((kind, text.lstrip("=")))
    return table


def _runs() -> list[list[tuple[str, str]]]:
    return [[(part[0], part[2:]) for part in row.split(" | ")] for row in RUNS.strip().split("\n")]


def _stories() -> list[list[tuple[str, str]]]:
    return [[tuple(part.split(": ", 1)) for part in row.split(" | ")] for row in STORIES.strip().split("\n")]


class _Deck:
    """Cards dealt once a session."""

    def __init__(self, rng: random.Random, cards: list) -> None:
        self.cards = rng.sample(cards, len(cards))

    def deal(self):
        return self.cards.pop() if self.cards else None


class _Typist:
    def __init__(self, seed: int) -> None:
        r = self.r = random.Random(seed * 7919 + 55)
        table = _table()
        self.decks = {key: _Deck(r, cards) for key, cards in table.items()}
        self.decks.update(run=_Deck(r, _runs()), memo=_Deck(r, MEMOS.strip().split("\n")), paste=_Deck(r, PASTES),
                          head=_Deck(r, HEADS), hello=_Deck(r, HELLOS), bye=_Deck(r, BYES))
        self.near = {"nick": r.sample(SLOTS["nick"], 7), "who": r.sample(SLOTS["who"], 5),
                     "place": r.sample(SLOTS["place"], 6)}
        # what the person has in hand that week
        self.phone = r.choice([0.15, 0.4, 0.7])
        self.out: list[tuple[str, str]] = []

    def put(self, text: str, bound: dict[str, str] | None = None) -> str:
        bound = {} if bound is None else bound

        def one(hit: re.Match) -> str:
            key = hit.group(1)
            if key not in bound:
                base = key.rstrip("0123456789")
                have = [value for other, value in bound.items() if other.rstrip("0123456789") == base]
                bound[key] = self.r.choice([v for v in self.near.get(base, SLOTS[base]) if v not in have])
            return bound[key]
        return re.sub(r"\{(\w+)\}", one, text)

    # a sentence of the tables has no final full stop; it is set here (or not)
    @staticmethod
    def stop(text: str) -> str:
        if text[-1] in ".!?…:" or text[-2:] in ('."', '!"', '?"', ".)", "!)", "?)"):
            return text
        return text + "."

    @staticmethod
    def unstop(text: str) -> str:
        if not text.endswith(".") or text.endswith(".."):
            return text
        last = text[:-1].split(" ")[-1].lstrip("(\"'")
        if "." in last or last.lower() in KEEP or len(last) == 1 and last.isalpha():
            return text
        return text[:-1]

    @staticmethod
    def big(text: str) -> str:
        """First letter large, as a laptop does it; brands keep theirs small."""
        if any(text.startswith(name) for name in SLOTS["logo"]) or text.startswith(("p.s.", "will.i.am", "main.py")):
            return text
        return text[0].upper() + text[1:]

    def beat(self) -> list[tuple[str, str]] | None:
        kind = self.r.choices(["s", "s=", "t", "t=", "run"], [25, 16, 34, 10, 14])[0]
        card = self.decks[kind].deal()
        if card is None:
            return None
        if kind == "run":
            bound: dict[str, str] = {}
            return [(k, self.stop(self.put(text, bound))) for k, text in card]
        return [(card[0], self.stop(self.put(card[1])))]

    def beats(self, number: int, extra: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        got = [beat for beat in (self.beat() for _ in range(number)) if beat]
        for one in extra:
            got.insert(self.r.randrange(len(got) + 1), [one])
        return got

    def cased(self, beats: list[list[tuple[str, str]]], manner: str) -> list[list[tuple[str, str]]]:
        change = {"small": str.lower, "big": self.big, "loud": str.upper, "asis": lambda text: text}[manner]
        # three dots end a sentence only where a capital follows
        dotted = [any(text.endswith(("...", "…")) for _, text in beat[:-1]) for beat in beats]
        return [[(kind, (self.big if dots else change)(text)) for kind, text in beat]
                for beat, dots in zip(beats, dotted)]

    def fold_lines(self, text: str, hang: str) -> str:
        for width in self.r.sample(range(38, 72), 10):
            rows = [""]
            for word in text.split(" "):
                if rows[-1] and len(rows[-1]) + len(word) + 1 > width:
                    rows.append(word)
                else:
                    rows[-1] = (rows[-1] + " " + word).lstrip()
            if not any(LISTLIKE.match(row) for row in rows[1:]):
                return ("\n" + hang).join(rows)
        return text

    def message(self, extra: list[tuple[str, str]]) -> str:
        r = self.r
        if not extra:
            luck = r.random()
            if luck < 0.09 and (card := self.decks["paste"].deal()):
                return self.paste(card)
            if luck < 0.2 and (card := self.decks["memo"].deal()):
                text = self.put(card[2:])
                text = text if r.random() < 0.4 else text.lower()
                self.out.append((card[0], text))
                return text
        if r.random() < self.phone:
            shape = r.choices(["thumbs", "thumbrow", "items", "shout"], [45, 38, 15, 2])[0]
        else:
            shape = r.choices(["row", "folded", "items", "mixed", "thumbs"], [40, 20, 16, 14, 10])[0]
        return getattr(self, shape)(extra)

    def done(self, beats: list[list[tuple[str, str]]]) -> list[str]:
        """Writes the sentences down and gives the text of each beat."""
        for beat in beats:
            self.out.extend(beat)
        return [" ".join(text for _, text in beat) for beat in beats]

    def barely(self, beats: list[list[tuple[str, str]]]) -> list[list[tuple[str, str]]]:
        return [beat[:-1] + [(beat[-1][0], self.unstop(beat[-1][1]))] for beat in beats]

    def some(self, number: int, extra: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        beats = self.beats(number, extra)
        while not beats:
            card = self.decks["bye"].deal() or self.decks["hello"].deal() or self.decks["head"].deal()
            beats = [[("t", card)]]
        return beats

    def thumbs(self, extra) -> str:
        """Phone: one thought a line, no full stops."""
        beats = self.barely(self.some(self.r.choice([1, 1, 2, 2, 3, 4]), extra))
        beats = self.cased(beats, self.r.choice(["small", "asis"]))
        if self.r.random() < 0.15 and not beats[-1][-1][1].endswith((".", "!", "?", "…", '"', ")")):
            kind, text = beats[-1][-1]
            beats[-1][-1] = (kind, text + self.r.choice(FACES))
        return "\n".join(self.done(beats))

    def thumbrow(self, extra) -> str:
        """Phone: all in one row, small letters, last stop left out."""
        beats = self.cased(self.some(self.r.choice([1, 2, 2, 3]), extra), self.r.choice(["small", "asis", "asis"]))
        if self.r.random() < 0.6:
            beats[-1:] = self.barely(beats[-1:])
        return " ".join(self.done(beats))

    def shout(self, extra) -> str:
        return " ".join(self.done(self.barely(self.cased(self.some(1, extra)[:1 + len(extra)], "loud"))[-1:])) \
            if not extra else self.row(extra)

    def row(self, extra, greet: bool = True) -> str:
        at = len(self.out)
        beats = self.cased(self.some(self.r.choice([1, 2, 3, 3, 4, 6]), extra), "big")
        gap = self.r.choice([" ", " ", " ", "  "]) if self.r.random() < 0.3 else " "
        text = gap.join(self.done(beats))
        if not greet:
            return text
        if self.r.random() < 0.12 and (hello := self.decks["hello"].deal()):
            self.out.insert(at, ("t", hello))
            text = f"{hello}\n{text}"
        elif self.r.random() < 0.12 and (bye := self.decks["bye"].deal()):
            self.out.append(("t", bye))
            text = f"{text}\n{bye}"
        return text

    def folded(self, extra) -> str:
        """Laptop editor with hard line ends, in one or two paragraphs."""
        beats = self.cased(self.some(self.r.choice([2, 3, 4, 5]), extra), "big")
        texts = self.done(beats)
        cut = self.r.randrange(1, len(texts)) if len(texts) > 2 and self.r.random() < 0.5 else len(texts)
        return "\n\n".join(self.fold_lines(" ".join(part), "") for part in (texts[:cut], texts[cut:]) if part)

    def items(self, extra, manner: str | None = None) -> str:
        beats = self.some(self.r.choice([2, 3, 3, 4, 5]), extra)
        beats = self.cased(beats, manner or self.r.choice(["big", "asis", "small"]))
        if self.r.random() < 0.65:
            beats = self.barely(beats)
        head = self.decks["head"].deal() if self.r.random() < 0.5 else None
        if head:
            self.out.append(("t", head))
        sign = self.r.choice(["- {}", "- {}", "  - {}", "{n}. {}", "{n}. {}", "{n}) {}"])
        fold = self.r.random() < 0.25
        rows = []
        for n, text in enumerate(self.done(beats), 1):
            mark = sign.replace("{n}", str(n)).replace("{}", "")
            rows.append(mark + (self.fold_lines(text, " " * len(mark)) if fold else text))
        return "\n".join(([head] if head else []) + rows)

    def mixed(self, extra) -> str:
        """A paragraph, a list, and a last remark."""
        top = self.row([], greet=False)
        middle = self.items(extra, "big")
        text = f"{top}\n\n{middle}"
        if self.r.random() < 0.5 and (beat := self.beat()):
            text += "\n\n" + " ".join(self.done(self.cased([beat], "big")))
        return text

    def paste(self, card: str) -> str:
        bound: dict[str, str] = {}
        paragraphs = []
        for part in card.split(" // "):
            texts = [self.put(text, bound) for text in part.split(" ;; ")]
            texts = [re.sub(r"(?<!\.)\.\.$", ".", text) for text in texts]
            self.out.extend(("t", text) for text in texts)
            unmarked = any(text[-1] not in ".!?\"" for text in texts[:-1])
            paragraphs.append(("\n" if unmarked else " ").join(texts))
        return self.r.choice(["\n", "\n\n"]).join(paragraphs)


def _vault(typist: _Typist, first: datetime.date, known: list[str]) -> dict[str, str]:
    r = typist.r
    dates = [(first - datetime.timedelta(days=d)).isoformat() for d in (r.randint(60, 400), r.randint(8, 50), r.randint(1, 7))]
    who, other = r.sample(typist.near["who"], 2)
    rows = [typist.put(line.replace("{on}", r.choice(dates))) for line in r.sample(OLD, 6)]
    rows = [row[0].upper() + row[1:] for row in rows]
    known = [f"{line[0].upper()}{line[1:]} ({r.choice(dates[:2])})" for line in known]
    pages = {
        f"people/{who.lower().replace(' ', '-').replace('ø', 'o')}.md":
            f"---\ntype: person\ntags: [station]\nupdated: {dates[1]}\n---\n# {who}\n\n## Summary\n\nFrom the station.\n\n"
            "## Facts\n\n" + "".join(f"- {row}\n" for row in rows[:2] + known[:1]) + f"\n## Relationships\n\n- {other}\n",
        "projects/buoy-gherkin.md":
            f"# Buoy Gherkin\n\n**Type:** Project\n**Last Updated:** {dates[1]}\n\n## Facts\n\n"
            + "".join(f"- {row}\n" for row in rows[2:4] + known[1:2]) + "\n## Tasks\n\n- [ ] Solder the new board\n",
        f"memory/{dates[2]}.md": f"# {dates[2]}\n\n" + "".join(f"- {row}\n" for row in rows[4:6]),
        "MEMORY.md": "# Memory\n\n## Facts\n\n" + "".join(f"- {row}\n" for row in known[2:])
                     + f"- The station opened in 1998 ({dates[0]})\n",
    }
    if r.random() < 0.5:
        pages[f"memory/{dates[1]}.md"] = f"# {dates[1]}\n\n- Fog all day, nobody went out\n"
    return pages


def session(seed: int) -> Session:
    typist = _Typist(seed)
    r = typist.r
    first = datetime.date(2025, 9, 1) + datetime.timedelta(days=r.randrange(300))
    lengths = [r.choice([2, 3, 3, 4, 5, 6, 8]) for _ in range(r.choice([2, 3, 3, 4]))]
    days = [first]
    for _ in lengths[1:]:
        days.append(days[-1] + datetime.timedelta(days=r.choice([0, 1, 1, 2, 5, 9, 21])))
    slots: list[list[tuple[str, str]]] = [[] for _ in range(sum(lengths))]
    known = []
    for story in r.sample(_stories(), r.choice([1, 2, 2, 3, 4])):
        bound: dict[str, str] = {}
        told = []
        for kind, text in story:
            text = typist.put(text, bound)
            if kind == "note":
                known.append(text)
            else:
                told.append((kind, typist.stop(text)))
        spots = sorted(r.choice(range(len(slots))) for _ in told)
        for spot, one in zip(spots, told):
            slots[spot].append(one)
    turns, at = [], 0
    for length in lengths:
        turns.append([typist.message(slots[at + n]) for n in range(length)])
        at += length
    return Session(_vault(typist, first, known), turns, [day.isoformat() for day in days],
                   [text for kind, text in typist.out if kind == "s"],
                   [text for kind, text in typist.out if kind == "t"])
