// Training and export.

import * as server from "./server.js";
import { $, page, tellTrouble } from "./state.js";
import { refresh } from "./refresh.js";

export async function train() {
  try { await page.busy; await server.train(); refresh(); } catch (error) { tellTrouble(error); }
}

export function showTraining() {
  const { running, stage, done, total, note, outcome, seconds, elapsed } = page.state.training;
  $("train").hidden = running;
  $("stop").hidden = !running;
  const bar = $("progress");
  bar.hidden = !running;
  const told = $("training-told");
  document.body.dataset.training = running ? "running" : outcome || "";
  if (running) {
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    told.textContent = `${stage}${note ? `: ${note}` : ""}, ${Math.round(elapsed)} s`;
    told.classList.remove("bad");
    return;
  }
  const usable = page.state.images.filter((i) => !i.problem);
  const described = usable.filter((i) => i.described || i.failed).length;
  const predicted = usable.filter((i) => i.failed || (i.uncertainty !== null && i.uncertainty !== undefined)).length;
  if (outcome && outcome !== "trained" && outcome !== "stopped") { told.textContent = outcome; told.classList.add("bad"); return; }
  if (told.classList.contains("bad") && !page.state.changed) return;
  told.classList.remove("bad");
  const parts = [];
  if (outcome === "trained") parts.push(`trained in ${Math.round(seconds)} s`);
  if (outcome === "stopped") parts.push("training stopped");
  if (page.state.model && predicted < usable.length) parts.push(`predictions: ${predicted} of ${usable.length}`);
  else if (described < usable.length) parts.push(`features: ${described} of ${usable.length} images`);
  else if (!page.state.model) parts.push("ready to train");
  told.textContent = parts.join(" · ");
}

export async function exportMasks() {
  try {
    await page.busy;
    const made = await server.exportMasks();
    const told = $("exported-told");
    told.replaceChildren();
    const line = (tag, text) => { const e = document.createElement(tag); e.textContent = text; told.append(e); };
    line("p", `${made.count} image${made.count === 1 ? "" : "s"} with masks. To train a model on them with full settings:`);
    line("pre", made.command);
    if (made.model) { line("p", "To segment other images with the model trained on this page:"); line("pre", `segboost segment --model "${made.model}" IMAGES --output DIR`); }
    $("exported").showModal();
  } catch (error) { tellTrouble(error); }
}
