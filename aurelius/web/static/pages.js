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

function say(text) {
  const place = document.getElementById("live");
  if (place && place.textContent !== text) place.textContent = text;
}

function keepsInput(node) {
  return node === document.activeElement || node.dataset?.kept !== undefined;
}

function morph(id, page) {
  const now = document.getElementById(id);
  const then = page.getElementById(id);
  if (!now || !then || now.innerHTML === then.innerHTML) return;
  Idiomorph.morph(now, then, {
    ignoreActiveValue: true,
    callbacks: {
      // What is being typed, and what is opened, stays as it is.
      beforeNodeMorphed: (node) => !(node.nodeType === 1 && keepsInput(node)),
      beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
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
      morph("main", page);
      showWhenDone();
    }
  } catch {
    say("Not live: the server does not answer. Run aurelius serve.");
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

let stream = null;

function follow() {
  if (document.body.dataset.live !== "yes") return;
  if (document.hidden) {
    stream?.close();
    stream = null;
  } else if (!stream) {
    stream = new EventSource("/live");
    let first = true;
    stream.addEventListener("ready", () => {
      say("This page follows the files.");
      if (!first || follow.again) showAgain();
      first = false;
      follow.again = true;
    });
    stream.addEventListener("changed", showAgain);
    stream.addEventListener("error", () => say("Not live: the server does not answer."));
  }
}

// -- search while it is typed -------------------------------------------------------------

function searchAsTyped() {
  const form = document.getElementById("search-form");
  if (!form) return;
  let timer = 0;
  let latest = 0;
  form.addEventListener("input", () => {
    const mine = ++latest;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const fields = [...new FormData(form)].filter(([, value]) => value);
      const address = `${location.pathname}?${new URLSearchParams(fields)}`;
      try {
        const page = await fetchPage(address);
        if (mine !== latest) return;
        document.title = page.title;
        morph("filters", page);
        morph("results", page);
        history.replaceState(null, "", address);
        // How many there are is told when nothing more is typed, not after each letter.
        timer = setTimeout(() => morph("found", page), 400);
      } catch {
        say("Not live: the server does not answer. Run aurelius serve.");
      }
    }, 150);
  });
}

addEventListener("DOMContentLoaded", () => {
  openWithCode();
  follow();
  searchAsTyped();
  showWhenDone();
});
document.addEventListener("visibilitychange", follow);
addEventListener("hashchange", openWithCode);
