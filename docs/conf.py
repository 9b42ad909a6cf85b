"""The documentation site: `make docs` builds it in build/docs."""

import os
import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

project = "chainrule"
author = "the chainrule authors"
copyright = "the chainrule authors; BSD-3-Clause"
try:
    release = metadata.version("chainrule")
except metadata.PackageNotFoundError:  # a checkout on the path
    release = "0.1.0"

extensions = ["myst_nb", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns: list[str] = []
highlight_language = "text"
suppress_warnings = ["ref.python"]  # a type in a signature has the name of several classes
pygments_style, pygments_dark_style = "friendly", "github-dark"

# Every notebook runs when the site is built. A cell that raises is an error, unless it says that it does.
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_render_error_lexer = "text"  # messages, not tracebacks

# What raises is shown by its message, which names the reader's line; the frames would be those of this machine.
ipython = HERE.parent / "build" / "ipython" / "profile_default"
ipython.mkdir(parents=True, exist_ok=True)
(ipython / "ipython_kernel_config.py").write_text('c.InteractiveShell.xmode = "Minimal"\n')
os.environ["IPYTHONDIR"] = str(ipython.parent)

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = "chainrule"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#1d63b8", "color-brand-content": "#1d63b8"},
    "dark_css_variables": {"color-brand-primary": "#6cb0ff", "color-brand-content": "#6cb0ff"},
}
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
python_display_short_literal_types = True
add_module_names = False
toc_object_entries = False  # hundreds of functions a page: the headings are enough


def write_reference(app):
    from reference import write

    write(HERE / "reference")


def setup(app):
    app.connect("builder-inited", write_reference)
