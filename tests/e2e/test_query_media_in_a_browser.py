"""A picture is met as the query, on a phone, and after a reload without a network."""

from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from foundation.models import Collection
from queries.models import Query, QueryMedium
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import KEPT, PATIENCE, judge, wait_for_today, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS
from tests.e2e.test_judging_survives import wait_until_kept
from tests.queries.topics.media import picture

LOADED = "document.querySelector('#medium img')?.naturalWidth > 0"


def test_a_picture_stands_over_the_clip_fits_a_phone_and_outlasts_the_network(
    log_in: Any, collection: Collection
) -> None:
    name = default_storage.save("query-media/test.png", ContentFile(picture()))
    about = {"kind": "picture", "suffix": "png", "media_file": name, "size": 1, "sha256": "0" * 64, "alone": True}
    for place, query in enumerate(Query.objects.filter(collection=collection)):
        Query.objects.filter(pk=query.pk).update(description=None, topic_id=f"T{place}")
        QueryMedium.objects.create(query=query, **about)
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    wait_until_open(page)
    page.wait_for_function(LOADED, timeout=PATIENCE)
    assert page.inner_text("#query") == "What this picture shows"
    assert page.evaluate(FITS) == []
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    wait_until_kept(page)
    assert any(address.startswith("/query-media/") for address in page.evaluate(KEPT))
    page.context.set_offline(True)
    page.reload()
    wait_until_open(page)
    page.wait_for_function(LOADED, timeout=PATIENCE)
    judge(page, "3")
    page.context.set_offline(False)
    wait_for_today(page, 1)
