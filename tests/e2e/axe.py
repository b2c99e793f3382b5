"""axe-core on a page: brought into a document once, and asked for what is wrong alone."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT, AxeResults

PRELOADED = {"assets": ["media"]}
"""What axe fetches before it looks: its rules on style sheets are experimental, and not among ours."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def found_by_axe(page: Any) -> AxeResults:
    """All violations of the page as it is now. What passes is counted by axe, but not written down node by node."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"runOnly": RULES, "resultTypes": ["violations"], "preload": PRELOADED}
    return AxeResults(page.evaluate("options => axe.run(options)", options))
