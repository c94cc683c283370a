// The view of one image: zoom, pan, layers of paint and prediction, and the pointer.

import { FOREGROUND, BACKGROUND } from "./labels.js";

const SURE = [47, 127, 230], UNSURE = [240, 215, 60];
const MOST = 40;

// One number per canvas pixel; all browsers run on little-endian machines.
const rgba = ([red, green, blue], alpha) => ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

const PALETTE = new Uint32Array(256);
PALETTE[FOREGROUND] = rgba([47, 127, 230], 255);
PALETTE[BACKGROUND] = rgba([232, 112, 42], 255);

const entropy = (p) => (p <= 0 || p >= 1 ? 0 : -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p)));

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.opacity = 0.6;
    this.pointer = null;
    this.hover = null;
    this.picture = null;
    this.paint = null;
    this.prediction = null;
    this.uncertainty = null;
    this.shown = { prediction: true, uncertainty: false };
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  open(picture, width, height) {
    this.picture = picture;
    this.width = width;
    this.height = height;
    this.paint = layer(width, height);
    this.prediction = null;
    this.uncertainty = null;
    this.hover = null;
    this.fit();
  }

  close() { this.picture = null; this.draw(); }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const box = this.canvas.getBoundingClientRect();
    const fitted = this.fitted;
    this.canvas.width = Math.max(1, Math.round(box.width * ratio));
    this.canvas.height = Math.max(1, Math.round(box.height * ratio));
    if (fitted) this.fit(); else this.draw();
  }

  fit() {
    if (!this.picture) return;
    const { width, height } = this.canvas;
    this.scale = Math.min(width / this.width, height / this.height) * 0.97;
    this.x = (width - this.width * this.scale) / 2;
    this.y = (height - this.height * this.scale) / 2;
    this.fitted = true;
    this.draw();
  }

  // Zoom around a point of the canvas.
  zoom(factor, at) {
    if (!this.picture) return;
    const centre = at || { x: this.canvas.width / 2, y: this.canvas.height / 2 };
    const least = 0.2 * Math.min(this.canvas.width / this.width, this.canvas.height / this.height);
    const scale = Math.min(MOST, Math.max(least, this.scale * factor));
    this.x = centre.x - (centre.x - this.x) * scale / this.scale;
    this.y = centre.y - (centre.y - this.y) * scale / this.scale;
    this.scale = scale;
    this.fitted = false;
    this.draw();
  }

  pan(dx, dy) { this.x += dx; this.y += dy; this.fitted = false; this.draw(); }

  // Convert a pointer event to canvas coordinates, and those to image coordinates.
  onCanvas(event) {
    const box = this.canvas.getBoundingClientRect();
    const ratio = this.canvas.width / box.width;
    return { x: (event.clientX - box.left) * ratio, y: (event.clientY - box.top) * ratio };
  }

  onImage(point) { return { x: (point.x - this.x) / this.scale, y: (point.y - this.y) / this.scale }; }

  inside(point) { return point.x >= 0 && point.y >= 0 && point.x < this.width && point.y < this.height; }

  showLabels(values, box) {
    const { left, top, right, bottom } = box || { left: 0, top: 0, right: this.width - 1, bottom: this.height - 1 };
    if (right < left || bottom < top) return;
    const wide = right - left + 1, tall = bottom - top + 1;
    const image = this.paint.context.createImageData(wide, tall);
    const pixels = new Uint32Array(image.data.buffer);
    for (let y = 0; y < tall; y += 1) {
      const from = (top + y) * this.width + left;
      for (let x = 0; x < wide; x += 1) pixels[y * wide + x] = PALETTE[values[from + x]];
    }
    this.paint.context.putImageData(image, left, top);
    this.draw();
  }

  // Tint and outline the predicted foreground; shade by uncertainty.
  showPrediction(superpixels, prediction) {
    if (!prediction) { this.prediction = null; this.uncertainty = null; this.draw(); return; }
    const { label, probability } = prediction;
    this.prediction = layer(this.width, this.height);
    this.uncertainty = layer(this.width, this.height);
    const tint = this.prediction.context.createImageData(this.width, this.height);
    const shade = this.uncertainty.context.createImageData(this.width, this.height);
    const tints = new Uint32Array(tint.data.buffer), shades = new Uint32Array(shade.data.buffer);
    const shadeOf = Uint32Array.from(probability, (p) => rgba(UNSURE, Math.round(160 * entropy(p))));
    const sure = rgba(SURE, 90), line = rgba([255, 255, 255], 255);
    for (let y = 0, at = 0; y < this.height; y += 1) {
      for (let x = 0; x < this.width; x += 1, at += 1) {
        const region = superpixels[at], here = label[region];
        const edge = (x + 1 < this.width && label[superpixels[at + 1]] !== here)
          || (y + 1 < this.height && label[superpixels[at + this.width]] !== here);
        if (edge) tints[at] = line; else if (here) tints[at] = sure;
        shades[at] = shadeOf[region];
      }
    }
    this.prediction.context.putImageData(tint, 0, 0);
    this.uncertainty.context.putImageData(shade, 0, 0);
    this.draw();
  }

  // Draw at most once per frame.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.drawNow(); });
  }

  drawNow() {
    const { context: c, canvas } = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    if (!this.picture) return;
    c.setTransform(this.scale, 0, 0, this.scale, this.x, this.y);
    c.imageSmoothingEnabled = this.scale < 3;
    c.drawImage(this.picture, 0, 0, this.width, this.height);
    c.imageSmoothingEnabled = false;
    if (this.prediction && this.shown.prediction) c.drawImage(this.prediction.canvas, 0, 0);
    if (this.uncertainty && this.shown.uncertainty) c.drawImage(this.uncertainty.canvas, 0, 0);
    c.globalAlpha = this.opacity;
    c.drawImage(this.paint.canvas, 0, 0);
    if (this.hover) { c.globalAlpha = 0.5; c.drawImage(this.hover.canvas, this.hover.left, this.hover.top); }
    c.globalAlpha = 1;
    if (this.pointer) this.drawPointer(c);
  }

  drawPointer(c) {
    for (const [width, colour] of [[3, "rgba(0,0,0,.6)"], [1.2, "#fff"]]) {
      c.lineWidth = width / this.scale;
      c.strokeStyle = colour;
      c.beginPath();
      c.arc(this.pointer.x, this.pointer.y, this.pointer.radius, 0, 2 * Math.PI);
      c.stroke();
    }
  }

  // Highlight the superpixel under the pointer.
  highlight(members, value) {
    if (!members) { this.hover = null; this.draw(); return; }
    let left = this.width, top = this.height, right = 0, bottom = 0;
    for (const at of members) {
      const x = at % this.width, y = (at - x) / this.width;
      left = Math.min(left, x); right = Math.max(right, x);
      top = Math.min(top, y); bottom = Math.max(bottom, y);
    }
    const wide = right - left + 1, made = layer(wide, bottom - top + 1);
    const image = made.context.createImageData(wide, bottom - top + 1);
    const pixels = new Uint32Array(image.data.buffer);
    const colour = PALETTE[value] || rgba([255, 255, 255], 255);
    for (const at of members) {
      const x = at % this.width, y = (at - x) / this.width;
      pixels[(y - top) * wide + x - left] = colour;
    }
    made.context.putImageData(image, 0, 0);
    this.hover = { canvas: made.canvas, left, top };
    this.draw();
  }
}

function layer(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return { canvas, context: canvas.getContext("2d") };
}
