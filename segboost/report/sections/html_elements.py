"""HTML elements of the report; escapes all text and formats all numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def percent(value: float | None, digits: int = 1) -> str:
    """Return a fraction as a percentage, or a dash if it is missing.

    Examples
    --------
    >>> percent(0.8531), percent(None), percent(float("nan"))
    ('85.3', '–', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f}"


def seconds(value: float) -> str:
    """Return a duration in readable units.

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
    """Return a table in a scrollable box; the cells are HTML."""
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
    """Return a large number with its label."""
    return (
        f'<div class="tile {kind}"><span class="value">{escape(value)}<small>{escape(unit)}</small>'
        f'</span><span class="name">{escape(label)}</span></div>'
    )


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """Return a colour legend from pairs of CSS class and text."""
    keys = "".join(
        f'<span><i class="key {kind}"></i>{escape(text)}</span>' for kind, text in entries
    )
    return f'<p class="legend">{keys}</p>'


def panel(title: str, body: str, text: str = "") -> str:
    """Return a chart with a title and a caption."""
    below = f"<figcaption>{text}</figcaption>" if text else ""
    return f'<figure class="panel"><h3>{escape(title)}</h3>{body}{below}</figure>'


def section(place: str, title: str, text: str, body: str) -> str:
    """Return a section of the page; `text` and `body` are HTML."""
    lead = f'<p class="lead">{text}</p>' if text else ""
    return f'<section id="{place}"><h2>{escape(title)}</h2>{lead}{body}</section>'


def settings_table(values: Mapping[str, Any], name: str) -> str:
    """Return settings as table rows; nested ones get dotted names."""
    # Let long names break between words on narrow screens.
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
