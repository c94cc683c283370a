// The labels of one image, stroke by stroke, with unlimited undo and redo.

export const VOID = 255;

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

  // Paint the inside of a closed line; a pixel is inside if its centre is.
  polygon(points, value) {
    const ys = points.map((p) => p.y);
    const top = Math.max(0, Math.floor(Math.min(...ys))), bottom = Math.min(this.height - 1, Math.ceil(Math.max(...ys)));
    for (let y = top; y <= bottom; y += 1) {
      const middle = y + 0.5, cuts = [];
      points.forEach((a, k) => {
        const b = points[(k + 1) % points.length];
        if ((a.y <= middle) !== (b.y <= middle)) cuts.push(a.x + (middle - a.y) * (b.x - a.x) / (b.y - a.y));
      });
      cuts.sort((a, b) => a - b);
      for (let k = 0; k + 1 < cuts.length; k += 2) {
        const from = Math.max(0, Math.ceil(cuts[k] - 0.5)), to = Math.min(this.width - 1, Math.ceil(cuts[k + 1] - 0.5) - 1);
        for (let x = from; x <= to; x += 1) this.set(y * this.width + x, value);
      }
    }
  }

  region(pixels, value) { for (const at of pixels) this.set(at, value); }

  // Use the prediction for all unpainted pixels.
  accept(superpixels, labels) {
    this.begin();
    for (let at = 0; at < this.values.length; at += 1) {
      if (this.values[at] === VOID) this.set(at, labels[superpixels[at]] ?? VOID);
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

  // Compute the mean colour and the neighbours of every superpixel, for filling.
  describe(picture, width, height) {
    const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const count = this.first.length - 1;
    this.colour = new Float32Array(3 * count);
    this.near = Array.from({ length: count }, () => new Set());
    for (let at = 0; at < this.of.length; at += 1) {
      const region = this.of[at];
      for (let c = 0; c < 3; c += 1) this.colour[3 * region + c] += data[4 * at + c];
      for (const other of [(at + 1) % width ? at + 1 : at, at + width]) {
        if (other >= this.of.length || this.of[other] === region) continue;
        this.near[region].add(this.of[other]);
        this.near[this.of[other]].add(region);
      }
    }
    for (let k = 0; k < count; k += 1) {
      const size = Math.max(1, this.first[k + 1] - this.first[k]);
      for (let c = 0; c < 3; c += 1) this.colour[3 * k + c] /= size;
    }
  }

  // The connected superpixels whose colour differs from that of the first by at most `reach`.
  similar(start, reach) {
    const far = (k) => Math.hypot(...[0, 1, 2].map((c) => this.colour[3 * k + c] - this.colour[3 * start + c]));
    const found = new Set([start]), open = [start];
    while (open.length) {
      for (const next of this.near[open.pop()]) if (!found.has(next) && far(next) <= reach) { found.add(next); open.push(next); }
    }
    return [...found];
  }

  members(region) { return this.pixels.subarray(this.first[region], this.first[region + 1]); }
}
