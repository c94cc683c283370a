// Training.

import * as server from "./server.js";
import { $, page, tellTrouble } from "./state.js";
import { refresh } from "./refresh.js";

export async function train() {
  try { await page.busy; await server.train(); refresh(); } catch (error) { tellTrouble(error); }
}

// The classes that are not painted on any image, as far as masks have been counted.
function missing() {
  const seen = new Set(page.state.images.flatMap((i) => i.painted || []));
  return page.state.classes.filter((c) => !seen.has(c.value)).map((c) => c.name);
}

export function showTraining() {
  const { running, stage, done, total, note, outcome, seconds, elapsed } = page.state.training;
  $("train").hidden = running;
  $("stop").hidden = !running;
  const bar = $("progress");
  bar.hidden = !running;
  const notice = $("training-message");
  document.body.dataset.training = running ? "running" : outcome || "";
  if (running) {
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    notice.textContent = `${stage}${note ? `: ${note}` : ""}, ${Math.round(elapsed)} s`;
    notice.classList.remove("bad");
    return;
  }
  const usable = page.state.images.filter((i) => !i.problem);
  const described = usable.filter((i) => i.described || i.failed).length;
  const predicted = usable.filter((i) => i.failed || (i.uncertainty !== null && i.uncertainty !== undefined)).length;
  if (outcome && outcome !== "trained" && outcome !== "stopped") { notice.textContent = outcome; notice.classList.add("bad"); return; }
  if (notice.classList.contains("bad") && !page.state.changed) return;
  notice.classList.remove("bad");
  const parts = [];
  if (outcome === "trained") parts.push(`trained in ${Math.round(seconds)} s`);
  if (outcome === "stopped") parts.push("training stopped");
  if (page.state.model && predicted < usable.length) parts.push(`predictions: ${predicted} of ${usable.length}`);
  else if (described < usable.length) parts.push(`features: ${described} of ${usable.length} images`);
  else if (!page.state.model && missing().length === 0) parts.push("ready to train");
  else if (!page.state.model) parts.push(`paint ${missing().join(" and ")} to train`);
  notice.textContent = parts.join(" · ");
}
