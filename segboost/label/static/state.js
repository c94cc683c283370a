// State that the modules of the page share.

import { FOREGROUND } from "./labels.js";
import { View } from "./canvas.js";

export const $ = (id) => document.getElementById(id);
export const view = new View($("canvas"));
export const tool = { value: FOREGROUND, brush: "round", size: 10 };
export const painted = new Map(); // key → Labels: undo histories survive opening another image

export const page = {
  state: { images: [], training: {}, next: null, model: null }, // the last answer of the server
  image: null, // the open image: { key, entry, labels, regions, superpixels, prediction }
  stroke: null, // the stroke being painted: { id, value, pen, last, taken }
  busy: Promise.resolve(), // saves, one after the other
  unsaved: 0,
  conflict: false,
  lost: "", // why nothing can be saved
  gone: "", // what became of the file of the open image
  space: false, // whether the space bar is down
};

export function tellTrouble(error) {
  $("training-told").textContent = error.message;
  $("training-told").classList.add("bad");
}
