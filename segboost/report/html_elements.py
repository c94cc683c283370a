"""Pieces of HTML: all text is escaped here, all numbers are shaped here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def percent(value: float | None, digits: int = 1) -> str:
    """Return a fraction in per cent, a dash where there is none.

    Examples
    --------
    >>> percent(0.8531), percent(None), percent(float("nan"))
    ('85.3', '–', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f}"


def seconds(value: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> seconds(0.034), seconds(12.34), seconds(754), seconds(7300)
    ('0.03 s', '12.3 s', '12 min 34 s', '2 h 1 min')
    """
    if value < 1:
        return f"{value:.2f} s"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], name: str = "") -> str:
    """Return a table in a box that scrolls by itself; its cells are HTML already."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(name or "table")}">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def tile(value: str, unit: str, label: str, kind: str = "") -> str:
    """Return a large number with what it is."""
    return (
        f'<div class="tile {kind}"><span class="value">{escape(value)}<small>{escape(unit)}</small>'
        f'</span><span class="name">{escape(label)}</span></div>'
    )


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """Return what colours mean: pairs of a class and a text."""
    keys = "".join(
        f'<span><i class="key {kind}"></i>{escape(text)}</span>' for kind, text in entries
    )
    return f'<p class="legend">{keys}</p>'


def panel(title: str, body: str, text: str = "") -> str:
    """Return a chart with its title, and a line below."""
    below = f"<figcaption>{text}</figcaption>" if text else ""
    return f'<figure class="panel"><h3>{escape(title)}</h3>{body}{below}</figure>'


def section(place: str, title: str, text: str, body: str) -> str:
    """Return a part of the page; `text` and `body` are HTML."""
    lead = f'<p class="lead">{text}</p>' if text else ""
    return f'<section id="{place}"><h2>{escape(title)}</h2>{lead}{body}</section>'


def settings_table(values: Mapping[str, Any], name: str) -> str:
    """Return settings as rows, those of parts with a dotted name."""
    # On a phone, long names break between their words.
    rows = [
        (f"<code>{escape(key).replace('_', '_<wbr>')}</code>", f"<code>{escape(value)}</code>")
        for key, value in _flat(values)
    ]
    return f'<div class="settings">{table(("setting", "value"), rows, name)}</div>'


def _flat(values: Mapping[str, Any], place: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{place}{key}.")
        elif isinstance(value, (list, tuple)):
            found.append((f"{place}{key}", ", ".join(str(v) for v in value)))
        else:
            found.append((f"{place}{key}", "–" if value is None else str(value)))
    return found
