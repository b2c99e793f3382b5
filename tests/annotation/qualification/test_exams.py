"""The exam: what it is drawn from, sitting it, the cohort's truth, feedback, judging again, the lead's decision."""

import uuid
from typing import Any

import pytest

from annotation.models import Exam, ExamAnswer, ExamSitting, Judgment, Pair, WorkedItem
from annotation.qualification.exam_results import exam_results
from annotation.qualification.exam_sampling import current_exam, draw_exam, draw_worked_items, drawable_queries
from annotation.qualification.exams import (
    answer_before,
    answer_exam,
    begin_exam,
    close_cohort,
    decide_applicant,
    exam_feedback,
    hand_in,
    items_left,
    judge_again,
    open_exam,
    take_back_answer,
)
from annotation.qualification.guidelines import answer_practice, confirm_guideline, publish_guideline
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import Query
from tests.annotation.conftest import Hall
from tests.conftest import World, build_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("school_of_the_file")]


def answer(sitting: ExamSitting, grade: int = 2, **more: object) -> ExamAnswer:
    item = items_left(sitting)[0]
    sent = {"item_id": item.public_id, "grade": grade, "key": uuid.uuid4(), "played": None, **more}
    return answer_exam(sitting=sitting, **sent)


class TestDrawing:
    def test_no_query_is_asked_that_is_judged_for_real(self, school: World) -> None:
        drawn = draw_exam(collection=school.collection, seed=3, queries=10, candidates=10)
        assert drawn.shortage == ""
        assert drawn.exam.items.count() == 100
        asked = set(drawn.exam.items.values_list("query", flat=True))
        assert len(asked) == 10
        assert not asked & set(Query.objects.values_list("text", flat=True))

    def test_a_seed_draws_the_same_again(self, school: World) -> None:
        first, again, other = (
            list(
                draw_exam(collection=school.collection, seed=seed, queries=3, candidates=4)
                .exam.items.order_by("pk")
                .values_list("query", "moment", "rank")
            )
            for seed in (7, 7, 8)
        )
        assert first == again != other
        assert Exam.objects.count() == 1, "nobody had begun the others"

    def test_a_small_collection_says_what_it_has(self, school: World) -> None:
        drawn = draw_exam(collection=school.collection, seed=1, queries=20, candidates=10)
        assert drawn.shortage == (
            "The collection is small: the exam has 12 queries with 120 clips in all, instead of 20 with 200."
        )

    def test_without_candidates_it_says_what_to_run(self, db: None) -> None:
        # Candidates are files: this name has none left from another test.
        with pytest.raises(Refused, match="fetch them on the page Candidates"):
            draw_exam(collection=build_world(name="bare").collection, seed=1)

    def test_without_a_query_left_it_says_so(self, school: World) -> None:
        for caption in drawable_queries(school.collection):
            Query.objects.create(
                collection=school.collection,
                description_id=caption.description,
                split="val",
                text=caption.text,
                normalised=caption.normalised,
                position=caption.description,
            )
        with pytest.raises(Refused, match="no pseudo-training query left"):
            draw_exam(collection=school.collection, seed=1)

    def test_moments_without_a_clip_are_left_out(self, school: World) -> None:
        school.collection.has_clips = True
        school.collection.save()
        with pytest.raises(Refused, match="no pseudo-training query left"):
            draw_exam(collection=school.collection, seed=1)

    def test_practice_and_exam_share_no_query(self, school: World) -> None:
        practice = draw_worked_items(collection=school.collection, use="practice", seed=1, queries=4)
        assert len(practice) == 20
        exam = draw_exam(collection=school.collection, seed=1, queries=8, candidates=2).exam
        assert not {item.query for item in practice} & set(exam.items.values_list("query", flat=True))
        with pytest.raises(Refused, match="no pseudo-training query left"):
            draw_worked_items(collection=school.collection, use="example", seed=1, queries=1)

    def test_worked_items_are_spread_over_the_ranking(self, school: World) -> None:
        items = draw_worked_items(collection=school.collection, use="practice", seed=1, queries=1, candidates=3)
        ranking = next(row for row in drawable_queries(school.collection) if row.text == items[0].query).moments
        assert [ranking.index(item.moment_id) for item in items] == [0, 6, 13]

    def test_an_exam_that_somebody_sits_is_not_thrown_away(self, hall: Hall) -> None:
        hall.begin("bo")
        with pytest.raises(Refused, match="Close its first cohort"):
            draw_exam(collection=hall.collection, seed=9)

    def test_a_new_exam_after_the_first_leaves_the_old_as_it_was(self, hall: Hall) -> None:
        for name in ("bo", "cy"):
            hall.sit(name, lambda place: 2)
        close_cohort(exam=hall.exam)
        draw_exam(collection=hall.collection, seed=9, queries=2, candidates=2)
        newest = current_exam(hall.collection)
        assert newest is not None and newest.number == 2
        assert hall.exam.items.filter(truth=2).count() == 12


class TestSitting:
    def test_nobody_begins_before_the_lead_has_opened_it(self, school: World) -> None:
        exam = draw_exam(collection=school.collection, seed=1, queries=2, candidates=2).exam
        with pytest.raises(Refused, match="hasn't opened the exam"):
            begin_exam(member=school["bo"])
        open_exam(exam=exam)
        open_exam(exam=exam)
        assert begin_exam(member=school["bo"]) == begin_exam(member=school["bo"])

    def test_guideline_and_practice_come_first(self, hall: Hall) -> None:
        bo = hall.world["bo"]
        publish_guideline(lead=hall.world["ada"], source="Look.")
        bo.collection.refresh_from_db()
        (item,) = draw_worked_items(collection=hall.collection, use="practice", seed=1, queries=1, candidates=1)
        WorkedItem.objects.update(grade=3)
        with pytest.raises(Refused, match="confirm it first"):
            begin_exam(member=bo)
        confirm_guideline(member=bo, version=1)
        with pytest.raises(Refused, match="Finish the practice"):
            begin_exam(member=bo)
        answer_practice(member=bo, item_id=item.public_id, grade=0, played=None)
        assert begin_exam(member=bo).exam == hall.exam

    def test_who_is_admitted_already_sits_no_exam(self, hall: Hall) -> None:
        bo = hall.world["bo"]
        bo.status = Membership.Status.ADMITTED
        with pytest.raises(Refused, match="in training"):
            begin_exam(member=bo)

    def test_everybody_has_an_order_of_their_own_a_query_after_the_other(self, hall: Hall) -> None:
        orders = [[item.pk for item in items_left(hall.begin(name))] for name in ("bo", "cy", "di")]
        assert len({tuple(order) for order in orders}) == 3
        assert len({tuple(sorted(order)) for order in orders}) == 1
        queries = [item.query for item in items_left(hall.begin("bo"))]
        assert all(queries[place] == queries[place + 1] for place in (0, 1, 2, 4, 5, 6, 8, 9, 10))
        assert [item.pk for item in items_left(hall.begin("bo"))] == orders[0], "and keeps it"

    def test_the_same_key_is_one_answer(self, hall: Hall) -> None:
        sitting = hall.begin("bo")
        key, item = uuid.uuid4(), items_left(sitting)[0].public_id
        first = answer(sitting, 1, key=key)
        assert answer_exam(sitting=sitting, item_id=item, grade=4, key=key, played=None) == first
        assert [kept.grade for kept in ExamAnswer.objects.all()] == [1]
        with pytest.raises(Refused, match="belongs to another clip"):
            answer(sitting, 1, key=key)

    def test_of_two_grades_of_a_clip_the_first_stands_and_the_second_key_takes_it_back(self, hall: Hall) -> None:
        sitting = hall.begin("bo")
        key, item = uuid.uuid4(), items_left(sitting)[0].public_id
        first = answer(sitting, 1)
        second = answer_exam(sitting=sitting, item_id=item, grade=4, key=key, played=None)
        assert answer_before(second) == first
        assert take_back_answer(sitting=sitting, key=key) == first
        assert item in [left.public_id for left in items_left(sitting)]
        assert take_back_answer(sitting=sitting, key=key) == second, "the same again changes nothing"

    @pytest.mark.parametrize("grade", [-1, 5])
    def test_a_grade_outside_the_scale_is_refused(self, hall: Hall, grade: int) -> None:
        with pytest.raises(Refused, match="from 0 to 4"):
            answer(hall.begin("bo"), grade)

    def test_a_collection_s_lower_top_grade_holds_here_too(self, hall: Hall) -> None:
        hall.collection.top_grade = 2
        hall.collection.save()
        with pytest.raises(Refused, match="from 0 to 2"):
            answer(hall.begin("bo"), 3)

    def test_the_clip_has_to_be_seen(self, hall: Hall) -> None:
        hall.collection.has_clips = True
        hall.collection.save()
        sitting = hall.begin("bo")
        for played in (None, 0.79):
            with pytest.raises(Refused, match="at least 80%"):
                answer(sitting, played=played)
        answer(sitting, played=0.8)

    def test_an_item_of_another_exam_is_refused(self, hall: Hall) -> None:
        with pytest.raises(Refused, match="isn't part of your exam"):
            answer(hall.begin("bo"), item_id=uuid.uuid4())

    def test_undo_keeps_the_answer_and_brings_its_item_back(self, hall: Hall) -> None:
        sitting = hall.begin("bo")
        first = answer(sitting, 4)
        order = items_left(sitting)
        taken = take_back_answer(sitting=sitting)
        assert taken == first and taken.taken_back_at is not None
        assert items_left(sitting)[0] == first.item and len(items_left(sitting)) == len(order) + 1
        assert take_back_answer(sitting=sitting, key=first.key) == first, "the same again changes nothing"
        answer(sitting, 1)
        assert ExamAnswer.objects.count() == 2

    def test_undo_without_an_answer_or_of_another_one_is_refused(self, hall: Hall) -> None:
        sitting = hall.begin("bo")
        with pytest.raises(Refused, match="nothing to take back"):
            take_back_answer(sitting=sitting)
        first = answer(sitting)
        answer(sitting)
        with pytest.raises(Refused, match="nothing to take back"):
            take_back_answer(sitting=sitting, key=first.key)

    def test_handing_in_needs_every_item_and_ends_undo(self, hall: Hall) -> None:
        sitting = hall.begin("bo")
        with pytest.raises(Refused, match="12 clips are still"):
            hand_in(sitting=sitting)
        sitting = hall.sit("bo", lambda place: 2)
        hand_in(sitting=sitting)
        with pytest.raises(Refused, match="its grades stand"):
            take_back_answer(sitting=sitting)

    def test_the_exam_touches_no_pair_and_no_judgment(self, hall: Hall) -> None:
        before = list(Pair.objects.order_by("pk").values())
        for name in ("bo", "cy"):
            hall.sit(name, lambda place: place % 5)
        close_cohort(exam=hall.exam)
        assert list(Pair.objects.order_by("pk").values()) == before
        assert not Judgment.objects.exists()


class TestTruth:
    def test_the_cohort_s_median_is_the_truth_and_a_half_is_possible(self, hall: Hall) -> None:
        for name, grade in (("bo", 1), ("cy", 2), ("di", 4), ("ed", 3)):
            hall.sit(name, lambda place, grade=grade: grade if place else 0)
        assert close_cohort(exam=hall.exam) == 4
        truths = list(hall.exam.items.order_by("pk").values_list("truth", flat=True))
        assert truths == [0.0] + [2.5] * 11

    def test_who_never_finishes_holds_up_nobody_and_is_compared_later(self, hall: Hall) -> None:
        hall.begin("di")
        for name in ("bo", "cy"):
            hall.sit(name, lambda place: 3)
        assert close_cohort(exam=hall.exam) == 2
        late = hall.sit("di", lambda place: 0)
        assert not late.cohort
        assert set(hall.exam.items.values_list("truth", flat=True)) == {3.0}, "frozen"
        assert len([row for row in exam_feedback(late) if row.now.out]) == 12

    def test_closing_again_changes_nothing(self, hall: Hall) -> None:
        for name in ("bo", "cy"):
            hall.sit(name, lambda place: 3)
        close_cohort(exam=hall.exam)
        hall.sit("di", lambda place: 0)
        assert close_cohort(exam=hall.exam) == 2
        assert set(hall.exam.items.values_list("truth", flat=True)) == {3.0}

    def test_one_person_s_grades_are_no_truth(self, hall: Hall) -> None:
        hall.sit("bo", lambda place: 3)
        with pytest.raises(Refused, match="1 of at least 2"):
            close_cohort(exam=hall.exam)

    def test_nobody_learns_anything_before_the_truth_is_frozen_and_the_exam_handed_in(self, hall: Hall) -> None:
        bo = hall.sit("bo", lambda place: 3)
        assert exam_feedback(bo) == []
        di = hall.begin("di")
        hall.sit("cy", lambda place: 3)
        close_cohort(exam=hall.exam)
        di.refresh_from_db()
        assert exam_feedback(di) == []


class TestJudgingAgain:
    @pytest.fixture
    def out(self, hall: Hall) -> ExamSitting:
        for name in ("bo", "cy"):
            hall.sit(name, lambda place: 3)
        close_cohort(exam=hall.exam)
        return hall.sit("di", lambda place: 0 if place == 5 else 3)

    def test_what_was_out_comes_first_and_is_judged_until_it_agrees(self, out: ExamSitting) -> None:
        rows = exam_feedback(out)
        assert [row.now.out for row in rows] == [True] + [False] * 11
        item = rows[0].item.public_id
        first = judge_again(sitting=out, item_id=item, grade=1, key=uuid.uuid4(), played=None)
        assert (first.out, first.truth) == (True, 3.0)
        second = judge_again(sitting=out, item_id=item, grade=2, key=uuid.uuid4(), played=None)
        assert not second.out
        after = exam_feedback(out)
        assert not any(row.now.out for row in after)
        assert (after[0].first.grade, after[0].now.grade) == (0, 2)
        assert list(out.answers.filter(item=after[0].item).order_by("turn").values_list("turn", "grade")) == [
            (1, 0),
            (2, 1),
            (3, 2),
        ]

    def test_sent_twice_it_is_one(self, out: ExamSitting) -> None:
        item, key = exam_feedback(out)[0].item.public_id, uuid.uuid4()
        for _ in range(2):
            judge_again(sitting=out, item_id=item, grade=1, key=key, played=None)
        assert out.answers.filter(turn__gt=1).count() == 1

    def test_what_is_in_consensus_stays(self, out: ExamSitting) -> None:
        item = exam_feedback(out)[-1].item.public_id
        with pytest.raises(Refused, match="in consensus already"):
            judge_again(sitting=out, item_id=item, grade=0, key=uuid.uuid4(), played=None)

    def test_the_first_answers_alone_make_the_results(self, hall: Hall, out: ExamSitting) -> None:
        item = exam_feedback(out)[0].item.public_id
        judge_again(sitting=out, item_id=item, grade=3, key=uuid.uuid4(), played=None)
        results = exam_results(hall.collection)
        assert results.out == pytest.approx(1 / 36)
        di = next(person for person in results.people if person.member.pk == out.applicant_id)
        assert (di.out, di.waiting, di.stage) == (pytest.approx(1 / 12), 0, "in consensus")
        assert di.differences == [0, 1, 0, 0, 11, 0, 0, 0, 0]
        assert di.bias == pytest.approx(-0.25)

    def test_agreement_is_told_of_first_answers_and_of_those_after_relabelling(self, hall: Hall) -> None:
        def truth(place: int) -> int:
            return 3 if place < 6 else 1

        for name in ("bo", "cy"):
            hall.sit(name, truth)
        close_cohort(exam=hall.exam)
        di = hall.sit("di", lambda place: 0 if place == 0 else truth(place))
        before = exam_results(hall.collection)
        # bo and di agree on 11 of 12; by chance on 6/12 * 5/12 + 6/12 * 6/12.
        kappa = (11 / 12 - 66 / 144) / (1 - 66 / 144)
        assert before.agreement.kappa == before.relabelled.kappa == pytest.approx((1 + 2 * kappa) / 3)
        judge_again(sitting=di, item_id=exam_feedback(di)[0].item.public_id, grade=3, key=uuid.uuid4(), played=None)
        after = exam_results(hall.collection)
        assert after.agreement == before.agreement
        assert after.relabelled.kappa == after.relabelled.alpha == pytest.approx(1)


class TestResults:
    def test_they_follow_everybody_from_training_on(self, hall: Hall) -> None:
        hall.sit("bo", lambda place: place % 5)
        hall.begin("cy")
        results = exam_results(hall.collection)
        stages = {person.member.worker: person.stage for person in results.people}
        names = ("bo", "cy", "di")
        assert [stages[hall.world[name].worker] for name in names] == ["handed in", "exam", "ready for the exam"]
        assert (results.out, results.agreement.kappa) == (None, None)
        assert (results.handed_in, results.begun) == (1, 1)

    def test_agreement_is_over_all_who_handed_in(self, hall: Hall) -> None:
        for name in ("bo", "cy", "di"):
            hall.sit(name, lambda place: place % 5)
        results = exam_results(hall.collection)
        assert results.agreement.people == 3
        assert results.agreement.kappa == results.agreement.weighted == results.agreement.alpha == pytest.approx(1)

    def test_the_queries_do_not_grow_with_those_who_sat_it(
        self, hall: Hall, django_assert_max_num_queries: Any
    ) -> None:
        for name in ("bo", "cy", "di", "ed", "flo"):
            hall.sit(name, lambda place: 2)
        with django_assert_max_num_queries(6):
            exam_results(hall.collection)

    def test_without_an_exam_there_are_people_alone(self, school: World) -> None:
        results = exam_results(school.collection)
        assert results.exam is None and len(results.people) == 5


class TestDeciding:
    def test_the_lead_admits_or_declines_and_may_change_their_mind(self, school: World) -> None:
        for admit, status in ((False, "declined"), (False, "declined"), (True, "admitted"), (True, "admitted")):
            decide_applicant(member=school["bo"], admit=admit)
            school["bo"].refresh_from_db()
            assert school["bo"].status == status

    @pytest.mark.parametrize("status", ["paused", "barred"])
    def test_who_waits_for_no_decision_gets_none(self, school: World, status: str) -> None:
        bo = school["bo"]
        bo.status = status
        bo.save()
        with pytest.raises(Refused, match="not waiting"):
            decide_applicant(member=bo, admit=True)

    def test_a_lead_is_no_applicant(self, school: World) -> None:
        with pytest.raises(Refused, match="not waiting for your decision"):
            decide_applicant(member=school["ada"], admit=False)


def test_two_collections_keep_apart(hall: Hall) -> None:
    other = build_world(name="other")
    assert current_exam(other.collection) is None
    with pytest.raises(Refused, match="for those who are in training"):
        begin_exam(member=other["bo"])
