"""The lead's desk with rows on every page: axe finds nothing, it fits a phone, and lists keep their place."""

import csv
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from annotation.judging.flags import answer_flag
from annotation.judging.notices import answer_question, post_notice
from annotation.models import Adjudication, Computed, Flag, Judgment, Pair, Question
from annotation.people.timesheet import correct_time
from annotation.precomputed import refresh_computed
from corpus.models import Import
from foundation.models import Collection, Membership
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World
from tests.e2e.axe import found_by_axe
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PATIENCE_MS = 60_000
PAGES = (
    "",
    "imports/",
    "rewriting/",
    "work/",
    "flags/",
    "notices/",
    "replay/?first_round=2&second_round=2&largest_difference=1&rounding=up",
    "members/",
    "time/",
    "statistics/",
    "leakage/",
    "settings/",
)
FIGURES = 8


@pytest.fixture
def people(collection: Collection) -> dict[str, Membership]:
    found = {one.account.username: one for one in collection.memberships.select_related("account") if one.account}
    for name in ("di", "ed"):
        found[name] = Membership.objects.create(collection=collection, role="annotator", worker=name)
    return found


@pytest.fixture
def decided(collection: Collection, people: dict[str, Membership]) -> dict[str, Membership]:
    """Of two queries one has its pairs all discarded, the other graded; both batches wait for their review."""
    first, second = collection.queries.order_by("position")
    world = World(collection, people, [first, second])
    grade_batch(world, first.batches.get(), lambda rank: DISCARDED)
    grade_batch(world, second.batches.get(), lambda rank: (4 - rank // 2, 4 - rank // 2))
    refresh_computed(collection=collection, name="appendix")
    return people


def told(people: dict[str, Membership]) -> None:
    """Flags and questions, open and answered, a notice, a correction, an import, a token."""
    bo, ada = people["bo"], people["ada"]
    judged = [one.pair for one in Judgment.objects.filter(annotator=bo).select_related("pair").order_by("pk")]
    for pair in judged[4:]:
        Flag.objects.create(pair=pair, annotator=bo, kind="query", note="Which of the two cups?")
        Question.objects.create(pair=pair, annotator=bo, text="Is a cup a mug?")
    answer_flag(member=ada, flag_id=Flag.objects.earliest("pk").pk, outcome="withdrawn", answer="Never mind this one.")
    answer_question(lead=ada, question_id=Question.objects.earliest("pk").pk, answer="Yes.")
    post_notice(lead=ada, text="We judge until Friday.")
    correct_time(
        lead=ada, member_id=bo.pk, day=Judgment.objects.earliest("pk").given_at.date(), minutes=-3, reason="Tea"
    )
    Import.objects.create(
        collection=ada.collection, member=ada, file_name="show.jsonl", stored_file="show", size=1, state="done"
    )


def compared(collection: Collection) -> None:
    """A worker has compared queries with training captions."""
    half = {"queries": 1, "share": 0.5}
    counts = {"queries": 2, "compared": 2, "from": {"0.85": half, "0.9": half, "0.95": half}}
    near = {"split": "test", "query_id": 7, "query": "A man hands a cup over.", "cosine": 0.912345}
    near |= {"training_query_id": "s01-9", "training_query": "A man is handing a very large cup over to a woman."}
    value = {
        "encoder": "model@0f",
        "pooling": "own",
        "val": counts,
        "test": counts,
        "training": counts,
        "worst": [near],
    }
    name = f"leakage:{collection.draw.pk if hasattr(collection, 'draw') else 0}"
    Computed.objects.create(collection=collection, name=name, as_of=timezone.now(), value={**value, "worst": [near]})


def open_page(log_in: Any, site: str, path: str, user: str = "ada") -> Any:
    page = log_in(user)
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{site}/c/stage/{path}")
    return page


def test_every_page_of_the_desk_is_for_everybody_and_fits_a_phone(
    decided: dict[str, Membership], log_in: Any, site: str
) -> None:
    told(decided)
    compared(decided["ada"].collection)
    page = open_page(log_in, site, "")
    for path in PAGES:
        page.goto(f"{site}/c/stage/{path}")
        look(page, path or "overview")
    query = decided["ada"].collection.queries.earliest("pk")
    for address in (f"/c/stage/work/{query.pk}/", "/", "/tokens/"):
        page.goto(site + address)
        look(page, address)


def test_figures_are_read_and_taken_away_by_keyboard(decided: dict[str, Membership], log_in: Any, site: str) -> None:
    page = open_page(log_in, site, "figures/")
    sections = page.locator("section.plot")
    assert sections.count() == FIGURES
    for place in range(FIGURES):
        section = sections.nth(place)
        title = section.get_by_role("heading").inner_text()
        # The drawing lies under its words and is as wide as it was drawn.
        said, drawn = section.locator("p").first.bounding_box(), section.locator("svg").bounding_box()
        assert drawn["y"] >= said["y"] + said["height"], title
        assert drawn["width"] >= 300, title
        assert section.get_by_role("img").get_attribute("aria-label") or section.locator("svg title").count(), title
    final = page.locator("#final-grades")
    with page.expect_download() as coming:
        final.get_by_role("link", name="SVG").focus()
        page.keyboard.press("Enter")
    assert coming.value.suggested_filename == "stage-final-grades.svg"
    assert ElementTree.parse(coming.value.path()).getroot().tag.endswith("svg")
    with page.expect_download() as coming:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    assert coming.value.suggested_filename == "stage-final-grades.csv"
    rows = list(csv.reader(Path(coming.value.path()).read_text().splitlines()))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    table = final.get_by_role("table")
    table.wait_for()
    shown = [[cell.strip() for cell in row.all_inner_texts()] for row in _cells(table)]
    assert shown == rows
    for summary in page.locator("section.plot summary").all()[:2]:
        summary.click()
    look(page, "figures with their data")


def _cells(table: Any) -> list[Any]:
    return [row.locator("th, td") for row in table.get_by_role("row").all()]


def test_a_list_of_discarded_pairs_keeps_its_place_after_each(
    decided: dict[str, Membership], log_in: Any, site: str
) -> None:
    page = open_page(log_in, site, "discarded/")
    assert page.locator(".discarded-pairs > li").count() == 4
    for key in ("j", "j", "3"):
        page.keyboard.press(key)
    page.keyboard.type("The colour is another.")
    page.keyboard.press("Enter")
    page.get_by_text("Grade 3 saved.").wait_for()
    third = page.locator(".discarded-pairs > li").nth(1)
    page.wait_for_function(
        "document.activeElement.closest('li') === document.querySelectorAll('.discarded-pairs > li')[1]"
        " && document.activeElement.matches('.frame')"
    )
    page.keyboard.press("1")
    page.keyboard.type("Another room.")
    pair = third.locator("form").get_attribute("action").split("/")[-2]
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.discarded-pairs > li').length === 2")
    assert Adjudication.objects.filter(pair_id=int(pair), grade=1).count() == 1
    assert Pair.objects.filter(status="discarded").count() == 4


def test_a_question_s_clip_plays_and_the_answer_goes_to_who_asked(
    decided: dict[str, Membership], log_in: Any, site: str
) -> None:
    told(decided)
    page = open_page(log_in, site, "notices/")
    asked = page.locator(".flags > li")
    assert asked.count() == 3
    asked.first.locator(".frame").focus()
    page.wait_for_function("document.querySelector('.flags video')?.currentTime > 0")
    page.keyboard.press("Tab")
    page.keyboard.type("Only what is seen.")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.flags > li').length === 2")
    answered = Question.objects.get(answer="Only what is seen.")
    assert (answered.annotator, answered.answered_by) == (decided["bo"], decided["ada"])


def test_the_keyboard_passes_over_the_menu(decided: dict[str, Membership], log_in: Any, site: str) -> None:
    page = open_page(log_in, site, "")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_url("**#content")
    page.keyboard.press("Tab")
    page.wait_for_function("document.activeElement.closest('main') !== null")
    # On a phone it is behind a button; Escape leads back to that.
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("innerWidth === 360 && !document.querySelector('#rail').checkVisibility()")
    page.get_by_role("button", name="Menu").focus()
    for key in ("Enter", "Tab"):
        page.keyboard.press(key)
    page.wait_for_function("document.activeElement.matches('#rail a[aria-current=page]')")
    page.click("#rail summary:has-text('Prepare')")
    assert found_by_axe(page).violations_count == 0
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.matches('[popovertarget=rail]')")


BROKEN_WORDS = """
() => [...document.querySelectorAll("table:not(.cards, .stacks) :is(td, th)")].filter((cell) => {
  const words = cell.innerText.trim().split(/\\s+/).filter(Boolean);
  const range = document.createRange();
  range.selectNodeContents(cell);
  const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top / 8))).size;
  return cell.checkVisibility() && lines > words.length + 1;
}).map((cell) => cell.innerText)
"""


def test_no_cell_of_a_table_breaks_within_its_words_on_a_phone(
    decided: dict[str, Membership], log_in: Any, site: str
) -> None:
    refresh_computed(collection=decided["ada"].collection, name="statistics")
    page = log_in("ada", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for path in ("statistics/", "people/", "time/"):
        page.goto(f"{site}/c/{decided['ada'].collection.name}/{path}")
        assert page.locator("table td").count()
        assert page.evaluate(BROKEN_WORDS) == [], path


def test_one_group_of_the_menu_is_open_and_the_current_page_stays_in_sight(
    decided: dict[str, Membership], log_in: Any, site: str
) -> None:
    page = open_page(log_in, site, "studies/")
    page.set_viewport_size({"width": 1280, "height": 400})
    page.reload()
    current = page.locator("#rail [aria-current=page]")
    page.wait_for_function(
        "() => { const at = document.querySelector('#rail [aria-current]').getBoundingClientRect();"
        " return at.top >= 0 && at.bottom <= innerHeight; }"
    )
    page.click("#rail summary:has-text('Prepare')")
    current.wait_for(state="hidden")
    assert page.locator("#rail > details[open]").count() == 1
    assert page.locator("#rail summary[data-here]").inner_text().split() == ["Judge", "·", "Studies"]
    page.click("#rail summary:has-text('Not in use')")
    unused = page.locator("#rail details details a:visible").all_inner_texts()
    assert unused == ["Cast", "Topics", "Runs", "Recipe", "Sample"]
    page.click("#rail details details a:has-text('Cast')")
    page.wait_for_url("**/cast/")
    assert page.locator("#rail details details a[aria-current=page]").is_visible()
    assert found_by_axe(page).violations_count == 0


def test_many_messages_leave_the_clip_its_place_and_go_one_by_one(
    people: dict[str, Membership], log_in: Any, site: str
) -> None:
    for number in range(9):
        post_notice(lead=people["ada"], text=f"Message {number} of nine.")
    page = open_page(log_in, site, "judge/", user="bo")
    page.wait_for_function("document.querySelectorAll('#notices .strip').length === 9")
    page.wait_for_selector("#stage video.on")
    assert page.locator("#stage").bounding_box()["height"] >= 200
    look(page, "judging with nine messages")
    page.locator("#notices button").first.focus()
    for _ in range(9):
        page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('#notices .strip').length === 0")
