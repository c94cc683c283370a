// Opening an image.

import * as server from "./server.js";
import { Labels, Regions } from "./labels.js";
import { $, page, painted, tellTrouble, view } from "./state.js";
import { showList } from "./list.js";
import { endStroke } from "./painting.js";
import { loadPrediction, showPredictionBar } from "./prediction.js";
import { setConflict, setGone, showSaved } from "./saving.js";
import { showTools } from "./tools.js";
import { openPicture } from "./view_settings.js";

let opening = 0; // number of the last request to open an image

export async function open(key) {
  const entry = page.state.images.find((i) => i.key === key);
  if (!entry || entry.problem) return;
  const mine = ++opening;
  // Large images take a moment; for small ones, the message would only flicker.
  const slow = setTimeout(() => { $("loading").textContent = `Loading ${entry.name}…`; $("loading").hidden = false; }, 200);
  try {
    await page.busy;
    await load(key, entry, mine);
  } catch (error) { if (mine === opening) tellTrouble(error); } finally {
    clearTimeout(slow);
    if (mine === opening) $("loading").hidden = true;
  }
}

async function load(key, entry, mine) {
  const before = painted.get(key)?.version;
  const [picture, fresh] = await Promise.all([server.picture(key, entry.stamp), server.mask(key)]);
  if (mine !== opening) return;
  endStroke(true); // on the previous image
  let labels = painted.get(key);
  // Strokes saved here in the meantime are newer than the server's answer.
  const ours = page.unsaved > 0 || labels?.version !== before;
  const fits = labels && labels.width === entry.width && labels.height === entry.height;
  if (!fits || (labels.version !== fresh.version && !ours && !labels.refused)) {
    labels = new Labels(entry.width, entry.height, fresh.values, fresh.version);
    painted.set(key, labels);
  }
  page.image = { key, entry, labels, picture, regions: null, superpixels: null, prediction: null, from: "" };
  page.following = false;
  setGone("");
  setConflict(false);
  view.open(picture, entry.width, entry.height);
  view.showLabels(labels.values);
  openPicture();
  $("image-name").textContent = entry.name;
  $("canvas").setAttribute("aria-label", `${entry.name}: image to paint on`);
  history.replaceState(null, "", `#${key}`);
  showTools();
  showList();
  document.querySelector("#images .current")?.scrollIntoView({ block: "nearest" });
  showPredictionBar();
  server.focus(key).catch(() => {});
  const superpixels = await server.superpixels(key);
  if (mine !== opening) return;
  page.image.superpixels = superpixels;
  page.image.regions = new Regions(superpixels);
  document.body.dataset.superpixels = key;
  showTools();
  showSaved();
  await loadPrediction();
}
