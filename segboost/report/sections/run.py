"""The sections of the report about the run itself: its timings and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from segboost.report.run_data.load_runs import Run
from segboost.report.sections.html_elements import legend, seconds, section, settings_table


def timings(run: Run, key: str) -> str:
    """Return the duration of every stage."""
    stages = [e for e in run.events if e.get("event") == "stage ends" and _is_timed(e)]
    if not stages:
        return ""
    longest = max(max(e["wall"], e["cpu"]) for e in stages) or 1.0
    rows = "".join(
        f'<li><span class="stage-name">{escape(str(e["stage"]))}</span>'
        f'<span class="track"><i class="c1" style="width:{100 * e["wall"] / longest:.2f}%"></i>'
        f'<i class="c3" style="width:{100 * e["cpu"] / longest:.2f}%"></i></span>'
        f'<span class="took">{seconds(e["wall"])}</span></li>'
        for e in stages
    )
    text = "Stages whose results were cached take almost no time."
    peaks = [e.get("peak_total_bytes") for e in stages]
    peak = max((p for p in peaks if isinstance(p, int)), default=0) / 2**30
    body = (
        legend([("c1", "elapsed time"), ("c3", "CPU time")])
        + f'<ul class="timings">{rows}</ul><p class="soft">Peak memory {peak:.2f} GB.</p>'
    )
    return section(f"time-{key}", "Timings", text, body)


def _is_timed(event: Mapping[str, Any]) -> bool:
    """Whether an event has its times; a log may have been edited."""
    times = event.get("wall"), event.get("cpu")
    return all(map(_is_time, times)) and ("stage" in event or event.get("event") == "end")


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e12


def configuration(run: Run, key: str) -> str:
    """Return settings, versions and notes."""
    start = run.events[0] if run.events else {}
    parts = []
    notes = [escape(str(n)) for n in run.document.get("notes", ())]
    if notes:
        parts.append(f"<ul>{''.join(f'<li>{n}</li>' for n in notes)}</ul>")
    settings: Mapping[str, Any] = run.model.config.to_dict()
    parts.append(_details("Configuration", settings_table(settings, "settings"), True))
    if run.options:
        parts.append(_details("Command-line options", settings_table(run.options, "options")))
    facts = [start.get(name) for name in ("machine", "versions")]
    machine = {k: v for fact in facts if isinstance(fact, dict) for k, v in fact.items()}
    if machine:
        parts.append(_details("Machine and versions", settings_table(machine, "versions")))
    return section(f"settings-{key}", "Settings", "", "".join(parts))


def _details(title: str, body: str, is_open: bool = False) -> str:
    return (
        f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{body}</details>"
    )


def training_time(run: Run) -> tuple[str, str]:
    """Return how long a run took: a number and its unit."""
    end = [e for e in run.events if e.get("event") == "end" and _is_timed(e)]
    if not end:
        return "–", ""
    value, unit = seconds(end[-1]["wall"]).split(" ", 1)
    return value, f" {unit}"
