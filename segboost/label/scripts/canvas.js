// The view of one image: zoom, pan, layers of paint and prediction, and the pointer.

import { Palette, drawGrid, drawMembers, drawPaint, drawPrediction, drawUncertainty, layer, rgba } from "./layers.js";

const MOST = 40;

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.palette = new Palette([]);
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.pointer = null; // { x, y, radius, notice } in pixels of the image
    this.shape = null; // the open line of a lasso, polygon or box
    this.hover = null;
    this.picture = null;
    this.paint = null;
    this.prediction = null;
    this.uncertainty = null;
    this.grid = null;
    this.shown = { paint: true, prediction: true, uncertainty: false, grid: false };
    this.opacity = { paint: 0.75, prediction: 0.4 };
    this.light = { brightness: 1, contrast: 1 };
    this.afterDraw = null;
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  open(picture, width, height) {
    this.picture = picture;
    this.width = width;
    this.height = height;
    this.paint = layer(width, height);
    this.prediction = null;
    this.uncertainty = null;
    this.grid = null;
    this.hover = null;
    this.shape = null;
    this.fit();
  }

  close() { this.picture = null; this.draw(); }

  // Another rendering of the same image.
  replacePicture(picture) { this.picture = picture; this.draw(); }

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

  setClasses(classes) { this.palette = new Palette(classes); }

  showLabels(values, box) {
    const whole = box || { left: 0, top: 0, right: this.width - 1, bottom: this.height - 1 };
    if (whole.right < whole.left || whole.bottom < whole.top) return;
    drawPaint(this.paint.context, values, this.width, this.palette, whole);
    this.draw();
  }

  showPrediction(superpixels, found) {
    this.prediction = found ? drawPrediction(superpixels, found.label, this.width, this.height, this.palette) : null;
    this.uncertainty = found ? drawUncertainty(superpixels, found.entropy, this.width, this.height) : null;
    this.draw();
  }

  showGrid(superpixels) {
    this.grid = superpixels ? drawGrid(superpixels, this.width, this.height) : null;
    this.draw();
  }

  // Draw at most once per frame.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.drawNow(); this.afterDraw?.(); this.afterDraw = null; });
  }

  drawNow() {
    const { context: c, canvas, shown, light } = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    if (!this.picture) return;
    c.setTransform(this.scale, 0, 0, this.scale, this.x, this.y);
    c.imageSmoothingEnabled = this.scale < 3;
    if (light.brightness !== 1 || light.contrast !== 1) c.filter = `brightness(${light.brightness}) contrast(${light.contrast})`;
    c.drawImage(this.picture, 0, 0, this.width, this.height);
    c.filter = "none";
    c.imageSmoothingEnabled = false;
    if (this.prediction && shown.prediction) {
      c.globalAlpha = this.opacity.prediction;
      c.drawImage(this.prediction.fill, 0, 0);
      c.globalAlpha = Math.min(1, 2.2 * this.opacity.prediction);
      c.drawImage(this.prediction.lines, 0, 0);
    }
    c.globalAlpha = 1;
    if (this.uncertainty && shown.uncertainty) c.drawImage(this.uncertainty.canvas, 0, 0);
    if (this.grid && shown.grid) c.drawImage(this.grid.canvas, 0, 0);
    c.globalAlpha = this.opacity.paint;
    if (shown.paint) c.drawImage(this.paint.canvas, 0, 0);
    if (this.hover) { c.globalAlpha = 0.5; c.drawImage(this.hover.canvas, this.hover.left, this.hover.top); }
    c.globalAlpha = 1;
    if (this.shape) this.drawShape(c);
    if (this.pointer) this.drawPointer(c);
  }

  outline(c, trace) {
    for (const [width, colour] of [[3, "rgba(0,0,0,.6)"], [1.2, "#fff"]]) {
      c.lineWidth = width / this.scale;
      c.strokeStyle = colour;
      c.beginPath();
      trace();
      c.stroke();
    }
  }

  drawShape(c) {
    const { points, closed } = this.shape;
    this.outline(c, () => {
      points.forEach(({ x, y }, k) => { if (k) c.lineTo(x, y); else c.moveTo(x, y); });
      if (closed) c.closePath();
    });
    if (this.shape.corners) this.outline(c, () => { for (const { x, y } of points) { const r = 3 / this.scale; c.rect(x - r, y - r, 2 * r, 2 * r); } });
  }

  drawPointer(c) {
    const { x, y, radius, notice } = this.pointer;
    this.outline(c, () => {
      c.arc(x, y, radius, 0, 2 * Math.PI);
      if (this.pointer.cross) { const r = 8 / this.scale; c.moveTo(x - r, y); c.lineTo(x + r, y); c.moveTo(x, y - r); c.lineTo(x, y + r); }
    });
    if (!notice) return;
    const ratio = window.devicePixelRatio || 1, size = 13 * ratio / this.scale;
    c.font = `600 ${size}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.lineWidth = size / 4;
    c.strokeStyle = "rgba(0,0,0,.75)";
    c.fillStyle = "#fff";
    c.strokeText(notice, x, y + radius + 1.3 * size);
    c.fillText(notice, x, y + radius + 1.3 * size);
  }

  // Highlight pixels under the pointer, for example a superpixel.
  highlight(members, value) {
    const colour = members && (this.palette.strong[value] || rgba([255, 255, 255], 255));
    if (!members && !this.hover) return;
    this.hover = members ? drawMembers(members, this.width, this.height, colour) : null;
    this.draw();
  }
}
