// The export dialog: what to write, where the files are, and the commands that use them.

import * as server from "./server.js";
import { $, page } from "./state.js";
import { refresh } from "./refresh.js";

const dialog = $("export-dialog"), notice = $("exported-message"), trouble = $("export-message");
let waiting = 0; // number of the export running in the background, 0 if none

const element = (tag, text, name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

function place(title, path) {
  const line = element("p", "", "place");
  line.append(element("b", `${title} `), path);
  notice.append(line);
}

function command(title, text) {
  notice.append(element("p", title, "place"));
  const row = element("div", "", "command"), copy = Object.assign(element("button", "Copy"), { type: "button" });
  copy.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; } catch { select(row.firstChild); copy.textContent = "Press Ctrl+C"; }
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  row.append(element("pre", text), copy);
  notice.append(row);
}

function select(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

async function go(event) {
  event.preventDefault();
  const what = [...document.querySelectorAll("#export-form input:checked")].map((box) => box.name);
  notice.replaceChildren();
  trouble.textContent = what.length ? "" : "Choose something to export.";
  if (!what.length) return;
  $("export-go").disabled = true;
  try {
    await page.busy;
    const made = await server.exportAll(what);
    if (made.count) {
      place(`${made.count} image${made.count === 1 ? "" : "s"}:`, made.images);
      place("Their masks:", made.masks);
      command("Train on all of them with full settings:", made.command);
    }
    if (made.model) {
      place("The model:", made.model);
      command("Segment other images with it:", made.segment);
    }
    waiting = made.number;
    await refresh();
  } catch (error) { trouble.textContent = error.message; }
  showExport();
}

// Called with every answer of the server.
export function showExport() {
  const { running, number, done, total, error, finished, folder, what } = page.state.export || {};
  const bar = $("export-progress");
  $("export-go").disabled = Boolean(running);
  bar.hidden = !running;
  if (running && total) { bar.max = total; bar.value = done; }
  document.body.dataset.export = running ? "running" : error ? "failed" : finished ? "done" : "";
  // The server's answer may predate the export.
  if (!waiting || running || number < waiting) return;
  waiting = 0;
  if (error) { trouble.textContent = error; return; }
  if (what.includes("predictions")) place(`Masks, probabilities and overlays of ${finished} image${finished === 1 ? "" : "s"}:`, folder);
  if (what.includes("objects")) place("Objects:", `${folder}/objects.csv and objects.coco.json`);
}

$("export-open").addEventListener("click", () => {
  const painted = page.state.images.filter((i) => !i.problem && i.version !== "none").length;
  $("export-painted").textContent = painted === 1 ? "the painted image" : `the ${painted} painted images`;
  if (!waiting) { notice.replaceChildren(); trouble.textContent = ""; }
  dialog.showModal();
});
$("export-close").addEventListener("click", () => dialog.close());
$("export-form").addEventListener("submit", go);
