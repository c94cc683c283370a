"use strict";
(() => {
  const NAMES = ["image", "prediction", "ground truth"];

  // 0 is the image, 1 the prediction, 2 the ground truth; in between, one fades into the other.
  function show(card, value) {
    const range = card.querySelector(".wipe");
    range.value = value;
    const at = Number(range.value);
    card.querySelector(".layer.prediction").style.opacity = Math.max(0, 1 - Math.abs(at - 1));
    card.querySelector(".layer.truth").style.opacity = Math.max(0, at - 1);
    const wanted = document.documentElement.dataset.errors !== "off";
    card.querySelector(".layer.errors").style.opacity = wanted ? Math.max(0, 1 - Math.abs(at - 1)) : 0;
    const nearest = Math.round(at);
    range.setAttribute("aria-valuetext", NAMES[nearest]);
    card.querySelectorAll(".steps button").forEach((button) =>
      button.setAttribute("aria-pressed", String(Number(button.dataset.step) === at)));
  }

  document.querySelectorAll(".card").forEach((card) => {
    const range = card.querySelector(".wipe");
    range.addEventListener("input", () => show(card, range.value));
    card.querySelectorAll(".steps button").forEach((button) =>
      button.addEventListener("click", () => show(card, button.dataset.step)));
    card.addEventListener("keydown", (event) => {
      if (["1", "2", "3"].includes(event.key)) show(card, Number(event.key) - 1);
    });
    show(card, range.value);
  });

  document.querySelectorAll(".every").forEach((every) => {
    const cards = every.closest("section").querySelectorAll(".card");
    const move = (value) => cards.forEach((card) => show(card, value));
    every.addEventListener("input", () => move(every.value));
    every.addEventListener("keydown", (event) => {
      if (!["1", "2", "3"].includes(event.key)) return;
      every.value = Number(event.key) - 1;
      move(every.value);
    });
  });

  document.querySelectorAll(".show-errors").forEach((box) =>
    box.addEventListener("change", () => {
      document.documentElement.dataset.errors = box.checked ? "on" : "off";
      document.querySelectorAll(".show-errors").forEach((other) => { other.checked = box.checked; });
      document.querySelectorAll(".card").forEach((card) => show(card, card.querySelector(".wipe").value));
    }));

  document.querySelectorAll(".bars").forEach((chart) => {
    const bars = [...chart.querySelectorAll(".bar")];
    const told = chart.parentElement.querySelector(".told");
    let at = -1;
    function choose(index) {
      if (at >= 0) bars[at].classList.remove("on");
      at = Math.min(bars.length - 1, Math.max(0, index));
      bars[at].classList.add("on");
      told.textContent = bars[at].dataset.told;
      chart.setAttribute("aria-valuenow", at + 1);
      chart.setAttribute("aria-valuetext", bars[at].dataset.told);
    }
    function point(event) {
      const box = chart.getBoundingClientRect();
      choose(Math.floor(((event.clientX - box.left) / box.width) * bars.length));
    }
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1,
        Home: 0, End: bars.length - 1 };
      if (!(event.key in steps)) return;
      event.preventDefault();
      choose(steps[event.key]);
    });
  });

  const theme = document.getElementById("theme");
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    theme.setAttribute("aria-pressed", String(!dark));
  });
})();
