// View settings: layers, opacities, brightness, contrast and stretch.

import * as server from "./server.js";
import { $, page, tellTrouble, view } from "./state.js";

const DARK = 48; // images whose pixels are all darker than this are stretched when opened
let automatic = false; // whether the image is stretched because it is dark

export const setOpacity = (which, value) => {
  view.opacity[which] = Math.min(1, Math.max(0, value));
  $(`opacity-${which}`).value = Math.round(100 * view.opacity[which]);
  view.draw();
};

// Show the grid for tools that paint whole superpixels.
export function showGrid(wanted) {
  const superpixels = page.image?.superpixels;
  const on = wanted && $("show-grid").checked && Boolean(superpixels);
  if (on && !view.grid) view.showGrid(superpixels);
  if (view.shown.grid !== on) { view.shown.grid = on; view.draw(); }
}

// Stretch dark images: 12-bit images in 16-bit files would look black.
export function openPicture() {
  const dark = isDark(page.image.picture), stretch = $("stretch");
  if (dark ? !stretch.checked : automatic) { stretch.checked = dark; automatic = dark; }
  showPicture();
}

function isDark(picture) {
  const context = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0, 64, 64);
  return context.getImageData(0, 0, 64, 64).data.every((value, k) => k % 4 === 3 || value < DARK);
}

export async function showPicture() {
  const here = page.image;
  if (!here) return;
  const stretched = $("stretch").checked;
  if (!stretched) { view.replacePicture(here.picture); return; }
  try {
    here.stretched = here.stretched || await server.picture(here.key, here.entry.stamp, true);
    if (here === page.image && $("stretch").checked) view.replacePicture(here.stretched);
    document.body.dataset.stretched = here.key;
  } catch (error) { tellTrouble(error); }
}

function light() {
  view.light = { brightness: $("brightness").value / 100, contrast: $("contrast").value / 100 };
  view.draw();
}

for (const which of ["paint", "prediction", "uncertainty"]) {
  $(`show-${which}`).addEventListener("change", (event) => { view.shown[which] = event.target.checked; view.draw(); });
}
for (const which of ["paint", "prediction"]) {
  $(`opacity-${which}`).addEventListener("input", (event) => setOpacity(which, event.target.value / 100));
}
for (const id of ["brightness", "contrast"]) $(id).addEventListener("input", light);
$("show-grid").addEventListener("change", () => showGrid(["superpixel", "fill"].includes($("canvas").dataset.brush)));
$("stretch").addEventListener("change", () => { automatic = false; showPicture(); });
$("view-reset").addEventListener("click", () => {
  for (const id of ["brightness", "contrast"]) $(id).value = 100;
  $("stretch").checked = false;
  setOpacity("paint", 0.75);
  setOpacity("prediction", 0.4);
  light();
  showPicture();
});
// A click elsewhere closes the panel.
document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#view-panel")) $("view-panel").open = false; });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("view-panel").open) { $("view-panel").open = false; $("view-panel").querySelector("summary").focus(); }
});
