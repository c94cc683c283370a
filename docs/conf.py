"""How the documentation is built: ``make docs``."""

from segboost import __version__

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
]
exclude_patterns = ["_build", "examples/*.md"]
suppress_warnings = ["myst.header"]
nitpicky = False

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"segboost {__version__}"
html_show_sourcelink = False
html_copy_source = False
