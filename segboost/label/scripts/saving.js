// Saving, and what can prevent it: conflicts and lost connections.

import * as server from "./server.js";
import { $, page, painted, tool } from "./state.js";
import { open } from "./editor.js";
import { follow } from "./prediction.js";
import { refresh } from "./refresh.js";

const FINAL = new Set([400, 404, 410, 413, 422]);

export function save() {
  const here = page.image, values = here.labels.values.slice(); // a copy, in case another stroke follows
  page.unsaved += 1;
  showSaved();
  page.busy = page.busy.then(() => saveNow(here, values));
  return page.busy;
}

async function saveNow(here, values) {
  for (;;) {
    try {
      const saved = await server.save(here.key, values, here.labels.version, here.entry.stamp);
      here.labels.version = saved.version;
      if (saved.live && here === page.image) follow(saved.live);
      page.unsaved -= 1;
      here.labels.refused = "";
      setLost(null);
      showSaved();
      refresh();
      return;
    } catch (error) {
      if (error.status === 409) {
        page.unsaved -= 1;
        if (here === page.image) setConflict(true);
        showSaved();
        return;
      }
      if (FINAL.has(error.status)) { // the image was deleted or replaced: retrying would not help
        page.unsaved -= 1;
        here.labels.refused = error.message;
        setLost(null);
        showBanner();
        showSaved();
        refresh();
        return;
      }
      setLost(error);
      await new Promise((resolve) => { setTimeout(resolve, 1500); });
    }
  }
}

export function showSaved() {
  const waits = ["superpixel", "fill"].includes(tool.brush) && page.image && !page.image.regions;
  const stuck = page.conflict || Boolean(page.image && page.image.labels.refused);
  const text = stuck ? "not saved" : page.lost ? `${page.unsaved ? "not saved: " : ""}waiting for the server`
    : page.unsaved ? "saving…" : waits ? "computing superpixels…" : page.image && page.image.labels.version !== "none" ? "saved" : "";
  $("saved").textContent = text;
  document.body.dataset.saved = String(page.unsaved === 0 && !stuck && !page.lost);
}

export function setConflict(found) { page.conflict = found; showBanner(); showSaved(); }

export function setLost(error) {
  const why = !error ? "" : error.status === undefined ? "The server is not responding. Painting is disabled until it does."
    : error.status === 403 ? "A different server is answering: open the address that segboost label printed."
      : `The server could not save your changes: ${error.message}.`;
  if (why === page.lost) return; // already shown
  page.lost = why;
  showBanner();
  showSaved();
}

export function setGone(why) {
  if (why === page.gone) return;
  page.gone = why;
  showBanner();
}

function showBanner() {
  const banner = $("banner"), refused = page.image ? page.image.labels.refused : "";
  banner.replaceChildren();
  banner.hidden = !(page.conflict || page.lost || page.gone || refused);
  if (page.conflict) {
    banner.append("This image was also changed in another tab. ");
    banner.append(button("Load saved version", () => { painted.delete(page.image.key); open(page.image.key); }));
    banner.append(button("Keep my version", keepMine));
  } else if (page.lost) {
    banner.append(page.unsaved ? `${page.lost} Your last stroke is not saved yet.` : page.lost);
  } else if (refused) {
    banner.append(`Your last stroke is not saved: ${refused}. `);
    banner.append(button("Save it for the current file", saveAgain));
    banner.append(button("Discard it", discard));
  } else if (page.gone) {
    banner.append(page.gone);
  }
}

async function saveAgain() {
  await refresh();
  const here = page.image, now = page.state.images.find((i) => i.key === here.key);
  if (!now) return; // still deleted
  if (!now.problem && (now.width !== here.labels.width || now.height !== here.labels.height)) {
    here.labels.refused = `${now.name} now has a different size`;
    showBanner();
    return;
  }
  here.entry = now;
  save();
}

function discard() {
  const here = page.image;
  painted.delete(here.key);
  here.labels.refused = "";
  showBanner();
  showSaved();
  open(here.key);
}

async function keepMine() {
  const here = page.image;
  here.labels.version = (await server.mask(here.key)).version;
  setConflict(false);
  save();
}

function button(text, act) {
  const made = document.createElement("button");
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

window.addEventListener("beforeunload", (event) => { if (page.unsaved > 0 || [...painted.values()].some((labels) => labels.refused) || (page.image && page.image.labels.open)) event.preventDefault(); });
window.addEventListener("pagehide", () => {
  if (page.image && page.image.labels.open && page.image.labels.end()) server.save(page.image.key, page.image.labels.values, page.image.labels.version, page.image.entry.stamp, true).catch(() => {});
});
