// The page without reloading: every change asks the server, which draws the answer.
// A request has a ticket; an answer whose ticket is no longer the newest is thrown away.

const PAUSE_MS = 120;
const STEP_MS = 3000;

const form = document.getElementById("ask");
const hand = document.getElementById("hand");
const answer = document.getElementById("answer");
const status = document.getElementById("status");

let newest = 0;
let running = null;
let timer = 0;
let retry = 0;
let changed = -Infinity;
let asked = hand.value;

function query() {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value !== "" || name === "round") values.append(name, value);
  }
  return values;
}

// What an answer that is no part of the page means to the person before it.
async function wordsOf(response) {
  const wait = response.headers.get("Retry-After");
  const again = wait ? ` Try again in ${wait} seconds.` : " Try again in a moment.";
  if (response.status === 429) return `Too many questions in a short time.${again}`;
  if (response.status === 503) return `The service is busy.${again}`;
  if (response.status === 401) return "The service asks for a key: reload the page.";
  let detail = "";
  try {
    detail = (await response.json()).detail;
  } catch {
    // No problem document either, perhaps a page of a proxy.
  }
  return typeof detail === "string" && detail !== ""
    ? `No answer: ${detail}`
    : `No answer: the service said ${response.status}.`;
}

// The old answer goes: it belongs to another hand.
function tell(words) {
  const box = document.createElement("div");
  box.className = "faults";
  box.append(document.createElement("p"));
  box.firstChild.textContent = words;
  answer.replaceChildren(box);
  status.textContent = words;
}

async function fetchPage(address) {
  newest += 1;
  const ticket = newest;
  clearTimeout(retry);
  running?.abort();
  running = new AbortController();
  answer.classList.add("waiting");
  answer.setAttribute("aria-busy", "true");
  let text = null;
  let words = "";
  try {
    const response = await fetch(address, { signal: running.signal });
    const type = response.headers.get("Content-Type") ?? "";
    if (type.startsWith("text/html") && response.headers.has("X-Request-ID")) {
      text = await response.text();
    } else {
      words = await wordsOf(response);
    }
  } catch {
    words = "No answer from the service; try again.";
  }
  if (ticket !== newest) return null;
  answer.classList.remove("waiting");
  answer.removeAttribute("aria-busy");
  if (words) tell(words);
  return text;
}

// Changes that follow one another are one step of the history; a pause begins the next.
function remember(link) {
  const now = performance.now();
  const same = link === location.pathname + location.search;
  if (now - changed < STEP_MS || same) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  changed = now;
}

function settled() {
  const result = document.getElementById("result");
  if (!result) return;
  status.textContent = result.dataset.summary ?? "";
  remember(result.dataset.permalink ?? `/?${query()}`);
  holdBack();
  const wait = Number(result.dataset.retry ?? 0);
  if (wait) retry = setTimeout(refresh, wait * 1000);
}

// A card of which the hand holds every copy cannot be added; its key keeps the focus.
function holdBack() {
  const full = (document.getElementById("result")?.dataset.full ?? "").split(" ");
  const held = tokens();
  for (const button of document.querySelectorAll("#palette button")) {
    const most = Number(button.dataset.most ?? Infinity);
    const count = held.filter((token) => token === button.value).length;
    const none = count >= most || (full.includes(button.value) && hand.value === asked);
    button.disabled = false;
    button.setAttribute("aria-disabled", String(none));
  }
}

function heldPlace() {
  const cards = [...document.querySelectorAll("#hand-cards .card")];
  return cards.indexOf(document.activeElement);
}

async function refresh() {
  clearTimeout(timer);
  const place = heldPlace();
  asked = hand.value;
  const html = await fetchPage(`/answer?${query()}`);
  if (html === null) return;
  answer.innerHTML = html;
  if (place >= 0) {
    const cards = document.querySelectorAll("#hand-cards .card");
    (cards[Math.min(place, cards.length - 1)] ?? hand).focus();
  }
  settled();
}

async function chooseGame() {
  const values = new URLSearchParams({ choose: "1" });
  for (const name of ["rules", "hand", "melds", "discard", "all"]) {
    const value = new FormData(form).get(name);
    if (value) values.append(name, value);
  }
  asked = hand.value;
  const html = await fetchPage(`/?${values}`);
  if (html === null) return;
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const id of ["setup", "hand-help", "extras", "house", "answer"]) {
    document.getElementById(id).innerHTML = fresh.getElementById(id).innerHTML;
  }
  hand.placeholder = fresh.getElementById("hand").placeholder;
  enhance();
  document.getElementById("rules").focus();
  settled();
}

function tokens() {
  return hand.value.split(/[\s,;|]+/).filter(Boolean);
}

function write(cards) {
  hand.value = cards.join(" ");
  holdBack();
  refresh();
}

function remove(card) {
  let cards = tokens();
  if (!cards.includes(card)) {
    // The hand was typed in other words: go on with the cards as the server read them.
    cards = (document.getElementById("hand-cards").dataset.hand ?? "").split(" ");
  }
  const place = cards.lastIndexOf(card);
  if (place >= 0) cards.splice(place, 1);
  write(cards);
}

function enhance() {
  for (const button of form.querySelectorAll(".no-script")) button.hidden = true;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  refresh();
});
form.addEventListener("input", (event) => {
  if (event.target.id === "rules") return;
  clearTimeout(timer);
  timer = setTimeout(refresh, PAUSE_MS);
});
form.addEventListener("change", (event) => {
  if (event.target.id === "rules") chooseGame();
});
form.addEventListener("click", (event) => {
  const card = event.target.closest("#palette button");
  if (!card) return;
  event.preventDefault();
  if (card.getAttribute("aria-disabled") !== "true") write([...tokens(), card.value]);
});
answer.addEventListener("click", (event) => {
  const card = event.target.closest("#hand-cards button");
  if (!card) return;
  event.preventDefault();
  remove(card.value);
});
document.getElementById("undo").addEventListener("click", () => write(tokens().slice(0, -1)));
document.getElementById("clear").addEventListener("click", () => {
  write([]);
  hand.focus();
});
for (const id of ["undo", "clear"]) document.getElementById(id).hidden = false;
enhance();
holdBack();
// Back and forward: the address says all, so the server draws that page.
window.addEventListener("popstate", () => location.reload());
