"""What axe finds wrong with a page."""

from typing import Any

from axe_core_python.base import AXE_SCRIPT
from playwright.sync_api import Page

COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a theme can break
FOUND = """options => axe.run({resultTypes: ["violations"], ...options}).then(
  ({violations}) => violations.map(each => [each.id, each.nodes[0].html]))"""


def violations(page: Page, options: dict[str, Any] | None = None) -> list[list[str]]:
    """[rule, the first element that breaks it] of each rule that is broken.

    The script is half a megabyte, so a page reads it once; what is whole is not listed.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(FOUND, options or {})
