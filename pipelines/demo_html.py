"""Pieces of HTML for the demonstration's page: its frame, pictures, panels and tables."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #22262b; --soft: #59636e; --ground: #f4f5f7;
  --card: #ffffff; --line: #e1e4e8; --accent: #1f6fb4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7eb; --soft: #a3adb8;
  --ground: #121519; --card: #1b1f24; --line: #30363d; --accent: #6cb2f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.25rem; margin: 0 0 .3rem; }
p { margin: .4rem 0 .9rem; max-width: 46rem; }
.soft { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.4rem 1.5rem; margin-top: 1.5rem; }
.wide { overflow-x: auto; }
.wide img { display: block; width: 100%; min-width: 660px; height: auto; margin: .6rem 0; }
.panels { display: grid; grid-template-columns: repeat(6, 1fr); gap: .35rem;
  margin: .35rem 0 .8rem; }
.panels figure { margin: 0; }
.panels img { display: block; width: 100%; height: auto; border-radius: 4px; }
.panels figcaption { font-size: .82rem; color: var(--soft); line-height: 1.3; padding: .1rem 0; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .3em; }
.keys span + span { margin-left: 1.1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { text-align: left; padding: .35rem 1.6rem .35rem 0; border-bottom: 1px solid var(--line); }
td + td, th + th { text-align: right; padding-right: 1.6rem; }
th { color: var(--soft); font-weight: 600; }
tr.best td { color: var(--accent); font-weight: 600; }
code { font-size: .92em; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0;
  padding: .7rem .9rem; overflow-x: auto; font-size: .9rem; line-height: 1.5; }
@media (max-width: 640px) { main { padding: 1.5rem .75rem 3rem; } section { padding: 1rem; }
  .panels { grid-template-columns: repeat(3, 1fr); }
  th, td, td + td, th + th { padding-right: .8rem; } }
"""


def page(title: str, introduction: str, sections: Sequence[str]) -> str:
    """Return a whole page; `introduction` and `sections` are HTML."""
    body = "\n".join(sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="soft">{introduction}</p>
{body}
</main>
</body>
</html>
"""


def chart(picture: Mapping[str, bytes], text: str) -> str:
    """Return a picture that has a light and a dark version."""
    light, dark = (_data_uri(picture[theme]) for theme in ("light", "dark"))
    return f"""<div class="wide"><picture>
<source media="(prefers-color-scheme: dark)" srcset="{dark}">
<img alt="{escape(text)}" src="{light}">
</picture></div>"""


def panels(pictures: Mapping[str, bytes], of: str) -> str:
    """Return a row of small pictures with their captions; narrow screens break it in two."""
    figures = [
        f'<figure><img alt="{escape(caption)} of {escape(of)}" src="{_data_uri(data)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
        for caption, data in pictures.items()
    ]
    return f'<div class="panels">{"".join(figures)}</div>'


def legend(entries: Mapping[str, tuple[int, int, int]]) -> str:
    """Return what the colours mean."""
    parts = [
        f'<span><span class="key" style="background: rgb{colour}"></span>{escape(text)}</span>'
        for text, colour in entries.items()
    ]
    return f'<p class="soft keys">{" ".join(parts)}</p>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], best: str) -> str:
    """Return a table; the row that begins with `best` stands out."""
    lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"]
    for row in rows:
        mark = ' class="best"' if row[0] == best else ""
        lines.append(f"<tr{mark}>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _data_uri(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
