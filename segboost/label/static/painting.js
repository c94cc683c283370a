// Painting, panning and zooming with mouse, pen and fingers.

import { VOID } from "./labels.js";
import { $, page, tool, view } from "./state.js";
import { save } from "./saving.js";
import { showTools } from "./tools.js";

const fingers = new Map();
let grip = null; // last position of a pan or pinch

export const mayPaint = () => page.image !== null && !page.conflict && !page.lost && !page.gone && !page.image.labels.refused;

function paintTo(point) {
  const { labels, regions } = page.image;
  if (tool.brush === "superpixel") {
    if (!regions) return;
    const from = page.stroke.last || point, steps = Math.max(1, Math.ceil(Math.hypot(point.x - from.x, point.y - from.y) / 2));
    for (let k = 1; k <= steps; k += 1) {
      const x = Math.floor(from.x + (point.x - from.x) * k / steps), y = Math.floor(from.y + (point.y - from.y) * k / steps);
      if (x < 0 || y < 0 || x >= labels.width || y >= labels.height) continue;
      const region = regions.of[y * labels.width + x];
      if (page.stroke.taken.has(region)) continue;
      page.stroke.taken.add(region);
      labels.region(regions.members(region), page.stroke.value);
    }
    view.showLabels(labels.values);
  } else {
    view.showLabels(labels.values, labels.line(page.stroke.last || point, point, tool.size, page.stroke.value));
  }
  page.stroke.last = point;
}

export function endStroke(keep) {
  if (!page.stroke) return;
  page.stroke = null;
  const changed = page.image.labels.end();
  if (changed && keep) save();
  if (changed && !keep) { page.image.labels.undo(); page.image.labels.undone.pop(); view.showLabels(page.image.labels.values); }
  showTools();
}

const canvas = $("canvas");

canvas.addEventListener("pointerdown", (event) => {
  canvas.focus({ preventScroll: true });
  const at = view.onCanvas(event), touch = event.pointerType === "touch";
  if (touch && page.stroke && page.stroke.pen) return; // ignore the palm while drawing with a pen
  if (touch) fingers.set(event.pointerId, at);
  canvas.setPointerCapture(event.pointerId);
  if (fingers.size === 2) { endStroke(false); grip = pinch(); return; }
  if (event.button === 1 || page.space) { grip = { ...at, id: event.pointerId }; event.preventDefault(); return; }
  const eraser = event.button === 2 || event.button === 5;
  if (!mayPaint() || page.stroke || fingers.size > 2 || !(event.button === 0 || eraser)) return;
  page.stroke = { id: event.pointerId, value: eraser ? VOID : tool.value, pen: event.pointerType === "pen", last: null, taken: new Set() };
  page.image.labels.begin();
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
  } else if (page.stroke && page.stroke.id === event.pointerId) {
    // Fast strokes make several moves between two frames.
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
  if (page.stroke && page.stroke.id === event.pointerId) endStroke(event.type === "pointerup");
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
  const over = tool.brush === "superpixel" && page.image && page.image.regions && view.inside(point) && !touch;
  view.highlight(over ? page.image.regions.members(page.image.regions.of[Math.floor(point.y) * page.image.labels.width + Math.floor(point.x)]) : null, tool.value);
}
