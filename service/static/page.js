// The page without reloading: every change asks the server, which draws the answer.
// A request has a ticket; an answer whose ticket is no longer the newest is thrown away.

const PAUSE_MS = 120;

const form = document.getElementById("ask");
const hand = document.getElementById("hand");
const answer = document.getElementById("answer");
const status = document.getElementById("status");

let newest = 0;
let running = null;
let timer = 0;

function query() {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value !== "") values.append(name, value);
  }
  return values;
}

async function fetchText(address) {
  newest += 1;
  const ticket = newest;
  running?.abort();
  running = new AbortController();
  answer.classList.add("waiting");
  answer.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(address, { signal: running.signal });
    const text = await response.text();
    return ticket === newest ? text : null;
  } catch (error) {
    if (ticket === newest) status.textContent = "No answer from the service; try again.";
    return null;
  } finally {
    if (ticket === newest) {
      answer.classList.remove("waiting");
      answer.removeAttribute("aria-busy");
    }
  }
}

function settled() {
  const result = document.getElementById("result");
  if (!result) return;
  status.textContent = result.dataset.summary ?? "";
  const link = result.dataset.permalink ?? `/?${query()}`;
  history.replaceState(null, "", link);
}

function heldPlace() {
  const cards = [...document.querySelectorAll("#hand-cards .card")];
  return cards.indexOf(document.activeElement);
}

async function refresh() {
  clearTimeout(timer);
  const place = heldPlace();
  const html = await fetchText(`/answer?${query()}`);
  if (html === null) return;
  answer.innerHTML = html;
  if (place >= 0) {
    const cards = document.querySelectorAll("#hand-cards .card");
    (cards[Math.min(place, cards.length - 1)] ?? hand).focus();
  }
  settled();
}

async function chooseGame() {
  const values = new URLSearchParams({
    rules: document.getElementById("rules").value,
    hand: hand.value,
    choose: "1",
  });
  const html = await fetchText(`/?${values}`);
  if (html === null) return;
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const id of ["setup", "house", "answer"]) {
    document.getElementById(id).innerHTML = fresh.getElementById(id).innerHTML;
  }
  enhance();
  document.getElementById("rules").focus();
  settled();
}

function tokens() {
  return hand.value.split(/[\s,;|]+/).filter(Boolean);
}

function write(cards) {
  hand.value = cards.join(" ");
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
  write([...tokens(), card.value]);
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
