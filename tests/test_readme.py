"""The README leads somewhere: its links and pictures are there, each picture in light and dark."""

import re

from tests.paths import ROOT

README = (ROOT / "README.md").read_text()


def test_its_links_and_pictures_are_there() -> None:
    named = {*re.findall(r"\]\(([^)#]+)", README), *re.findall(r'(?:src|srcset)="([^"]+)"', README)}
    assert len(named) > 20
    assert not {name for name in named if not name.startswith("https://") and not (ROOT / name).is_file()}


def test_each_picture_has_its_words_and_stands_in_light_and_dark() -> None:
    taken = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    shown = set(re.findall(r'docs/pictures/([^"]+)"', README))
    assert taken == shown
    assert {name.replace("-dark", "-light") for name in shown} == {name for name in shown if "-light" in name}
    assert len(re.findall(r'<img alt="[^"]{20,}"', README)) == len(shown) / 2
    assert sum((ROOT / "docs" / "pictures" / name).stat().st_size for name in taken) < 1_000_000
