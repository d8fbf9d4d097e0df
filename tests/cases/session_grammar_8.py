"""Seeded generator of realistic typed chat between a person and an AI agent.

Standard library only.  See `session(seed)`.

Conventions
* A sentence is listed with its final mark if one was typed.  An emoji typed in place of (or right
  after) the final mark belongs to the sentence it closes.
* A list's lead-in line ("Notes from the call:") and pasted log lines are `talk`; each list item is a
  sentence of its own, and its list mark ("- ", "* ", "1. ", "- [ ] ") is not a part of it.
* White space inside a sentence may differ where the typist's mail client wrapped the line.
"""
from __future__ import annotations

import datetime as _dt
import random
import re
import textwrap
from typing import NamedTuple


class Session(NamedTuple):
    notes: dict[str, str]
    turns: list[list[str]]
    days: list[str]
    statements: list[str]
    talk: list[str]


# --------------------------------------------------------------------------- templates
# One template a line.  "~" in front: rare (weight 0.3).  "||" joins sentences that come in a row.
# Slots are drawn from the session's world, so that sentences fit the notes.

STATEMENTS: dict[str, str] = {}
TALK: dict[str, str] = {}

STATEMENTS["work"] = """
The {project} review moved to {day}.
{name} is taking over the {project} from {name2}.
We decided to go with {tool} for the {project}.
The budget for the {project} is {money} now.
The {project} deadline got pushed to {date}.
{name} joined the team today as {role}.
I talked to {name} and the scope is fine.
We're dropping the {feature} from the first release.
The kickoff with {org} is on {date} at {time}.
{org} signed the contract yesterday.
{org} wants a monthly report instead of a weekly one.
The staging server runs on {tool} since last week.
Standup is at {time} from now on.
I'll be out of office from {date} to {date2}.
{name} will present the numbers on {day}.
The client asked for the {feature} by {date}.
We agreed that {name} writes the proposal and I do the pricing.
Our contact at {org} is {full} now.
I sent the draft to {name} this morning.
The invoice for {org} is still open.
{name} is on parental leave until {month}.
We lost the {org} pitch.
{name} prefers to get feedback in writing.
The demo for {org} went well and they want a second one in {month}.
I want to finish the {feature} before the end of {month}.
The new office is on the {nth} floor.
For the {project}, {name} approves all copy before it goes out.
For the {org} account, we bill by the hour.
On the {project}, the weekly sync is now {day} at {time}.
At {org}, {full} is the one who signs off on budgets.
In the {project}, the {feature} comes after the launch.
With {org}, everything has to go through procurement first.
If {name} doesn't reply by {day}, we go ahead without the {feature}.
If the numbers hold, {org} will extend until {month}.
If {org} cancels, we move {name} to the {project}.
When the {project} is live, {name} goes back to support.
Unless something breaks, the release is on {day}.
We can't ship before {date} because legal still has to look at the terms.
We picked {tool} because {name} already knows it.
Since {name} is away, I'm running the {project} meeting this week.
The launch slips by a week because the {feature} isn't ready.
I moved the retro to {day} so {name} can join.
As {org} is closed in {month}, the kickoff happens after that.
Although the budget is tight, we're keeping the {feature}.
{name} said the {project} is "good enough" for a pilot.
{name} told me "we're not renewing with {org}" in the hallway.
~"No more scope changes" was the message from {name}.
~{name} asked "who owns the {feature}?" and I said I do.
The {project} has three owners now ({name}, {name2} and me).
The {feature} (the one {name} built) is going away in {month}.
{name} handles hiring - I only do the last interview.
Two things are fixed: the date ({date}) and the price.
The plan is simple: {name} builds it, {name2} tests it.
Final decision on the {feature}: we do it in {month}.
{name} is leaving... last day is {date}.
The pilot has {num} users and we'll stop at {num2}.
Revenue from {org} was {money} last month, approx. {pct} up.
The error rate went from {pct} to {pct2} after the fix.
The quote from {org} is {money} incl. tax.
~The {project} is built by {org}, Inc. and hosted by us.
~{full} from legal reviews the terms, the privacy page, etc.
The {project} starts at {time} on {day}.
~Version {version} of the {project} goes out on {date}.
Actually, the {project} deadline is {date}, not {pdead}.
Actually {name} owns the {project} now.
Correction: the budget is {money} and not {pbud}.
Sorry, I mixed that up, the {project} sync is on {day}.
The {project} sync is on {pday}. || No wait, it's {day}.
{name} runs the demo. || Actually no, {name2} does.
The {project} review is {day}... no wait, it's {day2}.
I said {pday} before, but the sync is on {day}.
We're not using {ptool} any more, it's {tool} now.
{powner} no longer owns the {project}, {name} does.
The deadline isn't {pdead} any more, we have until {date}.
Scratch that, {name} can do the {feature} after all.
Forget what I said about {org}, they did sign.
Please note that {org} pays within 60 days.
Remember that the {project} budget has to stay below {money}.
Can you note that {name} is the backup for the {project}?
FYI {name} is in {city} this week.
Just so you know, the {project} is on hold.
By the way, {name} got promoted to {role}.
Quick update: {org} said yes!
Good news, the {project} got approved!
We finally shipped the {feature}!
{name} decided to stay with us!
{num} people signed up for the {project} workshop.
3 of the 5 interviews for the {project} are done.
2 weeks is the most {name} can give us.
~2026 is the last year of the {org} contract.
My boss wants the slides by {day} noon.
I have a 1:1 with {name} every other {day}.
{name} and {name2} don't get along, so I keep them on separate projects.
The team decided against a rewrite.
We'll meet in room {room} next time.
The shared folder is called {folder}.
I always do the expense report on the last {day} of the month.
~The talk is called "What Now?" and it's on {date}.
~We're running the ads with Yahoo! and {org}.
~Our landing page vendor is now Booking.com's old agency.
~The contract says "net 30" but they pay whenever they like.
I think the {project} should be split in two, and {name} agrees.
The {project} is done, so please move it to the archive.
{name} works from {city} on {day}s.
I gave {name} access to the {folder} folder.
I had a long call with {name} from {org} this morning, and the upshot is that they want to keep the {feature} but push the rest to {month}.
After going back and forth for a week, we settled on {tool} for the {project}, mostly because {name} has used it before.
{name} and I went through the list on {day} and took out everything that isn't needed for the launch.
The way I see it, the {project} only makes sense if {org} commits to at least {num} seats.
It looks like {org} won't pay before {month}, so I'm planning without that money.
The thing with the {feature} is that it depends on {tool}, which we want to get rid of by {month}.
From {month} on, {name} works four days a week, with {day}s off.
{name}, who used to run support, is now responsible for the {project}.
We wanted to launch on {date}, but {name} found a problem in the {feature} and now it's {date2}.
~{name} wrote, "We are not going to make it before {month}."
~(That includes the {feature}, by the way.)
The numbers {name} sent are from last year; the new ones come on {day}.
I told {name} we'd need the {feature} first, then the rest.
{org} is our biggest client, i.e. about {pct} of revenue.
{name}'s team tracks everything in {tool} (tickets, hours, invoices etc.) and we only get a weekly export.
Re: {project}, we're waiting for {name}.
Re the {feature}: {name} has it on her list.
TL;DR we're going with {org}.
Legal is fine with the {project} as long as the data stays in {city}.
""".strip()

STATEMENTS["people"] = """
{name} moved to {city}.
{name} is my {rel}.
{name}'s birthday is {date}.
{name} started a new job at {org}.
{name} and {name2} are getting married in {month}.
{name} is allergic to {allergen}.
{name} doesn't eat {food}.
My {rel} lives in {city} now.
{name} speaks {lang} and a bit of {lang2}.
I met {full} at the {event}.
{name}'s new number ends in {num}.
{name} hates phone calls, so text is better.
{name} got a dog called {pet}.
{name} is back from {city} on {day}.
I owe {name} {money} for the tickets.
{name} likes {food} and everything with {food2}.
{name} broke up with {name2} last month.
For {name}, the best time to call is after {time}.
As for {name}, she's staying in {city} for another year.
With {name}, it's better to ask early.
If {name} comes along, we need the bigger table.
If I'm late, {name} has a key.
When {name} visits, she stays with my {rel}.
{name} can't make it on {day} because her train gets in at {time}.
{name} is happy because the surgery went fine.
Because {name} works nights, we only call on weekends.
{name} quit her job at {norg} since they wouldn't let her work remotely.
{name} (the one from {org}) is {name2}'s cousin.
{name} calls her dog "{pet}" and the cat "boss".
{name} said "never again" about {city}.
My {rel} turned {age} on {day}.
{name} goes by {name2} at work.
~Dr. {last} is {name}'s mother.
~{name} lives on St. {last} Street, No. 5.
~{full} is the neighbour who waters my plants.
Actually, {name} lives in {city} and not in {ncity}.
No, {name}'s birthday is {date}.
Sorry, it's {name} with the {allergen} allergy, not {name2}.
{name} isn't at {norg} any more, she's at {org} now.
I was wrong about {name}, he's a {role}.
{name}'s wedding is on {day}. || No wait, it's {day2}.
{name} and I talk every {day}.
I want to visit {name} in {month}.
{name} is teaching me {lang}.
I promised {name} to help with the move on {date}.
{name} had a baby, a girl called {name2}!
{name} passed the exam!
{name} wants to borrow the drill again.
It turned out that {name} already knew.
My {rel} is coming over on {day} around {time}.
2 of my cousins live in {city}.
{name} remembered to bring the keys back.
{name} decided on the green jacket.
{name} - my {rel} - is moving in with us in {month}.
I keep forgetting that {name} doesn't drink.
I ran into {name} at the {event} and she told me that she's moving to {city} with {name2} in {month}.
{name} has been my {rel}'s best friend since school, and they still meet every {day}.
My {rel} isn't doing so well, so I'm going to {city} more often now.
{name} used to work at {norg} but has been freelancing since {month}.
{name} sounds strict, but she's really kind once you know her.
""".strip()

STATEMENTS["home"] = """
The plumber comes on {day} between {hour} and {hour2}.
The wifi password is on the fridge now.
We're painting the kitchen {color}.
The rent goes up to {money} from {month}.
The landlord's name is {full}.
Trash day is {day}.
I ordered a new dishwasher and it comes on {date}.
The spare key is with {name}.
We decided to keep the old sofa.
I cancelled the gym membership.
The heating was serviced on {date}.
{pet} has a vet appointment on {day} at {time}.
{pet} only eats the {color} bag of food.
The car needs new tires before {month}.
The car inspection is due in {month}.
I bought a {color} bike for {money}.
The insurance costs {money} a year.
We switched the electricity to {org}.
Our internet contract ends on {date}.
For the kitchen, we picked the {color} tiles.
For {pet}, the vet recommended wet food.
In the garden, the tomatoes go on the south side.
If it rains on {day}, the barbecue is at {name}'s place.
If the parcel doesn't come by {day}, I'm getting a refund.
When we're away, {name} feeds {pet}.
We're not buying the house because the roof is bad.
I put the bikes in the basement because the shed leaks.
Since the boiler died, we've been showering at {name}'s.
The electrician (from {org}) charges {money} an hour.
The measurements are 2.4 m by 3.1 m.
The shelf is 80 cm wide, approx. 35 cm deep.
~The hardware store closes at 8 p.m. on weekdays.
~The meeting with the bank is at 9 a.m. on {day}.
Actually, the trash goes out on {day}.
Actually we're keeping the gym membership.
The plumber comes on {day}. || Sorry, I meant {day2}.
The rent isn't {money}, it's {money2}.
We changed our minds, the kitchen will be {color}.
I'm done with the tax return.
We need new smoke detectors.
The neighbours are renovating until {month}.
{pet} is scared of the vacuum cleaner.
The alarm code changes every {month}.
I set the thermostat to 19.5 degrees.
My mom gave us her old piano.
The move is set: {date}, {time}.
New washing machine is here and it works!
Our landlord wrote: "The lift will be closed until {date}."
The cleaning person comes every second {day} now.
15 boxes are still in the garage.
We had three offers for the bathroom and took the one from {org}, which was {money} cheaper than the rest.
The upstairs neighbour is fine with us having the party on {date} as long as it's quiet after {time}.
I've been putting off the garage for months, and now it has to be empty by {date}.
~eBay refunded the {money} for the broken lamp.
~IKEA delivers on {day}, the rest comes later...
""".strip()

STATEMENTS["tech"] = """
I moved the repo to {org}'s GitLab.
The API returns dates in UTC.
We pin {tool} to {version}.
Backups run at {time} every night.
The main branch is called `{branch}`.
The config lives in `{file}`.
I renamed `{file}` to `{file2}`.
Tests run with `{cmd}`.
We use tabs in the {project} code and spaces everywhere else.
The site is on {domain} now.
I registered {domain} for the side project.
The certificate for {domain} expires on {date}.
Logs are kept for {num} days.
Deploys happen on {day} only.
The bug was in the date parser.
I upgraded to {tool} {version} and everything still works.
My laptop runs Linux since last {month}.
The database is Postgres 15.
The rate limit is {num} requests per minute.
For the {project}, we deploy with `{cmd}`.
On staging, the feature flag is called `{flag}`.
In production, `{flag}` stays off until {month}.
If the build fails, `{cmd}` usually fixes it.
If you see a timeout, it's the VPN.
When the disk is full, the worker just stops.
The job failed because `{file}` was missing.
I turned off the cache because it served stale prices.
Since {version}, the importer needs Python 3.11.
We decided against {tool} because of the license.
The docs (in `{file}`) are out of date.
`{cmd}` takes about 4.5 minutes on my machine.
`{flag}` is on by default now.
{tool} vs. {tool2} is settled: we take {tool}.
Node.js {version} is what the build server has.
{lowprod} is what we use on the frontend team.
{lowprod} broke again after the update.
The new phone is an iPhone, so the notes sync goes over iCloud now.
~npm is banned on that machine, so I use pnpm.
Actually, the port is {num}, not {num2}.
Actually the config is `{file}`, I moved it last week.
Backups run on {day}. || No wait, it's {day2}.
I was wrong, `{flag}` has to be off.
The server is not in {city} any more, we moved it to {city2}.
We're going back to {tool}.
The importer handles about {num} rows a second.
{name} has admin rights on {domain}.
The newsletter goes out from news@{domain}.
The CSV has a header row, a semicolon as separator, and no quotes.
My editor is vim, and that won't change.
The fix is one line: `{flag} = false`.
v{version} is the last release with the old API.
Release {version} breaks the {feature}.
I keep scratch files in ~/{folder}, and they get deleted weekly.
The server has 16 GB of RAM and 4 cores.
The error says "connection refused" whenever the VPN is off.
The ticket is {ticket}.
I spent the whole day on `{file}` and in the end it was just a wrong path in the config.
We split the importer into two jobs so that a bad row no longer stops the whole run.
The old server at {domain} stays up until {date}, after that everything redirects to the new one.
See {ticket} for the details, the short version is that we go back to {tool}.
""".strip()

STATEMENTS["travel"] = """
I'm flying to {city} on {date}.
We booked the hotel in {city} for {num} nights.
The train to {city} leaves at {time}.
My passport expires in {month}.
{name} is coming with me to {city}.
We're skipping {city} this time.
The flight was moved to {time}.
The conference in {city} is from {date} to {date2}.
I prefer the aisle seat.
I always take the train if it's under five hours.
The hotel costs {money} a night.
We're renting a car in {city}.
The booking code is {code}.
For the {city} trip, the limit is {money}.
For {city}, I need a visa.
In {city}, we stay with {name}.
If the flight is cancelled, I take the night train.
If {name} can't come, I'll go alone.
We chose {city} because {city2} is too hot in {month}.
I'm not flying with {org} again because they lost my bag.
Since the ferry is full, we drive around.
The airport (the small one) is 40 min. from the center.
~Our flight lands at 6 a.m. and {name} picks us up.
~The hotel is next to St. {last} church.
Actually, we're going in {month}.
We fly on {day}. || Actually it's {day2}.
The hotel isn't in {city}, it's in {city2}.
Change of plans, we're going to {city} instead of {city2}.
Tickets are booked!
The apartment has no lift - bad for {name}'s knee.
Check-in is from {time}.
I want to be back by {date}.
The group is {num} people now.
Two days in {city}, then three in {city2}.
My frequent flyer number is {code}.
{name} found a place near the beach for {money}.
We're leaving early, like 5ish.
The insurance covers delays over 3 hours only.
~The whole trip was approx. {money}, incl. food.
""".strip()

STATEMENTS["me"] = """
I'm vegetarian since {month}.
I don't drink coffee after {time}.
I prefer short answers.
I prefer bullet points over long text.
I like {food} more than {food2}.
I'm learning {lang}.
My dentist appointment is on {date} at {time}.
I run every {day} morning.
I stopped {hobby} because of my knee.
I started {hobby} again.
I weigh 71.5 kg now.
My blood pressure was 128 over 82.
The doctor said I should sleep more.
I'm reading "{book}" at the moment.
I finished "{book}" last night and loved it.
My goal for {month} is to save {money}.
I'd rather work in the mornings.
I can't do {day}s any more.
I write all dates as day first.
Please always use British spelling with me.
Don't use emojis in drafts for {org}.
From now on, keep summaries under 100 words.
I never check mail on weekends.
I hate phone calls.
My shoe size is 43.
I'm allergic to {allergen}.
I wear contacts now.
For breakfast, I only have {food}.
For running, I use the {color} shoes.
In the evenings, I'm offline after {time}.
If I ask for a recipe, it should be without {allergen}.
If the knee still hurts on {day}, I'll see the doctor.
When I'm tired, I make bad decisions.
I take the pills at night because they make me sleepy.
I quit {hobby}, since I never had time for it.
My therapist says "one thing at a time" a lot.
My physio (Mr. {last}) is great.
~Dr. {last} changed the dose to 2.5 mg.
~My next appointment with Dr. {last} is on {date}.
~I had my blood test at 7 a.m. so I didn't eat.
Actually, I do eat {food} now.
Actually I like {food2}, just not {food}.
I take 10 mg. || Sorry, 20 mg.
I was wrong about the dentist, it's on {date}.
I'm saving for a {color} bike.
My salary goes up to {money} in {month}.
I pay {money} a month into the savings account.
I sold my {org} shares.
My tax number is in the {folder} folder.
I signed up for the {event}.
My favorite place to work is the library.
5 km is my limit right now.
I slept badly again... third night in a row.
I passed my {lang} exam!!
I'm trying to eat less sugar.
I gave up on "{book}" after 50 pages.
My new hobby is {hobby}.
I moved my workouts to {day} - fewer people.
One thing about me: I need deadlines.
I use my iPad for reading and nothing else.
iPhone reminders don't work for me, I ignore them.
I decided to take {month} off.
I've been thinking about it for a while and I'm going to go down to four days a week from {month}.
I used to love {hobby}, but these days I'd rather stay home and read.
I don't mind long answers when it's about code, but for everything else keep it short.
What works best for me is one list in the morning and nothing after {time}.
""".strip()

# short items of a list: (lead-in, items)
LISTS: list[tuple[str, str]] = [
    ("Notes from the call with {name}:", """
{org} wants the {feature} first
budget stays at {money}
{name2} sends the contract by {day}
next call {date}, {time}
no travel needed
they use {tool}
Decision on the {feature} in {month}
the {project} is their first priority
contact is {full}
"""),
    ("Decisions from today:", """
The {feature} ships in {month}.
{name} owns the rollout.
No meetings on {day}s.
We stay on {tool}.
Pricing starts at {money}.
We drop support for {version}.
{org} does the design.
"""),
    ("{project} facts:", """
Deadline: {date}
Budget: {money}
Owner: {name}
Stack: {tool}, {tool2}
Domain: {domain}
Sync: {day} {time}
Client: {org}
Status: on track
"""),
    ("Here's what I have for the {city} trip:", """
flight out {date} {time}
back on {date2}
hotel is {money} a night
{name} books the car
visa not needed
dinner with {name2} on {day}
"""),
    ("My plan for the week:", """
gym on {day}
call {name} about the {feature}
finish the {project} draft by {day2}
{pet} to the vet on {day}
pay {org} ({money})
no work on {day2} evening
read "{book}"
"""),
    ("some things about {name}:", """
lives in {city}
works at {org} as {role}
allergic to {allergen}
birthday {date}
likes {food}
has a dog ({pet})
speaks {lang}
"""),
    ("Three things for {day}:", """
{name} gets the slides by noon
the {feature} stays out
{org} pays the travel ({money})
we test on {version} only
lunch is at {time}
"""),
    ("Ok, here's the list:", """
{food} and {food2}
2 cans of {color} paint
present for {name}, max. {money}
batteries (AA)
tickets for the {event}
food for {pet}
"""),
    ("Todo:", """
renew {domain}
send the invoice to {org}
fix `{file}`
book the table for {num} people
ask {name} about the key
order {color} paint
update to {version}
"""),
]

TALK["open"] = """
Hi!
Hi there.
Hey.
Good morning!
Morning.
Hello again.
Ok, next thing.
Quick one.
One more thing.
Me again.
Hi, hope you're well.
Okay, a few updates.
Some news.
So.
Right, where were we?
Ok so.
Hmm.
Back again.
"""
TALK["close"] = """
Thanks!
Thank you!
Thanks a lot.
Thx.
Cheers.
That's all for now.
That's it for today.
Talk later.
Great, thanks.
Perfect.
No rush.
Let me know what you think.
Does that make sense?
Hope that helps.
Sorry for the long message.
Have a nice weekend!
Good night.
Ok?
Got it?
Bye for now.
"""
TALK["any"] = """
What did I say about the {project}?
Can you remind me when the {project} deadline is?
What's the current budget for the {project}?
Who owns the {project} again?
Can you draft a short email to {name} about that?
Could you make that shorter?
Please write it a bit more friendly.
Summarize what we have so far.
What's next on my list?
Can you check that for me?
What do you think?
Is that a good idea?
Should I call {name} or write an email?
Should we use {tool} or {tool2}?
How do I say that in {lang}?
When is {name}'s birthday?
Where does {name} live now?
What would you suggest?
Do you remember the name of the hotel?
Give me three options.
Make a table out of it.
Can you put that in a list?
Please fix the typos.
What's a good present for {name}?
Any ideas for dinner?
What can I cook with {food} and {food2}?
Is there a good {food} place in {city}?
How long does the train to {city} take?
What's the weather like in {city} in {month}?
Translate that into {lang} please.
Can you explain that like I'm five?
Why does `{cmd}` hang?
What does `{flag}` do?
How do I undo a commit?
Write a test for `{file}`.
Can you look at this error?
What's the difference between {tool} and {tool2}?
Is {version} stable?
Is the {project} review still on {pday}?
Did {name} ever answer?
Did I tell you about {city}?
Which day was it again?
Wait, what?
Really?!
Seriously?
Haha nice.
lol
Ok.
Okay, makes sense.
Sounds good.
Yes please.
Yes.
No.
No, the other one.
Go ahead.
Do it.
Try again.
Not quite.
Hmm, not sure.
Hmm... let me think.
Let me think about it.
Never mind.
Actually, never mind.
Actually, that's a good point.
Actually, can you start over?
Wait, go back one step.
No wait, show me the first version.
I like that!
That's great!
That's better.
Wow.
Nice one!
Good question.
Interesting.
Fair enough.
If {name} writes back, can you help me with the answer?
If it's not too much work, add a short intro.
If you had to choose, which one would you take?
Because of the heat, or why?
For the {project}, what are the open points?
For {name}, could you find something under {money}?
About the {city} trip, what's missing?
Can you turn the notes into a one-page summary (max. 300 words)?
What does "net 30" mean?
What did {name} mean by "circle back"?
Give me a title, a subtitle, and two sentences of intro.
Make it sound less like a robot, please.
Shorter!
More like the second one, but without the joke.
Use the same format as last time.
Please don't change the first paragraph.
Can you do the math for {money} over {num} months?
What's {pct} of {money}?
How much is {money} in dollars?
How many days until {date}?
What time is {time} in {city}?
Remind me what we decided about the {feature}.
Do we have a decision on the {feature}?
What do I prefer, aisle or window?
Who was {full} again?
Is it ok to send that on a {day}?
Can you find a slot on {day} or {day2}?
Would {day} be better?
Could {name} have meant {day}?
Let's do the {project} now.
Let's talk about {city}.
Let's start with the easy part.
Tell me more.
And then?
And the second one?
Same for {name} please.
How's it going?
How are you today?
You're the best.
You're right.
That was quick!
Where's the file?
Is `{file}` the right place for that?
Can I delete `{file}`?
Does {domain} look trustworthy to you?
Is Dr. {last} the right person to ask?
Is 8 a.m. too early for a call?
How would you word that... politely?
Ugh.
Oh no.
Oops, wrong window.
Sorry, go on.
Please try once more with e.g. a shorter subject line.
What should I ask {org}?
Prepare a few questions for the call with {org}.
Write a short thank-you note to {name}.
Help me plan {day}.
What did I forget?
Anything else?
Can you proofread this?
List everything you know about {name}.
👍
Could you go through the notes on the {project} and tell me if anything in there contradicts what {org} sent us?
I'm not sure how to put this to {name} without sounding rude, any ideas?
Would it be weird to ask {name} for the {money} back?
Which of these would you put first, and why?
What happens if we miss the deadline?
Sorry if I asked that before.
As always, great help.
Just kidding.
Just thinking out loud.
"""
# pasted lines (stand on a line of their own)
PASTED = """
Error: ENOENT: no such file or directory, open '{file}'
TypeError: cannot read properties of undefined (reading '{flag}')
fatal: not a git repository (or any of the parent directories): .git
https://{domain}/blog/{folder}?ref={num}
ModuleNotFoundError: No module named '{folder}'
"""

# --------------------------------------------------------------------------- slot values
FIRST = ("Mia Jonas Priya Tom Elena Marcus Sofia Kenji Laura Ahmed Nadia Ben Chloe Diego Hannah Ivan Julia Karim "
         "Lena Mateo Nora Oscar Paula Ravi Sara Theo Uma Victor Wendy Yusuf Zoe Anna Peter Claire Samir Ines "
         "Greta Luis Fatima Owen José Zoë Anaïs Björn Małgorzata Siobhán").split()
LAST = ("Ortega Lindqvist Patel Brandt Okafor Moreau Tanaka Novak Fischer Costa Hughes Park Silva Weber Rossi "
        "Kowalski Haddad Murphy Jensen Dubois O'Neill Singh Nguyen Meyer").split()
ORGS = ("Brightwell|Harbor Labs|Nordwind|Acme|Kestrel|Blue Finch|Tallis & Co.|Meridian|Oakline|Quantia|Lumen|"
        "Papertrail|Stonebridge|Fernway|Arcadia|Bluebird Foods|Helio|Sunrise Clinic|Vantage|Maple Bank|"
        "Northgate|Orbit|Pinecrest|Redwood Partners|Juno Health|Yellow Door|Who's Next?|Go!Media").split("|")
PROJ_A = ("Brightwell|Atlas|Harbor|Phoenix|Lighthouse|onboarding|checkout|billing|spring|Kestrel|Nordwind|"
          "mobile|intranet|annual report|migration|data|Aurora|customer|podcast|garden").split("|")
PROJ_B = ("project|site|app|redesign|campaign|dashboard|launch|rollout|portal|newsletter|pilot|tracker").split("|")
CITIES = ("Lisbon|Berlin|Porto|Oslo|Vienna|Leeds|Austin|Denver|Toronto|Kyoto|Madrid|Ghent|Zurich|Dublin|Boston|"
          "Seattle|Milan|Prague|Krakow|Lyon|Hamburg|Bristol|New York|San Diego|Cape Town|St. Gallen|St. Louis|"
          "Copenhagen|Athens|Tallinn").split("|")
ROLES = ("product manager|designer|data analyst|team lead|nurse|accountant|backend developer|teacher|"
         "head of sales|office manager|QA engineer|architect|intern").split("|")
TOOLS = ("Postgres|Figma|Notion|Stripe|Docker|Redis|Django|React|Jira|Linear|Slack|Airtable|HubSpot|Terraform|"
         "Kubernetes|SQLite|Vue|Webflow|Shopify|Asana|Grafana|Mailchimp|ASP.NET|Next.js|Vue.js").split("|")
LOWPROD = "npm|pnpm|pytest|iMovie|eBay|iCloud|jQuery|macOS|git|n8n|vim|webpack|iOS|tmux".split("|")
FEATURES = ("export|search page|login flow|CSV import|dark mode|PDF report|payment form|mobile menu|API docs|"
            "invite emails|onboarding tour|price calculator|chat widget|audit log|map view").split("|")
FILES = ("config.yaml|settings.py|README.md|.env|docker-compose.yml|src/app.ts|package.json|deploy.sh|"
         "budget_2026.xlsx|data/import.csv|main.py|Makefile|notes/todo.md|routes.rb").split("|")
CMDS = ("make test|npm run build|git pull --rebase|pytest -q|docker compose up|./deploy.sh|npm ci|cargo test|"
        "make deploy|python manage.py migrate|go test ./...").split("|")
FLAGS = ("new_checkout|use_cache|ENABLE_V2|dry_run|beta.search|strict|show_prices|MAX_RETRIES").split("|")
BRANCH = "main|trunk|develop|release/next".split("|")
DOMAINS = ("brightwell.io|harborlabs.com|kestrel.dev|mygarden.org|acme.co.uk|juno.health|oakline.net|"
           "lena-bakes.com|tallis.eu|bluefinch.app").split("|")
FOLDERS = "finance|scratch|design|shared|taxes|archive|templates|drafts".split("|")
FOODS = ("oatmeal|sushi|lentils|mushrooms|curry|pizza|salmon|tofu|pasta|eggs|pancakes|olives|rice|dumplings|"
         "chickpeas|ramen|tacos|beetroot").split("|")
ALLERG = "peanuts|shellfish|gluten|penicillin|lactose|cats|pollen|soy|strawberries".split("|")
PETS = "Biscuit|Miso|Luna|Pepper|Rufus|Olive|Toffee|Max|Mr. Whiskers".split("|")
HOBBIES = ("climbing|pottery|chess|running|swimming|painting|yoga|photography|bouldering|baking|cycling|"
           "playing the cello|knitting").split("|")
LANGS = "Spanish|German|French|Japanese|Italian|Portuguese|Polish|Arabic|Dutch|Korean".split("|")
BOOKS = ("The Overstory|Dune|Piranesi|Deep Work|Middlemarch|Circe|Atomic Habits|Project Hail Mary|Stoner|"
         "Thinking, Fast and Slow|Do Androids Dream of Electric Sheep?").split("|")
EVENTS = ("company party|design meetup|half marathon|spring conference|book club|pottery fair|alumni dinner|"
          "data summit").split("|")
RELS = "sister|brother|cousin|aunt|neighbour|flatmate|mentor|uncle|boss|godfather".split("|")
COLORS = "green|blue|white|dark grey|red|yellow|sage|black".split("|")
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WORKDAYS = DAYS[:5] * 3 + DAYS[5:]
MONTHS = "January February March April May June July August September October November December".split()
EMOJI = "🙂 😅 🎉 👍 😂 🙏 😊 🚀 😭 ❤️ 🤔 😬 🥳".split()


class _Slots(dict):
    """Draws a slot's value on first use; no two slots of one sentence share a value."""

    def __init__(self, world: "_World", rng: random.Random):
        super().__init__()
        self.w, self.r = world, rng

    def __missing__(self, key: str) -> str:
        for _ in range(60):
            v = self.draw(key)
            if v not in self.values():
                break
        self[key] = v
        return v

    def _i(self, what: str, n: int) -> int:
        k = "_" + what
        if k not in self.__dict__:
            self.__dict__[k] = self.r.randrange(n)
        return self.__dict__[k]

    def draw(self, key: str) -> str:
        r, w = self.r, self.w
        base = key.rstrip("0123456789")
        if key == "project" or key in ("pdead", "pbud", "pday", "powner", "ptool"):
            p = w.projects[self._i("p", len(w.projects))]
            return p["name"] if key == "project" else p[key]
        if key == "name":
            return w.people[self._i("n", len(w.people))]["name"]
        if key in ("ncity", "norg"):
            return w.people[self._i("n", len(w.people))][key]
        if base == "name":
            return r.choice(w.people)["name"]
        if base == "full":
            f, l = r.choice(FIRST), r.choice(LAST)
            x = r.random()
            return (f"{f} {l}" if x < .86 else f"{f} {r.choice('ABCDEHJKLMRST')}. {l}" if x < .94
                    else f"{f[0]}. {l}" if x < .98 else f"{f[0]}. {r.choice('ABEJKLR')}. {l}")
        if base == "org":
            return r.choice(w.orgs)
        if base == "city":
            return r.choice(w.cities)
        if base == "pet":
            return w.pet
        if base == "date":
            return w.date(r)
        if base == "time":
            return w.time(r)
        if base == "money":
            return w.money(r)
        if base == "hour":
            return str(r.randint(8, 11) if key == "hour" else r.randint(12, 17))
        if base == "num":
            return str(r.choice([3, 4, 5, 6, 8, 9, 12, 14, 20, 24, 30, 45, 60, 90, 120, 300, 8080, 250]))
        if base == "pct":
            return f"{r.randint(2, 40)}%" if r.random() < .6 else f"{r.randint(1, 30)}.{r.randint(1, 9)}%"
        if base == "version":
            return f"{r.randint(1, 9)}.{r.randint(0, 20)}" + (f".{r.randint(0, 9)}" if r.random() < .5 else "")
        if base == "age":
            return str(r.choice([18, 30, 35, 40, 50, 60, 70]))
        if base == "room":
            return f"{r.randint(1, 4)}.{r.randint(10, 30)}" if r.random() < .3 else str(r.randint(101, 420))
        if base == "nth":
            return r.choice(["2nd", "3rd", "4th", "fifth", "top"])
        if base == "code":
            return "".join(r.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(6))
        if base == "ticket":
            return f"{r.choice(['OPS', 'WEB', 'APP'])}-{r.randint(100, 2400)}"
        if base == "day":
            return r.choice(WORKDAYS)
        table = {"role": ROLES, "tool": TOOLS, "lowprod": LOWPROD, "feature": FEATURES, "file": FILES, "cmd": CMDS,
                 "flag": FLAGS, "branch": BRANCH, "domain": DOMAINS, "folder": FOLDERS, "food": FOODS,
                 "allergen": ALLERG, "hobby": HOBBIES, "lang": LANGS, "book": BOOKS, "event": EVENTS, "rel": RELS,
                 "color": COLORS, "month": MONTHS, "last": LAST}
        return r.choice(table[base])


class _World:
    def __init__(self, rng: random.Random):
        r = rng
        self.datefmt = r.choice(["dm", "md", "md", "dm", "nth", "short", "iso"])
        self.timefmt = r.choice(["3pm", "3 pm", "15:00", "15:00", "3:30pm", "3 p.m."])
        self.cur = r.choice(["$", "$", "$", "€", "£", " EUR", "k"])
        self.orgs = r.sample(ORGS[:-2], 5) + ([r.choice(ORGS[-2:])] if r.random() < .05 else [])
        self.cities = r.sample(CITIES, 6)
        self.pet = r.choice(PETS)
        names = r.sample(FIRST[:-6], 6) if r.random() < .75 else r.sample(FIRST, 6)
        self.people = [{"name": n, "ncity": r.choice(self.cities), "norg": r.choice(self.orgs),
                        "role": r.choice(ROLES), "bday": self.date(r), "rel": r.choice(RELS)} for n in names]
        self.projects = []
        while len(self.projects) < 3:
            n = f"{r.choice(PROJ_A)} {r.choice(PROJ_B)}"
            if all(n.split()[0] != p["name"].split()[0] for p in self.projects):
                self.projects.append({"name": n, "pdead": self.date(r), "pbud": self.money(r, 5),
                                      "pday": r.choice(DAYS[:5]), "powner": r.choice(names),
                                      "ptool": r.choice(TOOLS), "org": r.choice(self.orgs)})

    def date(self, r: random.Random) -> str:
        m, d = r.randint(1, 12), r.randint(1, 28)
        mon = MONTHS[m - 1]
        if r.random() < .1:
            return f"the {d}{'th' if 3 < d < 21 or d % 10 not in (1, 2, 3) else ['st', 'nd', 'rd'][d % 10 - 1]}"
        f = self.datefmt
        if f == "dm":
            return f"{d} {mon}"
        if f == "md":
            return f"{mon} {d}"
        if f == "nth":
            return f"{mon} {d}{'th' if 3 < d < 21 or d % 10 not in (1, 2, 3) else ['st', 'nd', 'rd'][d % 10 - 1]}"
        if f == "short":
            return f"{m}/{d}"
        return f"2026-{m:02d}-{d:02d}" if r.random() < .5 else f"{mon[:3] if m != 5 else 'May'} {d}"

    def time(self, r: random.Random) -> str:
        h = r.choice([7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 20])
        mm = r.choice(["00", "00", "30", "15", "45"])
        ap = "a" if h < 12 else "p"
        h12 = h if h < 13 else h - 12
        f = self.timefmt
        if f == "15:00":
            return f"{h}:{mm}"
        if f == "3pm":
            return f"{h12}{ap}m"
        if f == "3 pm":
            return f"{h12} {ap}m"
        if f == "3:30pm":
            return f"{h12}:{mm}{ap}m"
        return f"{h12} {ap}.m."

    def money(self, r: random.Random, low: int = 0) -> str:
        n = r.choice([15, 40, 65, 85, 120, 250, 380, 450, 900, 1200, 1850, 2400, 4200, 7500, 12000, 18500][low:])
        c = self.cur
        if c == "k":
            return f"{n / 1000:g}k" if n >= 1000 else f"${n}"
        if c == " EUR":
            return f"{n} EUR"
        s = f"{n:,}" if r.random() < .8 else str(n)
        if n < 100 and r.random() < .3:
            s += r.choice([".50", ".99", ".90"])
        return c + s


# --------------------------------------------------------------------------- personas
class _Persona:
    def __init__(self, kind: str, r: random.Random):
        self.kind = kind
        self.lower = kind == "lower" or (kind == "engineer" and r.random() < .5)
        self.lower_names = self.lower and r.random() < .6
        self.nofinal = {"lower": .85, "phone": .5, "engineer": .45, "lister": .25, "nonnative": .15,
                        "excited": .1}.get(kind, .02)
        self.noq = {"lower": .3, "phone": .12}.get(kind, .01)
        self.newline = {"lower": .6, "phone": .3, "engineer": .4, "lister": .4, "careful": .12, "nonnative": .15,
                        "excited": .15}.get(kind, 0.05)
        self.noapos = self.lower and r.random() < .5
        self.typo = {"phone": .05, "lower": .06, "nonnative": .05, "engineer": .02, "excited": .04}.get(kind, .006)
        self.emoji = {"phone": .09, "excited": .12, "lower": .03, "nonnative": .03}.get(kind, .004)
        self.bang = {"excited": .3, "phone": .05}.get(kind, .01)
        self.lists = {"lister": .5, "engineer": .12, "careful": .06, "paragraph": .04, "mail": .1}.get(kind, .03)
        self.smart = kind == "phone" and r.random() < .6
        self.emdash = kind in ("careful", "paragraph") and r.random() < .4
        self.twospace = kind in ("careful", "paragraph", "mail") and r.random() < .12
        self.wrap = r.choice([60, 64, 68, 72, 72, 76, 78, 80]) if kind == "mail" else 0
        self.mark = r.choice(["- ", "- ", "- ", "* ", "• ", "1. ", "1) ", "- [ ] "]) if r.random() < .95 else "-"
        if self.mark == "-":
            self.mark = "" if r.random() < .7 else "– "
        self.join = {"paragraph": .13, "mail": .13, "careful": .06, "lower": .08, "nonnative": .08}.get(kind, .04)
        self.sizes = {"paragraph": (5, 10, 20, 30, 35), "mail": (5, 15, 25, 30, 25), "lower": (45, 32, 15, 6, 2),
                      "phone": (42, 34, 16, 6, 2)}.get(kind, (28, 32, 22, 12, 6))


KINDS = (["careful"] * 20 + ["lower"] * 20 + ["phone"] * 20 + ["nonnative"] * 10 + ["lister"] * 7 +
         ["paragraph"] * 9 + ["mail"] * 6 + ["engineer"] * 6 + ["excited"] * 4)

_CODE = re.compile(r"(`[^`]*`|\b\w+@\S+\w|\b[A-Z]{2,}[-\w]*|https?://\S+)")


def _outside_code(s: str, f) -> str:
    return "".join(p if i % 2 else f(p) for i, p in enumerate(_CODE.split(s)))


def _typo(s: str, r: random.Random) -> str:
    words = [m for m in re.finditer(r"(?<![\w`./@])[a-z]{4,}(?![\w`/@]|\.\w)", s)]
    inside = [m.span() for m in re.finditer(r"`[^`]*`|\"[^\"]*\"", s)]
    words = [m for m in words if not any(a <= m.start() < b for a, b in inside)]
    if not words:
        return s
    m = r.choice(words)
    w = m.group()
    i = r.randrange(1, len(w) - 2)
    x = r.random()
    n = (w[:i] + w[i + 1] + w[i] + w[i + 2:] if x < .5 else w[:i] + w[i + 1:] if x < .8 else w[:i] + w[i] + w[i:])
    return s[:m.start()] + n + s[m.end():]


def _cap(s: str, template: str) -> str:
    if template.startswith(("{lowprod}", "`", "lol", "npm", "iPhone", "eBay", "pnpm", "v{", "{domain}")):
        return s
    return s[:1].upper() + s[1:]


def _style(s: str, p: _Persona, r: random.Random, item: bool = False) -> str:
    """The typist's habits inside the sentence; the final mark stays."""
    if p.kind == "nonnative":
        if r.random() < .22:
            s = re.sub(r"(?<=[a-z,] )(the|a|an) (?=[a-z])", "", s, count=1)
        if r.random() < .12:
            s = s.replace("doesn't", "don't").replace("isn't", "is not")
        if r.random() < .1:
            s = s.replace(" on ", " at ", 1)
        if r.random() < .1:
            s = re.sub(r"\bI want to\b", "I would like to", s)
        if r.random() < .08:
            s = s.replace("moved", "has moved")
    if p.kind in ("phone", "lower") and r.random() < .3:
        for a, b in ((" because ", " bc "), (" please", " pls"), ("Please ", "Pls "), (" you ", " u "),
                     ("Thanks", "Thx"), ("tomorrow", "tmrw"), (" about ", " abt ")):
            if r.random() < .35:
                s = s.replace(a, b)
    if r.random() < p.typo:
        s = _typo(s, r)
    if p.lower:
        if p.lower_names:
            s = _outside_code(s, str.lower)
        else:
            m = re.match(r"[A-Z][a-z']*\b", s)
            if m and m.group() not in FIRST and m.group() not in DAYS + MONTHS + TOOLS + CITIES + LANGS + ORGS \
                    and m.group() not in PETS and m.group() != "Dr":
                s = s[0].lower() + s[1:]
            s = re.sub(r"\bI\b(?!\. )", "i", s)
        if s[:2] == "I " or s[:2] == "I'":
            s = "i" + s[1:]
        if p.noapos and r.random() < .8:
            s = _outside_code(s, lambda t: re.sub(r"(?<=\w)'(?=(t|m|re|ll|s|d|ve)\b)", "", t))
    if p.smart:
        s = _outside_code(s, lambda t: re.sub(r"\"([^\"]*)\"", "“\\1”", t.replace("'", "’").replace(" - ", " — "))
                          .replace("...", "…"))
    elif p.emdash:
        s = s.replace(" - ", " — ")
    return s


def _end(s: str, p: _Persona, r: random.Random, line_end: bool) -> str:
    """The final mark as it was typed."""
    if s.endswith(ORGS[-2]):
        return s
    soft = s.endswith(".") and not s.endswith(("..", ".m.", "etc.", "e.g."))
    if soft and len(s) > 3:
        if r.random() < p.emoji:
            x = r.random()
            e = r.choice(EMOJI)
            return s[:-1] + " " + e if x < .8 else s + " " + e
        if r.random() < p.bang:
            return s[:-1] + ("!" if r.random() < .85 else "!!")
        if line_end and r.random() < p.nofinal:
            return s[:-1]
        if r.random() < .008:
            return s[:-1] + "..."
    elif s.endswith("!") and r.random() < p.emoji * 2:
        return s + " " + r.choice(EMOJI)
    elif s.endswith("!") and p.kind == "lower" and line_end and r.random() < .5:
        return s[:-1] if not s.endswith("!!") else s
    elif s.endswith("?"):
        if line_end and r.random() < p.noq:
            return s[:-1]
        if r.random() < {"excited": .12, "phone": .02}.get(p.kind, .004):
            return s[:-1] + r.choice(["?!", "??"])
    return s


_PARSED: dict[str, list[tuple[float, str]]] = {}
for _k, _t in STATEMENTS.items():
    _PARSED[_k] = [(.3, l[1:]) if l.startswith("~") else (1.0, l) for l in _t.strip().split("\n")]
_PLAIN = re.compile(r"(The|We|We're|I|I'm|I've|I'd|My|Our|If|When|For|On|In|At|With|Since|" + "|".join(FIRST) + r")[ ,]")
_FRONT = ("If", "When", "For", "On", "In", "At", "With", "Since")
_TALK = {k: t.strip().split("\n") for k, t in TALK.items()}
_TOPIC_OF = (("tech", re.compile(r"`|\{(cmd|flag|file|tool|version|domain)")),
             ("travel", re.compile(r"\{city|hotel|trip|aisle")),
             ("work", re.compile(r"\{(project|org|feature|pday)")),
             ("home", re.compile(r"dinner|cook")), ("people", re.compile(r"\{(name|full)")))
_TALK_BY: dict[str, list[str]] = {k: [] for k in ("tech", "travel", "work", "home", "people", "free")}
for _l in _TALK["any"]:
    _TALK_BY[next((t for t, rx in _TOPIC_OF if rx.search(_l)), "free")].append(_l)


# --------------------------------------------------------------------------- notes
def _slug(s: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", s.lower()).strip("-")


def _notes(w: _World, first: _dt.date, r: random.Random) -> dict[str, str]:
    out: dict[str, str] = {}
    S = lambda: _Slots(w, r)
    f = lambda t: t.format_map(S())
    front = r.random() < .2

    def put(path: str, title: str, items: list[str], section: str = "") -> None:
        head = f"---\ntags: [{path.split('/')[0].lower()}]\n---\n" if front else ""
        body = f"{head}# {title}\n\n" + (f"## {section}\n\n" if section else "")
        out[path] = body + "".join(f"- {i}\n" for i in items)

    want = r.randint(3, 8)
    for p in w.projects[: 1 + (want > 4) + (want > 6)]:
        t = p["name"][:1].upper() + p["name"][1:]
        items = [f"Deadline: {p['pdead']}", f"Budget: {p['pbud']}", f"Owner: {p['powner']}",
                 f"Weekly sync on {p['pday']}", f"Uses {p['ptool']}", f"Client: {p['org']}"]
        if r.random() < .4:
            items = [f"The deadline is {p['pdead']}.", f"The budget is {p['pbud']}.",
                     f"{p['powner']} owns the project.", f"The weekly sync is on {p['pday']}.",
                     f"We use {p['ptool']}."]
        if r.random() < .5:
            items.append(f("The {feature} is part of the first release."))
        r.shuffle(items)
        put(f"projects/{_slug(p['name'])}.md", t, items[: r.randint(3, len(items))], r.choice(["", "Facts", ""]))
    for q in w.people[: 1 + (want > 3) + (want > 5)]:
        items = [f"Lives in {q['ncity']}", f"Works at {q['norg']} as {q['role']}", f"Birthday: {q['bday']}",
                 f"{q['name']} is my {q['rel']}."]
        r.shuffle(items)
        put(f"areas/people/{_slug(q['name'])}.md", q["name"], items[: r.randint(2, 4)])
    rest = [
        lambda: put(f"memory/{first - _dt.timedelta(days=r.randint(1, 9))}.md", "Daily note",
                    [f("Talked to {name} about the {feature}."), f("{org} asked for a new quote."),
                     f("Ordered a {color} lamp for {money}.")][: r.randint(1, 3)]),
        lambda: put("MEMORY.md", "Memory", [f("Prefers {food} for breakfast."), f("Time zone: {city}"),
                                            "Likes short answers.", f("Dog: {pet}")][: r.randint(2, 4)]),
        lambda: put("areas/home.md", "Home", [f("Rent: {money}"), f("Trash day is {day}."),
                                              f("Landlord: {full}")][: r.randint(1, 3)]),
        lambda: put("areas/health.md", "Health", [f("Allergic to {allergen}."), f("Dentist: Dr. {last}"),
                                                  f("Runs every {day}.")][: r.randint(1, 3)]),
        lambda: put("resources/servers.md", "Servers", [f("Domain: {domain}"), "Config is in `config.yaml`.",
                                                        f("Backups run at {time}.")][: r.randint(2, 3)]),
        lambda: put(f"archives/{_slug(f('{city}'))}-trip.md", "Trip", [f("Hotel was {money} a night."),
                                                                      f("{name} came along.")]),
    ]
    r.shuffle(rest)
    for g in rest:
        if len(out) >= want:
            break
        g()
    while len(out) < 3:
        rest.pop()()
    return out


# --------------------------------------------------------------------------- messages
class _Writer:
    def __init__(self, p: _Persona, w: _World, r: random.Random):
        self.p, self.w, self.r = p, w, r
        self.used: set[str] = set()
        self.statements: list[str] = []
        self.talk: list[str] = []
        self.norm: dict[str, str] = {}

    def fill(self, t: str, item: bool = False, slots: _Slots | None = None) -> str:
        sl = slots if slots is not None else _Slots(self.w, self.r)
        s = t.format_map(sl)
        s = re.sub(r"([.!?])\1?(?=\.$)", lambda m: m.group(1), s)
        if s.endswith((".m..", "Co..")) or re.search(r"[.?!]\.$", s) and not s.endswith(".."):
            s = s[:-1]
        s = re.sub(r"(?<![.])\.\.$", ".", s)
        return s if item else _cap(s, t)

    def vary(self, kind: str, s: str) -> str:
        """A word or two in front or behind, as people chat."""
        r = self.r
        if kind == "t":
            if len(s) > 14 and r.random() < .09 and re.match(r"(Can|Could|What|How|Is|Should|Please|Do|Did|Does|Let|Who|"
                                                          r"When|Where|Why|Would|Give|Make|Write|List)\b", s):
                return r.choice(["Ok, ", "And ", "So ", "Also, ", "Hey, ", "But ", "Btw, ", "Now, ", "Cool, "]) \
                    + s[0].lower() + s[1:]
            return s
        x = r.random()
        if x < .1 and (m := _PLAIN.match(s)):
            low = s if m.group(1) in ("I", "I'm", "I've", "I'd") or m.group(1) in FIRST else s[0].lower() + s[1:]
            if m.group(1) in _FRONT:
                return r.choice(["Also, ", "And ", "But ", "So ", "Ok so ", "Oh, and ", "Btw, "]) + low
            return r.choice(["Also, ", "And ", "But ", "So ", "Oh, and ", "Btw, ", "Plus, ", "Ok so ", "Well, ", "Anyway, ",
                             "Yeah, ", "Right, ", "Also ", "I think ", "Turns out ", "Apparently, ", "Also "]) + low
        if x < .13 and s.endswith(".") and s[-2:-1].islower() and "..." not in s and not s.endswith((".m.", "etc.")) \
                and not re.match(r"(FYI|Just so|By the way|Remember|Please|Don't|Forget|Scratch|TL)", s):
            return s[:-1] + r.choice([", by the way.", ", I think.", " btw.", ", just so you know.", ", fyi.", " I guess.",
                                      ", as far as I know.", " (finally)."])
        return s

    def joined(self, a: str, b: str) -> str | None:
        r = self.r
        if not (a.endswith(".") and a[-2:-1].islower() and not re.search(r"(\.m|etc|\.\.|Co)\.$", a) and len(a) < 90):
            return None
        m = _PLAIN.match(b)
        if not m or m.group(1) in _FRONT or not b.endswith(".") or "..." in a + b or len(b) > 90 or not _PLAIN.match(a):
            return None
        low = b if m.group(1).startswith("I") and m.group(1) in ("I", "I'm", "I've", "I'd") or m.group(1) in FIRST \
            else b[0].lower() + b[1:]
        glue = [" and ", ", and ", ", but ", ", so ", " and also ", "; ", ", "] if not self.p.lower else \
            [" and ", ", ", ", ", " but ", " so ", " and "]
        return a[:-1] + r.choice(glue) + low

    def pick(self, topic: str) -> str:
        pool = [(wt, t) for wt, t in _PARSED[topic] if t not in self.used]
        if not pool:
            pool = _PARSED[topic]
        t = self.r.choices([t for _, t in pool], [wt for wt, _ in pool])[0]
        self.used.add(t)
        return t

    def pick_talk(self, topic: str) -> str:
        pool = _TALK_BY["free"] if self.r.random() < .5 or not _TALK_BY.get(topic) else _TALK_BY[topic]
        fresh = [t for t in pool if t not in self.used] or pool
        t = self.r.choice(fresh)
        self.used.add(t)
        return t

    def note(self, kind: str, s: str) -> bool:
        key = " ".join(s.split())
        if self.norm.get(key, kind) != kind:
            return False
        if key not in self.norm:
            self.norm[key] = kind
            (self.statements if kind == "s" else self.talk).append(s)
        return True

    def list_block(self, room: int) -> tuple[str, int]:
        r, p = self.r, self.p
        lead, items = r.choice(LISTS)
        if lead in self.used and r.random() < .9:
            lead, items = r.choice(LISTS)
        self.used.add(lead)
        slots = _Slots(self.w, r)
        lines: list[str] = []
        rows = [i for i in items.strip().split("\n")]
        k = max(2, min(room - 1, r.choice([2, 3, 3, 4, 4])))
        chosen = [rows[i] for i in sorted(r.sample(range(len(rows)), k))]
        if r.random() < .92:
            l = _style(self.fill(lead, slots=slots), p, r)
            self.note("t", l)
            lines.append(l)
        capital = r.random() < .4
        n = 0
        for it in chosen:
            s = self.fill(it, item=True, slots=slots)
            for key in [k2 for k2 in slots if k2 not in ("name", "project", "city")]:
                del slots[key]
            if capital:
                s = s[:1].upper() + s[1:]
            s = _style(s, p, r, item=True)
            if s.endswith(".") and p.lower and not s.endswith("m."):
                s = s[:-1]
            if not self.note("s", s):
                continue
            n += 1
            mark = p.mark.replace("1", str(n))
            row = mark + s
            if p.wrap:
                row = "\n".join(textwrap.wrap(row, p.wrap, subsequent_indent=" " * len(mark),
                                              break_long_words=False, break_on_hyphens=False))
            lines.append(row)
        return "\n".join(lines), n + 1

    def message(self, topic: str, first: bool, last: bool) -> str:
        r, p = self.r, self.p
        size = r.choices([1, 2, 3, 4, 5], p.sizes)[0]
        plan: list[tuple[str, str]] = []          # (kind, raw sentence)
        if (first and r.random() < .3) or (size > 1 and r.random() < .06):
            plan.append(("t", self.fill(r.choice(_TALK["open"]))))
        use_list = size >= 2 and r.random() < p.lists or (p.kind == "lister" and r.random() < .12)
        if use_list:
            size = max(size, 4)
        budget = size - len(plan)
        listed = None
        if use_list:
            listed, n = self.list_block(r.randint(3, 5 - len(plan)))
            budget = 5 - len(plan) - n
            budget = min(budget, r.choice([0, 0, 1]))
        chatty = r.random() < .3
        while budget > 0:
            if r.random() < (.15 if chatty else .7):
                parts = [x.strip() for x in self.pick(topic).split("||")]
                if len(parts) > budget and len(plan):
                    continue
                sl = _Slots(self.w, r)
                one = len(parts) == 1
                first_s = self.fill(parts[0], slots=sl)
                if one:
                    other = None
                    if r.random() < p.join:
                        t2 = next((t for t in (self.pick(topic) for _ in range(3)) if "||" not in t), None)
                        other = t2 and self.joined(first_s, self.fill(t2, slots=sl))
                    first_s = other or self.vary("s", first_s)
                plan.append(("s", first_s))
                for x in parts[1:]:
                    plan.append(("s", self.fill(x, slots=sl)))
                budget -= len(parts)
            else:
                plan.append(("t", self.vary("t", self.fill(self.pick_talk(topic)))))
                budget -= 1
        if len(plan) < 5 and not listed and (last and r.random() < .25 or r.random() < .05):
            plan.append(("t", self.fill(r.choice(_TALK["close"]))))
        # type it
        out = ""
        for i, (kind, raw) in enumerate(plan):
            final = i == len(plan) - 1
            br = final or r.random() < p.newline
            s = _end(_style(raw, p, r), p, r, br)
            if not br and s[-1:] not in ".!?…)”\"" and not s.endswith(tuple(EMOJI)):
                br = True                        # no mark at all: the typist breaks the line
            if not self.note(kind, s):
                continue
            out += s
            if not final:
                out += ("\n\n" if p.kind in ("paragraph", "mail", "careful") or r.random() < .15 else "\n") if br \
                    else "  " if p.twospace else " "
        out = out.strip()
        if p.wrap:
            out = "\n\n".join("\n".join(textwrap.wrap(" ".join(b.split()), p.wrap, break_long_words=False,
                                                      break_on_hyphens=False)) for b in out.split("\n\n"))
        if listed:
            gap = "\n\n" if r.random() < .4 else "\n"
            if out and r.random() < .35 and not first:
                out = listed + "\n" + "\n" + out
            else:
                out = out + gap + listed if out else listed
        if topic == "tech" and len(plan) < 5 and not listed and r.random() < .05:
            line = self.fill(r.choice(PASTED.strip().split("\n")), item=True)
            if self.note("t", line):
                out += "\n" + line
        if not out:
            s = "Ok."
            self.note("t", s)
            out = s
        return out


def session(seed: int) -> Session:
    """One session; the same seed gives the same session."""
    r = random.Random(f"session-grammar-8/{seed}")
    w = _World(r)
    p = _Persona(r.choice(KINDS), r)
    day = _dt.date(2026, 1, 5) + _dt.timedelta(days=r.randrange(330))
    notes = _notes(w, day, r)
    wr = _Writer(p, w, r)
    turns: list[list[str]] = []
    days: list[str] = []
    topics = ["work"] * 32 + ["people"] * 17 + ["home"] * 13 + ["tech"] * 12 + ["travel"] * 11 + ["me"] * 15
    if p.kind == "engineer":
        topics += ["tech"] * 70
    for _ in range(r.randint(3, 4)):
        days.append(day.isoformat())
        day += _dt.timedelta(days=r.choice([1, 1, 1, 2, 2, 3, 4, 7, 12]))
        n = r.choice([2, 3, 3, 4, 4, 5])
        topic = r.choice(topics)
        msgs = []
        for k in range(n):
            if r.random() < .4:
                topic = r.choice(topics)
            msgs.append(wr.message(topic, k == 0, k == n - 1))
        turns.append(msgs)
    return Session(notes, turns, days, wr.statements, wr.talk)


# --------------------------------------------------------------------------- check
def _ws(s: str) -> str:
    return " ".join(s.split())


_MARK = re.compile(r"(?:- \[ \]|[-*•–]|\d+[.)]) ")


def _covered(msg: str, sents: list[str]) -> bool:
    text = _ws(msg) + " "
    here = [x + " " for x in sents if x in text]
    good, todo, n = {0}, [0], len(text)
    while todo:
        i = todo.pop()
        if i == n:
            return True
        nxt = [i + len(x) for x in here if text.startswith(x, i)]
        m = _MARK.match(text, i)
        if m:
            nxt.append(m.end())
        for j in nxt:
            if j not in good:
                good.add(j)
                todo.append(j)
    return False


def _check(seeds: int = 300) -> None:
    n_st = sum(len(v) for v in _PARSED.values())
    n_li = sum(len(i.strip().split("\n")) for _, i in LISTS)
    n_tk = sum(len(v) for v in _TALK.values())
    assert n_st >= 150 and n_tk >= 80, (n_st, n_tk)
    messages = sts = tks = 0
    distinct: set[str] = set()
    for seed in range(seeds):
        a, b = session(seed), session(seed)
        assert a == b, f"seed {seed}: not deterministic"
        assert len(a.turns) == len(a.days) in (3, 4), seed
        assert a.days == sorted(set(a.days)), seed
        assert 3 <= len(a.notes) <= 8, (seed, len(a.notes))
        assert all(2 <= len(t) <= 5 for t in a.turns), seed
        all_msgs = [m for t in a.turns for m in t]
        flat = [_ws(m) for m in all_msgs]
        sents = [_ws(x) for x in a.statements + a.talk]
        assert not {_ws(x) for x in a.statements} & {_ws(x) for x in a.talk}, seed
        for x in sents:
            assert x and "{" not in x and any(x in m for m in flat), (seed, x)
        for m in all_msgs:
            assert m.strip() and _covered(m, sents), (seed, m)
        messages += len(all_msgs)
        sts += len(a.statements)
        tks += len(a.talk)
        distinct.update(sents)
    print(f"templates: {n_st} statements (+{n_li} list items), {n_tk} talk")
    print(f"seeds {seeds}: messages {messages}, statements {sts}, talk {tks}, distinct sentences {len(distinct)}")


if __name__ == "__main__":
    _check()
