"""Sphinx configuration; ``make docs`` builds the documentation."""

import sys
from pathlib import Path

from segboost import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "segboost"
author = "The segboost developers"
copyright = "The segboost developers, GPL-3.0-or-later"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mathml",
]
html_math_renderer = "mathml"
exclude_patterns = ["_build", "examples/*.md"]
suppress_warnings = ["myst.header"]
nitpicky = False

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Attributes instead of fields, because a field's name loses its trailing underscore.
napoleon_use_ivar = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = f"segboost {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
