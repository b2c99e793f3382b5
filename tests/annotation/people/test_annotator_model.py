"""The model of the annotators: what it must find where the truth is known, and crowd-kit's on real ratings."""

import json

import numpy as np
import pytest

from annotation.people.annotator_model import PAIRS_KEPT, model_view
from evaluation.judgments.annotator_model import fitted
from tests.paths import DATA, NO_DATA

REAL = 4000
"""Real pairs of three ratings each: a fit of all fourteen thousand takes long and shows nothing else."""

TRUTH = np.arange(400) % 5


def grades_of(*people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Everybody's grades of all pairs, in columns; people are 1, 2, 3 ..."""
    size = len(TRUTH)
    pair = np.tile(np.arange(size), len(people))
    person = np.repeat(np.arange(1, len(people) + 1), size)
    return pair, person, np.concatenate(people).astype(np.int64)


def test_whoever_guesses_is_told_from_those_who_judge() -> None:
    guessed = np.random.default_rng(1).integers(0, 5, len(TRUTH))
    view = model_view(*grades_of(TRUTH, TRUTH, guessed), decided={})
    assert view.people[0].member == 3, "the least reliable comes first"
    by_member = {person.member: person for person in view.people}
    assert by_member[1].exact > 0.99 and by_member[1].bias < 0.01
    assert by_member[3].exact < 0.35


def test_whoever_is_lenient_is_seen_as_lenient() -> None:
    lenient = np.minimum(TRUTH + 1, 4)
    view = model_view(*grades_of(TRUTH, TRUTH, lenient), decided={})
    by_member = {person.member: person for person in view.people}
    assert 0.75 < by_member[3].bias < 0.85, "four of five grades are one higher"
    assert by_member[3].within_one > 0.99


def test_a_consensus_far_from_what_everybody_says_is_pointed_at_first() -> None:
    decided: dict[int, int | None] = {pair: int(grade) for pair, grade in enumerate(TRUTH)}
    decided[0], decided[7], decided[9] = 4, 3, None
    del decided[11]
    view = model_view(*grades_of(TRUTH, TRUTH, TRUTH), decided=decided)
    assert [(doubt.pair, doubt.grade, doubt.model) for doubt in view.worth_a_look] == [
        (0, 4, 0),
        (7, 3, 2),
        (9, None, 4),
    ]
    assert view.worth_a_look[0].far > 0.99 > 0.01 > view.worth_a_look[1].far
    assert (view.pairs, view.disagreeing) == (399, 2)
    assert view.table[5] == [0, 0, 0, 0, 1] and view.table[4][0] == 1


def test_another_judge_changes_what_people_dispute_and_hardly_what_they_agree_on() -> None:
    decided: dict[int, int | None] = {pair: int(grade) for pair, grade in enumerate(TRUTH)}
    sure = model_view(*grades_of(TRUTH, TRUTH), decided=decided)
    guessed = np.random.default_rng(2).integers(0, 5, len(TRUTH))
    unsure = model_view(*grades_of(TRUTH, guessed), decided=decided)
    assert sure.changed < 0.1 * len(TRUTH) < unsure.changed
    half = model_view(*grades_of(TRUTH, guessed), decided={pair: decided[pair] for pair in range(200)})
    assert 0.3 * unsure.changed < half.changed < 0.7 * unsure.changed, "of decided pairs alone"


def test_a_grade_that_nobody_gave_and_no_judgment_at_all_are_no_fault() -> None:
    view = model_view(*grades_of(TRUTH % 2, TRUTH % 2), decided={0: 0, 1: 1})
    assert view.disagreeing == 0
    nothing = np.empty(0, dtype=np.int64)
    assert model_view(nothing, nothing, nothing, {}).people == []


@pytest.fixture(scope="module")
def ratings() -> np.ndarray:
    """QVHighlights' saliency: three real people's grades of every clip, a row a clip."""
    path = DATA / "qvhighlights" / "highlight_val_release.jsonl"
    if not path.is_file():
        pytest.skip(NO_DATA)
    rows = [
        row for line in path.read_text(encoding="utf-8").splitlines() for row in json.loads(line)["saliency_scores"]
    ]
    return np.array(rows[:REAL], dtype=np.int64)


@pytest.mark.filterwarnings("ignore")  # pandas on how crowd-kit uses it
def test_without_its_prior_the_model_is_that_of_crowd_kit(ratings: np.ndarray) -> None:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    pair, person, grade = np.repeat(np.arange(REAL), 3), np.tile([0, 1, 2], REAL), ratings.ravel()
    theirs = DawidSkene(n_iter=12, tol=-1e9).fit(pd.DataFrame({"task": pair, "worker": person, "label": grade}))
    ours = fitted(pair, person, grade, strength=1e-9, most=12)
    by_grade = theirs.probas_.reindex(columns=range(5)).sort_index()
    assert ours.posterior == pytest.approx(by_grade.to_numpy(), abs=0.03)
    assert ours.prior == pytest.approx(theirs.priors_.reindex(range(5)).to_numpy(), abs=0.01)
    for worker in range(3):
        given = theirs.errors_.loc[worker].reindex(index=range(5), columns=range(5), fill_value=0)
        assert pytest.approx(given.to_numpy(), abs=0.03) == ours.confusion[worker].T


def test_on_real_ratings_every_figure_is_the_fit_s(ratings: np.ndarray) -> None:
    # Ids that aren't in the order of the rows: the model's rows come back by the pair's own id.
    pair = np.repeat(np.arange(REAL)[::-1] + 10, 3)
    person, grade = np.tile([7, 3, 5], REAL), ratings.ravel()
    consensus = {int(rated): int(np.median(row)) for rated, row in zip(pair[::3], ratings, strict=True)}
    ours = model_view(pair, person, grade, decided=consensus)
    fit = fitted(pair - 10, np.tile([2, 0, 1], REAL), grade)
    likeliest = fit.posterior.argmax(axis=1)
    assert ours.disagreeing == sum(likeliest[rated - 10] != grade for rated, grade in consensus.items())
    assert (ours.pairs, ours.judgments, np.sum(ours.table)) == (REAL, 3 * REAL, REAL)
    for rated, grade_of in list(consensus.items())[:5]:
        assert ours.table[grade_of][likeliest[rated - 10]] > 0
    assert 0 < len(ours.worth_a_look) <= PAIRS_KEPT
    for view in ours.worth_a_look[:50]:
        chances = fit.posterior[view.pair - 10]
        assert view.model == chances.argmax() and view.probability == pytest.approx(chances.max(), abs=1e-4)
        assert view.expected == pytest.approx(chances @ np.arange(5), abs=1e-3)
        far = sum(chance for grade, chance in enumerate(chances) if abs(grade - consensus[view.pair]) >= 2)
        assert view.far == pytest.approx(far, abs=1e-4)
    assert [doubt.far for doubt in ours.worth_a_look] == sorted(
        (doubt.far for doubt in ours.worth_a_look), reverse=True
    )
    for reliability in ours.people:
        joint = fit.prior[:, None] * fit.confusion[[3, 5, 7].index(reliability.member)]
        assert reliability.exact == pytest.approx(np.trace(joint), abs=1e-3)
        assert reliability.bias == pytest.approx(
            sum((given - true) * joint[true, given] for true in range(5) for given in range(5)), abs=1e-3
        )
