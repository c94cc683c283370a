// Keyboard shortcuts.

import * as server from "./server.js";
import { BACKGROUND, FOREGROUND, VOID } from "./labels.js";
import { $, page, tellTrouble, tool, view } from "./state.js";
import { open } from "./editor.js";
import { refresh } from "./refresh.js";
import { accept, choose, setOpacity, setSize, step, toggle } from "./tools.js";
import { train } from "./training.js";

const canvas = $("canvas");

function neighbour(by) {
  const usable = page.state.images.filter((i) => !i.problem);
  const at = usable.findIndex((i) => page.image && i.key === page.image.key);
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
  t: () => (page.state.training.running ? server.stop().then(refresh, tellTrouble) : train()),
  n: () => { if (page.state.next) open(page.state.next); }, j: () => neighbour(1), k: () => neighbour(-1),
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
  if (event.key === " " && !event.target.matches("button, input")) { page.space = true; event.preventDefault(); return; }
  if (event.key.startsWith("Arrow") && (inField || event.target !== canvas)) return;
  const act = KEYS[event.key] || (event.key.length === 1 && event.key !== "O" ? KEYS[event.key.toLowerCase()] : null);
  if (act) { event.preventDefault(); act(); }
});
// After a click with mouse, pen or finger, keys such as space and arrows go to the image again.
document.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.closest("header, aside, .prediction-bar") && !document.querySelector("dialog[open]")) canvas.focus({ preventScroll: true });
});
document.addEventListener("keyup", (event) => { if (event.key === " ") page.space = false; });
