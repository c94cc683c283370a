// The list of images.

import { $, page } from "./state.js";
import { open } from "./editor.js";
import { refresh } from "./refresh.js";

function stateOf(entry) {
  if (entry.problem) return "broken";
  if (entry.version === "none") return "new";
  return entry.unpainted === 0 ? "complete" : "painted";
}

const WORDS = { broken: "unreadable", new: "unlabelled", painted: "partly labelled", complete: "fully labelled" };

export function showList() {
  const list = $("images");
  const name = (entry) => `${entry.key} ${entry.stamp} ${entry.problem ? "broken" : ""}`;
  const wanted = new Set(page.state.images.map(name));
  const old = new Map([...list.children].map((row) => [row.dataset.name, row]));
  for (const [key, row] of old) if (!wanted.has(key)) row.remove();
  let place = list.firstElementChild;
  for (const entry of page.state.images) {
    const row = old.get(name(entry)) || makeRow(entry, name(entry));
    // Moving a row would take the keyboard focus away from it: leave rows in place.
    if (row === place) place = place.nextElementSibling; else list.insertBefore(row, place);
    updateRow(row, entry);
  }
}

function makeRow(entry, name) {
  const row = document.createElement("li");
  row.dataset.name = name;
  row.dataset.key = entry.key;
  row.innerHTML = '<button><img alt="" loading="lazy" decoding="async" width="72" height="54"><span class="about"><b></b><span class="state"></span><span class="meter" hidden><i></i></span></span></button>';
  const image = row.querySelector("img");
  if (entry.problem) image.remove();
  else image.src = `api/thumbnail/${entry.key}?${entry.stamp}`;
  image.addEventListener("error", () => { row.classList.add("no-picture"); refresh(); });
  row.querySelector("b").textContent = entry.name;
  row.querySelector("button").addEventListener("click", () => open(entry.key));
  return row;
}

function updateRow(row, entry) {
  const state = stateOf(entry);
  const text = entry.problem || entry.failed || WORDS[state];
  row.dataset.state = state;
  row.classList.toggle("current", page.image !== null && page.image.key === entry.key);
  row.classList.toggle("next", page.state.next === entry.key && page.state.images.some((i) => i.uncertainty !== null && i.uncertainty !== undefined));
  const shown = row.querySelector(".state");
  if (shown.textContent !== text) shown.textContent = text;
  const button = row.querySelector("button");
  button.disabled = Boolean(entry.problem);
  button.title = entry.problem ? `${entry.name}: ${entry.problem}` : entry.name;
  if (page.image !== null && page.image.key === entry.key) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  const meter = row.querySelector(".meter");
  const unsure = entry.uncertainty;
  meter.hidden = unsure === null || unsure === undefined;
  if (!meter.hidden) {
    meter.title = `uncertainty ${(100 * unsure).toFixed(0)} %`;
    meter.firstChild.style.width = `${Math.min(100, 100 * unsure)}%`;
  }
}
