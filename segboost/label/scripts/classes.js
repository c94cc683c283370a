// The classes: their buttons in the toolbar, and the dialog that changes them.

import * as server from "./server.js";
import { $, page, painted, tool, view } from "./state.js";
import { VOID } from "./labels.js";
import { open } from "./editor.js";
import { refresh } from "./refresh.js";
import { choose, showTools } from "./tools.js";

let shown = ""; // the revision whose buttons are shown
let draft = []; // the classes in the dialog
let erasable = []; // the values of removed classes whose strokes may be erased

export function showClasses() {
  const { classes, revision } = page.state;
  if (revision === shown) return;
  shown = revision;
  view.setClasses(classes);
  const group = $("classes");
  group.replaceChildren(...classes.map(classButton), eraser());
  if (tool.value !== VOID && !classes.some((c) => c.value === tool.value)) tool.value = classes[0].value;
  if (page.image) {
    view.showLabels(page.image.labels.values);
    view.showPrediction(page.image.superpixels, page.image.prediction);
  }
  showTools();
}

function classButton({ value, name, colour }, k) {
  const letter = { 1: "F", 0: "B" }[value];
  const keys = [k < 9 ? String(k + 1) : "", page.state.classes.length === 2 ? letter : ""].filter(Boolean).join(", ");
  const button = radio(name, value, `${name}${keys ? ` (${keys})` : ""}`);
  button.querySelector(".dot").style.background = colour;
  if (k < 9 && page.state.classes.length > 2) { const key = document.createElement("kbd"); key.textContent = String(k + 1); button.append(key); }
  return button;
}

function eraser() {
  const button = radio("Erase", VOID, "Erase (E)");
  button.querySelector(".dot").classList.add("void");
  return button;
}

function radio(name, value, title) {
  const button = document.createElement("button"), dot = document.createElement("i"), text = document.createElement("span");
  button.className = "class";
  button.dataset.value = value;
  button.setAttribute("role", "radio");
  button.title = title;
  dot.className = "dot";
  text.textContent = name;
  button.append(dot, text);
  button.addEventListener("click", () => choose({ value }));
  return button;
}

// --- the dialog ---

const dialog = $("class-dialog"), rows = $("class-rows"), notice = $("class-message");

function editClasses() {
  draft = page.state.classes.map((c) => ({ ...c }));
  notice.textContent = "";
  showRows();
  dialog.showModal();
}

function showRows() {
  rows.replaceChildren(...draft.map((entry, k) => {
    const row = document.createElement("li");
    const colour = Object.assign(document.createElement("input"), { type: "color", value: entry.colour || "#888888", title: "Colour" });
    const name = Object.assign(document.createElement("input"), { type: "text", value: entry.name, maxLength: 60, required: true });
    colour.setAttribute("aria-label", `Colour of ${entry.name || "the new class"}`);
    name.setAttribute("aria-label", `Name of class ${k + 1}`);
    colour.hidden = !entry.colour; // a new class gets the next free colour
    colour.addEventListener("input", () => { entry.colour = colour.value; });
    name.addEventListener("input", () => { entry.name = name.value; });
    row.append(number(k), colour, name, act("↑", `Move ${entry.name} up`, k === 0, () => move(k, -1)),
      act("↓", `Move ${entry.name} down`, k === draft.length - 1, () => move(k, 1)),
      act("✕", `Remove ${entry.name}`, draft.length <= 2, () => { draft.splice(k, 1); showRows(); }));
    return row;
  }));
}

const number = (k) => Object.assign(document.createElement("kbd"), { textContent: k < 9 ? String(k + 1) : "·" });

function act(text, label, disabled, run) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, title: label, disabled });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", run);
  return button;
}

function move(k, by) {
  const [entry] = draft.splice(k, 1);
  draft.splice(k + by, 0, entry);
  showRows();
  rows.children[k + by].querySelector(by < 0 ? "button" : "button:nth-of-type(2)").focus();
}

function add() {
  let n = draft.length + 1;
  while (draft.some((c) => c.name === `class ${n}`)) n += 1;
  draft.push({ value: null, name: `class ${n}`, colour: null });
  showRows();
  const field = rows.lastElementChild.querySelector("input[type=text]");
  field.focus();
  field.select();
}

const kept = () => new Set(draft.map((c) => c.value));

async function apply(event) {
  event.preventDefault();
  const removed = page.state.classes.filter((c) => !kept().has(c.value));
  try {
    await page.busy;
    await server.setClasses(draft, page.state.revision, erasable);
    dialog.close();
    await refresh();
    if (removed.length) { // undo would bring the strokes back
      painted.clear();
      if (page.image) await open(page.image.key);
    }
  } catch (error) {
    notice.textContent = error.message;
    if (!error.answer?.painted) return;
    erasable = error.answer.painted; // the next click confirms the removal
    $("class-apply").textContent = "Remove the strokes";
  }
}

function forget() { erasable = []; $("class-apply").textContent = "Apply"; notice.textContent = ""; }

$("class-form").addEventListener("submit", apply);
$("class-add").addEventListener("click", () => { forget(); add(); });
$("class-cancel").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", forget);
$("classes-open").addEventListener("click", editClasses);
