// Layers over the image: paint, prediction, uncertainty and the grid of superpixels.

import { VOID } from "./labels.js";

const UNSURE = [240, 215, 60];

// One number per canvas pixel; all browsers run on little-endian machines.
export const rgba = ([red, green, blue], alpha) => ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export const parts = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));

export function layer(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return { canvas, context: canvas.getContext("2d") };
}

// The colours of the classes by value: strong and faint stripes of paint, and the fill.
export class Palette {
  constructor(classes) {
    this.strong = new Uint32Array(256);
    this.faint = new Uint32Array(256);
    this.fill = new Uint32Array(256);
    for (const { value, colour, name } of classes) {
      this.strong[value] = rgba(parts(colour), 255);
      this.faint[value] = rgba(parts(colour), 120);
      // The default background class is not tinted.
      this.fill[value] = value === 0 && name === "background" ? 0 : rgba(parts(colour), 255);
    }
  }
}

// Paint is hatched, so that it looks different from predictions of the same class.
export function drawPaint(context, values, width, palette, { left, top, right, bottom }) {
  const wide = right - left + 1, tall = bottom - top + 1;
  const image = context.createImageData(wide, tall);
  const pixels = new Uint32Array(image.data.buffer);
  const stripe = Math.max(6, Math.round(width / 110));
  for (let y = 0; y < tall; y += 1) {
    const from = (top + y) * width + left;
    for (let x = 0; x < wide; x += 1) {
      const value = values[from + x];
      if (value === VOID) continue;
      pixels[y * wide + x] = ((left + x + top + y) % stripe) * 2 < stripe ? palette.strong[value] : palette.faint[value];
    }
  }
  context.putImageData(image, left, top);
}

// Fill the predicted classes, and draw a light line between them on a separate layer.
export function drawPrediction(superpixels, label, width, height, palette) {
  const made = layer(width, height), lines = layer(width, height);
  const image = made.context.createImageData(width, height), border = made.context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer), drawn = new Uint32Array(border.data.buffer), line = rgba([255, 255, 255], 255);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const here = label[superpixels[at]];
      const edge = (x + 1 < width && label[superpixels[at + 1]] !== here) || (y + 1 < height && label[superpixels[at + width]] !== here);
      pixels[at] = palette.fill[here];
      if (edge) drawn[at] = line;
    }
  }
  made.context.putImageData(image, 0, 0);
  lines.context.putImageData(border, 0, 0);
  return { fill: made.canvas, lines: lines.canvas };
}

export function drawUncertainty(superpixels, entropy, width, height) {
  const made = layer(width, height);
  const image = made.context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const shades = Uint32Array.from(entropy, (e) => rgba(UNSURE, Math.round(170 * Math.min(1, e))));
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = shades[superpixels[at]];
  made.context.putImageData(image, 0, 0);
  return made;
}

export function drawGrid(superpixels, width, height) {
  const made = layer(width, height);
  const image = made.context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer), line = rgba([255, 255, 255], 120);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const here = superpixels[at];
      if ((x + 1 < width && superpixels[at + 1] !== here) || (y + 1 < height && superpixels[at + width] !== here)) pixels[at] = line;
    }
  }
  made.context.putImageData(image, 0, 0);
  return made;
}

// Draw pixels in one colour; return the canvas and its top left corner in the image.
export function drawMembers(members, width, height, colour) {
  let left = width, top = height, right = 0, bottom = 0;
  for (const at of members) {
    const x = at % width, y = (at - x) / width;
    left = Math.min(left, x); right = Math.max(right, x);
    top = Math.min(top, y); bottom = Math.max(bottom, y);
  }
  const wide = right - left + 1, made = layer(wide, bottom - top + 1);
  const image = made.context.createImageData(wide, bottom - top + 1);
  const pixels = new Uint32Array(image.data.buffer);
  for (const at of members) {
    const x = at % width, y = (at - x) / width;
    pixels[(y - top) * wide + x - left] = colour;
  }
  made.context.putImageData(image, 0, 0);
  return { canvas: made.canvas, left, top };
}
