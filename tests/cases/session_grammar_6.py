"""A grammar of sessions: what people type to an assistant over a few conversations.

Sentences are drawn from topics (lines that begin with "+" state something that lasts,
lines that begin with "-" do not), filled from slots, put into the hand of one typist
(careful, casual, lower case, telephone) and laid out as paragraphs, lines, wrapped text
or lists.  session(seed) is deterministic; standard library only.
"""
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


# ---------------------------------------------------------------- slots

SLOTS = {
    "first": "Joe|Priya|Tomás|Aisha|Ben|Katrin|Luca|Oksana|Mei|Darren|Hannah|Yusuf|J.P.|Will|May|Sergei|Noor|Mark|Grace|Art".split("|"),
    "full": "Sarah Lindqvist|J. R. Hollis|Marta K. Nowak|Daniel Osei|Wei Zhang|Anne-Marie Dubois|T. J. Mercer|Rosa Delgado|Ian McAllister|Yuki Tanaka|Peter van Dijk|Elena V. Petrova".split("|"),
    "boss": "Dr. Okafor|Mrs. Hale|Tom|Ingrid|Mr. Lindgren|Raj|Prof. Weiss|Carla|Ms. Duarte|Stefan|Olivia|Helen".split("|"),
    "kid": "Mia|Leo|Emil|Nora|Finn|Ada|Jonah|Lotte|Sam|Ruby|Theo|Clara".split("|"),
    "partner": "Anna|Marc|Jules|Steffi|Omar|Lena|Chris|Dana|Pavel|Ines|Robin|Kim".split("|"),
    "rel": "wife|husband|girlfriend|boyfriend|partner|fiancée|other half|flatmate".split("|"),
    "kin": "sister|brother|mum|dad|mother-in-law|cousin|aunt|grandfather|nephew|niece|uncle|stepdad".split("|"),
    "city": "Leeds|Berlin|Porto|Graz|St. Gallen|Utrecht|Boulder|Cork|Ghent|Montréal|St. Louis|Malmö|Bath|Lyon|Bonn|Washington, D.C.".split("|"),
    "company": "Brightwell Ltd.|Northgate|Acme Inc.|Hartmann & Co.|Kestrel Labs|Moss GmbH|Tallis Partners|Ferro S.A.|Blue Heron|Marlow Bros.|Quantum Foods|Lumen.io".split("|"),
    "client": "Anderson|Delacroix|the museum|Ferrante & Sons|the city council|Oakwood Dental|Vantage Corp.|the Rotterdam office|Halden|St. Mary's|the Lopez family|Wexford Inc.".split("|"),
    "street": "12 Mill St.|48 Queen's Rd.|7b Harbour Lane|Lindenstr. 14|221 Oak Ave.|3 Chapel Close|Apt. 9, 60 Elm Street|Am Markt 5|1600 Park Blvd.|19 rue Monge|5 St. John's Terrace|82 Station Road".split("|"),
    "time": "9 a.m.|4:30 p.m.|17:15|half past eight|7 a.m.|10:00|noon|3 p.m.|8.30|quarter to six|16:45|2 pm|9ish".split("|"),
    "hour": "six|seven|8|9|ten|16:00|5 p.m.|half past four|18:30|3".split("|"),
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Tue|Thurs.|Fri".split("|"),
    "month": "January|February|March|April|May|June|July|August|Sept.|October|November|Dec.".split("|"),
    "date": "3 May|May 3rd|2026-03-14|14 March|the 21st|Jan. 12|9 June 2026|30.6.|Oct. 1st|11/04/2026|22 August|the 2nd of Nov.|1 Sept.|17 April".split("|"),
    "year": "2014|2017|2019|2021|2023|2024|1998|2009|2025|2012".split("|"),
    "money": "€940|$1,250.50|60 euros|£85|1.200 €|$3.5k|CHF 210|€14.99|$400|£1,050|12,50 €|EUR 75".split("|"),
    "n": "2|3|4|5|6|8|10|12|two|three|four|a dozen".split("|"),
    "num": "2|3|4|5|6|7|9|11|14|40".split("|"),
    "food": "coriander|mushrooms|blue cheese|olives|liver|aubergine|tofu|celery|anchovies|beetroot".split("|"),
    "allergy": "peanuts|penicillin|shellfish|birch pollen|lactose (mild, but still)|cats|kiwi|latex|hazelnuts, walnuts etc.|wasp stings".split("|"),
    "drink": "green tea|black coffee|oat milk|sparkling water|decaf|Earl Grey|mate|tap water|filter coffee|ginger tea".split("|"),
    "dish": "lentil soup|lasagne|a simple curry|pancakes|mac & cheese|risotto|shakshuka|fish pie|ramen|potato salad|gazpacho".split("|"),
    "sport": "climbing|running|yoga|football|rowing|swimming|judo|badminton|cycling|volleyball".split("|"),
    "instrument": "cello|piano|ukulele|trumpet|violin|drums|clarinet|guitar|accordion".split("|"),
    "tool": "Notion|Jira|Asana|Excel|Trello|Google Docs|Linear|Airtable|Confluence|Miro|MS Teams".split("|"),
    "lang": "Python 3.12|Go|TypeScript|Rust|C#|Kotlin|Elixir|Node.js|Java 21|C++20".split("|"),
    "pkg": "pnpm|pytest|ruff|esbuild|httpx|fastify|vue.js|gRPC|sqlc|vite|k6|dbt".split("|"),
    "db": "Postgres 16|SQLite|MySQL 8.0|Redis|DuckDB|MongoDB|Postgres|MariaDB 10.6".split("|"),
    "editor": "VS Code|Neovim|Emacs|IntelliJ|Zed|Sublime|Helix|PyCharm|vim".split("|"),
    "file": "README.md|config.yaml|budget_v2.xlsx|main.py|notes.txt|schema.sql|docker-compose.yml|report-final.docx|.env.example|package.json|thesis.tex|index.html".split("|"),
    "path": "src/auth|~/projects/site|/etc/nginx|docs/adr|packages/ui|C:\\Work\\reports|lib/core|tests/e2e|~/Dropbox/uni".split("|"),
    "url": "https://status.kestrel.io|www.bahn.de|docs.lumen.io/v2|https://example.org/a?id=7|booking.com|github.com/moss/site|https://intra.hartmann.de/faq|arxiv.org|gov.uk".split("|"),
    "mail": "j.hollis@northgate.com|office@moss.de|anna.k@gmail.com|info@oakwood-dental.co.uk|team@lumen.io|me@priya.dev|k.weiss@uni-bonn.de|billing@acme.com".split("|"),
    "version": "v2.3|1.4.0|version 3|v0.9.1|2.0|release 7.1|4.2 LTS|v1.12.3|3.0-beta".split("|"),
    "project": "Falcon|the website relaunch|Atlas|the annual report|the migration|Project Mint|the app|the newsletter|Orion|the audit|the onboarding guide".split("|"),
    "doc": "the proposal|the slides|the cover letter|the minutes|the report|the newsletter|the contract|the invoice|the agenda|the job ad".split("|"),
    "phone": "+44 20 7946 0018|0171 555 0123|(555) 010-4477|ext. 214|+49 30 5550 1234|555-0199|020 7946 0991|+1 303 555 0142".split("|"),
    "subject": "maths|chemistry|French|history|geography|P.E.|Latin|art|biology|comp. sci.".split("|"),
    "course": "Linear Algebra II|Econ 101|Intro to Stats|Organic Chem|Media Theory|Operating Systems|Civil Law I|Methods B|Microbiology|Algorithms".split("|"),
    "uni": "TU Graz|Leeds|UCL|Bonn|Boulder|the Open University|KU Leuven|McGill|ETH|Trinity".split("|"),
    "thesis": "urban heat islands|bee navigation|minimum wages|caching in edge networks|Weimar-era posters|sleep and memory|rent control|graph databases|coastal erosion".split("|"),
    "prof": "Prof. Adler|Dr. Nkemelu|Prof. Weiss|Dr. Sato|Prof. O'Brien|Dr. Lund|Prof. Dr. Kremer|Dr. Reyes|Prof. Imai".split("|"),
    "doctor": "Dr. Sommer|Dr. Patel|Dr. Ahn|the GP|Dr. med. Vogt|Dr. Fitzgerald|Dr. Lopes|Dr. St. Clair|the paediatrician".split("|"),
    "medicine": "ibuprofen 400|L-thyroxine 75|vitamin D|metformin|cetirizine|iron tablets|an inhaler|sumatriptan|omeprazole 20 mg".split("|"),
    "pet": "the cat|our dog Biscuit|the rabbit|our dog Lupo|the hamster|Mr. Whiskers|the tortoise|our cat Minka|the parrot".split("|"),
    "car": "the Golf|our Skoda|the old Volvo|the Fiat 500|the VW bus|the Corolla|our Zoe|the Model 3|the Kangoo".split("|"),
    "bank": "ING|Barclays|N26|the Sparkasse|Monzo|Revolut|Chase|DKB|First Direct|J.P. Morgan".split("|"),
    "insurer": "AXA|Allianz|Aviva|HUK|the TK|Zurich|Generali|Blue Cross|State Farm".split("|"),
    "hobby": "pottery|chess|birdwatching|bouldering|choir|D&D|gardening|sourdough|knitting|model trains".split("|"),
    "author": "Ursula K. Le Guin|J. R. R. Tolkien|Zadie Smith|Terry Pratchett|N. K. Jemisin|Jane Austen|W. G. Sebald|Haruki Murakami|P. G. Wodehouse".split("|"),
    "seat": "aisle seat|window seat|quiet coach|front row|exit row|lower berth|table seat|seat near the door".split("|"),
    "train": "the 7:42|the ICE|the night train|the S3|the 16:05 from platform 4|the sleeper|the RE 5|the first train".split("|"),
    "hotel": "the Ibis|Hotel St. Georg|an Airbnb|the Premier Inn|Motel One|the Hilton|a hostel|the Grand|Hotel Krone".split("|"),
    "tone": "friendly but brief|formal|matter-of-fact|warm|neutral|a bit more casual|polite|direct".split("|"),
    "format": "bullet points|a table|one paragraph|a short list|plain text|Markdown|a one-pager|two columns".split("|"),
    "role": "project manager|data analyst|nurse|UX designer|team lead|translator|paralegal|backend developer|sales rep|teacher|accountant|P.A.".split("|"),
    "club": "the swim club|Scouts|choir|the chess club|Cubs|FC Nord e.V.|ballet|drama group|the youth fire brigade".split("|"),
    "teacher": "Mrs. Brandt|Mr. Ellis|Ms. Oyelaran|Miss Kaur|Mr. de Vries|Frau Kunz|Mrs. St. James|Mr. Novak".split("|"),
    "thing": "the boiler|the dishwasher|the router|the washing machine|the printer|the radiator in the hall|the garage door|the fridge".split("|"),
    "present": "a telescope|a bike|Lego|a cookbook|concert tickets|a watch|a tent|headphones".split("|"),
    "cfile": "config.yaml|.env|flags.json|settings.toml|docker-compose.yml|schema.sql|package-lock.json|openapi.yaml|Makefile".split("|"),
    "src": "main.py|utils.ts|app.js|parser.go|db.py|routes.rb|lib.rs|api/views.py|Form.tsx".split("|"),
    "dir": "src/auth|db/migrations|packages/ui|lib/core|services/api|app/models|tests/e2e|tools/".split("|"),
    "age": "4|5|6|seven|8|nine|10|eleven|14".split("|"),
    "ord": "2nd|3rd|4th|fifth|6th|first|7th|third".split("|"),
    "tens": "30|40|50|sixty|70|75|80|ninety".split("|"),
    "shoe": "26|28|29|31|32.5|33|34|36".split("|"),
    "span": "3 to 14 May|12-19 Aug.|the 2nd to the 9th of June|2026-07-04 to 2026-07-18|Jan. 5 to Jan. 9|Whitsun to the 10th|Friday to Tuesday|14.6. to 28.6.".split("|"),
    "arzt": "Dr. Sommer|Dr. med. Vogt|Frau Dr. Lang|Dr. Patel|der Kinderärztin|Prof. Ahn|dem Zahnarzt|Dr. Brehm-Weiß".split("|"),
    "plant": "tomatoes|basil|the ficus|roses|the orchid|lavender|courgettes|the lemon tree".split("|"),
}

STICKY = ("boss", "kid", "partner", "rel", "city", "company", "client", "project", "pet", "car",
          "prof", "uni", "thesis", "lang", "db", "role", "tool", "doctor", "insurer", "bank", "teacher")

# ---------------------------------------------------------------- topics

TOPICS = {}

TOPICS["assistant"] = r"""
+ Please always answer in {format} unless I ask for something else.
+ From now on, give me the short version first and the reasons after it.
+ Never use em dashes in anything you write for me.
+ I like metric units, so please convert miles, ounces, etc. before you show me a recipe or a route.
+ When I write in German, answer in German.
+ Don't apologise every time something goes wrong, just fix it.
+ Call me {partner2}, nobody uses my full name.
+ I go by Jo.
+ I read your answers on my phone most of the time, so keep tables to 3 columns at most.
+ If you're not sure about a number, say so instead of guessing, because I copy your figures straight into reports.
+ Use British spelling (colour, organise, etc.) in all my texts.
+ I prefer dates as YYYY-MM-DD.
+ Always ask before you change a file that I didn't mention.
+ My emails should sound {tone}, never stiff.
+ Emails to {client} are always signed with my full name and title, everything else just with my initials.
+ I can't stand the phrase "I hope this email finds you well."
+ No emojis in work emails, ever!
+ 24-hour times only, please, I always mix up a.m. and p.m.
+ Please remember that I'm colour-blind, so red/green charts are useless to me.
- Can you make it a bit shorter?
- Keep this one under 150 words.
- No bullet points in this one, please.
- Make it {tone} this time.
- What do you need from me to get started?
- Could you explain that again, but simpler?
- Give me three options to choose from.
- Just the code for now, no explanation.
- Do you still have the version from before?
- Translate the last paragraph into French.
"""

TOPICS["meeting"] = r"""
+ Our weekly team meeting is on {weekday} at {time} and it never takes longer than 45 min.
+ We decided to go with {tool}, because nobody kept the old spreadsheet up to date.
+ {first} took over {project} from {first2} on {date}.
+ {boss} wants all status reports by {time} on {weekday}, no exceptions.
+ {client} pays net 30, so invoices have to go out before the 1st of the month.
+ I started at {company} in {month} {year} as a {role}.
+ I work at {company}.
+ The contract with {client} runs until {date} and renews for a year unless we cancel 3 months before, i.e. by the end of the quarter.
+ My direct line at work is {phone}.
+ Invoices go to {mail} and not to {first}, who left in {month}.
+ {first} is on parental leave until {date}, so anything about {project} goes to {full}.
+ I'm at the office on {weekday} and {weekday2}, the rest of the week I work from home.
+ For {client} the day rate is {money}, everybody else pays {money2}.
+ For {project} we agreed on plan B.
+ If a client asks for a discount, I offer a longer payment term first and only go down with the price when they'd otherwise leave, since every discount sticks for years.
+ {full} from {company2} is our contact for everything legal.
+ {boss} doesn't read attachments, so the main point has to be in the first two lines of the mail.
+ My contract is 32 hrs. a week, with Fridays off.
+ The budget for {project} is {money}, approved by {boss} on {date}.
+ Deadline for {project} is {date}.
+ No meetings before {time}, that's my writing time.
+ 40% of my time goes to {project}.
+ {first} prefers a call to an email, {first2} is the other way round.
+ We no longer work with {company2}, since they missed the deadline twice and still charged us the full {money}.
+ The new office is at {street}, on the 3rd floor.
+ If {client} writes on a weekend, nobody answers before Monday, because otherwise they start to expect it.
+ Q3 numbers are always reported in thousands (EUR), not in full.
+ Our fiscal year starts on April 1st.
+ My new job title is {role}, as of {date}.
- Can you draft an agenda for the meeting with {client}?
- Summarise this thread in {n} sentences.
- How do I politely say no to {first}?
- Write a short reminder to {first} about {doc}.
- What's a good subject line for this?
- I have a call with {client} in ten minutes!
- Please turn my notes into proper minutes.
- Should {boss} be in cc or bcc?
- Which of the two versions sounds better?
- Make a list of open points from what I pasted above.
- Ugh, this call is taking forever...
- Could you check {doc} for typos before I send it at {time}?
- Compare {tool} and {tool2} for a team of {num}.
- Rewrite the second paragraph so that it's less pushy, more like the mail we sent to Mr. Hobbs last week.
"""

TOPICS["code"] = r"""
+ We use {pkg} in all our repos, never the alternatives.
+ {pkg} is pinned to {version} in this repo because anything newer breaks the build on Windows.
+ The backend is written in {lang} and talks to {db}.
+ Production runs on {db}, staging still on {db2}.
+ Our main branch is called trunk, not main.
+ I use {editor} on Linux and have no admin rights on the machine.
+ All migrations live in {dir} and get a number, e.g. 0042_add_index.sql.
+ Commit messages follow Conventional Commits and are written in English.
+ Tests have to pass on {lang} and on the version before it.
+ Don't touch {cfile}, it's generated by the build.
+ We don't deploy on Fridays.
+ When a test is flaky it gets a ticket and is skipped, never retried in a loop, because that hid a real race condition from us for months last year.
+ The API rate limit is 100 req./min. per key.
+ I decided against {db2} since we'd need a second server just for backups.
+ The staging server is at {url} and gets reset every night at 3 a.m.
+ {first} owns the auth service, so every change in {dir} needs a review from {first}.
+ Line length is 100 in this project.
+ Type hints are mandatory in new code, old code can stay as it is until somebody touches it.
+ We dropped support for IE and for Node < 18 in {version}.
+ The nightly job starts at 02:30 UTC, not local time.
+ Feature flags are read from {cfile} at startup, so a change needs a restart.
+ My side project is a {lang} rewrite of an old bookmarking tool (about 4k lines so far).
+ Logs are kept for 14 days, then they're gone.
+ iOS builds run on {first}'s Mac mini, since the CI has no macOS runner.
+ Indentation is 2 spaces in YAML, 4 everywhere else.
+ The old endpoint /v1/users goes away with {version}.
- Why does this throw a TypeError?
- Run the tests again and show me only the failures.
- Can you refactor the function in {src} so that it returns early?
- It works on my machine...
- What's the difference between == and === again?
- Hm, still the same error.
- Write a regex that matches 1.2.3 but not 1.2.
- Is {pkg} any good?
- Look at {path} and tell me what's unused.
- How do I undo the last commit without losing my changes?
- Please add a docstring to every function in {src}.
- Where does the value in line 214 come from?
- That fixed it, thanks!
- Let's try it with {version} instead and see if it compiles.
- No, not that file, the one in {path}.
"""

TOPICS["study"] = r"""
+ I'm in my {ord} semester at {uni}.
+ My thesis is about {thesis} and {prof} supervises it.
+ {prof} only accepts APA 7, with DOIs and page numbers (pp. 12-15, not p. 12f.).
+ The {course} exam is on {date} at {time}, and we're allowed one handwritten A4 sheet.
+ I failed {course} once, so this is my second and last try.
+ I study best in the morning, after lunch it's hopeless.
+ 2026 is my last year at uni.
+ 3 of my 5 lectures are online this term.
+ I switched my minor from {subject} to {subject2} because the seminars clashed with my job.
+ The thesis has to be handed in by {date}, three printed copies plus a PDF.
+ My tutorial group is group 2.
+ I work {num} hours a week at the library, which is the most my grant allows.
+ All my notes are in {path}, one folder per course.
+ I learn vocabulary with Anki, 20 cards a day.
+ Citations go through Zotero, never by hand.
+ My student ID card runs out on {date}.
+ {full} and I share a desk in room 3.14, the one next to the lab.
+ I'm going on exchange to {city2} from {month} to {month2}.
+ My grant from the DAAD ends in {month}.
+ The max. length for the thesis is 60 pages, excl. appendix.
+ {prof} answers mails only on {weekday}, so questions should be collected and sent the evening before.
- Can you quiz me on chapter {num}?
- Explain the Bayes theorem like I'm five.
- Is "data" singular or plural in academic writing?
- Give me five practice questions for {course}, please, with the solutions at the very end.
- What does cf. mean in a footnote?
- I have no idea what I'm doing right now lol
- How would you structure a 15-page paper on {thesis}?
- Proofread this paragraph, but leave the citations alone.
- So what's the derivative of x^2 ln x?
- My brain is mush today.
- Which of these sources looks the most reliable?
- Shorten the abstract to 200 words.
- Does the second argument even make sense?
"""

TOPICS["family"] = r"""
+ {kid} is {age} and goes to {club} on {weekday} afternoons.
+ {kid} is allergic to {allergy}, the school knows about it.
+ My {rel}'s name is {partner}.
+ {partner} and I got married in {year}, in {city2}.
+ My {kin} lives in {city2} now.
+ {kid}'s teacher is {teacher}.
+ {kid} starts school in {month}.
+ My {kin}'s birthday is {date}.
+ Pick-up is at {hour} sharp, after that the daycare charges {money} per quarter of an hour.
+ {partner} does mornings, I do pick-up and dinner.
+ My {kin} turned {tens} in {month} and doesn't want any presents, just visitors.
+ {kid} hates {food} and will only eat it if it's hidden in a sauce.
+ Screen time for {kid} is 30 min. a day, weekends included.
+ {kid} got braces in {month}, so no sticky sweets until further notice.
+ We decided to send {kid} to the school on Park Road, because {kid}'s best friend goes there and it's only two stops by bus.
+ My {kin} doesn't drive at night, so family dinners are always at lunchtime.
+ The emergency contact for school is {full}, {phone}.
+ {kid} wears size {shoe} in shoes (yes, already).
+ {teacher} wants absences reported by 7:45 by phone, an email isn't enough.
+ The school holidays start on {date} this year.
+ {kid} plays the {instrument}, lessons are on {weekday} at {hour}.
+ {pet} gets {medicine} twice a day, mixed into the food.
+ We call my {kin} on Sundays.
+ My {kin} and my {kin2} don't speak to each other, so never put them at one table.
+ {partner} is a vegetarian, I'm not.
+ Both of {kid}'s grandmothers are called Ruth.
- What can I bake for a class of 24 kids?
- Any ideas for a rainy afternoon?
- Help me write an excuse note for {kid}.
- {kid} is home with a cold today.
- How much sleep does a six-year-old need?
- I need a birthday invitation, something with dinosaurs.
- What do other parents do about homework?
- Sorry, I had to run, {kid} spilled juice on the keyboard :D
- Make a packing list for a weekend with two kids.
- Is that normal at this age?
- Can you think of a present for my {kin} for under {money}?
- Write a text to {teacher} asking if the trip is still on, and keep it short.
- Oh well.
"""

TOPICS["health"] = r"""
+ I'm allergic to {allergy}.
+ I take {medicine} every morning, half an hour before breakfast.
+ My doctor is {doctor}, the practice is at {street}.
+ My blood type is O.
+ {doctor} told me to stay off {sport} until {month} because of my knee.
+ I had my tetanus booster on {date}, so the next one is due in ten years.
+ I gave up coffee in {month} and I'm sticking with {drink}.
+ I'm 1.78 m and wear glasses, -2.5 on both eyes.
+ My health insurance is with {insurer}.
+ I can't eat {food}, it gives me migraines.
+ {sport} is on {weekday} and {weekday2}, that's non-negotiable.
+ I go to bed at ten, since anything later ruins the next day for me.
+ My dentist is Dr. Ng, and check-ups are always in {month}.
+ I've been a vegetarian since {year}.
+ The physio said no lifting over 10 kg for the rest of the year.
+ I'm training for the half marathon in {city2} on {date}, the goal is sub 2:00.
+ The pharmacy on the corner closed, I get my prescriptions from the one in St. Ann's Sq. now.
+ I don't drink alcohol.
+ Unless {doctor} says otherwise, I stay on {medicine} until the blood test in {month}, and then we'll see.
- Is it ok to take ibuprofen on an empty stomach?
- How many grams of protein are in 100 g of lentils?
- I slept badly and my head is killing me.
- Give me a 20-min. stretch routine for the back.
- Does vitamin C really help?
- What should I ask the doctor tomorrow?
- Plan a training week with three runs.
- Can you explain this lab result, "CRP 3.2 mg/l"?
- It's probably nothing.
"""

TOPICS["food"] = r"""
+ We don't eat pork at home.
+ Whenever my {kin} eats with us there has to be something without onions, even if it's only bread and soup.
+ I hate {food}.
+ {partner} can't have gluten, so everything I cook has to work without flour.
+ Our oven runs about 20 °C too hot.
+ My favourite restaurant in {city} is the little Thai place near St. Paul's, the one with the green door.
+ Friday is pizza night, that never changes.
+ I drink {drink}, nothing else before noon.
+ We get a veg box on {weekday}, so recipes should start from what's in it.
+ Nothing spicier than mild for {kid}.
+ I only have a two-ring hob and no oven in this flat.
+ We spend {money} a week on groceries and I'd like to keep it that way.
+ Portions are always for {num}, {kid} counts as half.
+ {partner} makes the best {dish}, with a pinch of cinnamon in it.
+ Cast-iron pans never go into the dishwasher.
+ The sourdough starter gets fed on {weekday}.
+ I prefer weighing to cups, the scale does 1 g steps.
- What can I cook with half a cabbage and {n} eggs?
- Give me a recipe for {dish}.
- How long do boiled eggs keep in the fridge?
- Can I swap butter for oil here?
- I'm starving.
- Something quick, like 20 minutes max.
- What goes well with {dish}?
- Scale it up for {num} people, please.
- Mmm, sounds good!
- Is it 180 °C fan or conventional?
"""

TOPICS["travel"] = r"""
+ I always book the {seat}.
+ I prefer {train} to flying, even if it takes longer.
+ We'll be in {city2} from {span}, the flights are booked.
+ My passport expires in {month}, no. ending in 417.
+ We stay at {hotel} whenever I'm in {city2} for work, because breakfast starts at 6 and it's two minutes from the station.
+ I get sick on boats.
+ My frequent flyer status is Silver until {date}.
+ Company policy: flights over {money} need a written OK from {boss}.
+ We travel with hand luggage only.
+ I don't drive abroad.
+ {partner} needs a visa for the U.S., I don't.
+ My {kin} has moved back to the U.S.
+ I'm fine with one long layover, but never with two short ones, because a missed connection once cost me a whole day of a conference.
+ We cancelled {city2}, {partner}'s leave wasn't approved.
+ I've got a BahnCard 50, valid until {date}.
+ Our summer holiday is in {city3} this year, two weeks from {date}, at the same campsite as in {year}.
+ For trips under 4 hrs. I take the train, for everything else it depends on the price.
+ $60 a night is the most I pay for a room when I travel alone.
+ The next offsite is in {city2}.
+ I'd rather change trains twice than leave before 7 a.m.
- What's the best time of year for {city2}?
- Find me a connection with at most one change.
- How far is it from the airport to the centre?
- Make a packing list for three days in {city2}.
- Do I need an adapter there?
- Is {hotel} near the station?
- Any museums that are open on Mondays?
- We might go via {city3} if it isn't too expensive.
- Check {url} for the timetable, would you?
- So excited!!
- What about the 8:15 a.m. one?
"""

TOPICS["home"] = r"""
+ I moved to {city} in {month}.
+ My new address is {street}.
+ We live on floor 4.
+ 3 of us share the flat.
+ The rent is {money} a month, heating incl.
+ Our landlord is {full}, best reached at {mail}.
+ The plumber's number is {phone} (ask for Mike, he knows the house).
+ {thing} was replaced in {month}, the warranty runs for {n} years.
+ Bins go out on {weekday} evening, paper only every other week.
+ We bought {car} second hand in {year}.
+ {car} needs its MOT in {month}.
+ The spare key is with {full} at no. 7.
+ I water {plant} on {weekday}, {partner} does the rest.
+ We decided to keep {car} for another year, since a new one would cost us more than all the repairs so far put together.
+ Quiet hours in our building are 1-3 p.m. and from 10 p.m. on.
+ The cleaning lady comes on {weekday} at {time}.
+ The living room is 5.20 x 3.80 m, ceiling 2.60.
+ {partner} wants no new furniture before we've moved.
+ We're with {insurer2} for household insurance, policy no. 88-1204.
+ Our lease ends on {date}.
+ eBay is where we sell old stuff, I never throw away anything that still works.
+ I've lived in {city} since {year}.
- How do I get red wine out of a carpet?
- {thing} is making a funny noise again.
- What size of rug would fit in there?
- Write a letter to the landlord about the mould in the bathroom.
- Can I paint over wallpaper?
- It's freezing in here today.
- Draft a polite note for the neighbours, we're having people over tonight.
- How much notice do I have to give?
- The delivery guy just rang, one sec.
- What's a fair price for a used fridge?
"""

TOPICS["money"] = r"""
+ I bank with {bank}, the joint account is at {bank2}.
+ I put {money} aside on the 1st of every month.
+ My tax class changed to III in {month}.
+ I cancelled the gym as of {date}.
+ The car loan runs until {month} {year}.
+ My accountant is {full}, she charges {money} an hour.
+ Electricity is with {company2} now, 31.5 ct/kWh, fixed for two years.
+ {partner} and I split everything 60/40, because I earn more.
+ I never buy single stocks, only one index fund (VWCE).
+ Anything over {money} we decide together.
+ The tax return is due on {date}.
+ My phone plan is {money} a month, min. term until {month}.
+ Receipts go into {path}, one PDF each, named like 2026-01-31_shop.pdf.
+ We're saving for a deposit, approx. {money} short at the moment of the first offer, so no big trips this year.
+ I invoice without VAT, as I'm below the threshold.
+ Freelance income goes to the {bank2} account, salary to {bank}.
- What's 19% of 1,349.90?
- How does compound interest work?
- Make me a simple budget table.
- Is {bank} safe?
- Can I deduct a desk?
- That's a lot more than I thought.
- Add up the numbers I sent you, but leave out the last one.
- Which of the two is cheaper over 24 months?
- Where do I find form 1040-ES?
- Oof.
"""

TOPICS["leisure"] = r"""
+ {hobby} is on {weekday} nights, so I'm never free then.
+ I play the {instrument}, badly, but every day.
+ My favourite author is {author}.
+ I've read everything by {author} up to vol. 5.
+ I don't watch horror films.
+ Our book club meets on the first {weekday} of the month at {time}.
+ I joined {club} in {month} as treasurer.
+ {first} and I have a standing chess game on {weekday}, loser pays the coffee.
+ I want subtitles, not dubbing.
+ I support St. Pauli.
+ I'm learning Italian, currently level A2.
+ My running shoes are size 42.5, always the wide fit.
+ I quit {hobby} because it ate all my weekends.
+ {kid} and I are building a model railway in H0 (1:87).
+ For my {kin}'s birthday on {date} we're all chipping in for {present}.
+ I read non-fiction in the morning and novels at night, never the other way round.
- Recommend me something like {author}.
- Who wrote "The Dispossessed"?
- What's the name of that film with the submarine, from '81 or so?
- Tell me a joke.
- Is the new season any good?
- How do I tune a {instrument}?
- Don't tell me how it ends!
- Give me a quiz about the 90s.
- What's a good opening against the Sicilian?
- Haha, nice one.
"""

PERSONAS = {
    "worker": ("meeting", "meeting", "meeting", "assistant", "travel", "money", "home", "health", "food", "leisure"),
    "student": ("study", "study", "study", "assistant", "leisure", "home", "money", "food", "health"),
    "parent": ("family", "family", "family", "food", "home", "health", "travel", "money", "assistant"),
    "developer": ("code", "code", "code", "meeting", "assistant", "travel", "leisure", "health"),
    "freelancer": ("meeting", "money", "money", "code", "travel", "home", "family", "assistant"),
}

# ---------------------------------------------------------------- pairs: said, and said otherwise later

# (first, later, kind of the later).  Both sides share their slots.
PAIRS = [
    ("+ The kickoff for {project} is on {weekday}.", "+ Correction: the kickoff for {project} is on {weekday2}, not {weekday}."),
    ("+ My new address is {street}.", "+ Sorry, I got the address wrong, it's {street2}."),
    ("+ The rent for the flat is {money}.", "+ Actually the rent is {money2}, {money} was without heating."),
    ("+ {kid} has {club} on {weekday}.", "+ {club} has moved to {weekday2}, so {weekday} is free again for {kid}."),
    ("+ We're going with {db} for the new service.", "+ We changed our minds, the new service will use {db2} after all."),
    ("+ {first} is responsible for {doc}.", "+ No wait, {first2} is responsible for {doc}, {first} only helps out."),
    ("+ My {kin} lives in {city2}.", "+ My {kin} has moved from {city2} to {city3}."),
    ("+ I drink {drink} in the morning.", "+ I've switched from {drink} to {drink2}."),
    ("+ Deadline for {doc} is {date}.", "+ The deadline for {doc} was pushed back to {date2}, {boss} told us today."),
    ("+ The exam in {course} is on {date}.", "+ I mixed up the dates, {course} is on {date2}."),
    ("+ I work at {company} as a {role}.", "+ I left {company} on {date} and now work for {company2}."),
    ("+ {boss} is my manager.", "+ {boss2} is my manager now, {boss} has moved to another dept."),
    ("+ Invoices for {client} go to {mail}.", "+ Not {mail} any more, invoices for {client} go to {mail2} from now on."),
    ("+ {sport} is on {weekday} evenings.", "+ Oh, and {sport} isn't on {weekday} evenings any more, it's {weekday2} at {time}."),
    ("+ We use {pkg} for the build.", "+ Scratch what I said about {pkg}, we're on {pkg2} since {version}."),
    ("+ My tutorial with {prof} is at {time}.", "+ The tutorial is at {time2}, not at {time}, I looked at the wrong week."),
    ("+ I'm flying to {city2} on {date}.", "+ The trip to {city2} is off, {client} cancelled it."),
    ("+ {kid}'s shoe size is 34.", "+ {kid} is a 35 by now, not 34."),
    ("+ I prefer answers in {format}.", "+ I was wrong about {format}, I'd rather have {format2} from now on."),
    ("+ My bank is {bank}.", "+ I moved my account from {bank} to {bank2} on {date}."),
    ("+ The meeting room for {project} is no. 12.", "+ It's room 14, not 12, they renumbered the whole floor!"),
    ("+ The budget for {project} is {money}.", "+ {boss} cut the budget for {project} to {money2}."),
    # look like corrections, are of something else
    ("+ My phone number is {phone}.", "- No, not the number, I meant the greeting."),
    ("+ {kid} is {age} years old.", "- Actually, can you make the poem a bit longer?"),
    ("+ I'm a {role}.", "- Wrong one, I meant the second draft."),
    ("+ Dinner is at {hour} in our house.", "+ Actually my {kin} eats at {hour2}, so on visits we do too."),
    ("+ I live in {city}.", "+ No, it's my {kin} who lives in {city2}."),
    ("+ {first} plays the {instrument}.", "+ {first2}, not {first}, plays the {instrument2}."),
    ("+ The server is in {city2}.", "- That's not right, line {num} is still missing a bracket."),
    ("+ Our dog is called Biscuit.", "- Not biscuit as in the dog, biscuit as in the recipe!"),
    ("+ My start date at {company} is {date}.", "- Sorry, typo, I meant \"their\" in the second sentence."),
    ("+ I take the bus to work, no. 5.", "- Actually, scrap the bus paragraph and start over with the intro."),
    ("+ My desk is in building C.", "- Hmm no, C was the wrong answer in the quiz, it's B."),
    ("+ I'm off every {weekday}.", "- Change {weekday} to {weekday2} in the table, please."),
    ("+ Our team has {num} people.", "- I said three bullet points, not {num}."),
]

LEAD = ["- Ah, one correction.", "- Oops.", "- Sorry!", "- Wait, I told you something wrong earlier.", "- Hang on.",
        "- About what I said the other day...", "- Small update:", "- Hm, I need to correct something.", "- My bad."]

# ---------------------------------------------------------------- talk of no topic

ACK = [
    "Thanks!", "Thank you, that's perfect.", "Great, thanks.", "Perfect!", "OK.", "Ok, got it.", "Cool.", "Yes.", "Yes, please.", "No.",
    "Hmm, not quite.", "Can you try again?", "Looks good to me.", "Go on.", "Never mind.", "Forget it, I found it.", "Wow!",
    "One more thing.", "Next one.", "Same again, but shorter.", "Wait, what?", "Why?", "Are you sure?", "I don't get it.",
    "Nope, still wrong.", "That's it, thank you so much!", "Let me think about it.", "I'll get back to you later.", "Good point.",
    "Fair enough.", "The first one.", "Option B, please.", "Try the 2nd one.", "Sounds good.", "Better, but the ending is weak.",
    "Continue.", "Ha, I didn't see that coming...", "Awesome, you saved my day.", "Yep, do it.", "Hm...",
]
GREET = ["Hi!", "Hello!", "Hey,", "Good morning!", "Hi there,", "Morning!", "Hi again.", "Hey, quick question.", "Hello again!", "Hi,"]
CHAT = [
    "It's raining cats and dogs here.", "I'm on the train right now, so bear with me.", "What a day.", "Almost weekend!",
    "I only have five minutes.", "Not sure where to start.", "This is driving me nuts...", "Coffee first, then we start.",
    "No rush.", "I'm a bit tired today, sorry.", "You're much faster than {first}, don't tell anyone.", "Somebody on Reddit claimed the opposite, by the way.",
    "OK let's do this.", "I've been staring at this for an hour.", "I wonder if that's even possible.", "That would be great.",
]
SUPPOSE = [
    "If we moved to {city2}, we'd have to sell {car}, I guess.", "Suppose I earned {money} more a month.", "What if {first} said no?",
    "Imagine {boss} quit tomorrow.", "Let's say the budget were twice as big.", "Maybe I should just become a {role}.",
    "Assume for the sake of argument that {client} pays {money} on {date}.", "If I won the lottery I'd buy a house in {city3}, ha.",
    "Would it make sense to switch to {tool2} at some point?", "Hypothetically, could I hand in {doc} a week late?",
    "I might learn the {instrument} one day, who knows.", "Let's pretend I'm {num} and live in {city2}.",
    "What would happen if we simply dropped {db}?", "Say we leave at {time}, when would we be there?",
    "If {kid} were older, we could try the long route.", "Perhaps we'll get a dog, perhaps not.",
    "Would you rather rent or buy in my place?", "In theory one could do all of it in {lang}.",
]

# Pasted or dictated by others, made up, or only a list of things.  Each line of a paste is one line.
PASTES = [
    ("Can you summarise this email for me?", ["Dear all,", "please note that the office will be closed on Dec. 24th.|All requests should be sent to the front desk by noon.", "Best regards,", "{full}"]),
    ("Here's what {first} wrote:", ["Hi!|I have moved the review to {weekday} because I prefer mornings.|My new number is {phone}.", "Cheers, {first}"]),
    ("I get this when I run it:", ["Traceback (most recent call last):", "File \"main.py\", line 12, in <module>", "ValueError: invalid literal for int() with base 10: '3.5'"]),
    ("the build log says:", ["[12:04:31] WARN  config.yaml not found, using defaults", "[12:04:33] ERROR build failed with exit code 1", "[12:04:33] done in 2.1 s"]),
    ("Translate this, please:", ["Der Mieter verpflichtet sich, die Wohnung pfleglich zu behandeln.|Haustiere sind nur mit Zustimmung des Vermieters erlaubt."]),
    ("What do you make of this job ad?", ["We are looking for a {role} (m/f/d) in {city2}.|You have at least 3 yrs. of experience and like working in a team.|We offer 30 days of holiday and a salary of up to {money}."]),
    ("Fix the grammar in this paragraph:", ["I has worked in this company since five years.|My boss are very happy with me and I never comes late."]),
    ("Text from the school newsletter, what's relevant for us?", ["The summer fair takes place on {date} at {time}.|Parents are asked to bring a cake.|Nut-free, please!"]),
    ("from the docs:", ["The default timeout is 30 s and cannot be changed at run time.|Since v2.0, retries are disabled by default."]),
    ("this is the review someone left us on google, how should we answer?", ["Worst service ever.|I always come here on Fridays and I will never come back!|The waiter, Mr. B., was rude."]),
    ("Is this a scam?", ["Dear customer, your parcel no. 4471 could not be delivered.|Your new delivery date is {date}.|Pay {money} at {url}"]),
    ("Make this clause readable.", ["The Licensee shall not, without the prior written consent of {company2}, assign this Agreement.|Any dispute shall be settled in {city3}."]),
    ("Wikipedia says", ["The town has about 12,400 inhabitants (as of 2021) and lies approx. 40 km north of the capital.|It was founded in 1182."]),
]
CODE = [
    "def total(rows):", "return sum(r.price for r in rows if r.ok)", "const port = process.env.PORT || 3000;",
    "SELECT id, name FROM users WHERE active = 1;", "print(total(rows))", "git rebase -i HEAD~3", "docker compose up -d", "export default App;",
    "for i in range(10): print(i)", "if (x > 0.5) { return y; }",
]
FICTION = [
    ("Write a short story that starts like this:", ["Captain {full} lived in {city3} and hated {food}.|Every {weekday} at {time} she fed the gulls.|Nobody knew why."]),
    ("Let's continue our D&D campaign.", ["My character is Borin, a dwarf who never drinks {drink}.|He lost his left eye in the war.|He decides to open the door."]),
    ("Help me with my novel.", ["In chapter {num} the narrator says: \"I was born in {city2} in {year}.\"|Is that too blunt?"]),
    ("Give me a dialogue between two old friends.", ["One of them is a retired {role} from {city3}.|The other one always interrupts."]),
    ("Role play: you're a job interviewer at {company2}.", ["I'm a {role} with ten years of experience and I live in {city3}.|Ask me the first question."]),
    ("I need a fairy tale for bedtime.", ["It's about a fox called Mr. Red who is allergic to {food}.|He moves to {city2} and opens a bakery.|Happy ending, please!"]),
    ("Make up a persona for our user test.", ["She is 34, lives in {city3} and pays with {bank2}.|She prefers {drink} and does {sport} on Sundays."]),
    ("Finish this limerick:", ["There once was a {role} from {city2}, who always wore hats in the city"]),
]
SHOPPING = ["milk", "2 kg potatoes", "bread", "1.5 l juice", "onions", "butter (salted)", "eggs, 10", "washing powder", "cheese", "tomatoes", "coffee", "a card for Gran"]
TODO = ["call the plumber", "finish {doc}", "mail to {first}", "book a table for {weekday}, {time}", "print the tickets", "buy {present}", "review {file}", "reply to {client}",
        "water {plant}", "pick up the parcel", "go through chapter {num}", "send {doc} to {mail}"]
LIST_ASK = ["Put these on my list for today:", "Sort these by urgency:", "to do:", "Shopping list for tonight:", "Which of these can wait?", "Make a plan for the afternoon out of this:"]
LIST_INTRO = ["Some things you should know about me:", "A few notes for next time:", "Here's the background:", "Please remember the following.", "Quick facts:",
              "For the record:", "Here are the basics.", "House rules:", "things to keep in mind", "What you need to know:"]

# Spoken, no marks: one long sentence each.
DICTATION = r"""
+ okay so um just so you know {kid} is going to {club} every {weekday} from now on and {partner} picks up so I'm free until about {hour}
+ hey can you note that I moved my standing call with {client} to {weekday} because {boss} has the other slot comma and that's permanent
+ so the doctor said I shouldn't eat {food} anymore at all because of the stomach thing so please leave that out of all recipes
+ note to self the spare key for the office is with {first} and the alarm has to be switched off within thirty seconds
+ right so we've decided to stay in {city} for at least another two years mainly because of the school and because my {rel} finally likes the job
+ I talked to {first} and we agreed that I do the numbers and {first2} does the slides for every quarterly review from here on
+ um my {kin} is called {first} by the way not {first2} and lives in {city2} near the river
+ so for my thesis I'm only going to look at {thesis} in the period after nineteen ninety because {prof} thinks everything else is too broad
+ the code word for picking up {kid} is strawberry if somebody else comes they have to say it or the school won't let {kid} go
+ I always park on level two at the station because level one is full by eight
- okay um what was I going to say yeah can you find me something to cook that takes like half an hour with chicken
- hey what's the weather like in {city2} on {weekday} do I need a jacket
- so I'm in the car right now can you read me the last thing you wrote again
- um can you write a message to {first} saying I'm running ten minutes late and they should start without me
- okay next question how do you spell necessary
- what was the name of that place we talked about the one with the terrace
"""

GERMAN = r"""
+ Ich bin am 3. Mai nach {city} gezogen.
+ Meine Schwester heißt {partner2} und wohnt in {city2}.
+ Ich vertrage keine Nüsse, z. B. Haselnüsse oder Mandeln.
+ Wir duzen uns in der Firma alle, außer mit Herrn Dr. Brehm.
+ Der Elternabend ist immer am ersten {tag} im Monat um 19.30 Uhr.
+ Bitte antworte mir immer auf Deutsch, auch wenn ich mal Englisch schreibe.
+ Unser Büro ist ab dem 1. Juli in der Lindenstr. 14.
+ Die Miete beträgt ca. 940 € warm.
+ {kid} geht mittwochs zum Turnen und wird von der Oma abgeholt.
+ Nein, der Termin bei {arzt} ist am {tag}, nicht am {tag2}.
+ Ich arbeite seit {year} bei {company} und habe eine 32-Std.-Woche.
+ Rechnungen schicke ich grundsätzlich als PDF, da {boss} keine Word-Dateien öffnet.
+ Wir haben uns gegen den Umbau entschieden, weil er ca. 20 Tsd. Euro teurer wäre als gedacht.
+ Mein Hausarzt ist Dr. med. Vogt in der Bahnhofstr. 3.
+ Freitags arbeite ich nur bis 13 Uhr.
+ Mit dem Zug fahre ich immer 2. Klasse.
- Kannst du das bitte kürzer fassen?
- Wie sagt man "by the way" auf Deutsch?
- Schreib mir eine Entschuldigung für {kid}, Bauchweh seit gestern.
- Danke dir!
- Was heißt i. d. R. eigentlich genau?
- Ich hab gerade keine Zeit, mach du mal einen Vorschlag.
- Hä?
- Gibt es das auch in Blau?
- Wenn ich im Lotto gewinnen würde, wäre ich morgen weg.
- Passt, so lassen wir das.
"""
OTHERLANG = r"""
+ Soy alérgica a los cacahuetes.
+ Mi hermana vive en {city2} desde {year}.
+ Je préfère le train à l'avion, même si c'est plus long.
+ Mon anniversaire est le 14 juillet.
+ Ik werk op maandag altijd thuis.
+ Mieszkam w {city} od {year} r.
+ Mon médecin s'appelle M. Dubois, pas Mme Dubois.
+ Lavoro da casa il venerdì.
- ¿Puedes traducir esto al inglés?
- Merci beaucoup !
- Comment dit-on "deadline" en français ?
- Gracias!
- Wat betekent a.u.b.?
- Come si dice "spoon"?
- Dzięki!
- On verra...
"""
SLOTS["tag"] = "Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Werktag".split("|")

PS = [
    "+ P.S. My number changed to {phone}.", "+ PS: {first}'s surname is {author_last} now, she got married.", "+ Oh and btw, I'm a {role} at {company}, so you can skip the basics.",
    "+ (My old mail address, {mail}, no longer works.)", "+ FYI, I don't work on {weekday}.", "+ Also, {boss} prefers \"Dear all\" to \"Hi team\".",
    "+ As you know, I don't eat {food} (not even a little).", "+ Just for the future: {file} is the only file that counts, all others are drafts.",
    "+ And yes, I still live in {city}, despite everything...", "+ Btw my {kin} visits every {weekday}, so evenings are out.",
    "+ Well... I've decided to keep the job at {company}.", "+ It's settled: we're getting {pet} a friend in {month}.",
    "+ By the way, {full} (from {company2}) is a friend of mine, so be nice about them.", "+ Note: my calendar is in CET, {first}'s is in EST.",
    "- P.S. No need to answer right away.", "- PS: you can ignore the attachment.", "- (Sorry for the wall of text.)", "- Btw, did you see the news?",
    "- Anyway.", "- But that's for another day.", "- Does that make sense?", "- Let me know if anything is unclear.",
]
SLOTS["author_last"] = "Meyer-Lund|O'Neill|de la Cruz|van Dijk|McKay|Brandt|Okoye|St. Clair|Schmidt".split("|")
SMILEY = [":)", ";)", "🙂", "😅", ":D", "xD", "^^", "👍", "🙏", "<3"]


def _lines(block):
    out = []
    for line in block.strip().splitlines():
        out.append((line[0] == "+", line[2:]))
    return out


_TOPIC = {k: _lines(v) for k, v in TOPICS.items()}
_GERMAN, _OTHER, _DICT = _lines(GERMAN), _lines(OTHERLANG), _lines(DICTATION)
_PS = _lines("\n".join(PS))

_SLOT = re.compile(r"\{([a-z_]+)(\d?)\}")
_KEEP_DOT = re.compile(r"(?:\.\w+\.|\b(?:etc|Inc|Ltd|Co|Corp|St|Rd|Ave|Blvd|Bros|Sq|incl|excl|approx|dept|min|hrs|r|sci|Thurs|Sept|Dec|Nov|Jan|Oct)\.|\d\.|\.\.|…)$", re.I)
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d+[.)])(?:\s|$)")


class _Hand:
    """One person: their world, their way of typing, what they said so far."""

    def __init__(self, seed):
        self.rng = r = random.Random("sixth-%d" % seed)
        self.world = {}
        for name in STICKY:
            a, b, c = r.sample(SLOTS[name], 3)
            self.world[name], self.world[name + "2"], self.world[name + "3"] = a, b, c
        self.persona = r.choice(list(PERSONAS))
        self.style = r.choices(["careful", "casual", "lower", "names", "phone"], [34, 26, 14, 12, 14])[0]
        self.apostrophes = not (self.style in ("lower", "names") and r.random() < 0.45)
        self.curly = self.style == "phone" or (self.style == "careful" and r.random() < 0.15)
        self.bilingual = r.random() < 0.16
        self.wraps = self.style == "careful" and r.random() < (0.6 if self.persona in ("developer", "freelancer") else 0.2)
        self.used = set()
        self.said = set()
        self.order = []          # per message: list of (is_statement, sentence)

    # -- sentences

    def fill(self, template, local=None):
        local = {} if local is None else local

        def one(m):
            name, n = m.group(1), m.group(2)
            if name + n in self.world:
                return self.world[name + n]
            if name + n not in local:
                taken = {v for k, v in local.items() if k.rstrip("0123456789") == name}
                local[name + n] = self.rng.choice([v for v in SLOTS[name] if v not in taken])
            return local[name + n]

        text = _SLOT.sub(one, template)
        text = re.sub(r"(?<!\.)\.\.(?!\.)", ".", text)
        text = text.replace("the the ", "the ").replace("Maybe the ", "Maybe ")
        if text[0].islower() and template[0] == "{" and not template.startswith("{pkg}"):
            text = text[0].upper() + text[1:]
        return text

    def hand(self, text, spoken=False):
        """The text as this person types it."""
        r = self.rng
        if not spoken and self.style in ("lower", "names"):
            words = []
            for i, w in enumerate(text.split(" ")):
                core = w.strip("\"'(),.!?:;")
                code = re.search(r"[/@_\\<>=]|\d[A-Z]|[A-Z]\d", w) or (len(core) > 1 and core.isupper() and core.isalpha())
                if code:
                    words.append(w)
                elif self.style == "lower" or i == 0 or re.match(r"I('|$)", core):
                    keep = self.style == "names" and i == 0 and (w.rstrip(",.'s") in self.proper or w in ("Dr.", "Prof.", "Mr.", "Mrs.", "Ms."))
                    words.append(w if keep else w.lower())
                else:
                    words.append(w)
            text = " ".join(words)
        if not self.apostrophes:
            text = re.sub(r"\b(don|can|doesn|isn|won|didn|wasn)'t\b", r"\1t", text, flags=re.I)
            text = re.sub(r"\b(i)'(m|ve|d)\b", r"\1\2", text)
        if self.curly:
            text = text.replace("'", "’").replace("...", "…")
            text = re.sub(r'"([^"]*)"', r"“\1”", text)
        return text

    proper = {v for k in ("first", "kid", "partner", "city", "company", "month", "weekday") for v in SLOTS[k]} | {"I"}

    def take(self, pool, want=None):
        """A sentence not said before from a pool of (is_statement, template); None if none is left."""
        left = [p for p in pool if (want is None or p[0] == want) and p[1] not in self.used]
        if not left:
            return None
        pick = self.rng.choice(left)
        return self.make(pick[0], pick[1])

    def make(self, is_statement, template, local=None, spoken=False):
        self.used.add(template)
        text = self.hand(self.fill(template, local), spoken)
        return [is_statement, text]

    def free(self, templates):
        """Talk of no topic; a short one may come twice."""
        return [False, self.hand(self.fill(self.rng.choice(templates)))]

    # -- layout

    def drop(self, s, last_of_message):
        """A final mark left out: only ever of the last sentence of a line."""
        r, text = self.rng, s[1]
        p = {"careful": 0.03, "casual": 0.55, "lower": 0.75, "names": 0.6, "phone": 0.35}[self.style]
        if not last_of_message:
            p *= 0.8
        if r.random() < p:
            if text.endswith(".") and not _KEEP_DOT.search(text):
                return [s[0], text[:-1]]
            if text.endswith("?") and self.style in ("lower", "names") and r.random() < 0.4:
                return [s[0], text[:-1].rstrip()]
        if text.endswith("!") and self.style in ("casual", "lower", "phone") and r.random() < 0.2:
            return [s[0], text + "!"]
        if self.style in ("lower", "names") and text.endswith(".") and not _KEEP_DOT.search(text) and r.random() < 0.08:
            return [s[0], text + ".."]
        return s

    def smile(self, s):
        if self.rng.random() < {"careful": 0.02, "casual": 0.09, "lower": 0.1, "names": 0.08, "phone": 0.12}[self.style] and not s[1].endswith((":", "D", ")")):
            s = [s[0], s[1] + " " + self.rng.choice(SMILEY)]
        return s

    def wrap(self, text, width, indent=""):
        for w in list(range(width, width + 25)) + list(range(width - 1, 30, -1)):
            rows, row = [], ""
            for word in text.split(" "):
                if row and len(row) + 1 + len(word) > w:
                    rows.append(row)
                    row = word
                else:
                    row = row + " " + word if row else word
            rows.append(row)
            if not any(_MARKER.match(x) for x in rows[1:]):
                return ("\n" + indent).join(rows)
        return text

    def message(self, blocks):
        """Blocks: ("para"|"lines"|"list"|"raw", items).  Returns the text and notes the sentences."""
        r = self.rng
        width = r.choice([56, 64, 72, 72, 78, 80])
        wrapped = self.wraps and r.random() < 0.6
        out, sents = [], []
        for bi, (kind, items) in enumerate(blocks):
            last_block = bi == len(blocks) - 1
            if kind == "para":
                items = [list(x) for x in items]
                # what has no mark or ends in a colon ends its line
                lines, row = [], []
                for x in items:
                    row.append(x)
                    if not re.search(r"[.!?…][\"”)’']*$", x[1]):
                        lines.append(row)
                        row = []
                if row:
                    lines.append(row)
                lines[-1][-1] = self.drop(lines[-1][-1], last_block)
                if last_block and len(lines[-1][-1][1]) > 3:
                    lines[-1][-1] = self.smile(lines[-1][-1])
                texts = []
                for row in lines:
                    t = " ".join(x[1] for x in row)
                    texts.append(self.wrap(t, width) if wrapped else t)
                    sents += row
                out.append("\n".join(texts))
            elif kind == "lines":
                items = [self.drop(x, last_block and i == len(items) - 1) for i, x in enumerate(items)]
                items[-1] = self.smile(items[-1])
                sents += items
                out.append("\n".join(x[1] for x in items))
            elif kind == "raw":
                rows = []
                for row in items:
                    sents += row
                    rows.append(" ".join(x[1] for x in row))
                out.append("\n".join(rows))
            elif kind == "list":
                mark = r.choice(["- ", "- ", "- ", "* ", "1"])
                bare = r.random() < 0.5
                rows = []
                for i, row in enumerate(items):
                    row = [list(x) for x in row]
                    if bare and row[-1][1].endswith(".") and not _KEEP_DOT.search(row[-1][1]):
                        row[-1][1] = row[-1][1][:-1]
                    m = "%d. " % (i + 1) if mark == "1" else mark
                    t = " ".join(x[1] for x in row)
                    if wrapped:
                        t = self.wrap(t, width - len(m), " " * len(m))
                    rows.append(m + t)
                    sents += row
                out.append("\n".join(rows))
        text = out[0]
        for i in range(1, len(out)):
            before, kind = blocks[i - 1][0], blocks[i][0]
            if before == "list":
                glue = "\n\n"
            elif kind in ("list", "raw"):
                glue = r.choice(["\n", "\n", "\n\n"])
            else:
                glue = "\n\n" if self.style == "careful" or wrapped else r.choice(["\n\n", "\n"])
            text += glue + out[i]
        self.order.append([(k, s) for k, s in sents])
        return text

    # -- kinds of messages

    def topic(self):
        return _TOPIC[self.rng.choice(PERSONAS[self.persona])]

    def some(self, pool, n, want):
        got = [self.take(pool, want) for _ in range(n)]
        return [g for g in got if g]

    def lay(self, sents):
        """Plain sentences as one paragraph, several or one a line."""
        r = self.rng
        if not sents:
            sents = [self.free(ACK)]
        p_lines = {"careful": 0.05, "casual": 0.2, "lower": 0.4, "names": 0.35, "phone": 0.2}[self.style]
        if len(sents) > 1 and r.random() < p_lines:
            return [("lines", sents)]
        if len(sents) > 3 and r.random() < 0.5:
            k = r.randint(1, len(sents) - 1)
            return [("para", sents[:k]), ("para", sents[k:])]
        return [("para", sents)]

    def any_message(self, first):
        r = self.rng
        kinds = ["ack", "ask", "both", "tell", "long", "facts", "things", "paste", "code", "fiction", "dictation", "suppose", "foreign"]
        weights = [17, 32, 25, 8, 5, 3, 3, 3.5, 1 if self.persona in ("developer", "freelancer") else 0,
                   2, 3 if self.style != "careful" else 1, 3.5, 18 if self.bilingual else 1.2]
        if first:
            weights[0] = 0
        kind = r.choices(kinds, weights)[0]
        pool = self.topic()
        if kind == "ack":
            sents = [self.free(ACK)]
            if r.random() < 0.35:
                sents += self.some(pool, 1, r.random() < 0.3)
            return self.lay(sents)
        if kind == "ask":
            sents = self.some(pool, r.choice([1, 1, 1, 2, 2, 3]), False)
            if r.random() < 0.2:
                sents.insert(0, self.free(CHAT))
            return self.greet(sents, first)
        if kind == "both":
            s = self.some(pool, r.choice([1, 1, 1, 2, 2, 3]), True)
            t = self.some(pool, r.choice([1, 1, 2]), False)
            sents = s + t if r.random() < 0.55 else t + s
            if r.random() < 0.2:
                sents.insert(r.randint(0, len(sents)), self.free(CHAT))
            if r.random() < 0.12:
                x = self.take(_PS)
                if x:
                    sents.append(x)
            return self.greet(sents, first)
        if kind == "tell":
            sents = self.some(pool, r.choice([1, 1, 2, 3]), True)
            if r.random() < 0.2:
                x = self.take(_PS)
                if x:
                    sents.append(x)
            return self.greet(sents, first)
        if kind == "long":
            other = self.topic()
            sents = self.some(pool, r.randint(1, 3), True) + self.some(other, r.randint(0, 2), True) + self.some(pool, r.randint(1, 2), False)
            sents += [self.free(CHAT)] if r.random() < 0.5 else []
            head = sents[0]
            rest = sents[1:]
            r.shuffle(rest)
            x = self.take(_PS) if r.random() < 0.35 else None
            return self.greet([head] + rest, first) + ([("para", [x])] if x else [])
        if kind == "facts":
            rows = [[x] for x in self.some(pool, r.randint(2, 5), True)]
            if not rows:
                return self.lay(self.some(pool, 1, False))
            if r.random() < 0.25:
                rows[r.randrange(len(rows))] += self.some(self.topic(), 1, True)
            if r.random() < 0.15:
                rows.insert(r.randint(0, len(rows)), self.some(pool, 1, False) or [self.free(ACK)])
            blocks = [("para", [self.free(LIST_INTRO)]), ("list", rows)]
            if r.random() < 0.4:
                blocks.append(("para", self.some(pool, 1, False) or [self.free(ACK)]))
            return blocks
        if kind == "things":
            things = SHOPPING if r.random() < 0.4 else TODO
            rows = [[[False, self.hand(self.fill(x))]] for x in r.sample(things, r.randint(3, 6))]
            blocks = [("para", [self.free(LIST_ASK)]), ("list", rows)]
            if r.random() < 0.3:
                x = self.take(pool, True)
                if x:
                    blocks.append(("para", [x]))
            return blocks
        if kind in ("paste", "fiction"):
            intro, rows = r.choice(PASTES if kind == "paste" else FICTION)
            local = {}
            head = [[False, self.hand(self.fill(intro, local))]]
            if r.random() < 0.2:
                x = self.take(pool, True)
                if x:
                    head.insert(0, x)
            own = kind == "fiction"
            body = [[[False, self.hand(self.fill(s, local)) if own else self.fill(s, local)] for s in row.split("|")] for row in rows]
            blocks = [("para", head), ("raw", body)]
            if r.random() < 0.25:
                blocks.append(("para", self.some(pool, 1, r.random() < 0.5) or [self.free(ACK)]))
            return blocks
        if kind == "code":
            body = [[[False, x]] for x in r.sample(CODE, r.randint(1, 3))]
            if r.random() < 0.4:
                body = [[[False, "```"]]] + body + [[[False, "```"]]]
            return [("para", self.some(_TOPIC["code"], 1, False) or [self.free(ACK)]), ("raw", body)]
        if kind == "dictation":
            left = [p for p in _DICT if p[1] not in self.used]
            if not left:
                return self.lay([self.free(ACK)])
            k, t = r.choice(left)
            return [("raw", [[self.make(k, t, spoken=r.random() < 0.7)]])]
        if kind == "suppose":
            sents = [self.free(SUPPOSE)] + self.some(pool, r.randint(0, 1), False)
            if r.random() < 0.25:
                sents += self.some(pool, 1, True)
            return self.greet(sents, first)
        pool2 = _GERMAN if r.random() < 0.8 else _OTHER
        sents = self.some(pool2, r.choice([1, 1, 2]), True) if r.random() < 0.65 else []
        sents += self.some(pool2, 1, False) if not sents or r.random() < 0.6 else []
        if r.random() < 0.25:
            sents += self.some(pool, 1, r.random() < 0.4)
        return self.lay(sents)

    def greet(self, sents, first):
        r = self.rng
        if not first or r.random() > 0.3:
            return self.lay(sents)
        hello = self.free(GREET)
        if hello[1].endswith(","):
            return [("raw", [[hello]])] + self.lay(sents)
        return self.lay([hello] + sents)


def _note_lines(h, day):
    """A small vault as it was before."""
    r, f = h.rng, h.fill
    d = lambda n: (day - datetime.timedelta(days=n)).isoformat()
    start = d(r.randint(40, 200))
    full = r.choice(SLOTS["full"])
    friend = r.choice([x for x in SLOTS["first"] if x.isalpha()])
    slug = lambda s: re.sub(r"[^a-z0-9]+", "-", s.lower()).strip("-") or "x"
    anchor = "".join(r.choice("abcdefghkmnpqrstvwxyz23456789") for _ in range(6))
    notes = {}
    notes["MEMORY.md"] = (
        "# Memory\n\nWhat should still be known in a year.\n\n## Decisions\n\n"
        "- Notes are plain Markdown files (%s)\n\n## History\n\n## Facts\n\n" % start
        + "".join("- %s (%s)\n" % (f(t).rstrip("."), d(r.randint(5, 39))) for t in r.sample(
            ["Lives in {city2}", "Works at {company} as {role}", "Banks with {bank}", "Health insurance: {insurer}", "Doctor is {doctor}",
             "Drinks {drink} in the morning", "{partner} is my {rel}", "Never eats {food}", "Prefers the {seat}"], r.randint(2, 5))))
    notes["people/%s.md" % slug(full)] = (
        "# %s\n\n**Type:** Person\n**Last Updated:** %s\n\n## Summary\n\n%s\n\n## Facts\n\n- %s (%s) ^%s\n- %s (%s)\n\n## History\n\n- ~~%s~~ (%s → %s, superseded by ^%s)\n\n## Notes\n" % (
            full, d(9), f("Works at {company2}."), f("Lives in {city3}"), d(30), anchor, f("Prefers {drink}"), d(28),
            f("Lives in {city2}"), d(300), d(30), anchor))
    if r.random() < 0.7:
        notes["people/%s.md" % slug(friend)] = "---\ntype: person\ntags: [friend]\nupdated: %s\n---\n# %s\n\n## Facts\n\n- %s (%s)\n- %s (%s, preference)\n" % (
            d(12), friend, f("Birthday is on {date}"), d(60), f("Plays the {instrument}"), d(12))
    if r.random() < 0.5:
        notes["people/%s.md" % slug(h.world["kid"])] = "# %s\n\n## Facts\n\n- %s (%s)\n- %s (%s)\n" % (
            h.world["kid"], f("Goes to {club} on {weekday}"), d(21), f("Hates {food}"), d(18))
    proj = f("{project}").replace("the ", "")
    notes["projects/%s.md" % slug(proj)] = "# %s\n\n**Type:** Project\n**Last Updated:** %s\n\n## Summary\n\n## Facts\n\n- %s (%s)\n- %s (%s, decision, because %s)\n\n## Tasks\n\n- [ ] %s\n- [x] %s\n" % (
        proj[0].upper() + proj[1:], d(7), f("Deadline is {date}"), d(20), f("Uses {tool}"), d(15), f("{tool2} was too slow"), f(r.choice(TODO)), f(r.choice(TODO)))
    for n in sorted(r.sample(range(1, 15), r.randint(1, 3)), reverse=True):
        notes["memory/%s.md" % d(n)] = "# %s\n\n" % d(n) + "".join("- %s\n" % f(t) for t in r.sample(
            ["Call with {client}, they want {doc} by {date}", "{kid} has a new teacher: {teacher}", "Bought {present} for my {kin}", "{thing} is broken again",
             "Decided to skip {sport} this month", "Dinner with {first} and {first2} at {time}", "{boss} likes short mails", "Read half of {author}", "Tried {dish}, too salty"],
            r.randint(1, 4)))
    return notes


def _build(seed):
    h = _Hand(seed)
    r = h.rng
    day = datetime.date(2025, 9, 1) + datetime.timedelta(days=r.randrange(330))
    notes = _note_lines(h, day)
    n_conv = r.choices([2, 3, 4], [35, 40, 25])[0]
    days = [day]
    for _ in range(n_conv - 1):
        days.append(days[-1] + datetime.timedelta(days=r.choices([0, r.randint(1, 3), r.randint(4, 40)], [22, 40, 38])[0]))
    sizes = [r.choices(range(2, 9), [14, 20, 20, 17, 13, 9, 7])[0] for _ in range(n_conv)]
    # where the pairs go: (conversation, message)
    slots = [(c, m) for c in range(n_conv) for m in range(sizes[c])]
    plan = {}
    for first, later in r.sample(PAIRS, r.choices([0, 1, 2], [18, 52, 30])[0]):
        spots = [s for s in slots if s not in plan]
        if len(spots) < 2:
            break
        a = r.choice(spots[:-1])
        after = [s for s in spots if s > a]
        near = [s for s in after if s[0] == a[0]]
        b = r.choice(near) if near and r.random() < 0.4 else r.choice(after)
        local = {}
        h.used.update((first[2:], later[2:]))
        plan[a] = (first, local, False)
        plan[b] = (later, local, True)
    turns = []
    for c in range(n_conv):
        msgs = []
        for m in range(sizes[c]):
            if (c, m) in plan:
                t, local, is_later = plan[c, m]
                s = h.make(t[0] == "+", t[2:], local)
                pool = h.topic()
                sents = [s]
                if is_later and s[0] and r.random() < 0.35:
                    sents.insert(0, h.free([x[2:] for x in LEAD]))
                if r.random() < 0.45:
                    sents += h.some(pool, 1, False)
                if not is_later and r.random() < 0.35:
                    x = h.take(pool, True)
                    sents += [x] if x else []
                blocks = h.lay(sents)
            else:
                blocks = h.any_message(m == 0)
            mark = len(h.order)
            text = h.message(blocks)
            # never the same statement twice in a session, and none that was talk before
            bare = lambda s: re.sub(r"[\W_]+", " ", s.casefold()).strip()
            got = [bare(s) for k, s in h.order[mark] if k]
            talk = {bare(s) for o in h.order for k, s in o if not k}
            if len(set(got)) < len(got) or any(s in h.said or s in talk for s in got):
                del h.order[mark:]
                text = h.message([("para", [[False, h.hand(r.choice(ACK))]])])
                got = []
            h.said.update(got)
            msgs.append(text)
        turns.append(msgs)
    return notes, turns, [d.isoformat() for d in days], h.order


def session(seed: int) -> Session:
    notes, turns, days, order = _build(seed)
    statements = [" ".join(s.split()) for o in order for k, s in o if k]
    talk = [" ".join(s.split()) for o in order for k, s in o if not k]
    return Session(notes, turns, days, statements, talk)
