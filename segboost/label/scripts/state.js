// State that the modules of the page share.

import { View } from "./canvas.js";

export const $ = (id) => document.getElementById(id);
export const view = new View($("canvas"));
export const tool = { value: 1, brush: "round", size: 20, reach: 30 };
export const painted = new Map(); // key → Labels: undo histories survive opening another image

export const page = {
  // the last answer of the server
  state: { images: [], classes: [], training: {}, live: {}, next: null, model: null, left_out: [] },
  image: null, // the open image: { key, entry, labels, regions, superpixels, picture, prediction, from }
  stroke: null, // the stroke being painted: { id, value, pen, last, taken }
  busy: Promise.resolve(), // saves, one after the other
  unsaved: 0,
  live: 0, // number of the live prediction that the last stroke requested
  conflict: false,
  lost: "", // why nothing can be saved
  gone: "", // what happened to the file of the open image
  space: false, // whether the space bar is down
};

export const className = (value) => page.state.classes.find((c) => c.value === value)?.name || "void";

export function tellTrouble(error) {
  $("training-message").textContent = error.message;
  $("training-message").classList.add("bad");
}
