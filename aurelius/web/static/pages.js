// The pages work without this. It opens them with the code behind the `#` of the address, shows a
// change of a file while the page is open, and the answers of a search while it is typed.
"use strict";

const AGAIN = { headers: { "x-aurelius-again": "1" } };

function openWithCode() {
  const form = document.getElementById("sign-in");
  const code = location.hash.slice(1);
  if (!form || !/^[a-z0-9-]{10,20}$/.test(code)) return;
  history.replaceState(null, "", location.pathname);
  form.elements.code.value = code;
  form.submit();
}

// -- what changed -------------------------------------------------------------------------

const LOST = "Not live: the server does not answer. Run aurelius serve, and open what it prints.";

function say(text) {
  const place = document.getElementById("live");
  if (place && place.textContent !== text) place.textContent = text;
  document.body.classList.toggle("lost", text === LOST);
}

// What is read stays where it is on the screen, and what has the focus keeps it: both are found
// again by their words, because lines above may have come or gone.
const BLOCKS = "#main :is(p, li, h1, h2, h3, h4, h5, h6, pre, tr, dt, dd, summary)";

function keepPlace() {
  const blocks = [...document.querySelectorAll(BLOCKS)];
  const seen = blocks.filter((each) => each.getBoundingClientRect().bottom > 0).slice(0, 12);
  const marks = seen.map((each) => [each.textContent, each.getBoundingClientRect().top]);
  const focused = document.activeElement;
  const { tagName, textContent, href } = focused;
  const was = scrollY;
  return () => {
    const now = [...document.querySelectorAll(BLOCKS)];
    for (const [words, top] of was ? marks : []) {
      const same = now.filter((each) => each.textContent === words);
      const moves = same.map((each) => each.getBoundingClientRect().top - top + scrollY - was);
      if (!moves.length) continue;
      const move = moves.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one));
      scrollTo(0, was + move);
      break;
    }
    if (focused === document.body || document.activeElement !== document.body) return;
    const like = (each) => each.textContent === textContent && each.href === href;
    [...document.querySelectorAll(tagName)].find(like)?.focus({ preventScroll: true });
  };
}

function keepsInput(node) {
  const typed = node.matches("input, textarea, select") && node === document.activeElement;
  return typed || node.dataset.kept !== undefined;
}

function morph(id, page) {
  const now = document.getElementById(id);
  const then = page.getElementById(id);
  if (!now || !then || now.innerHTML === then.innerHTML) return;
  Idiomorph.morph(now, then, {
    ignoreActiveValue: true,
    callbacks: {
      // What is being typed or was, and what is opened, stays as it is.
      beforeNodeMorphed: (node) => !(node.nodeType === 1 && keepsInput(node)),
      beforeAttributeUpdated: (name, node) =>
        !(name === "open" && node.tagName === "DETAILS") &&
        !(name === "value" && node.value !== node.defaultValue),
    },
  });
}

async function fetchPage(address) {
  const answer = await fetch(address, AGAIN);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

let fetching = false;
let wanted = false;

async function showAgain() {
  wanted = true;
  if (fetching) return;
  fetching = true;
  try {
    while (wanted) {
      wanted = false;
      const page = await fetchPage(location.href);
      document.title = page.title;
      const putBack = keepPlace();
      morph("main", page);
      putBack();
      showWhenDone();
    }
  } catch {
    say(LOST);
  } finally {
    fetching = false;
  }
}

// What takes longer than an answer may is looked for again until it is there.
function showWhenDone() {
  clearTimeout(showWhenDone.timer);
  if (document.querySelector("[data-unfinished]")) {
    showWhenDone.timer = setTimeout(showAgain, 1000);
  }
}

// One window holds the stream and tells the others: a browser has six connections to a server, and
// each stream takes one for as long as it is open. A hidden window neither holds it nor listens.
const windows = new BroadcastChannel("live");
let stop = null;
let latest = "";

function hear(generation) {
  if (document.hidden) return;
  if (generation === "") return say(LOST);
  say("This page follows the files.");
  if (generation === document.body.dataset.live) return;
  document.body.dataset.live = generation;
  showAgain();
}

function tell(generation) {
  latest = generation;
  hear(generation);
  windows.postMessage(generation);
}

windows.onmessage = ({ data }) => {
  if (data !== "?") hear(data);
  else if (latest) windows.postMessage(latest);
};

function holdStream(signal) {
  return new Promise((done) => {
    const stream = new EventSource("/live");
    stream.addEventListener("generation", (event) => tell(event.data));
    stream.addEventListener("error", () => tell(""));
    signal.addEventListener("abort", () => {
      stream.close();
      latest = "";
      done();
    });
  });
}

function follow() {
  if ((document.body.dataset.live ?? "no") === "no") return;
  if (document.hidden) {
    stop?.abort();
    stop = null;
  } else if (!stop) {
    stop = new AbortController();
    const { signal } = stop;
    windows.postMessage("?");
    navigator.locks.request("live", { signal }, () => holdStream(signal)).catch(() => {});
  }
}

// -- search while it is typed -------------------------------------------------------------

function searchAsTyped() {
  const form = document.getElementById("search-form");
  if (!form) return;
  let timer = 0;
  let latest = 0;
  let typed = 0;
  form.addEventListener("input", () => {
    const mine = ++latest;
    // Somebody who types slowly has not paused yet after a second.
    const pause = Math.min(4000, Math.max(1200, 2 * (Date.now() - typed)));
    typed = Date.now();
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const fields = [...new FormData(form)].filter(([, value]) => value);
      const address = `${location.pathname}?${new URLSearchParams(fields)}`;
      try {
        const page = await fetchPage(address);
        if (mine !== latest) return;
        document.title = page.title;
        morph("filters", page);
        morph("found", page);
        morph("results", page);
        history.replaceState(null, "", address);
        // How many there are is read out when nothing more is typed, not after each letter.
        const { textContent } = page.getElementById("found");
        const read = () => (document.getElementById("told").textContent = textContent);
        timer = setTimeout(read, pause);
      } catch {
        say(LOST);
      }
    }, 150);
  });
}

// What was done is read out, and the line that an address names is where reading goes on.
function focusWhatMatters() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const place = document.querySelector(".done, .wrong") ?? named;
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: place === named });
}

addEventListener("DOMContentLoaded", () => {
  openWithCode();
  focusWhatMatters();
  follow();
  searchAsTyped();
  showWhenDone();
});
document.addEventListener("visibilitychange", follow);
addEventListener("hashchange", openWithCode);
