// The prediction of the open image: from the live model after every stroke, or the trained one.

import * as server from "./server.js";
import { $, className, page, tellTrouble, view } from "./state.js";
import { refresh } from "./refresh.js";

const POLL_MS = 60; // between two requests for the prediction after a stroke
const PATIENCE_MS = 60_000;

// Identify the prediction that the page should show, from the last answer of the server.
function wanted() {
  const { source, live, model, images } = page.state, here = page.image;
  if (source === "live") return live.answered && !live.waiting ? `live ${live.answered}` : "";
  const entry = images.find((i) => i.key === here.key);
  const there = entry && entry.uncertainty !== null && entry.uncertainty !== undefined;
  return model && there ? `model ${model}` : "";
}

export async function loadPrediction() {
  const here = page.image;
  if (!here || !here.superpixels) return;
  const from = wanted();
  if (!from) {
    if (here.prediction && !page.following) show(here, null, "");
    showPredictionBar();
    return;
  }
  if (from === here.from || page.following) { showPredictionBar(); return; }
  try {
    const found = await server.prediction(here.key);
    if (here === page.image && found.label) show(here, found, from);
  } catch (error) { tellTrouble(error); }
  showPredictionBar();
}

// Wait for the live prediction with this number, unless a newer stroke requests another.
export async function follow(number) {
  const here = page.image, end = performance.now() + PATIENCE_MS;
  page.live = Math.max(page.live, number);
  page.following = true;
  showPredictionBar();
  try {
    while (here === page.image && number === page.live && performance.now() < end) {
      const found = await server.prediction(here.key);
      if (here !== page.image || number !== page.live || found.source !== "live") return;
      if (found.answered >= number) {
        if (found.label) show(here, found, `live ${found.answered}`);
        return;
      }
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    }
  } catch { /* the next answer of the server says what is wrong */ } finally {
    if (number === page.live) page.following = false;
    showPredictionBar();
  }
}

function show(here, found, from) {
  if (found && here.superpixels && here.labels) {
    const fits = found.label.length >= here.regions.first.length - 1;
    if (!fits) return; // the file was replaced: the image is about to be reopened
  }
  here.prediction = found;
  here.from = from;
  view.showPrediction(here.superpixels, found);
  if (found) {
    view.afterDraw = () => {
      document.body.dataset.drawn = from;
      page.drawn = { from, after: performance.now() - (page.lifted || 0) };
      document.body.dataset.wait = String(Math.round(page.drawn.after));
    };
  }
}

export function showPredictionBar() {
  const found = page.image?.prediction, { live, source, classes, model } = page.state;
  let text = "";
  if (found) {
    const seen = new Set(found.label);
    const none = classes.filter((c) => !seen.has(c.value)).map((c) => className(c.value));
    text = `${found.source === "live" ? "live model" : "trained model"} · uncertainty ${(100 * found.uncertainty).toFixed(0)} %`;
    if (none.length) text += ` · no ${none.join(", no ")} found in this image`;
    if (source === "live" && (page.following || live.busy)) text += " · updating…";
  } else if (page.image) {
    const entry = page.state.images.find((i) => i.key === page.image.key);
    if (source === "live") {
      text = live.problem ? `live model: ${live.problem}` : !entry?.described ? "computing features of this image…"
        : page.following || live.busy ? "predicting…" : live.waiting ? "paint two classes to see a prediction" : "";
    } else text = model ? "predicting…" : "no prediction yet: switch Live on, or train";
  }
  $("prediction-message").textContent = text;
  $("accept").disabled = !found;
  document.body.dataset.prediction = found ? page.image.key : "";
  document.body.dataset.source = found ? found.source : "";
}

$("live").addEventListener("change", async (event) => {
  try { await server.setLive(event.target.checked); await refresh(); } catch (error) { tellTrouble(error); }
});
