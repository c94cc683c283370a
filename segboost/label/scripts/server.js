// Requests to the server. All URLs are relative, because the page's own URL has the token.

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.problem || `the server answered ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(`api/${path}`, { cache: "no-store", ...options });
  if (response.ok) return response;
  let answer = {};
  try { answer = await response.json(); } catch { /* not JSON: the status is enough */ }
  throw new Refused(response.status, answer);
}

export const state = async () => (await ask("state")).json();
export const train = () => ask("train", { method: "POST" });
export const stop = () => ask("stop", { method: "POST" });
export const focus = (key) => ask(`focus/${key}`, { method: "POST" });
const put = (path, values) => ask(path, { method: "PUT", body: JSON.stringify(values) });
export const setClasses = (classes, revision, erase) => put("classes", { classes, revision, erase });
export const setLive = (on) => put("live", { on });
export const exportAll = async (what) => (await ask("export", { method: "POST", body: JSON.stringify({ what }) })).json();
export const prediction = async (key) => (await ask(`prediction/${key}`)).json();

export async function superpixels(key) {
  return new Int32Array(await (await ask(`superpixels/${key}`)).arrayBuffer());
}

export async function picture(key, stamp, stretched = false) {
  const response = await ask(`${stretched ? "stretched" : "image"}/${key}?${stamp}`, { cache: "default" });
  return createImageBitmap(await response.blob());
}

export async function mask(key) {
  const response = await ask(`mask/${key}`);
  const version = response.headers.get("etag").replaceAll('"', "");
  return { values: new Uint8Array(await response.arrayBuffer()), version };
}

export async function save(key, values, version, stamp, leaving = false) {
  const response = await ask(`mask/${key}?${stamp}`, {
    method: "PUT", headers: { "If-Match": `"${version}"` }, body: packRuns(values), keepalive: leaving,
  });
  return response.json(); // { version, live }
}

// Run-length encoding: one byte for the value, four (little-endian) for the length.
export function packRuns(values) {
  const runs = [];
  for (let at = 0; at < values.length;) {
    let end = at + 1;
    while (end < values.length && values[end] === values[at]) end += 1;
    runs.push(values[at], end - at);
    at = end;
  }
  const view = new DataView(new ArrayBuffer(5 * runs.length / 2));
  for (let k = 0; 2 * k < runs.length; k += 1) {
    view.setUint8(5 * k, runs[2 * k]);
    view.setUint32(5 * k + 1, runs[2 * k + 1], true);
  }
  return view.buffer;
}
