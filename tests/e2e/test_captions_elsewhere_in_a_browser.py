"""Captions made elsewhere and the checks' calibration in a real browser: no fault for axe, narrow and dark too."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import Description
from foundation.models import Collection
from queries.calibration.calibrate import note_found
from queries.calibration.rates import RIGHT, Measured, Thresholds
from queries.caption_import.jobs import import_captions
from queries.models import CaptionImport, CheckCalibration
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_brings_captions_and_adopts_thresholds(
    log_in: Any, site: str, collection: Collection, tmp_path: Path
) -> None:
    moment = Description.objects.filter(collection=collection).first().moment
    for name, text in (("x1", "Rosa pours tea."), ("x2", "Rosa waves at Pia.")):
        Description.objects.create(
            collection=collection, moment=moment, source_id=name, text=text, normalised=text.lower()
        )
    pages = [
        log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark"),
        log_in("ada", viewport={"width": 1280, "height": 720}),
    ]

    def clean(path: str) -> None:
        for page in pages:
            page.goto(f"{site}/c/stage/{path}")
            assert found_by_axe(page).response["violations"] == [], page.url
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page = pages[0]
    clean("captions/elsewhere/")
    for rows, told in (
        ("x1,A woman pours tea.\nx9,Nobody.\n", "text=Problems"),
        ("x1,A woman pours tea.\n", "text=Import these"),
    ):
        file = tmp_path / "captions.csv"
        file.write_text(f"id,caption\n{rows}")
        page.goto(f"{site}/c/stage/captions/elsewhere/")
        page.set_input_files("[name=file]", str(file))
        page.fill("[name=made_by]", "Zadie")
        page.click("text=Upload and preview")
        page.wait_for_selector(".job[data-url]")
        import_captions(CaptionImport.objects.latest("pk").pk)
        page.wait_for_selector(told)
        clean("captions/elsewhere/")
        if told != "text=Import these":
            page.click("text=Discard this file")
            page.wait_for_selector("text=Nothing was imported.")
    page.click("text=Import these captions")
    page.wait_for_selector(".job[data-url]")
    import_captions(CaptionImport.objects.get().pk)
    page.wait_for_selector("text=Take back")
    clean("captions/elsewhere/")

    clean("rewriting/calibration/")
    calibration = CheckCalibration(
        collection=collection, captions=500, state="done", finished_at=timezone.now(), encoder="all-MiniLM-L6-v2"
    )
    calibration.style, calibration.identity = collection.rewriting_style, "all-MiniLM-L6-v2@0123456789abcdef"
    measured = [Measured(RIGHT, 0.5 + n / 100, 1.0, others=True) for n in range(40)]
    measured += [Measured(kind, n / 60, 1 - n / 200, others=True) for kind in ("noun", "gender") for n in range(40)]
    note_found(calibration, measured, Thresholds(0.2, 0.9))
    calibration.save()
    clean("rewriting/calibration/")
    page.click("text=Adopt these thresholds")
    page.wait_for_selector("text=hold for captions that are checked from now on")
    collection.refresh_from_db()
    assert collection.similarity_threshold == calibration.similarity
