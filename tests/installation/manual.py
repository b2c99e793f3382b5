"""The commands of docs/installing.md, word for word."""

import re

from tests.paths import ROOT


def blocks(heading: str) -> list[str]:
    """The code blocks under a heading, without those under the next one, comments included."""
    text = (ROOT / "docs" / "installing.md").read_text()
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    assert found is not None, f"docs/installing.md has no {heading}"
    indented = re.findall(r"(?:^ {4}.*\n)+", found[1], re.M)
    return [re.sub(r"^ {4}", "", block, flags=re.M) for block in indented]
