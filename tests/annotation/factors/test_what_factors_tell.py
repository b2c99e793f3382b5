"""Agreement by factor, and how factors explain grades: by hand, on made-up data with a known truth, on the page."""

import json
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from annotation.factors.declared import retire_factor
from annotation.factors.figures import Answered, compute_factors, explain
from annotation.factors.tables import drawn, in_words, tables_of
from annotation.models import Factor, JudgedFactor, Judgment, Pair, Repeat, RepeatAnswer
from tests.annotation.factors.declaring import with_factors
from tests.conftest import World, build_world


def made_up(judgments: int = 600, queries: int = 12) -> Answered:
    """The grade is the first factor's answer twice, now and then one off; the second says nothing."""
    chance = np.random.default_rng(1)
    answers = np.stack([chance.integers(0, 3, judgments), chance.integers(0, 3, judgments)], axis=1).astype(float)
    grade = (2 * answers[:, 0]).astype(np.int64)
    off = chance.random(judgments) < 0.2
    grade[off] = np.clip(grade[off] + 1, 0, 4)
    place = np.arange(judgments)
    nothing = np.zeros(answers.shape, dtype=np.bool_)
    return Answered(place, place % 3, place % queries, grade, answers, nothing)


def test_what_explains_a_grade_is_told_from_what_does_not() -> None:
    told = explain(made_up(), ["first", "second"], within=1)
    assert told is not None and told["judgments"] == 600
    assert told["with"]["exactly"] > 0.8 and told["with"]["within"] == 1
    assert told["without"]["exactly"] < 0.45
    first, second = told["factors"]
    assert first["odds"] > 10 and 0.8 < second["odds"] < 1.25
    assert first["alone"]["exactly"] == pytest.approx(told["with"]["exactly"], abs=0.02)
    assert first["left_out"]["exactly"] < 0.45 < second["left_out"]["exactly"]


def test_an_answer_that_is_missing_counts_as_the_mean_and_hundred_grades_as_those_given() -> None:
    some = made_up()
    answers = some.answers.copy()
    answers[::7, 0] = np.nan
    told = explain(
        Answered(some.pair, some.person, some.query, some.grade * 25, answers, some.skipped), ["a", "b"], within=25
    )
    assert told is not None and told["with"]["within"] > 0.9 and told["with"]["distance"] < 15


@pytest.mark.parametrize(
    "few",
    [made_up(19), made_up(0), made_up(100, queries=1)],
    ids=["one judgment too few", "none", "one query"],
)
def test_too_little_explains_nothing(few: Answered) -> None:
    assert explain(few, ["first", "second"], within=1) is None


def test_one_and_the_same_grade_explains_nothing() -> None:
    some = made_up()
    same = Answered(some.pair, some.person, some.query, np.full(600, 3), some.answers, some.skipped)
    assert explain(same, ["a", "b"], within=1) is None


@pytest.fixture
def judged(db: None) -> World:
    """Of 24 pairs of two queries bo and cy judged each: they agree on the action, and never on the wholeness."""
    world = build_world(queries=2, candidates=12)
    with_factors(world.collection)
    action, whole = Factor.objects.order_by("place")
    for number, pair in enumerate(Pair.objects.order_by("pk")):
        for name, other in (("bo", 0), ("cy", 1)):
            judgment = Judgment.objects.create(
                pair=pair,
                annotator=world[name],
                grade=number % 5,
                round=1,
                key=f"00000000-0000-4000-8000-{number:010d}{other:02d}",
            )
            JudgedFactor.objects.create(judgment=judgment, factor=action, value=number % 3)
            value = None if number == 0 else (number + other) % 2
            JudgedFactor.objects.create(judgment=judgment, factor=whole, value=value)
    return world


def test_agreement_is_told_by_factor_and_answers_by_grade(judged: World) -> None:
    found = compute_factors(judged.collection)
    action, whole = found["factors"]
    assert (found["judgments"], found["pairs"], found["queries"]) == (48, 24, 2)
    assert action["alpha"]["alpha"] == 1 and action["kappa"] == pytest.approx(1)
    assert whole["alpha"]["alpha"] < -0.9 and whole["kappa"] < -0.99
    assert (action["counts"], whole["counts"], whole["skipped"]) == ([16, 16, 16], [23, 23], 2)
    assert [row["grade"] for row in action["by_grade"]] == [0, 1, 2, 3, 4]
    lowest = action["by_grade"][0]
    # Of grade 0 are the pairs 0, 5, 10, 15, 20, whose answers are 0, 2, 1, 0, 2.
    assert (lowest["counts"], lowest["mean"]) == ([4, 2, 4], 1.0)
    assert whole["partners"] == [
        {"one": judged["bo"].worker, "other": judged["cy"].worker, "pairs": 23, "kappa": whole["kappa"]}
    ]
    json.dumps(found)


def test_taken_back_withdrawn_and_repeated_ones_are_left_out_or_told_apart(judged: World) -> None:
    first = Judgment.objects.earliest("pk")
    repeat = Repeat.objects.create(pair=first.pair, annotator=first.annotator, first=first)
    RepeatAnswer.objects.create(
        repeat=repeat,
        annotator=first.annotator,
        grade=1,
        key="10000000-0000-4000-8000-000000000000",
        decided_at=timezone.now(),
        factors={"action": 0, "whole": 1},
    )
    action, whole = compute_factors(judged.collection)["factors"]
    assert (action["again"], whole["again"]) == ({"answers": 1, "same": 1.0}, {"answers": 1, "same": 0.0})
    Judgment.objects.filter(pk=first.pk).update(counted=False, uncounted_because="taken-back")
    last = Pair.objects.latest("pk")
    Pair.objects.filter(pk=last.pk).update(status="withdrawn")
    found = compute_factors(judged.collection)
    assert (found["judgments"], found["pairs"], found["factors"][0]["again"]["answers"]) == (45, 23, 0)


def test_the_page_and_its_files_say_the_same(judged: World, client_of: Any) -> None:
    retire_factor(collection=judged.collection, key="whole")
    ada = client_of(judged["ada"].account)
    page = ada.get("/c/paper/factors/figures/").content.decode()
    assert "Judgments with answers: 48 (pairs: 24, queries: 2)." in page
    assert "How factors explain grades" in page and "<svg" in page and 'fill="var(--' in page
    answer = ada.get("/c/paper/factors/figures.csv")
    table = (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()
    assert (
        "agreement,Action,alpha,1.0" in table
        and "agreement,Wholeness (retired),answers,46" in table
        and "by grade: whole,0,can't say,2" in table
    )
    told = ada.get("/c/paper/factors/figures.json").json()
    assert told["says"].startswith("Judgments with answers: 48") and told["factors"][0]["kappa"] == pytest.approx(1)
    assert ada.get("/c/paper/factors/figures.svg").content.startswith(b"<svg")
    assert ada.get("/c/paper/factors/figures.pdf").status_code == 404
    assert 'href="/c/paper/factors/figures/"' in ada.get("/c/paper/people/partners/").content.decode()


def test_where_nothing_is_answered_there_are_no_tables_of_nothing(db: None, client_of: Any) -> None:
    world = build_world()
    ada = client_of(world["ada"].account)
    assert "/factors/figures/" not in ada.get("/c/paper/people/partners/").content.decode()
    page = ada.get("/c/paper/factors/figures/").content.decode()
    assert "once annotators have answered factors" in page and "<table" not in page
    found = compute_factors(with_factors(world.collection))
    assert (tables_of(found), drawn(found)) == ([], "")
    assert "too little" in in_words(found)
    assert ada.get("/c/paper/factors/figures.svg").status_code == 404
