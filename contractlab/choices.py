"""What options with a choice take. Apart from `options`, which takes long to load."""

FORMATS = ("text", "json", "markdown")
VALIDATE_FORMATS = ("text", "json")
RENDER_FORMATS = ("text", "json", "markdown", "html", "junit", "sarif")
CASES_FORMATS = ("text", "json")
FAIL_ON = ("review", "block", "never")
"""The mildest verdict that fails; `never` fails at none."""
DEFAULT_FAIL_ON = "review"
"""On a command line; the Action has its own."""
