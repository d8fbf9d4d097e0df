// The chat works without this. It shows an answer as it grows, without loading the page again.
"use strict";

const ask = document.getElementById("ask");
const talk = document.getElementById("talk");
const heard = document.getElementById("heard");
const stopButton = document.getElementById("stop");
const field = ask.elements.text;
let running = null;

// What has the focus in a turn keeps it while the turn grows.
function grow(turn, html) {
  const made = document.createElement("template");
  made.innerHTML = html.trim();
  const next = made.content.firstElementChild;
  if (turn.id === next.id) return Idiomorph.morph(turn, next)[0];
  turn.replaceWith(next);
  return next;
}

async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece; !(piece = await reader.read()).done; ) {
    const all = (rest + piece.value).split("\n");
    rest = all.pop();
    yield* all.map((each) => JSON.parse(each));
  }
}

function goTo(address) {
  if (!address.startsWith("/?") && !address.startsWith("/#")) return location.assign(address);
  history.replaceState(null, "", address); // to another place of the same page nothing is loaded
  location.reload();
}

function beginTurn(text) {
  const turn = document.createElement("li");
  const said = document.createElement("p");
  const waits = document.createElement("p");
  said.className = "mine";
  said.textContent = text;
  waits.className = "waits";
  waits.textContent = "Looking …";
  turn.append(said, waits);
  talk.append(turn);
  return turn;
}

async function send() {
  ask.elements.last.value = talk.lastElementChild ? talk.lastElementChild.id.slice("turn-".length) : "";
  const body = new URLSearchParams(new FormData(ask));
  const text = field.value;
  const stop = (running = new AbortController());
  let turn = beginTurn(text);
  let told;
  talk.dataset.kept = ""; // what the server does not know of yet stays
  stopButton.hidden = false;
  field.value = "";
  heard.textContent = "";
  heard.className = "unseen";
  turn.scrollIntoView({ block: "nearest" });
  try {
    const headers = { "x-aurelius-parts": "1" };
    const answer = await fetch("/chat", { method: "POST", body, headers, signal: stop.signal });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}. Load the page again.`);
    for await (const part of lines(answer)) {
      told = part.told;
      if (part.turn) turn = grow(turn, part.turn);
      else if (told === undefined) return goTo(part.place);
    }
    if (told === undefined) throw new Error("The answer broke off.");
    heard.textContent = told;
    history.replaceState(null, "", "/"); // where it is loaded again it opens at what was said last
    turn.scrollIntoView({ block: "nearest" });
  } catch (error) {
    turn.remove();
    if (!field.value) field.value = text;
    heard.textContent = stop.signal.aborted ? "Stopped." : String(error.message);
    if (!stop.signal.aborted) heard.className = "wrong";
  } finally {
    running = null;
    stopButton.hidden = true;
    delete talk.dataset.kept;
  }
}

ask.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!running && field.value.trim()) send();
});
stopButton.addEventListener("click", () => {
  running?.abort();
  field.focus();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") running?.abort();
});
if (!location.hash) {
  if (performance.getEntriesByType("navigation")[0].type !== "back_forward") {
    history.scrollRestoration = "manual"; // else a page that is loaded again goes to where it was
    addEventListener("pagehide", () => (history.scrollRestoration = "auto"));
    talk.lastElementChild?.scrollIntoView();
  }
  field.focus({ preventScroll: true });
}
