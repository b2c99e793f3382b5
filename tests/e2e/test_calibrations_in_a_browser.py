"""A judge fitted from its page, and its calibration, in a real browser: no fault for axe, narrow and dark too."""

from typing import Any

import pytest

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging
from foundation.models import Collection
from tests.annotation.machine_judges.graded_worlds import graded_world
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_fits_a_judge_and_reads_how_far_it_is_above_people(
    log_in: Any, site: str, collection: Collection
) -> None:
    world = graded_world()
    page = log_in("ada")
    page.goto(f"{site}/c/paper/machine-judges/ours/")
    look(page, "similarity")
    page.click("button:text-is('Fit a judge')")
    page.wait_for_selector("h1:text-is('similarity 1')")
    judge_by_machine(MachineJudging.objects.get(judge__collection=world.collection).pk)
    page.reload()
    page.click("text=How far it grades above people")
    page.wait_for_selector("text=on 240 pairs of 12 queries")
    look(page, "calibration")
    MachineJudge.objects.filter(collection=world.collection).update(name="w" * 60)
    page.reload()
    look(page, "calibration of a judge with a long name")
