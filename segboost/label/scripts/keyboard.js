// Keyboard shortcuts.

import * as server from "./server.js";
import { VOID } from "./labels.js";
import { $, page, tellTrouble, tool, view } from "./state.js";
import { open } from "./editor.js";
import { closePolygon, dab, showPointer } from "./painting.js";
import { refresh } from "./refresh.js";
import { cancelShape, dropCorner } from "./shapes.js";
import { accept, choose, step, stepSize, toggle } from "./tools.js";
import { setOpacity } from "./view_settings.js";
import { train } from "./training.js";

const canvas = $("canvas");

function neighbour(by) {
  const usable = page.state.images.filter((i) => !i.problem);
  const at = usable.findIndex((i) => page.image && i.key === page.image.key);
  const next = usable[Math.min(usable.length - 1, Math.max(0, at + by))];
  if (next) open(next.key);
}

const pick = (value) => { if (page.state.classes.some((c) => c.value === value)) choose({ value }); };
const STEP = 8; // screen pixels per press of Shift and an arrow key

// The keyboard pointer: Shift and arrow keys move it, Enter paints at it.
let cursor = null;

function moveCursor(dx, dy) {
  if (!page.image) return;
  const { width, height } = page.image.labels, step = STEP * (window.devicePixelRatio || 1) / view.scale;
  if (!cursor || cursor.key !== page.image.key) cursor = { key: page.image.key, x: width / 2, y: height / 2 };
  cursor.x = Math.min(width - 1, Math.max(0, cursor.x + dx * step));
  cursor.y = Math.min(height - 1, Math.max(0, cursor.y + dy * step));
  showPointer({ x: cursor.x, y: cursor.y }, "keyboard");
}

function enter() {
  if (closePolygonIfReady() || !page.image) return;
  if (!cursor || cursor.key !== page.image.key) moveCursor(0, 0);
  dab({ x: cursor.x, y: cursor.y });
}

const closePolygonIfReady = () => tool.brush === "polygon" && view.shape?.points.length >= 3 && closePolygon();

const KEYS = {
  f: () => pick(1), b: () => pick(0), e: () => choose({ value: VOID }),
  r: () => choose({ brush: "round" }), s: () => choose({ brush: "superpixel" }), l: () => choose({ brush: "lasso" }),
  g: () => choose({ brush: "polygon" }), i: () => choose({ brush: "fill" }), x: () => choose({ brush: "box" }),
  "[": () => stepSize(-1), "]": () => stepSize(1),
  "+": () => view.zoom(1.4), "=": () => view.zoom(1.4), "-": () => view.zoom(1 / 1.4), "−": () => view.zoom(1 / 1.4), 0: () => view.fit(),
  o: () => setOpacity("paint", view.opacity.paint + 0.1), O: () => setOpacity("paint", view.opacity.paint - 0.1),
  h: () => toggle("show-paint"), p: () => toggle("show-prediction"), u: () => toggle("show-uncertainty"), a: accept,
  c: () => toggle("stretch"), v: () => toggle("live"),
  t: () => (page.state.training.running ? server.stop().then(refresh, tellTrouble) : train()),
  n: () => { if (page.state.next) open(page.state.next); }, j: () => neighbour(1), k: () => neighbour(-1),
  "?": () => $("help").showModal(),
  ArrowLeft: () => view.pan(60, 0), ArrowRight: () => view.pan(-60, 0), ArrowUp: () => view.pan(0, 60), ArrowDown: () => view.pan(0, -60),
};

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const inField = event.target.matches("input");
  if (/^[1-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const chosen = page.state.classes[Number(event.key) - 1];
    if (chosen) { event.preventDefault(); choose({ value: chosen.value }); }
    return;
  }
  if (event.key === "Escape" && cancelShape()) return;
  if (event.target === canvas) {
    if (event.key === "Enter") { event.preventDefault(); enter(); return; }
    if (event.key === "Backspace" && dropCorner()) { event.preventDefault(); return; }
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (move && event.shiftKey) { event.preventDefault(); moveCursor(...move); return; }
  }
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === "z") { event.preventDefault(); step(event.shiftKey ? "redo" : "undo"); }
    if (key === "y") { event.preventDefault(); step("redo"); }
    return;
  }
  if (event.altKey) return;
  if (event.key === " " && !event.target.matches("button, input")) { page.space = true; event.preventDefault(); return; }
  if (event.key.startsWith("Arrow") && (inField || event.target !== canvas)) return;
  const act = KEYS[event.key] || (event.key.length === 1 && event.key !== "O" ? KEYS[event.key.toLowerCase()] : null);
  if (act) { event.preventDefault(); act(); }
});
// After a click with mouse, pen or finger, keys such as space and arrows go to the image again.
document.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.closest("header, aside, .prediction-bar") && !event.target.closest("#view-panel") && !document.querySelector("dialog[open]")) canvas.focus({ preventScroll: true });
});
document.addEventListener("keyup", (event) => { if (event.key === " ") page.space = false; });
