// The toolbar.

import * as server from "./server.js";
import { $, page, tellTrouble, tool, view } from "./state.js";
import { open } from "./editor.js";
import { mayPaint } from "./painting.js";
import { refresh } from "./refresh.js";
import { save, showSaved } from "./saving.js";
import { exportMasks, train } from "./training.js";

const KINDS = { 1: "foreground", 0: "background", 255: "void" };
const canvas = $("canvas");

export function showTools() {
  for (const b of document.querySelectorAll(".class")) b.setAttribute("aria-checked", String(Number(b.dataset.value) === tool.value));
  for (const b of document.querySelectorAll(".brush")) b.setAttribute("aria-checked", String(b.dataset.brush === tool.brush));
  $("size").value = tool.size;
  $("size").disabled = tool.brush !== "round";
  $("size-shown").textContent = tool.size;
  $("opacity").value = Math.round(100 * view.opacity);
  $("undo").disabled = !page.image || page.image.labels.done.length === 0;
  $("redo").disabled = !page.image || page.image.labels.undone.length === 0;
  document.body.dataset.tool = KINDS[tool.value];
  canvas.dataset.brush = tool.brush;
  showSaved();
}

export const choose = (changes) => { Object.assign(tool, changes); view.highlight(null); view.pointer = null; showTools(); };
export const setOpacity = (value) => { view.opacity = Math.min(1, Math.max(0, value)); view.draw(); showTools(); };
export const setSize = (value) => choose({ size: Math.min(80, Math.max(1, value)) });

export function step(act) {
  if (!mayPaint() || page.stroke || !page.image.labels[act]()) return;
  view.showLabels(page.image.labels.values);
  showTools();
  save();
}

export function accept() {
  if (!mayPaint() || !page.image.prediction) return;
  if (page.image.labels.accept(page.image.superpixels, page.image.prediction.label)) {
    view.showLabels(page.image.labels.values);
    showTools();
    save();
  }
}

export function toggle(id) {
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
$("next").addEventListener("click", () => { if (page.state.next) open(page.state.next); });
$("export").addEventListener("click", exportMasks);
