"""The guideline: drafted, published in versions, confirmed; safe to show; its examples; practice."""

import json
import re
import uuid
from html.parser import HTMLParser
from typing import Any

import pytest

from annotation.models import Guideline, PracticeAnswer, WorkedItem
from annotation.qualification.exam_sampling import draw_worked_items
from annotation.qualification.guidelines import (
    answer_practice,
    confirm_guideline,
    current_guideline,
    draft_source,
    examples_of,
    practice_of,
    publish_guideline,
    save_draft,
)
from annotation.scale import Scale
from foundation.markdown import to_html
from foundation.refused import Refused
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


class TestMarkdown:
    @pytest.mark.parametrize(
        "nasty",
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHN2Zz4=)",
            "[x](vbscript:x)",
            "![x](https://elsewhere.example/pixel.png)",
            "<javascript:alert(1)>",
            '[x](/a "onmouseover=alert(1)")',
            "<svg/onload=alert(1)>",
            "[a]: javascript:alert(1)\n\n[a]",
        ],
    )
    def test_nothing_in_it_runs_or_fetches(self, nasty: str) -> None:
        seen: list[tuple[str, list[str]]] = []

        class Reader(HTMLParser):
            def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
                seen.append((tag, [f"{name}={value}" for name, value in attrs]))

        Reader().feed(to_html(nasty))
        assert {tag for tag, _ in seen} <= {"p", "a"}
        for attribute in (attribute for _, attributes in seen for attribute in attributes):
            assert attribute.startswith(("href=https://", "href=/a", "title=")), attribute

    def test_tables_lists_and_links_are_there(self) -> None:
        html = to_html("# Title\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- one\n\n[on](https://example.org)")
        for part in ("<h1>Title</h1>", "<td>1</td>", "<li>one</li>", '<a href="https://example.org">on</a>'):
            assert part in html


class TestVersions:
    def test_the_first_draft_is_the_procedure_s_own_text(self, world: World) -> None:
        draft = draft_source(world.collection)
        for factor in ("Match of action", "Visual completeness", "Temporal completeness"):
            assert factor in draft
        # Appendix B.1: what is superfluous costs, persons alone are like stop words.
        for rule in ("prominent place within the frames", "how much of the clip", "3, not 4", "nothing but people"):
            assert rule in draft
        # Its table calls the grades as the judging page does.
        assert re.findall(r"^\| \*\*(\d)\*\* \| ([^|]+) \|", draft, re.MULTILINE) == [
            (str(grade), Scale(4).word(grade, "en")) for grade in (4, 3, 2, 1, 0)
        ]
        world.collection.guideline = "Our own words."
        assert draft_source(world.collection) == "Our own words."

    def test_a_draft_is_nobody_s_but_the_lead_s(self, world: World, client_of: Any) -> None:
        save_draft(lead=world["ada"], source="Half a thought")
        assert "Half a thought" in client_of(world["ada"].account).get("/c/paper/guideline/edit/").content.decode()
        bo = client_of(world["bo"].account)
        assert "Half a thought" not in bo.get("/c/paper/guideline/").content.decode()
        assert "Half a thought" not in bo.get("/c/paper/judge/guideline").content.decode()

    def test_publishing_numbers_the_versions_and_keeps_the_old(self, world: World, client_of: Any) -> None:
        publish_guideline(lead=world["ada"], source="The first *words*.")
        publish_guideline(lead=world["ada"], source="The second words.", note="clearer")
        world.collection.refresh_from_db()
        assert world.collection.guideline_version == 2
        bo = client_of(world["bo"].account)
        assert "The second words." in bo.get("/c/paper/guideline/").content.decode()
        assert "<em>words</em>" in bo.get("/c/paper/guideline/1/").content.decode()
        assert "clearer" in bo.get("/c/paper/guideline/1/").content.decode()
        for number in (0, 3, 10**30):
            assert bo.get(f"/c/paper/guideline/{number}/").status_code == 404

    def test_the_same_again_is_no_new_version(self, world: World) -> None:
        for _ in range(2):
            publish_guideline(lead=world["ada"], source="Words.")
        assert Guideline.objects.count() == 1

    @pytest.mark.parametrize(("source", "note"), [("", "x"), ("  \n", "x"), ("New.", ""), ("New.", "  ")])
    def test_no_text_or_no_note_is_refused(self, world: World, source: str, note: str) -> None:
        publish_guideline(lead=world["ada"], source="Words.")
        with pytest.raises(Refused, match=r"the text is empty|what has changed since"):
            publish_guideline(lead=world["ada"], source=source, note=note)
        assert Guideline.objects.count() == 1

    def test_examples_are_frozen_with_their_version(self, world: World) -> None:
        moment = world.queries[0].candidates.first().moment
        item = WorkedItem.objects.create(
            collection=world.collection,
            use="example",
            description=world.queries[0].description,
            query="A man waves.",
            moment=moment,
            grade=4,
            why="He does.",
        )
        publish_guideline(lead=world["ada"], source="Words.")
        item.why = "He waves twice."
        item.save()
        publish_guideline(lead=world["ada"], source="Words.", note="examples")
        whys = [examples_of(version)[0].why for version in Guideline.objects.order_by("version")]
        assert whys == ["He does.", "He waves twice."]

    def test_an_example_without_a_grade_is_not_shown(self, world: World) -> None:
        WorkedItem.objects.create(
            collection=world.collection,
            use="example",
            description=world.queries[0].description,
            query="A man waves.",
            moment=world.queries[0].candidates.first().moment,
        )
        assert publish_guideline(lead=world["ada"], source="Words.").examples == []


class TestConfirming:
    def post(self, client: Any, version: object) -> Any:
        return client.post("/c/paper/judge/guideline/confirm", json.dumps({"version": version}), "application/json")

    def test_a_new_version_asks_everybody_again(self, world: World, client_of: Any) -> None:
        bo = client_of(world["bo"].account)
        publish_guideline(lead=world["ada"], source="One.")
        asked = bo.post("/c/paper/judge/next", "{}", "application/json").json()
        assert (asked["confirm"], asked["tasks"]) == (1, [])
        assert bo.get("/c/paper/judge/guideline").json() == {
            "version": 1,
            "html": bo.get("/c/paper/judge/guideline").json()["html"],
            "confirmed": False,
        }
        answer = self.post(bo, 1)
        assert answer.status_code == 200 and len(answer.json()["tasks"]) == 3
        assert bo.get("/c/paper/judge/guideline").json()["confirmed"] is True
        publish_guideline(lead=world["ada"], source="Two.", note="more")
        going = bo.post("/c/paper/judge/next", "{}", "application/json").json()
        assert "confirm" not in going and len(going["tasks"]) == 3, "a sitting that has begun goes on"
        bo.post("/c/paper/judge/leave")
        asked = bo.post("/c/paper/judge/next", "{}", "application/json").json()
        assert (asked["confirm"], asked["tasks"]) == (2, []), "the next one begins with the new version"

    def test_who_began_before_the_first_version_is_asked_once_the_sitting_is_over(
        self, world: World, client_of: Any
    ) -> None:
        bo = client_of(world["bo"].account)
        assert len(bo.post("/c/paper/judge/next", "{}", "application/json").json()["tasks"]) == 3
        publish_guideline(lead=world["ada"], source="One.")
        for left in (2, 1, 0):
            task = bo.post("/c/paper/judge/next", "{}", "application/json").json()["tasks"][0]
            grade = {"pair": task["pair"], "grade": 2, "key": str(uuid.uuid4()), "played": 1.0}
            answer = bo.post("/c/paper/judge/grade", json.dumps(grade), "application/json").json()
            assert len(answer["tasks"]) == left and answer.get("confirm") == (None if left else 1)

    def test_an_older_version_can_not_be_confirmed(self, world: World, client_of: Any) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        publish_guideline(lead=world["ada"], source="Two.", note="more")
        bo = client_of(world["bo"].account)
        for version in (0, 1, 3):
            answer = self.post(bo, version)
            assert answer.status_code == 409
            assert "has changed meanwhile" in answer.json()["message"]
        world["bo"].refresh_from_db()
        assert world["bo"].guideline_confirmed == 0

    @pytest.mark.parametrize("version", ["1", None, True, 1.5, [1]], ids=repr)
    def test_what_is_no_version_is_a_400(self, world: World, client_of: Any, version: object) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        assert self.post(client_of(world["bo"].account), version).status_code == 400

    @pytest.mark.parametrize("body", [b"", b"[", b"[]", b"\xff", b"[" * 100_000], ids=lambda body: repr(body[:5]))
    def test_what_is_no_json_is_a_400(self, world: World, client_of: Any, body: bytes) -> None:
        bo = client_of(world["bo"].account)
        answer = bo.post("/c/paper/judge/guideline/confirm", body, "application/json")
        assert answer.status_code == 400

    def test_confirming_never_goes_back(self, world: World) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        for _ in range(2):
            confirm_guideline(member=world["bo"], version=1)
        world["bo"].refresh_from_db()
        assert world["bo"].guideline_confirmed == 1

    def test_without_a_version_there_is_nothing_to_confirm(self, world: World) -> None:
        assert current_guideline(world.collection) is None
        with pytest.raises(Refused, match="has changed meanwhile"):
            confirm_guideline(member=world["bo"], version=0)

    def test_an_applicant_is_answered_without_any_pair(self, world: World, client_of: Any) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        world["bo"].status = "applicant"
        world["bo"].save()
        answer = self.post(client_of(world["bo"].account), 1)
        assert (answer.status_code, answer.content) == (204, b"")

    def test_the_button_under_the_page_leads_on(self, world: World, client_of: Any) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        bo = client_of(world["bo"].account)
        assert bo.post("/c/paper/guideline/confirm", {"version": "1"})["Location"] == "/c/paper/judge/"
        for version in ("", "x", "-1", "9" * 40, "²"):
            assert bo.post("/c/paper/guideline/confirm", {"version": version})["Location"] == "/c/paper/guideline/"


class TestTheEditor:
    def test_saving_previews_and_publishing_publishes(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        assert "Match of action" in ada.get("/c/paper/guideline/edit/").content.decode()
        page = ada.post("/c/paper/guideline/edit/", {"source": "**Bold**\r\nwords", "action": "save"})
        assert "<strong>Bold</strong>" in page.content.decode()
        assert not Guideline.objects.exists()
        done = ada.post("/c/paper/guideline/edit/", {"source": "**Bold** words", "action": "publish"})
        assert done["Location"] == "/c/paper/guideline/"
        assert Guideline.objects.get().source == "**Bold** words"

    def test_publishing_a_change_without_a_note_says_what_is_missing_and_keeps_the_text(
        self, world: World, client_of: Any
    ) -> None:
        publish_guideline(lead=world["ada"], source="One.")
        ada = client_of(world["ada"].account)
        page = ada.post("/c/paper/guideline/edit/", {"source": "Two.", "action": "publish"}).content.decode()
        assert "Say in one line what has changed" in page and "Two." in page

    def test_markup_in_the_text_stays_text(self, world: World, client_of: Any) -> None:
        nasty = "</textarea><script>alert(1)</script>"
        page = client_of(world["ada"].account).post("/c/paper/guideline/edit/", {"source": nasty})
        assert "<script>alert" not in page.content.decode()


class TestPractice:
    @pytest.fixture
    def items(self, school: World) -> list[WorkedItem]:
        items = draw_worked_items(collection=school.collection, use="practice", seed=1, queries=2, candidates=2)
        for grade, item in enumerate(items):
            item.grade, item.why = grade, f"Because of {grade}."
            item.save()
        return items

    def test_it_goes_from_item_to_item_and_tells_after_each(self, school: World, items: list[WorkedItem]) -> None:
        bo = school["bo"]
        for done in range(4):
            state = practice_of(bo)
            assert (state.items, state.done) == (4, done)
            item = state.left[0]
            told = answer_practice(member=bo, item_id=item.public_id, grade=0, played=None)
            assert (told.truth, told.why, told.out) == (item.grade, item.why, item.grade > 1)
        assert practice_of(bo).left == []

    def test_the_first_answer_is_kept(self, school: World, items: list[WorkedItem]) -> None:
        for grade in (4, 0):
            answer_practice(member=school["bo"], item_id=items[0].public_id, grade=grade, played=None)
        assert [answer.grade for answer in PracticeAnswer.objects.all()] == [4]

    def test_an_item_without_a_grade_is_shown_to_nobody(self, school: World, items: list[WorkedItem]) -> None:
        WorkedItem.objects.filter(pk=items[0].pk).update(grade=None)
        assert practice_of(school["bo"]).items == 3
        with pytest.raises(WorkedItem.DoesNotExist):
            answer_practice(member=school["bo"], item_id=items[0].public_id, grade=1, played=None)

    def test_another_collection_s_item_is_none_of_mine(self, school: World, items: list[WorkedItem]) -> None:
        other = build_world(name="other")
        with pytest.raises(WorkedItem.DoesNotExist):
            answer_practice(member=other["bo"], item_id=items[0].public_id, grade=1, played=None)
