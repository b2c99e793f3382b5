"""What presumed the paper's scale, on others: figures in classes, thresholds in units, spans by whoever decided."""

from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement import paper_figures
from annotation.agreement.paper_figure_counts import appendix_of
from annotation.agreement.paper_figures import GradeCount, PairCount
from annotation.consensus import Rule
from annotation.machine_judges.calibration.figures import _by_class
from annotation.machine_judges.server.reading import read_replies
from annotation.models import Judgment, Pair
from annotation.people.alerts import alerts_of
from annotation.people.annotator_model import model_view
from annotation.people.charts import shares, weeks_chart
from annotation.people.people_figures import compute_people
from annotation.people.statistics import people_statistics
from annotation.precomputed import refresh_computed
from annotation.qualification.exam_rule import is_out, median, share_out
from annotation.review.chart import review_chart
from annotation.review.selectors import review_sheet
from annotation.settings.services import SettingsRefused, configure
from annotation.span_consensus import Marked, deciding
from annotation.studies.depth import GradedMoment, depth_study
from evaluation.judgments.grade_classes import class_count, class_of, unit_of
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.annotation.people.test_statistics import judged
from tests.conftest import World


@given(st.integers(0, 100), st.integers(0, 100))
def test_classes_keep_the_order_and_lie_next_to_what_they_stand_for(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert 0 <= class_of(low, 100) <= class_of(high, 100) < class_count(100)
    assert abs(class_of(one, 100) * unit_of(100) - one) <= 12.5
    assert class_of(one % 5, 4) == one % 5


def test_bias_and_nearness_are_told_in_the_scale_s_units() -> None:
    rows = [(1, 1, 4), (1, 2, 3), (2, 1, 0), (2, 2, 0)]
    plain, hundred = (people_statistics(judged(rows, unit=unit), needed=0.8, recent_from=0.0) for unit in (1, 25))
    assert (plain.people[0].overall.difference, hundred.people[0].overall.difference) == (0.5, 12.5)
    assert hundred.people[0].overall.within_one == plain.people[0].overall.within_one == 1.0
    person: dict[str, Any] = {
        "recent": {"judgments": 100, "per_hour": 200, "too_soon": 0, "compared": 100, "difference": 12.0}
        | {"weighted": 0.7, "barely_played": 0.1},
        "self_agreement": {"repeats": 10, "within_one": 0.7},
    }
    (own,) = alerts_of(person, pace=None, unit=25)
    assert own.reason == "70 % of 10 repeats within 25 (below 80 %)"
    person["recent"]["difference"] = 12.5
    assert alerts_of(person, pace=None, unit=25)[0].reason == (
        "+12.50 from partners over 100 comparisons: lenient (from ±12.5)"
    )
    week = {"begins": "2026-11-16", "figures": {"judgments": 3, "difference": 25.0}}
    chart = weeks_chart([week], 25)
    assert chart.marks[0].point == dict(chart.gaps)["+25"] and shares([1, 0, 3], 25) == [(0, 1, 25.0), (50, 3, 75.0)]


def test_the_exam_asks_again_beyond_a_unit() -> None:
    assert median([0, 55, 100], 100) == 55 and (is_out(80, 55, 25), is_out(81, 55, 25)) == (False, True)
    assert share_out([(80, 55), (81, 55)], 25) == 0.5
    with pytest.raises(ValueError, match="found the grade 101"):
        median([101], 100)


@pytest.mark.parametrize(("top", "step"), [(1, 1), (2, 1), (3, 1), (100, 10)])
def test_the_annotators_model_stands_on_every_scale(top: int, step: int) -> None:
    """Of a scale of 0-2 it took five grades, and the rule refused those that there aren't."""
    truth = np.arange(60) % (top // step + 1) * step
    pair, person = np.tile(np.arange(60), 2), np.repeat([1, 2], 60)
    decided: dict[int, int | None] = {place: int(grade) for place, grade in enumerate(truth)}
    rule = Rule(top_grade=top, step=step, largest_difference=unit_of(top))
    view = model_view(pair, person, np.concatenate([truth, truth]).astype(np.int64), decided, rule)
    assert view.pairs == 60 and view.disagreeing == 0 and 0 <= view.changed <= 60
    assert all(person.within_one > 0.9 for person in view.people)


def test_figures_count_classes_and_tell_means_as_they_are() -> None:
    judged_pairs = [PairCount("test", "2026-01-05", (4, 3), "consensus", 3)]
    graded_pairs = [GradeCount("test", 1, 20, 90, 2), GradeCount("test", 2, 13, 40, 1)]
    found = paper_figures.appendix(judged_pairs, graded_pairs, top_grade=100, first_round=2)
    assert (found.top_grade, found.unit) == (4, 25)
    assert found.final[0].counts == [0, 0, 1, 0, 2] and found.final[0].mean == pytest.approx(220 / 3)
    study = depth_study([GradedMoment(1, 1, 90), GradedMoment(1, 2, 0)], ["a"], ranked=10, depth=5, top_grade=100)
    assert study.stretches[0].counts == [1, 0, 0, 0, 1] and study.stretches[0].mean == 45


def test_spans_are_those_of_whoever_made_the_grade() -> None:
    grades = [Marked(2), Marked(0), Marked(2), Marked(4), Marked(2)]
    majority = Rule(kind="majority", first_round=3, second_round=2)
    assert [one.grade for one in deciding(grades, majority)] == [2, 2]
    wide = Rule(first_round=3, second_round=3, trimmed=2, largest_difference=1)
    six = [Marked(grade) for grade in (0, 4, 4, 3, 2, 0)]
    assert [one.grade for one in deciding(six, wide)] == [3, 2]
    assert [one.grade for one in deciding(grades, Rule(kind="median", first_round=3, second_round=0))] == [2, 0, 2]


@pytest.mark.parametrize(
    ("said", "grade"), [("70", 70), ("Grade: 100/100", 100), ("65", None), ("101", None), ("7", None)]
)
def test_a_machine_s_answer_is_a_grade_of_the_scale(said: str, grade: int | None) -> None:
    assert read_replies([{"choices": [{"message": {"content": said}}]}], 100, 0.5, 10).grade == grade


def test_a_machine_s_distribution_over_a_hundred_grades_is_compared_by_class() -> None:
    chances = [0.0] * 101
    chances[70], chances[80], chances[90] = 0.2, 0.5, 0.3
    assert _by_class(chances, 100) == pytest.approx([0, 0, 0, 0.7, 0.3]) and _by_class([0.5, 0.5], 1) == [0.5, 0.5]


@pytest.fixture
def hundred(world: World) -> World:
    """Bo and cy judged on 0-4; then the collection's grades are told to be of 0-100."""
    sit(world["bo"], world["cy"])
    for pair, (one, other) in zip(world.batch.pairs.order_by("pk"), [(3, 4), (0, 2), (1, 1)], strict=True):
        judge(world["bo"], pair, one)
        judge(world["cy"], pair, other)
    return world


def test_the_review_s_chart_reaches_to_the_top(hundred: World) -> None:
    sheet = review_sheet(hundred.batch).pairs
    assert [tick for tick, _ in review_chart(sheet).ticks] == [0, 1, 2, 3, 4]
    tall = review_chart(sheet, 100)
    assert [tick for tick, _ in tall.ticks] == [0, 25, 50, 75, 100]
    assert tall.bars[0].height == 6.6 and tall.bars[0].grade == 4
    assert [tick for tick, _ in review_chart(sheet, 3).ticks] == [0, 1, 2, 3]


def test_the_lead_s_pages_name_and_colour_grades_by_the_scale(hundred: World, client_of: Any) -> None:
    ada = client_of(hundred["ada"].account)
    Collection.objects.update(top_grade=100, largest_difference=25)
    Pair.objects.filter(batch=hundred.batch, status="consensus").update(grade=80)
    refresh_computed(collection=hundred.collection, name="people")
    for page in ("people/", f"people/{hundred['bo'].pk}/"):
        assert "<th data-unsorted>Grades 0–100</th>" in ada.get(f"/c/paper/{page}").content.decode()
    assert ada.get(f"/c/paper/review/{hundred.batch.pk}/").content.decode().count('class="bar-3"') == 2


def test_people_s_figures_and_the_appendix_are_computed_on_0_to_100(hundred: World, client_of: Any) -> None:
    ada, said = client_of(hundred["ada"].account), "grades within 25 count as within one of each other"
    pages = [f"/c/paper/{page}/" for page in ("people", "people/partners", "people/model")]
    assert not [page for page in pages if said in ada.get(page).content.decode()]
    Collection.objects.update(top_grade=100, largest_difference=25)
    hundred.collection.refresh_from_db()
    found = compute_people(hundred.collection)
    assert {tuple(person["overall"]["grades"]) for person in found["people"]} == {(3, 0, 0, 0, 0)}
    assert appendix_of(hundred.collection).final[0].counts[0] == 2
    assert [page for page in pages if said in ada.get(page).content.decode()] == pages


def test_the_scale_takes_the_thresholds_in_its_units_along(world: World) -> None:
    own = configure(collection=world.collection, changes={"top_grade": "100", "grade_step": "5"})
    assert (own.largest_difference, own.extend_threshold, own.auto_extend_from) == (25, 62.5, None)
    own = configure(collection=own, changes={"extend_threshold": "80", "auto_extend_from": "90"})
    back = configure(collection=own, changes={"top_grade": "4", "grade_step": "1", "extend_threshold": "3"})
    assert (back.largest_difference, back.extend_threshold, back.auto_extend_from) == (1, 3.0, 3.6)
    for changes, told in (
        ({"top_grade": "5"}, "found the top grade 5, expected 1 to 4, or 100"),
        ({"top_grade": "100", "grade_step": "3"}, "found the step 3 of grades up to 100"),
        ({"grade_step": "5"}, "found the step 5 of grades up to 4, expected 1"),
        ({"extend_threshold": "5.5"}, "expected 0 to 5"),
        ({"auto_extend_from": "4.5"}, "expected 0 to 4"),
        ({"trimmed_grades": "2"}, "expected at least 5: 4 grades are dropped"),
        ({"consensus_rule": "vote"}, "expected paper or mean or median or majority"),
    ):
        with pytest.raises(SettingsRefused, match=told):
            configure(collection=back, changes=changes)


def test_the_kind_of_rule_is_fixed_by_the_first_judgment(hundred: World) -> None:
    for change in ("consensus_rule=median", "trimmed_grades=2", "grade_step=5"):
        with pytest.raises(CommandError, match="for good"):
            call_command("configure", "paper", change, stdout=StringIO())


def test_other_kinds_are_replayed_by_command_page_and_program(hundred: World, client_of: Any) -> None:
    out = StringIO()
    call_command("replay_consensus", "paper", "--rule", "median", "--second-round", "0", stdout=out)
    assert out.getvalue().splitlines() == [
        "3 pairs with 6 judgments: 1 would change, 0 of them would need more judgments.",
        "          1  a second round -> grade 1",
    ]
    ada = client_of(hundred["ada"].account)
    page = ada.get("/c/paper/replay/", {"kind": "majority", "second_round": "0"}).content.decode()
    assert "grade 4</td><td>discarded" in page and "2 would change" in page
    assert "This collection's rule: Grades of 2 people that differ by at most 1 give their mean, rounded up." in page
    told = ada.get("/api/v1/collections/paper/replay", {"kind": "mean", "largest_difference": "2"}).json()
    assert told["changed"] == 1 and told["moves"][0]["after"] == "grade 1"
    assert ada.get("/c/paper/replay/", {"kind": "vote"}).status_code == 400
    assert set(Pair.objects.values_list("status", "grade")) == {("consensus", 4), ("disputed", None), ("consensus", 1)}


def test_a_majority_decides_as_people_judge(world: World) -> None:
    rule = {"consensus_rule": "majority", "first_round_people": "3", "second_round_people": "2", "top_grade": "1"}
    configure(collection=world.collection, changes=rule)
    for name in ("bo", "cy", "di", "ed"):
        world[name].collection.refresh_from_db()
    pair = world.batch.pairs.order_by("pk")[0]
    sit(world["bo"], world["cy"], world["di"])
    for name, grade in (("bo", 1), ("cy", 0), ("di", 1)):
        judge(world[name], pair, grade)
    pair.refresh_from_db()
    assert (pair.status, pair.grade) == ("consensus", 1)
    assert set(Judgment.objects.values_list("round", flat=True)) == {1}
