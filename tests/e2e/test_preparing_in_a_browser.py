"""Descriptions, cast, rewriting and captions in a real browser: no fault for axe, narrow and dark too."""

from pathlib import Path
from typing import Any

import pytest

from corpus.description_import.previews import run_preview as read_file
from corpus.models import Description, ImportPreview
from foundation.models import Account, Collection, Membership
from queries.models import Caption, NameCount, RewritePreview
from queries.rewriting.name_counts import run_name_count
from queries.rewriting.preview import run_preview
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_prepares_everything_in_the_browser(
    log_in: Any, site: str, collection: Collection, tmp_path: Path
) -> None:
    Account.objects.filter(username="ada").update(is_superuser=True)
    Membership.objects.filter(collection=collection, account__username="ada").update(role="owner")
    text = "Rosa pours tea."
    Description.objects.create(
        collection=collection, moment=collection.descriptions.first().moment, source_id="r", text=text, normalised=text
    )
    page = log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark")

    def clean() -> None:
        assert found_by_axe(page).response["violations"] == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    file = tmp_path / "küche.csv"
    file.write_bytes("video;start;Ende;text\nneu;0:04;6,5;Ada öffnet die Tür.\nneu;8;7;x\n".encode("cp1252"))
    page.goto(f"{site}/c/stage/imports/")
    clean()
    page.set_input_files("[name=file]", str(file))
    page.select_option("[name=format]", "csv")
    page.click("text=Upload and preview")
    page.wait_for_selector(".job[data-url]")
    read_file(ImportPreview.objects.get().pk)
    page.wait_for_selector("#fault-columns")
    clean()
    page.select_option("[name=column-end]", "Ende")
    page.click("text=Read again")
    page.wait_for_selector(".job[data-url]")
    read_file(ImportPreview.objects.get().pk)
    page.wait_for_selector("text=Ada öffnet die Tür.")
    assert page.is_enabled("button[value=import]")
    clean()

    page.goto(f"{site}/c/stage/cast/")
    page.click("text=Find names in the descriptions")
    page.wait_for_selector(".job[data-url]")
    run_name_count(NameCount.objects.get().pk)
    page.check("[aria-label='Add Rosa']")
    clean()
    page.fill("#field-cast", "nobody")
    page.click("text=Save")
    page.wait_for_selector("#field-cast-wrong")
    clean()

    page.goto(f"{site}/c/stage/rewriting/")
    page.click("text=Preview ten")
    page.wait_for_selector(".job[data-url]")
    run_preview(RewritePreview.objects.get().pk)
    page.wait_for_selector(".previewed")
    clean()
    page.click("text=LLM settings")
    page.wait_for_selector("text=For this collection")
    clean()
    page.goto(f"{site}/llm/")
    page.fill("[name=name]", "Ours")
    page.fill("[name=address]", "nowhere")
    page.click("text=Add server")
    page.wait_for_selector("#new-address-wrong")
    clean()

    waiting = Caption.objects.filter(description__collection=collection).order_by("pk")[:1].get()
    Caption.objects.filter(pk=waiting.pk).update(status="review")
    page.goto(f"{site}/c/stage/captions/?at_least=0")
    page.focus(".caption-clip .frame")
    page.wait_for_selector(".caption-clip video")
    # Keys decide, but not while something is typed.
    page.fill("[name=at_least]", "")
    page.type("[name=at_least]", "ax")
    assert page.input_value("[name=at_least]") == "ax"
    assert Caption.objects.get(pk=waiting.pk).status == "review"
    clean()
