"""A lead reviews in a real browser, by keyboard: one key a batch, and each can be taken back."""

from typing import Any

import pytest

from annotation.batches.opening import open_annotation
from annotation.models import Adjudication, Batch, FormerReview, Pair, Review
from annotation.review.adjudication import adjudicate_pair
from annotation.review.decisions import review_batch
from corpus.models import Description
from foundation.models import Collection, Membership
from foundation.text import normalise
from queries.models import Candidate, Caption, Query
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

BATCHES = 4
SIZE = 3
PATIENCE_MS = 60_000


def level(place: int) -> int:
    """The grade of all pairs of a batch: the rule says extend for every second one."""
    return (4, 1)[place % 2]


@pytest.fixture
def batches(collection: Collection, request: pytest.FixtureRequest) -> list[Batch]:
    """Decided batches in the order of the queue; the first pair of the first one is discarded. The parameter is how
    many."""
    wanted = getattr(request, "param", BATCHES)
    Collection.objects.filter(pk=collection.pk).update(batch_size=SIZE)
    collection.refresh_from_db()
    shown = list(Caption.objects.filter(description__collection=collection).order_by("pk"))
    assert len(shown) > SIZE
    members = {name: collection.memberships.get(account__username=name) for name in ("bo", "cy")}
    for name in ("di", "ed"):
        members[name] = Membership.objects.create(collection=collection, role="annotator", worker=name)
    made = []
    for position in range(10, 10 + wanted):
        text = f"Somebody does thing {position}."
        description = Description.objects.create(
            collection=collection,
            moment=shown[0].description.moment,
            source_id=f"review {position}",
            text=text,
            normalised=normalise(text),
        )
        query = Query.objects.create(
            collection=collection,
            description=description,
            split="val",
            text=text,
            normalised=normalise(text),
            position=position,
        )
        Candidate.objects.bulk_create(
            Candidate(
                query=query,
                moment_id=one.description.moment_id,
                caption=one,
                caption_text=one.text,
                rank=rank,
                similarity=1 - rank / 10,
            )
            for rank, one in enumerate(shown, start=1)
        )
        made.append(query)
    open_annotation(collection=collection)
    world = World(collection, members, made)
    found = []
    for place, query in enumerate(made):
        batch = query.batches.get()
        discarded = place == 0
        grade_batch(
            world,
            batch,
            lambda rank, place=place, discarded=discarded: (  # type: ignore[misc]
                DISCARDED if discarded and rank == 1 else (level(place), level(place))
            ),
        )
        found.append(batch)
    assert len(found) == wanted
    return found


@pytest.fixture
def page(log_in: Any, site: str, batches: list[Batch]) -> Any:
    """The review page of ada, with the first batch shown."""
    opened = log_in("ada")
    opened.set_default_timeout(PATIENCE_MS)
    opened.goto(f"{site}/c/stage/review/")
    wait_for_sheet(opened, batches[0])
    return opened


def wait_for_sheet(page: Any, batch: Batch) -> None:
    """Until the batch is shown and takes keys."""
    page.wait_for_selector(f"#sheet[data-batch='{batch.pk}'][data-ready]")


def wait_until_said(page: Any, text: str) -> None:
    page.wait_for_function("text => document.getElementById('said').textContent.includes(text)", arg=text)


def status(batch: Batch) -> str:
    return Batch.objects.get(pk=batch.pk).status


@pytest.mark.parametrize("batches", [12], indirect=True)
def test_ten_batches_are_reviewed_by_keyboard_without_loading_a_page(page: Any, batches: list[Batch]) -> None:
    page.evaluate("window.stayed = true")
    for place, batch in enumerate(batches[:10]):
        wait_for_sheet(page, batch)
        verdict = page.text_content(".verdict")
        assert ("rule says extend" in verdict) == (level(place) == 4)
        page.keyboard.press("e" if "rule says extend" in verdict else "d")
    wait_for_sheet(page, batches[10])
    page.wait_for_function("document.getElementById('tally').textContent.startsWith('10 decided')")
    assert page.evaluate("window.stayed") is True
    assert [status(batch) for batch in batches[:10]] == ["extended", "finished"] * 5
    assert page.text_content("#waiting") == "2"
    assert page.url.endswith(f"/review/{batches[10].pk}/")
    review = Review.objects.get(batch=batches[9])
    assert (review.decided_by.account.username, review.mean, review.grades) == ("ada", 1.0, [1, 1, 1])  # type: ignore[union-attr]


def test_z_takes_back_one_decision_after_the_other(page: Any, batches: list[Batch]) -> None:
    page.keyboard.press("e")
    wait_for_sheet(page, batches[1])
    page.keyboard.press("d")
    wait_for_sheet(page, batches[2])
    page.keyboard.press("l")
    wait_for_sheet(page, batches[3])
    wait_until_said(page, "Put off")
    assert Batch.objects.get(pk=batches[2].pk).postponed_at is not None
    for batch in (batches[2], batches[1], batches[0]):
        page.keyboard.press("z")
        wait_for_sheet(page, batch)
        assert status(batch) == "decided"
    assert Batch.objects.get(pk=batches[2].pk).postponed_at is None
    assert FormerReview.objects.count() == 2 and not Review.objects.exists()
    assert page.is_disabled("#take-back")
    page.keyboard.press("d")
    wait_for_sheet(page, batches[1])
    wait_until_said(page, "Finished")
    assert status(batches[0]) == "finished"


def test_what_another_lead_decided_meanwhile_is_told_and_stands(page: Any, batches: list[Batch]) -> None:
    other = Membership.objects.create(collection=batches[0].collection, role="lead", worker="olga")
    review_batch(member=other, batch_id=batches[0].pk, decision="finish")
    page.keyboard.press("e")
    wait_for_sheet(page, batches[1])
    wait_until_said(page, "was reviewed already: finish, by olga")
    assert status(batches[0]) == "finished"


def test_what_changed_meanwhile_comes_back_to_be_looked_at(page: Any, batches: list[Batch]) -> None:
    Pair.objects.filter(batch=batches[0]).update(version=50)
    page.keyboard.press("e")
    wait_for_sheet(page, batches[1])
    wait_until_said(page, "changed since they were shown")
    assert status(batches[0]) == "decided"
    page.keyboard.press("d")
    wait_for_sheet(page, batches[0])
    page.keyboard.press("e")
    wait_for_sheet(page, batches[2])
    wait_until_said(page, "Extended")
    assert status(batches[0]) == "extended"


def test_a_decision_without_network_comes_back(page: Any, batches: list[Batch]) -> None:
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.press("e")
    wait_until_said(page, "was not decided")
    assert status(batches[0]) == "decided"
    page.context.set_offline(False)
    wait_for_sheet(page, batches[1])
    page.keyboard.press("d")
    wait_for_sheet(page, batches[0])
    page.keyboard.press("e")
    wait_until_said(page, "Extended")
    assert status(batches[0]) == "extended"


def test_a_sheet_that_could_not_be_loaded_comes_when_the_network_is_back(page: Any, batches: list[Batch]) -> None:
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.press("e")
    wait_until_said(page, "was not decided")
    page.wait_for_selector("#sheet[data-ready]")
    page.keyboard.press("e")
    wait_until_said(page, "could not be loaded")
    page.context.set_offline(False)
    page.wait_for_selector("#decide")
    page.wait_for_selector("#sheet[data-ready]")
    assert {status(batch) for batch in batches} == {"decided"}
    shown = Batch.objects.get(pk=int(page.get_attribute("#sheet", "data-batch")))
    page.keyboard.press("d")
    wait_until_said(page, "Finished")
    assert status(shown) == "finished"


def test_leaving_is_asked_about_while_a_decision_is_on_its_way(page: Any, batches: list[Batch]) -> None:
    page.wait_for_load_state("networkidle")
    held: list[Any] = []
    page.route("**/decide", lambda route: route.continue_() if held else held.append(route))
    page.keyboard.press("e")
    wait_for_sheet(page, batches[1])
    page.keyboard.press("d")
    page.wait_for_function("document.getElementById('tally').textContent === '2 being saved'")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.get_by_role("link", name="Overview").first.click(no_wait_after=True)
    page.wait_for_function("document.getElementById('tally').textContent === '2 being saved'")
    assert asked == ["beforeunload"]
    held[0].continue_()
    page.wait_for_function("document.getElementById('tally').textContent === '2 decided since you came'")
    assert [status(batch) for batch in batches[:2]] == ["extended", "finished"]


def test_the_arrows_play_the_clips_with_who_gave_what(page: Any, batches: list[Batch]) -> None:
    page.keyboard.press("ArrowRight")
    page.wait_for_function("!document.querySelector('#preview').hidden")
    page.wait_for_function("document.querySelector('#preview video').currentTime > 0")
    shown = page.text_content("#preview figcaption")
    assert "discarded" in shown and "di, second round" in shown and "similarity 0.900" in shown
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#preview figcaption').textContent.includes('grade 4')")
    page.keyboard.press("Escape")
    page.wait_for_function("document.querySelector('#preview').hidden")
    page.hover("svg [data-rank='3'] .bar-4")
    page.wait_for_function("!document.querySelector('#preview').hidden")


def test_a_discarded_pair_is_adjudicated_by_keyboard(page: Any, site: str, batches: list[Batch]) -> None:
    page.goto(f"{site}/c/stage/discarded/")
    page.keyboard.press("j")
    page.wait_for_function("document.querySelector('.discarded-pairs video')?.currentTime > 0")
    page.keyboard.press("3")
    page.keyboard.type("All but the colour of the door.")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Grade 3 saved.")
    standing = Adjudication.objects.get()
    assert (standing.grade, standing.reason) == (3, "All but the colour of the door.")
    assert Pair.objects.get(pk=standing.pair_id).status == "discarded"


def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(page: Any, site: str, batches: list[Batch]) -> None:
    ada = batches[0].collection.memberships.get(account__username="ada")
    discarded = Pair.objects.filter(batch=batches[0], status="discarded").get()
    adjudicate_pair(member=ada, pair_id=discarded.pk, grade=2, reason="All but the door.")
    for batch, decision in zip(batches[1:3], ("finish", "extend"), strict=True):
        review_batch(member=ada, batch_id=batch.pk, decision=decision)
    page.reload()
    wait_for_sheet(page, batches[0])
    look(page, "a sheet")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("!document.querySelector('#preview').hidden")
    look(page, "a sheet with a clip")
    paths = (f"review/{batches[1].pk}/", "review/decisions/", "discarded/", "discarded/?kind=adjudicated")
    for path in paths:
        page.goto(f"{site}/c/stage/{path}")
        look(page, path)
