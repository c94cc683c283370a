// Opening an image, and its prediction.

import * as server from "./server.js";
import { Labels, Regions } from "./labels.js";
import { $, page, painted, tellTrouble, view } from "./state.js";
import { showList } from "./list.js";
import { endStroke } from "./painting.js";
import { setConflict, setGone, showSaved } from "./saving.js";
import { showTools } from "./tools.js";

let opening = 0; // number of the last request to open an image

export async function open(key) {
  const entry = page.state.images.find((i) => i.key === key);
  if (!entry || entry.problem) return;
  const mine = ++opening;
  await page.busy;
  const before = painted.get(key)?.version;
  try {
    const [picture, fresh] = await Promise.all([server.picture(key, entry.stamp), server.mask(key)]);
    if (mine !== opening) return;
    endStroke(true); // of the image open so far
    let labels = painted.get(key);
    // Strokes saved here in the meantime are newer than the answer.
    const ours = page.unsaved > 0 || labels?.version !== before;
    const fits = labels && labels.width === entry.width && labels.height === entry.height;
    if (!fits || (labels.version !== fresh.version && !ours && !labels.refused)) {
      labels = new Labels(entry.width, entry.height, fresh.values, fresh.version);
      painted.set(key, labels);
    }
    page.image = { key, entry, labels, regions: null, superpixels: null, prediction: null, model: null };
    setGone("");
    setConflict(false);
    view.open(picture, entry.width, entry.height);
    view.showLabels(labels.values);
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
    showSaved();
    await loadPrediction();
  } catch (error) { if (mine === opening) tellTrouble(error); }
}

export async function loadPrediction() {
  const here = page.image;
  if (!here || !here.superpixels || !page.state.model) return;
  const entry = page.state.images.find((i) => i.key === here.key);
  const ready = entry && entry.uncertainty !== null && entry.uncertainty !== undefined;
  if (!ready || here.model === page.state.model) return;
  const model = page.state.model;
  try {
    const found = await server.prediction(here.key);
    if (here !== page.image) return;
    here.prediction = found;
    here.model = model;
    view.showPrediction(here.superpixels, found);
    showPredictionBar();
  } catch (error) { if (error.status !== 404) tellTrouble(error); }
}

function showPredictionBar() {
  const found = page.image && page.image.prediction;
  $("prediction-bar").hidden = !found;
  if (found) $("prediction-told").textContent = `uncertainty ${(100 * found.uncertainty).toFixed(0)} %`;
  document.body.dataset.prediction = found ? page.image.key : "";
}
