"""The HTML report's parts: pure functions to markup, and its one style sheet and script."""
