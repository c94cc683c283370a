// Tools that draw a line first and paint when it is closed: lasso, polygon and box.

import { VOID } from "./labels.js";
import { page, tool, view } from "./state.js";

export const SHAPES = new Set(["lasso", "polygon", "box"]);
const NEAR = 10; // a click within this many screen pixels of the first corner closes a polygon

export function cancelShape() {
  if (!view.shape) return false;
  view.shape = null;
  view.draw();
  return true;
}

const corners = (a, b) => [{ x: a.x, y: a.y }, { x: b.x, y: a.y }, { x: b.x, y: b.y }, { x: a.x, y: b.y }];

// Extend a lasso or a box to a point; the first point starts it.
export function extendShape(point) {
  if (tool.brush === "lasso") {
    if (!view.shape) view.shape = { points: [], closed: true };
    view.shape.points.push(point);
  } else if (tool.brush === "box") {
    view.shape = { from: view.shape?.from || point, closed: true };
    view.shape.points = corners(view.shape.from, point);
  }
  view.draw();
}

// Add a corner to a polygon; return whether the click closed it.
export function addCorner(point) {
  const points = view.shape?.points || [];
  const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) * view.scale / (window.devicePixelRatio || 1);
  if (points.length >= 3 && apart(points[0], point) < NEAR) return true;
  if (points.length && apart(points.at(-1), point) < 2) return points.length >= 3; // a double click
  view.shape = { points: [...points, point], corners: true, closed: false };
  view.draw();
  return false;
}

export function dropCorner() {
  if (tool.brush !== "polygon" || !view.shape) return false;
  view.shape.points.pop();
  if (!view.shape.points.length) view.shape = null;
  view.draw();
  return true;
}

// Paint the enclosed area; the caller begins and ends the stroke.
export function paintShape(value) {
  const shape = view.shape, { labels } = page.image;
  cancelShape();
  if (!shape || shape.points.length < 3) return;
  if (tool.brush === "box") paintBox(shape.points, value); else labels.polygon(shape.points, value);
}

// A box is a hint: paint its middle and, if there are two classes, a frame of the other around it.
function paintBox([{ x: left, y: top }, , { x: right, y: bottom }], value) {
  const { labels } = page.image;
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const reach = { x: Math.abs(right - left) / 2, y: Math.abs(bottom - top) / 2 };
  if (Math.min(reach.x, reach.y) < 2) return;
  const ellipse = Array.from({ length: 48 }, (_, k) => {
    const angle = 2 * Math.PI * k / 48;
    return { x: centre.x + 0.5 * reach.x * Math.cos(angle), y: centre.y + 0.5 * reach.y * Math.sin(angle) };
  });
  labels.polygon(ellipse, value);
  const { classes } = page.state;
  const other = classes.length === 2 && value !== VOID ? classes.find((c) => c.value !== value) : null;
  if (!other) return;
  const width = Math.max(2, 0.06 * Math.min(reach.x, reach.y));
  const [a, b, c, d] = corners({ x: centre.x - reach.x - width, y: centre.y - reach.y - width }, { x: centre.x + reach.x + width, y: centre.y + reach.y + width });
  for (const [from, to] of [[a, b], [b, c], [c, d], [d, a]]) labels.line(from, to, width, other.value);
}
