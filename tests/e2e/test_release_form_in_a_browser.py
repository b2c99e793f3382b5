"""The form of a release with machine judges to choose: for every eye and width, and what was refused stays chosen."""

import os
from pathlib import Path
from typing import Any

import pytest

from annotation.models import MachineJudge
from datasets.models import ReleaseJob
from foundation.models import Collection
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_chooses_whose_grades_a_release_has(log_in: Any, site: str, collection: Collection) -> None:
    for name in ("llava-13b, prompt of May", "similarity", "a" * 60):
        MachineJudge.objects.create(
            collection=collection, name=name, kind="file", model="org/" + "m" * 120, family="CLIP", version="1"
        )
    page = log_in("ada")
    page.goto(f"{site}/c/stage/releases/")
    look(page, "releases")
    page.get_by_label("similarity").check()
    page.get_by_label("Say how likely each grade of a pair is").check()
    page.get_by_label("Name", exact=True).fill("no name!")
    page.locator("[name=without_undecided]").check()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("letters, digits, dots").wait_for()
    assert page.get_by_label("similarity").is_checked()
    assert page.get_by_label("Say how likely each grade of a pair is").is_checked()
    look(page, "a refused release")
    if to := os.environ.get("QREELS_LOOK"):
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=Path(to) / f"releases-{width}.png", full_page=True)
    assert not ReleaseJob.objects.exists()
