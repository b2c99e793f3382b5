"""A pilot from the lead's button to an annotator's judgment, and the collection that it leaves as it was."""

from typing import Any

import pytest

from annotation.models import Judgment, Study
from annotation.studies.services import make_study
from corpus.models import Moment
from foundation.models import Collection
from tests.e2e.captions import have_caption
from tests.e2e.judging_steps import clip_on_stage, judge, wait_for_today

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PATIENCE_MS = 60_000


def figures(page: Any, site: str) -> dict[str, Any]:
    found = page.request.get(f"{site}/api/v1/collections/stage/overview").json()
    return {name: found[name] for name in ("batches", "pairs", "judgments", "judged_today", "at_work")}


def test_a_lead_begins_a_pilot_and_an_annotator_judges_it_while_the_collection_stays(
    log_in: Any, site: str, collection: Collection
) -> None:
    # Captions for a pilot outside the two queries of the split, those of short clips again.
    for moment in sorted(Moment.objects.all(), key=lambda one: one.end - one.start)[4:6]:
        have_caption(moment)
    ada = log_in("ada")
    before = figures(ada, site)
    ada.goto(f"{site}/c/stage/studies/")
    ada.get_by_label("Queries").first.focus()
    ada.keyboard.press("ControlOrMeta+A")
    ada.keyboard.type("2")
    ada.keyboard.press("Enter")
    ada.wait_for_selector(".job[data-url] [data-words]:has-text('No worker runs')", timeout=PATIENCE_MS)
    study = make_study(study_id=Study.objects.get().pk)
    assert (study.state, study.outside) == ("made", True)
    # The page hears by itself that a worker has made it.
    ada.wait_for_selector("td:has-text('Pilot 1 of One act')", timeout=PATIENCE_MS)

    bo = log_in("bo")
    bo.goto(f"{site}/")
    bo.get_by_role("link", name="Pilot 1 of One act").focus()
    bo.keyboard.press("Enter")
    clip_on_stage(bo)
    judge(bo, "3")
    wait_for_today(bo, 1)
    assert list(Judgment.objects.values_list("pair__batch__collection__name", "grade")) == [("stage-pilot-1", 3)]

    assert figures(ada, site) == before
    ada.click("td a:has-text('Pilot 1 of One act')")
    ada.wait_for_selector(".callout:has-text('This is a pilot: the top')", timeout=PATIENCE_MS)
    ada.goto(f"{site}/c/stage-pilot-1/settings/")
    ada.wait_for_selector("h1:has-text('Not in a study')", timeout=PATIENCE_MS)
