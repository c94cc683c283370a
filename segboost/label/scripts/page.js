// The page: loads the modules, opens the first image and polls the server.

import "./keyboard.js";
import { page } from "./state.js";
import { open } from "./editor.js";
import { refresh } from "./refresh.js";
import "./export.js";

async function begin() {
  await refresh();
  document.body.dataset.ready = "true";
  const asked = location.hash.slice(1);
  const usable = page.state.images.filter((i) => !i.problem);
  const first = usable.find((i) => i.key === asked) || usable[0];
  if (first) await open(first.key);
  setInterval(() => { if (!document.hidden || page.state.training.running) refresh(); }, 1000);
}

begin();
