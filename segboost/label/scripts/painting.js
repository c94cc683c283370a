// Painting, panning and zooming with mouse, pen and fingers.

import { VOID } from "./labels.js";
import { $, page, tool, view } from "./state.js";
import { save } from "./saving.js";
import { SHAPES, addCorner, cancelShape, extendShape, paintShape } from "./shapes.js";
import { showTools } from "./tools.js";

const fingers = new Map();
let grip = null; // last position of a pan or pinch

export const mayPaint = () => page.image !== null && !page.conflict && !page.lost && !page.gone && !page.image.labels.refused;

function paintTo(point) {
  const { labels, regions } = page.image;
  if (SHAPES.has(tool.brush)) {
    if (tool.brush !== "polygon") extendShape(point);
  } else if (tool.brush === "superpixel") {
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
  } else if (tool.brush === "fill") {
    for (const region of filled(point)) labels.region(regions.members(region), page.stroke.value);
    view.showLabels(labels.values);
  } else {
    view.showLabels(labels.values, labels.line(page.stroke.last || point, point, tool.size / 2, page.stroke.value));
  }
  page.stroke.last = point;
}

// The superpixels that a fill at this point paints.
function filled(point) {
  const { regions, labels, picture } = page.image;
  if (!regions || !view.inside(point)) return [];
  if (!regions.colour) regions.describe(picture, labels.width, labels.height);
  return regions.similar(regions.of[Math.floor(point.y) * labels.width + Math.floor(point.x)], tool.reach);
}

export function beginStroke(id, value, pen) {
  page.stroke = { id, value, pen, last: null, taken: new Set() };
  page.image.labels.begin();
}

export function endStroke(keep) {
  if (!page.stroke) return;
  if (SHAPES.has(tool.brush)) {
    if (keep) { paintShape(page.stroke.value); view.showLabels(page.image.labels.values); } else cancelShape();
  }
  page.stroke = null;
  const changed = page.image.labels.end();
  if (changed && keep) save();
  if (changed && !keep) { page.image.labels.undo(); page.image.labels.undone.pop(); view.showLabels(page.image.labels.values); }
  showTools();
}

// Paint once at a point, or add a corner to a polygon there.
export function dab(point, value = tool.value) {
  if (!mayPaint() || page.stroke) return;
  if (tool.brush === "polygon") {
    if (addCorner(point)) closePolygon(value);
    return;
  }
  beginStroke("key", value, false);
  paintTo(point);
  endStroke(true);
}

export function closePolygon(value = tool.value) {
  if (tool.brush !== "polygon" || !view.shape || !mayPaint()) return false;
  beginStroke("key", value, false);
  endStroke(true);
  return true;
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
  const value = eraser ? VOID : tool.value;
  if (tool.brush === "polygon") { dab(view.onImage(at), value); return; }
  beginStroke(event.pointerId, value, event.pointerType === "pen");
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
  } else if (page.stroke && page.stroke.id === event.pointerId && tool.brush !== "fill") {
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
  if (page.stroke && page.stroke.id === event.pointerId) {
    page.lifted = performance.now();
    endStroke(event.type === "pointerup");
  }
}

canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("pointerleave", () => { view.pointer = null; view.highlight(null); view.draw(); });
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), view.onCanvas(event));
}, { passive: false });

export function showPointer(point, kind) {
  const touch = kind === "touch", round = tool.brush === "round", { regions, labels } = page.image || {};
  view.pointer = touch || !(round || kind === "keyboard") ? null : { ...point, radius: round ? tool.size / 2 : 2, cross: kind === "keyboard" };
  let members = null;
  if (regions && view.inside(point) && !touch) {
    const region = regions.of[Math.floor(point.y) * labels.width + Math.floor(point.x)];
    if (tool.brush === "superpixel") members = regions.members(region);
    if (tool.brush === "fill") members = filled(point).flatMap((k) => [...regions.members(k)]);
  }
  view.highlight(members, tool.value);
  view.draw();
}
