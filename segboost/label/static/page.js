// The page: the list, the tools, the pointer, saving, training.

import * as server from "./server.js";
import { Labels, Regions, FOREGROUND, BACKGROUND, VOID } from "./labels.js";
import { View } from "./canvas.js";

const $ = (id) => document.getElementById(id);
const view = new View($("canvas"));
const tool = { value: FOREGROUND, brush: "round", size: 10 };
const painted = new Map(); // key → Labels: histories outlive a look at another image
const KINDS = { 1: "foreground", 0: "background", 255: "void" };
let known = { images: [], training: {}, next: null, model: null };
let now = null; // the open image: { key, entry, labels, regions, superpixels, prediction }
let opening = 0;
let busy = Promise.resolve(); // saves, one after the other
let unsaved = 0;
let conflict = false;
let lost = ""; // why nothing can be saved

// --- the list -------------------------------------------------------------------------------

function stateOf(entry) {
  if (entry.problem) return "broken";
  if (entry.version === "none") return "new";
  return entry.unpainted === 0 ? "complete" : "painted";
}

const WORDS = { broken: "cannot be read", new: "not painted", painted: "partly painted", complete: "complete" };

function showList() {
  const list = $("images");
  const name = (entry) => `${entry.key} ${entry.stamp}`;
  const wanted = new Set(known.images.map(name));
  const old = new Map([...list.children].map((row) => [row.dataset.name, row]));
  for (const [key, row] of old) if (!wanted.has(key)) row.remove();
  let place = list.firstElementChild;
  for (const entry of known.images) {
    const row = old.get(name(entry)) || makeRow(entry, name(entry));
    // A row that is moved loses the keyboard's focus: those in their place stay.
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
  row.classList.toggle("current", now !== null && now.key === entry.key);
  row.classList.toggle("next", known.next === entry.key && known.model !== null);
  const shown = row.querySelector(".state");
  if (shown.textContent !== text) shown.textContent = text;
  const button = row.querySelector("button");
  button.disabled = Boolean(entry.problem);
  button.title = entry.problem ? `${entry.name}: ${entry.problem}` : entry.name;
  if (now !== null && now.key === entry.key) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  const meter = row.querySelector(".meter");
  const unsure = entry.uncertainty;
  meter.hidden = unsure === null || unsure === undefined;
  if (!meter.hidden) {
    meter.title = `uncertainty ${(100 * unsure).toFixed(0)} %`;
    meter.firstChild.style.width = `${Math.min(100, 100 * unsure)}%`;
  }
}

// --- the open image -------------------------------------------------------------------------

async function open(key) {
  const entry = known.images.find((i) => i.key === key);
  if (!entry || entry.problem) return;
  const mine = ++opening;
  await busy;
  const before = painted.get(key)?.version;
  try {
    const [picture, fresh] = await Promise.all([server.picture(key, entry.stamp), server.mask(key)]);
    if (mine !== opening) return;
    endStroke(true); // on the image that was open until now
    let labels = painted.get(key);
    // What was painted and saved here in the meantime is newer than the answer.
    const ours = unsaved > 0 || labels?.version !== before;
    if (!labels || (labels.version !== fresh.version && !ours)) {
      labels = new Labels(entry.width, entry.height, fresh.values, fresh.version);
      painted.set(key, labels);
    }
    now = { key, entry, labels, regions: null, superpixels: null, prediction: null, model: null };
    setConflict(false);
    view.open(picture, entry.width, entry.height);
    view.showLabels(labels.values);
    $("image-name").textContent = entry.name;
    $("canvas").setAttribute("aria-label", `${entry.name}: paint on it`);
    history.replaceState(null, "", `#${key}`);
    showTools();
    showList();
    document.querySelector("#images .current")?.scrollIntoView({ block: "nearest" });
    showPredictionBar();
    server.focus(key).catch(() => {});
    const superpixels = await server.superpixels(key);
    if (mine !== opening) return;
    now.superpixels = superpixels;
    now.regions = new Regions(superpixels);
    document.body.dataset.superpixels = key;
    showSaved();
    await loadPrediction();
  } catch (error) { if (mine === opening) tellTrouble(error); }
}

async function loadPrediction() {
  const here = now;
  if (!here || !here.superpixels || !known.model) return;
  const entry = known.images.find((i) => i.key === here.key);
  const ready = entry && entry.uncertainty !== null && entry.uncertainty !== undefined;
  if (!ready || here.model === known.model) return;
  const model = known.model;
  try {
    const found = await server.prediction(here.key);
    if (here !== now) return;
    here.prediction = found;
    here.model = model;
    view.showPrediction(here.superpixels, found);
    showPredictionBar();
  } catch (error) { if (error.status !== 404) tellTrouble(error); }
}

function showPredictionBar() {
  const found = now && now.prediction;
  $("prediction-bar").hidden = !found;
  if (found) $("prediction-told").textContent = `prediction, ${(100 * found.uncertainty).toFixed(0)} % uncertain`;
  document.body.dataset.prediction = found ? now.key : "";
}

// --- saving ---------------------------------------------------------------------------------

function save() {
  const here = now, values = here.labels.values.slice(); // without the stroke that may follow
  unsaved += 1;
  showSaved();
  busy = busy.then(() => saveNow(here, values));
  return busy;
}

async function saveNow(here, values) {
  for (;;) {
    try {
      here.labels.version = await server.save(here.key, values, here.labels.version);
      unsaved -= 1;
      setLost(null);
      showSaved();
      refresh();
      return;
    } catch (error) {
      if (error.status === 409) {
        unsaved -= 1;
        if (here === now) setConflict(true);
        showSaved();
        return;
      }
      setLost(error);
      await new Promise((resolve) => { setTimeout(resolve, 1500); });
    }
  }
}

function showSaved() {
  const waits = tool.brush === "superpixel" && now && !now.regions;
  const text = conflict ? "not saved" : lost ? `${unsaved ? "not saved: " : ""}waiting for the server`
    : unsaved ? "saving…" : waits ? "looking for superpixels…" : now ? "saved" : "";
  $("saved").textContent = text;
  document.body.dataset.saved = String(unsaved === 0 && !conflict && !lost);
}

function setConflict(found) { conflict = found; showBanner(); showSaved(); }

function setLost(error) {
  const why = !error ? "" : error.status === undefined ? "The server does not answer. Painting waits until it does."
    : error.status === 403 ? "The server was started anew: open the address that it printed."
      : `The server could not save: ${error.message}.`;
  if (why === lost) return; // said once
  lost = why;
  showBanner();
  showSaved();
}

function showBanner() {
  const banner = $("banner");
  banner.replaceChildren();
  banner.hidden = !(conflict || lost);
  if (conflict) {
    banner.append("This image was painted in another tab, too. ");
    banner.append(button("Load what is saved", () => { painted.delete(now.key); open(now.key); }));
    banner.append(button("Keep mine", keepMine));
  } else if (lost) {
    banner.append(unsaved ? `${lost} Your last stroke is not saved yet.` : lost);
  }
}

async function keepMine() {
  const here = now;
  here.labels.version = (await server.mask(here.key)).version;
  setConflict(false);
  save();
}

function button(text, act) {
  const made = document.createElement("button");
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function tellTrouble(error) {
  $("training-told").textContent = error.message;
  $("training-told").classList.add("bad");
}

window.addEventListener("beforeunload", (event) => { if (unsaved > 0 || (now && now.labels.open)) event.preventDefault(); });
window.addEventListener("pagehide", () => {
  if (now && now.labels.open && now.labels.end()) server.save(now.key, now.labels.values, now.labels.version, true).catch(() => {});
});

// --- painting -------------------------------------------------------------------------------

const fingers = new Map();
let stroke = null; // { id, value, last }
let grip = null; // where a pan or a pinch was last
let space = false;

const mayPaint = () => now !== null && !conflict && !lost;

function paintTo(point) {
  const { labels, regions } = now;
  if (tool.brush === "superpixel") {
    if (!regions) return;
    const from = stroke.last || point, steps = Math.max(1, Math.ceil(Math.hypot(point.x - from.x, point.y - from.y) / 2));
    for (let k = 1; k <= steps; k += 1) {
      const x = Math.floor(from.x + (point.x - from.x) * k / steps), y = Math.floor(from.y + (point.y - from.y) * k / steps);
      if (x < 0 || y < 0 || x >= labels.width || y >= labels.height) continue;
      const region = regions.of[y * labels.width + x];
      if (stroke.taken.has(region)) continue;
      stroke.taken.add(region);
      labels.region(regions.members(region), stroke.value);
    }
    view.showLabels(labels.values);
  } else {
    view.showLabels(labels.values, labels.line(stroke.last || point, point, tool.size, stroke.value));
  }
  stroke.last = point;
}

function endStroke(keep) {
  if (!stroke) return;
  stroke = null;
  const changed = now.labels.end();
  if (changed && keep) save();
  if (changed && !keep) { now.labels.undo(); now.labels.undone.pop(); view.showLabels(now.labels.values); }
  showTools();
}

const canvas = $("canvas");

canvas.addEventListener("pointerdown", (event) => {
  canvas.focus({ preventScroll: true });
  const at = view.onCanvas(event), touch = event.pointerType === "touch";
  if (touch && stroke && stroke.pen) return; // the hand that holds the pen
  if (touch) fingers.set(event.pointerId, at);
  canvas.setPointerCapture(event.pointerId);
  if (fingers.size === 2) { endStroke(false); grip = pinch(); return; }
  if (event.button === 1 || space) { grip = { ...at, id: event.pointerId }; event.preventDefault(); return; }
  const eraser = event.button === 2 || event.button === 5;
  if (!mayPaint() || stroke || fingers.size > 2 || !(event.button === 0 || eraser)) return;
  stroke = { id: event.pointerId, value: eraser ? VOID : tool.value, pen: event.pointerType === "pen", last: null, taken: new Set() };
  now.labels.begin();
  paintTo(view.onImage(at));
});

canvas.addEventListener("pointermove", (event) => {
  const at = view.onCanvas(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
  if (fingers.size === 2 && grip) {
    const next = pinch();
    view.pan(next.x - grip.x, next.y - grip.y);
    view.zoom(next.apart / grip.apart, next);
    grip = next;
  } else if (grip && grip.id === event.pointerId) {
    view.pan(at.x - grip.x, at.y - grip.y);
    grip = { ...at, id: event.pointerId };
  } else if (stroke && stroke.id === event.pointerId) {
    // A fast hand makes several moves between two frames.
    const moves = event.getCoalescedEvents?.() || [];
    for (const move of moves.length ? moves : [event]) paintTo(view.onImage(view.onCanvas(move)));
  }
  showPointer(view.onImage(at), event.pointerType);
});

function pinch() {
  const [one, other] = [...fingers.values()];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, apart: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)) };
}

function lift(event) {
  fingers.delete(event.pointerId);
  if (fingers.size < 2) grip = null;
  if (stroke && stroke.id === event.pointerId) endStroke(event.type === "pointerup");
}

canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("pointerleave", () => { view.pointer = null; view.highlight(null); });
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), view.onCanvas(event));
}, { passive: false });

function showPointer(point, kind) {
  const touch = kind === "touch";
  view.pointer = tool.brush === "round" && !touch ? { ...point, radius: tool.size } : null;
  const over = tool.brush === "superpixel" && now && now.regions && view.inside(point) && !touch;
  view.highlight(over ? now.regions.members(now.regions.of[Math.floor(point.y) * now.labels.width + Math.floor(point.x)]) : null, tool.value);
}

// --- tools ----------------------------------------------------------------------------------

function showTools() {
  for (const b of document.querySelectorAll(".class")) b.setAttribute("aria-checked", String(Number(b.dataset.value) === tool.value));
  for (const b of document.querySelectorAll(".brush")) b.setAttribute("aria-checked", String(b.dataset.brush === tool.brush));
  $("size").value = tool.size;
  $("size").disabled = tool.brush !== "round";
  $("size-shown").textContent = tool.size;
  $("opacity").value = Math.round(100 * view.opacity);
  $("undo").disabled = !now || now.labels.done.length === 0;
  $("redo").disabled = !now || now.labels.undone.length === 0;
  document.body.dataset.tool = KINDS[tool.value];
  canvas.dataset.brush = tool.brush;
  showSaved();
}

const choose = (changes) => { Object.assign(tool, changes); view.highlight(null); view.pointer = null; showTools(); };
const setOpacity = (value) => { view.opacity = Math.min(1, Math.max(0, value)); view.draw(); showTools(); };
const setSize = (value) => choose({ size: Math.min(80, Math.max(1, value)) });

function step(act) {
  if (!mayPaint() || stroke || !now.labels[act]()) return;
  view.showLabels(now.labels.values);
  showTools();
  save();
}

function accept() {
  if (!mayPaint() || !now.prediction) return;
  if (now.labels.accept(now.superpixels, now.prediction.label)) {
    view.showLabels(now.labels.values);
    showTools();
    save();
  }
}

function toggle(id) {
  $(id).checked = !$(id).checked;
  $(id).dispatchEvent(new Event("change"));
}

for (const b of document.querySelectorAll(".class")) b.addEventListener("click", () => choose({ value: Number(b.dataset.value) }));
for (const b of document.querySelectorAll(".brush")) b.addEventListener("click", () => choose({ brush: b.dataset.brush }));
$("size").addEventListener("input", (event) => setSize(Number(event.target.value)));
$("opacity").addEventListener("input", (event) => setOpacity(event.target.value / 100));
$("undo").addEventListener("click", () => step("undo"));
$("redo").addEventListener("click", () => step("redo"));
$("zoom-in").addEventListener("click", () => view.zoom(1.4));
$("zoom-out").addEventListener("click", () => view.zoom(1 / 1.4));
$("zoom-fit").addEventListener("click", () => view.fit());
$("accept").addEventListener("click", accept);
$("show-prediction").addEventListener("change", (event) => { view.shown.prediction = event.target.checked; view.draw(); });
$("show-uncertainty").addEventListener("change", (event) => { view.shown.uncertainty = event.target.checked; view.draw(); });
$("help-open").addEventListener("click", () => $("help").showModal());
$("train").addEventListener("click", train);
$("stop").addEventListener("click", () => server.stop().then(refresh, tellTrouble));
$("next").addEventListener("click", () => { if (known.next) open(known.next); });
$("export").addEventListener("click", exportMasks);

function neighbour(by) {
  const usable = known.images.filter((i) => !i.problem);
  const at = usable.findIndex((i) => now && i.key === now.key);
  const next = usable[Math.min(usable.length - 1, Math.max(0, at + by))];
  if (next) open(next.key);
}

const KEYS = {
  f: () => choose({ value: FOREGROUND }), b: () => choose({ value: BACKGROUND }), e: () => choose({ value: VOID }),
  r: () => choose({ brush: "round" }), s: () => choose({ brush: "superpixel" }),
  "[": () => setSize(tool.size - Math.max(1, Math.round(tool.size / 6))), "]": () => setSize(tool.size + Math.max(1, Math.round(tool.size / 6))),
  "+": () => view.zoom(1.4), "=": () => view.zoom(1.4), "-": () => view.zoom(1 / 1.4), "−": () => view.zoom(1 / 1.4), 0: () => view.fit(),
  o: () => setOpacity(view.opacity + 0.1), O: () => setOpacity(view.opacity - 0.1),
  p: () => toggle("show-prediction"), u: () => toggle("show-uncertainty"), a: accept,
  t: () => (known.training.running ? server.stop().then(refresh, tellTrouble) : train()),
  n: () => { if (known.next) open(known.next); }, j: () => neighbour(1), k: () => neighbour(-1),
  "?": () => $("help").showModal(),
  ArrowLeft: () => view.pan(60, 0), ArrowRight: () => view.pan(-60, 0), ArrowUp: () => view.pan(0, 60), ArrowDown: () => view.pan(0, -60),
};

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const inField = event.target.matches("input");
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === "z") { event.preventDefault(); step(event.shiftKey ? "redo" : "undo"); }
    if (key === "y") { event.preventDefault(); step("redo"); }
    return;
  }
  if (event.altKey) return;
  if (event.key === " " && !event.target.matches("button, input")) { space = true; event.preventDefault(); return; }
  if (event.key.startsWith("Arrow") && (inField || event.target !== canvas)) return;
  const act = KEYS[event.key] || (event.key.length === 1 && event.key !== "O" ? KEYS[event.key.toLowerCase()] : null);
  if (act) { event.preventDefault(); act(); }
});
// A click with mouse, pen or finger leaves the keyboard, with space bar and arrows, to the image.
document.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.closest("header, aside, .prediction-bar") && !document.querySelector("dialog[open]")) canvas.focus({ preventScroll: true });
});
document.addEventListener("keyup", (event) => { if (event.key === " ") space = false; });

// --- training -------------------------------------------------------------------------------

async function train() {
  try { await busy; await server.train(); refresh(); } catch (error) { tellTrouble(error); }
}

function showTraining() {
  const { running, stage, done, total, note, outcome, seconds, elapsed } = known.training;
  $("train").hidden = running;
  $("stop").hidden = !running;
  const bar = $("progress");
  bar.hidden = !running;
  const told = $("training-told");
  document.body.dataset.training = running ? "running" : outcome || "";
  if (running) {
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    told.textContent = `${stage}${note ? `: ${note}` : ""}, ${Math.round(elapsed)} s`;
    told.classList.remove("bad");
    return;
  }
  const usable = known.images.filter((i) => !i.problem);
  const described = usable.filter((i) => i.described || i.failed).length;
  const predicted = usable.filter((i) => i.failed || (i.uncertainty !== null && i.uncertainty !== undefined)).length;
  if (outcome && outcome !== "trained" && outcome !== "stopped") { told.textContent = outcome; told.classList.add("bad"); return; }
  if (told.classList.contains("bad") && !known.changed) return;
  told.classList.remove("bad");
  const parts = [];
  if (outcome === "trained") parts.push(`trained in ${Math.round(seconds)} s`);
  if (outcome === "stopped") parts.push("training stopped");
  if (known.model && predicted < usable.length) parts.push(`predictions: ${predicted} of ${usable.length}`);
  else if (described < usable.length) parts.push(`features: ${described} of ${usable.length} images`);
  else if (!known.model) parts.push("ready to train");
  told.textContent = parts.join(" · ");
}

async function exportMasks() {
  try {
    await busy;
    const made = await server.exportMasks();
    const told = $("exported-told");
    told.replaceChildren();
    const line = (tag, text) => { const e = document.createElement(tag); e.textContent = text; told.append(e); };
    line("p", `${made.count} image${made.count === 1 ? "" : "s"} with masks. To train a model on them at leisure:`);
    line("pre", made.command);
    if (made.model) { line("p", "To segment other images with the model of this page:"); line("pre", `segboost segment --model "${made.model}" IMAGES --output DIR`); }
    $("exported").showModal();
  } catch (error) { tellTrouble(error); }
}

// --- the state of the server ----------------------------------------------------------------

let asking = null;

function refresh() {
  asking = asking || ask().finally(() => { asking = null; });
  return asking;
}

async function ask() {
  try {
    const before = JSON.stringify([known.model, known.images.map((i) => i.version)]);
    known = await server.state();
    known.changed = before !== JSON.stringify([known.model, known.images.map((i) => i.version)]);
  } catch (error) {
    // Without an answer nothing can be saved: better to say so before the next stroke.
    if (error.status === 403 || error.status === undefined) setLost(error);
    return;
  }
  if (unsaved === 0) setLost(null);
  $("folder").textContent = known.folder;
  $("next").disabled = !known.next;
  showList();
  showTraining();
  const entry = now && known.images.find((i) => i.key === now.key);
  // Another tab painted it. Asked twice, since an answer may be older than our own last save.
  if (entry && !entry.problem && unsaved === 0 && !stroke && !conflict && entry.version !== now.labels.version) {
    if (now.doubted === now.labels.version) setConflict(true);
    now.doubted = now.labels.version;
  }
  await loadPrediction();
}

async function begin() {
  showTools();
  await refresh();
  document.body.dataset.ready = "true";
  const asked = location.hash.slice(1);
  const usable = known.images.filter((i) => !i.problem);
  const first = usable.find((i) => i.key === asked) || usable[0];
  if (first) await open(first.key);
  setInterval(() => { if (!document.hidden || known.training.running) refresh(); }, 1000);
}

begin();
