// The toolbar.

import * as server from "./server.js";
import { $, className, page, tellTrouble, tool, view } from "./state.js";
import { open } from "./editor.js";
import { mayPaint } from "./painting.js";
import { refresh } from "./refresh.js";
import { save, showSaved } from "./saving.js";
import { cancelShape } from "./shapes.js";
import { train } from "./training.js";
import { showGrid } from "./view_settings.js";

const canvas = $("canvas");
const REGIONS = new Set(["superpixel", "fill"]);

export function showTools() {
  for (const b of document.querySelectorAll(".class")) b.setAttribute("aria-checked", String(Number(b.dataset.value) === tool.value));
  for (const b of document.querySelectorAll(".brush")) b.setAttribute("aria-checked", String(b.dataset.brush === tool.brush));
  const fills = tool.brush === "fill";
  $("size-name").textContent = fills ? "Reach" : "Size";
  $("size").max = fills ? 120 : 200;
  $("size").value = fills ? tool.reach : tool.size;
  $("size").disabled = !["round", "fill"].includes(tool.brush);
  $("size-shown").textContent = fills ? tool.reach : tool.size;
  $("undo").disabled = !page.image || page.image.labels.done.length === 0;
  $("redo").disabled = !page.image || page.image.labels.undone.length === 0;
  document.body.dataset.tool = className(tool.value);
  canvas.dataset.brush = tool.brush;
  showGrid(REGIONS.has(tool.brush));
  showSaved();
}

export const choose = (changes) => {
  if (changes.brush) cancelShape();
  Object.assign(tool, changes);
  view.highlight(null);
  view.pointer = null;
  showTools();
};

let fading = 0;

// Set the brush diameter in image pixels, shown at the pointer for a moment, or the reach of Fill.
export function setSize(value) {
  if (tool.brush === "fill") { choose({ reach: Math.min(120, Math.max(1, value)) }); return; }
  const pointer = view.pointer;
  choose({ size: Math.min(200, Math.max(2, value)) });
  const centre = pointer || view.onImage({ x: canvas.width / 2, y: canvas.height / 2 });
  if (!page.image || tool.brush !== "round") return;
  view.pointer = { x: centre.x, y: centre.y, radius: tool.size / 2, notice: `${tool.size} px` };
  view.draw();
  clearTimeout(fading);
  fading = setTimeout(() => { if (view.pointer) { view.pointer.notice = ""; if (!pointer) view.pointer = null; view.draw(); } }, 1200);
}

export const stepSize = (sign) => {
  const now = tool.brush === "fill" ? tool.reach : tool.size;
  setSize(now + sign * Math.max(1, Math.round(now / 6)));
};

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

for (const b of document.querySelectorAll(".brush")) b.addEventListener("click", () => choose({ brush: b.dataset.brush }));
$("size").addEventListener("input", (event) => setSize(Number(event.target.value)));
$("undo").addEventListener("click", () => step("undo"));
$("redo").addEventListener("click", () => step("redo"));
$("zoom-in").addEventListener("click", () => view.zoom(1.4));
$("zoom-out").addEventListener("click", () => view.zoom(1 / 1.4));
$("zoom-fit").addEventListener("click", () => view.fit());
$("accept").addEventListener("click", accept);
$("help-open").addEventListener("click", () => $("help").showModal());
$("train").addEventListener("click", train);
$("stop").addEventListener("click", () => server.stop().then(refresh, tellTrouble));
$("next").addEventListener("click", () => { if (page.state.next) open(page.state.next); });
