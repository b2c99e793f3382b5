"""The survey: optional answers, nobody's but one's own, added up once of each person."""

import uuid
from typing import Any

import pytest

from annotation.consent.standing import confirm_consent, withdraw_consent
from annotation.consent.survey import answer_survey, answers_of, ask_question, choices_of, questions_of, retire_question
from annotation.consent.survey_sums import rows_of, sum_up, sums_of
from annotation.consent.texts import publish_consent
from annotation.models import Judgment, Pair, SurveyAnswer, SurveyQuestion, SurveySum
from foundation.collections.members import add_member
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.conftest import World, find_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(world: World) -> World:
    publish_consent(lead=world["ada"], source="Words.", on_withdrawal="kept")
    return find_world()


def tea(world: World) -> SurveyQuestion:
    return ask_question(lead=world["ada"], kind="choice", text="Tea?", options=["yes", "no"])


def crowd(world: World, number: int, begin: int = 0) -> list[Membership]:
    """Annotators who have judged and agree."""
    pair = Pair.objects.first()
    people = [
        add_member(
            collection=world.collection, account=Account.objects.create(username=f"p{begin + one}"), role="annotator"
        )
        for one in range(number)
    ]
    for member in people:
        confirm_consent(member=member, version=1)
        Judgment.objects.create(pair=pair, annotator=member, grade=1, round=1, key=uuid.uuid4())
    return people


class TestQuestions:
    def test_it_takes_a_consent_text_first(self, world: World) -> None:
        with pytest.raises(Refused, match="Publish a consent text first"):
            tea(world)

    @pytest.mark.parametrize(
        ("kind", "text", "options", "field"),
        [
            ("riddle", "What?", ["a", "b"], "kind"),
            ("choice", "", ["a", "b"], "text"),
            ("choice", "\u200b", ["a", "b"], "text"),
            ("choice", "x" * 301, ["a", "b"], "text"),
            ("choice", "One?", ["a"], "options"),
            ("choice", "Same?", ["a", "a"], "options"),
            ("choice", "Long?", ["a", "b" * 101], "options"),
            ("choice", "Many?", [str(one) for one in range(61)], "options"),
            ("number", "Age?", ["18", "x"], "options"),
            ("number", "Age?", ["25", "18"], "options"),
            ("number", "Age?", [], "options"),
            ("number", "Age?", ["1" * 101], "options"),
            ("number", "Age?", [str(one) for one in range(61)], "options"),
        ],
    )
    def test_what_can_t_be_asked(self, asked: World, kind: str, text: str, options: list[str], field: str) -> None:
        with pytest.raises(Refused) as refusal:
            ask_question(lead=asked["ada"], kind=kind, text=text, options=options)
        assert refusal.value.field == field and not SurveyQuestion.objects.exists()

    def test_a_question_and_its_answers_are_a_line_each(self, asked: World) -> None:
        made = ask_question(lead=asked["ada"], kind="choice", text="Tea\n\nor  not?", options=["y\nes", "\n", "no "])
        assert (made.text, made.options) == ("Tea or not?", ["y es", "no"])

    def test_kinds(self, asked: World) -> None:
        age = ask_question(lead=asked["ada"], kind="number", text="Age?", options=["18", " 25 ", ""])
        assert age.options == ["<18", "18-24", "25+"]
        language = ask_question(lead=asked["ada"], kind="language", text="Language?", options=["ignored"])
        assert ("de", "Deutsch") in choices_of(language) and not any("-" in code for code, _ in choices_of(language))
        with pytest.raises(Refused, match="asked already"):
            ask_question(lead=asked["ada"], kind="number", text="Age?", options=["18"])
        retire_question(lead=asked["ada"], question_id=age.pk)
        assert questions_of(asked.collection) == [language]


class TestAnswers:
    def test_they_are_optional_and_rather_not_say_is_stored_as_nothing(self, asked: World) -> None:
        question, other = tea(asked), ask_question(lead=asked["ada"], kind="language", text="Language?", options=[])
        with pytest.raises(Refused, match="consent text"):
            answer_survey(member=asked["bo"], answers={question.pk: "yes"})
        confirm_consent(member=asked["bo"], version=1)
        answer_survey(member=asked["bo"], answers={question.pk: "yes", other.pk: ""})
        assert answers_of(asked["bo"]) == {question.pk: "yes"}
        answer_survey(member=asked["bo"], answers={other.pk: "de"})
        assert answers_of(asked["bo"]) == {question.pk: "yes", other.pk: "de"}
        answer_survey(member=asked["bo"], answers={question.pk: ""})
        assert answers_of(asked["bo"]) == {other.pk: "de"}
        for bad in ({question.pk: "perhaps"}, {question.pk + 99: "yes"}, {question.pk: "no", other.pk: "tlh"}):
            with pytest.raises(Refused):
                answer_survey(member=asked["bo"], answers=bad)
        assert answers_of(asked["bo"]) == {other.pk: "de"}, "nothing is half done"
        with pytest.raises(Refused, match="you lead"):
            answer_survey(member=asked["ada"], answers={question.pk: "yes"})

    def test_by_the_page(self, asked: World, client_of: Any) -> None:
        question = tea(asked)
        bo, page = client_of(asked["bo"].account), "/c/paper/survey/"
        assert "confirm it first" in bo.get(page).content.decode()
        assert bo.post(page, {f"q{question.pk}": "yes"}).status_code == 200 and not SurveyAnswer.objects.exists()
        assert bo.post("/c/paper/consent/confirm", {"version": "1"}).url == page
        assert "Rather not say" in bo.get(page).content.decode()
        assert bo.post(page, {f"q{question.pk}": "yes"}).status_code == 302
        assert 'value="yes" selected' in bo.get(page).content.decode()
        later = ask_question(lead=asked["ada"], kind="language", text="Which language?", options=[])
        assert bo.post(page, {f"q{later.pk}": "de"}).status_code == 302
        assert bo.post(page, {f"q{question.pk}": "no"}).status_code == 302, "by a page that is older than the question"
        assert answers_of(asked["bo"]) == {question.pk: "no", later.pk: "de"}
        assert bo.post(page, {f"q{question.pk}": ""}).status_code == 302
        assert answers_of(asked["bo"]) == {later.pk: "de"}
        assert bo.post(page, {"action": "delete"}).status_code == 302 and not SurveyAnswer.objects.exists()
        assert "Tea?" in client_of(asked["ada"].account).get(page).content.decode()


class TestSums:
    def test_fewer_than_ten_are_not_summed_up(self, asked: World) -> None:
        question = tea(asked)
        for member in crowd(asked, 9):
            answer_survey(member=member, answers={question.pk: "yes"})
        assert sum_up(collection=asked.collection) == 0
        (sums,) = sums_of(asked.collection)
        assert (sums.told, sums.people, sums.waiting) == ({}, 0, 9) and rows_of([sums]) == []

    def test_each_person_is_in_one_sum_whatever_they_do_later(self, asked: World) -> None:
        question = tea(asked)
        first = crowd(asked, 12)
        for member in first[:7]:
            answer_survey(member=member, answers={question.pk: "yes"})
        assert sum_up(collection=asked.collection) == 1 and sum_up(collection=asked.collection) == 0
        told = {"yes": 5}
        assert [(each.told, each.rest, each.people) for each in sums_of(asked.collection)] == [(told, 7, 12)]
        # Three more who answer, one who changes, one who withdraws: nothing that was told moves.
        answer_survey(member=first[0], answers={question.pk: "no"})
        answer_survey(member=first[8], answers={question.pk: "yes"})
        withdraw_consent(member=first[1])
        crowd(asked, 9, begin=12)
        assert sum_up(collection=asked.collection) == 0
        assert [(each.told, each.rest, each.waiting) for each in sums_of(asked.collection)] == [(told, 7, 9)]
        (last,) = crowd(asked, 1, begin=21)
        answer_survey(member=last, answers={question.pk: "yes"})
        assert sum_up(collection=asked.collection) == 1
        assert [made.told for made in SurveySum.objects.order_by("pk")] == [told, {}]
        assert rows_of(sums_of(asked.collection)) == [("Tea?", "yes", 5), ("Tea?", "", 17)]

    def test_a_retired_question_keeps_its_sums_alone(self, asked: World) -> None:
        question = tea(asked)
        for member in crowd(asked, 10):
            answer_survey(member=member, answers={question.pk: "yes"})
        sum_up(collection=asked.collection)
        retire_question(lead=asked["ada"], question_id=question.pk)
        assert not SurveyAnswer.objects.exists() and rows_of(sums_of(asked.collection)) == [
            ("Tea?", "yes", 5),
            ("Tea?", "", 5),
        ]

    def test_the_lead_s_page_and_csv_have_sums_and_nobody_s_answer(self, asked: World, client_of: Any) -> None:
        ada, page = client_of(asked["ada"].account), "/c/paper/survey/edit/"
        assert "How old are you?" in ada.get(f"{page}?template=age").content.decode()
        sent = {"kind": "choice", "text": "=Tea?", "options": "yes\nno\n"}
        assert ada.post(page, {**sent, "options": "yes"}).status_code == 400
        assert ada.post(page, sent).status_code == 302
        question = SurveyQuestion.objects.get()
        for member in crowd(asked, 11)[:6]:
            answer_survey(member=member, answers={question.pk: "no"})
        before = ada.get(page).content.decode()
        assert "11 annotators are in no sum yet; it takes 10." in before
        assert "People, at least" not in before
        assert ada.post("/c/paper/survey/edit/sum").status_code == 302
        rows = ada.get(f"{page}csv").content.decode().splitlines()
        assert rows == ["question,answer,people", "'=Tea?,no,5", "'=Tea?,,6"]
        assert "Not asked" not in ada.get(page).content.decode()
        ada.post(f"{page}{question.pk}/retire")
        assert "Not asked any more." in ada.get(page).content.decode()
        for address in (page, f"{page}csv"):
            assert client_of(asked["bo"].account).get(address).status_code == 403
