"""The documentation as a static site: `make docs`. Its root is the repository, so that links mean the same there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from hpcreuse.version import __version__

project = "hpcreuse"
author = "The hpcreuse developers"
version = release = __version__
html_title = f"hpcreuse {__version__}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "options_table"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "bench/README.md",
    "configs/README.md",
    "slurm/README.md",
]
exclude_patterns = [".*", "build", "hpcreuse", "tests"]

# Anchors of headings as GitHub makes them; a link to one that is not there is a warning, and warnings are errors
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# NumPy's and Python's own pages are not at hand: nothing is fetched
nitpick_ignore_regex = [("py:.*", r"(?!hpcreuse).*|hpcreuse\.(kernels|store|page)\..*")]
