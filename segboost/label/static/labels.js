// The labels of one image, stroke by stroke, with unlimited undo and redo.

export const FOREGROUND = 1, BACKGROUND = 0, VOID = 255;

export class Labels {
  constructor(width, height, values, version) {
    this.width = width;
    this.height = height;
    this.values = values;
    this.version = version;
    this.done = [];
    this.undone = [];
    this.open = null;
    this.refused = ""; // why the server will not save the last stroke
  }

  // A stroke records the previous value of every pixel it changes.
  begin() { this.open = { at: [], before: [], after: [] }; }

  set(at, value) {
    const before = this.values[at];
    if (before === value) return false;
    this.open.at.push(at);
    this.open.before.push(before);
    this.open.after.push(value);
    this.values[at] = value;
    return true;
  }

  end() {
    const { at, before, after } = this.open;
    this.open = null;
    if (at.length === 0) return false;
    this.done.push({
      at: Uint32Array.from(at), before: Uint8Array.from(before), after: Uint8Array.from(after),
    });
    this.undone = [];
    return true;
  }

  undo() {
    const stroke = this.done.pop();
    if (!stroke) return false;
    for (let k = stroke.at.length - 1; k >= 0; k -= 1) this.values[stroke.at[k]] = stroke.before[k];
    this.undone.push(stroke);
    return true;
  }

  redo() {
    const stroke = this.undone.pop();
    if (!stroke) return false;
    stroke.at.forEach((at, k) => { this.values[at] = stroke.after[k]; });
    this.done.push(stroke);
    return true;
  }

  // Paint all pixels within `radius` of the line from one point to another.
  line(from, to, radius, value) {
    const left = Math.max(0, Math.floor(Math.min(from.x, to.x) - radius));
    const right = Math.min(this.width - 1, Math.ceil(Math.max(from.x, to.x) + radius));
    const top = Math.max(0, Math.floor(Math.min(from.y, to.y) - radius));
    const bottom = Math.min(this.height - 1, Math.ceil(Math.max(from.y, to.y) + radius));
    const dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
    for (let y = top; y <= bottom; y += 1) {
      for (let x = left; x <= right; x += 1) {
        const px = x + 0.5 - from.x, py = y + 0.5 - from.y;
        const t = length ? Math.min(1, Math.max(0, (px * dx + py * dy) / length)) : 0;
        const ex = px - t * dx, ey = py - t * dy;
        if (ex * ex + ey * ey <= radius * radius) this.set(y * this.width + x, value);
      }
    }
    return { left, top, right, bottom };
  }

  region(pixels, value) { for (const at of pixels) this.set(at, value); }

  // Use the prediction for all unpainted pixels.
  accept(superpixels, labels) {
    this.begin();
    for (let at = 0; at < this.values.length; at += 1) {
      if (this.values[at] === VOID) this.set(at, labels[superpixels[at]]);
    }
    return this.end();
  }
}

// The pixels of every superpixel.
export class Regions {
  constructor(superpixels) {
    this.of = superpixels;
    let count = 0;
    for (const region of superpixels) if (region >= count) count = region + 1;
    const first = new Uint32Array(count + 1);
    for (const region of superpixels) first[region + 1] += 1;
    for (let k = 0; k < count; k += 1) first[k + 1] += first[k];
    const next = first.slice(), pixels = new Uint32Array(superpixels.length);
    superpixels.forEach((region, at) => { pixels[next[region]] = at; next[region] += 1; });
    this.first = first;
    this.pixels = pixels;
  }

  members(region) { return this.pixels.subarray(this.first[region], this.first[region + 1]); }
}
