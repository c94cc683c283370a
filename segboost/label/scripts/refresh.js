// Poll the server for its state.

import * as server from "./server.js";
import { $, page } from "./state.js";
import { showClasses } from "./classes.js";
import { open } from "./editor.js";
import { showExport } from "./export.js";
import { showList } from "./list.js";
import { loadPrediction } from "./prediction.js";
import { setConflict, setGone, setLost } from "./saving.js";
import { showTraining } from "./training.js";

let asking = null;

export function refresh() {
  asking = asking || ask().finally(() => { asking = null; });
  return asking;
}

async function ask() {
  try {
    const before = JSON.stringify([page.state.model, page.state.images.map((i) => i.version)]);
    page.state = await server.state();
    page.state.changed = before !== JSON.stringify([page.state.model, page.state.images.map((i) => i.version)]);
  } catch (error) {
    // Nothing can be saved without a server: say so before the next stroke.
    if (error.status === 403 || error.status === undefined) setLost(error);
    return;
  }
  if (page.unsaved === 0) setLost(null);
  $("folder").textContent = page.state.folder;
  const { left_out: folders } = page.state;
  $("left-out").hidden = folders.length === 0;
  $("left-out").textContent = `Images in sub-folders are not listed: ${folders.slice(0, 3).join(", ")}${folders.length > 3 ? ", …" : ""}. Run segboost label on each of them.`;
  $("live").checked = page.state.live.on;
  showClasses();
  $("next").disabled = !page.state.next;
  showList();
  showTraining();
  showExport();
  const entry = page.image && page.state.images.find((i) => i.key === page.image.key);
  if (page.image) {
    setGone(!entry ? "The file of this image was deleted." : entry.problem ? `This image can no longer be used: ${entry.problem}.` : "");
    const replaced = entry && !entry.problem && entry.stamp !== page.image.entry.stamp;
    if (replaced && page.unsaved === 0 && !page.stroke && !page.image.labels.refused) { await open(entry.key); return; }
  }
  // Changed in another tab? Check twice, since an answer may predate our own last save.
  if (entry && !entry.problem && page.unsaved === 0 && !page.stroke && !page.conflict && entry.version !== page.image.labels.version) {
    if (page.image.stale === page.image.labels.version) setConflict(true);
    page.image.stale = page.image.labels.version;
  }
  await loadPrediction();
}
