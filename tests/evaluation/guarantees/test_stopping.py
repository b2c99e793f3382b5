"""Looking again and again at what is settled: how often it is wrong, what is kept, and how it is said."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from evaluation.errors import EvaluationError
from evaluation.guarantees.assisted_mean import assisted_means
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.stopping import FIRST, Look, as_data, goal_named, look, look_from, next_look, spent_by

QUERIES = 300


def systems(means: Sequence[float], *, queries: int = QUERIES, seed: int = 3) -> FloatArray:
    """Scores that go together over hard and easy queries, shape (systems, queries)."""
    rng = np.random.default_rng(seed)
    hard = rng.beta(0.6, 1.2, queries)
    return np.clip(
        hard + np.array(means)[:, None] * rng.random(queries) + rng.normal(0, 0.15, (len(means), queries)), 0, 1
    )


def looked(
    people: FloatArray, machine: FloatArray | None = None, *, goal: int = 3, seed: int = 0, **more: float
) -> list[Look]:
    """Every look at one random order until the goal is reached."""
    queries = people.shape[1]
    order, looks = np.random.default_rng(seed).permutation(queries), list[Look]()
    names = [f"s{place}" for place in range(len(people))]
    while not looks or looks[-1].next_at is not None:
        now = order[: next_look(looks[-1].judged if looks else 0, queries)]
        margin = more.get("margin")
        looks.append(
            look(
                people[:, now],
                machine,
                now,
                names=names,
                queries=queries,
                goal=goal,
                before=looks,
                margin=margin,
                draws=1_000,
                seed=seed,
            )
        )
    return looks


def wrong(looks: Sequence[Look], truth: FloatArray) -> bool:
    """Whether any look before all was judged calls a wrong order settled."""
    score = {f"s{place}": mean for place, mean in enumerate(truth)}
    return any(
        (pair.relation == ">" and score[pair.first] <= score[pair.second])
        or (pair.relation == "<" and score[pair.first] >= score[pair.second])
        for own in looks
        if own.judged < own.queries
        for pair in own.pairs
    )


@pytest.mark.parametrize("helped", [False, True])
def test_looking_again_and_again_calls_few_wrong_orders_settled(helped: bool) -> None:
    """Systems that are all but alike, which is where a sample's difference is wrong most often."""
    people = systems([0.0] * 4)
    machine = np.clip(people + np.random.default_rng(5).normal(0, 0.15, people.shape), 0, 1) if helped else None
    seeds = 60
    ours = sum(wrong(looked(people, machine, seed=seed), people.mean(axis=1)) for seed in range(seeds)) / seeds
    assert ours <= 0.05 + 0.04, "some errors of so few seeds beside 5 %"


def test_the_intervals_of_one_look_looked_at_again_and_again_are_wrong_far_more_often() -> None:
    people = systems([0.0] * 4)
    first, second = np.triu_indices(4, 1)
    apart = people[first] - people[second]
    fails = 0
    for seed in range(120):
        order, n = np.random.default_rng(seed).permutation(QUERIES), 0
        while (n := next_look(n, QUERIES)) < QUERIES:
            own = assisted_means(apart[:, order[:n]], None, order[:n], queries=QUERIES)
            critical = of_all(own.influence, draws=200)
            if (np.abs(own.estimate - apart.mean(axis=1)) > critical * own.error).any():
                fails += 1
                break
    assert fails / 120 > 0.1, "else nothing is gained by spending the error over the looks"


def test_it_stops_before_all_is_judged_and_a_machine_lets_it_stop_sooner() -> None:
    people = systems([0.0, 0.1, 0.25, 0.45])
    machine = np.clip(people + np.random.default_rng(5).normal(0, 0.05, people.shape), 0, 1)
    alone = [looked(people, seed=seed)[-1].judged for seed in range(6)]
    helped = [looked(people, machine, seed=seed)[-1].judged for seed in range(6)]
    assert np.mean(helped) < 0.7 * np.mean(alone) < 0.7 * QUERIES
    last = looked(people, machine)[-1]
    assert last.chain == "s3 > s2 > s1 > s0" and last.in_words == "settled: s3 > s2 > s1 > s0" and last.settled


def test_what_is_settled_stays_settled_and_says_when() -> None:
    looks = looked(systems([0.0, 0.1, 0.25, 0.45]))
    before: dict[tuple[str, str], tuple[str, int | None]] = {}
    for own in looks:
        for pair in own.pairs:
            kept = before.get((pair.first, pair.second), ("?", None))
            assert kept[0] == "?" or (pair.relation, pair.at) == kept
            before[pair.first, pair.second] = pair.relation, pair.at
    assert all(at is not None and FIRST <= at <= looks[-1].judged for relation, at in before.values())


def test_the_error_is_spent_over_the_looks_and_never_more_than_there_is() -> None:
    looks = looked(systems([0.0] * 4))
    spent = [own.spent for own in looks]
    assert spent == sorted(spent) and spent[0] > 0 and spent[-1] == pytest.approx(0.05)
    assert spent_by(10, 300, 0.95) == 0 and spent_by(300, 300, 0.95) == pytest.approx(0.05)
    # No look needs more than Bonferroni's critical value of what it may spend.
    for before, own in zip([0.0, *spent], looks[:-1], strict=False):
        assert own.critical <= NormalDist().inv_cdf(1 - (own.spent - before) / 2 / 6) + 1e-9


def test_with_all_judged_nothing_is_open() -> None:
    people = systems([0.0] * 3)
    people[1] = people[0]
    last = looked(people, goal=3)[-1]
    assert last.judged == QUERIES and last.settled and last.next_at is None
    pair = next(own for own in last.pairs if (own.first, own.second) == ("s0", "s1"))
    assert pair.relation == "=" and pair.low == pair.high == 0


def test_equal_is_said_within_a_margin_alone() -> None:
    people = systems([0.0, 0.0, 0.5])
    last = looked(people, margin=0.1)[-1]
    assert last.judged < QUERIES and last.settled
    assert last.chain in ("s2 > s0 = s1", "s2 > s1 = s0")
    unsaid = looked(people)
    assert all(pair.relation != "=" for own in unsaid[:-1] for pair in own.pairs)


def test_the_goal_needs_the_first_and_nothing_of_the_others() -> None:
    people = systems([0.0, 0.0, 0.0, 0.5])
    last = looked(people, goal=1)[-1]
    assert last.settled and last.judged < QUERIES and last.chain == "s3 > 3 others"
    assert any(pair.relation == "?" for pair in last.pairs)
    more = looked(people, goal=2)
    assert more[-1].judged > last.judged
    open_one = next(own for own in more if not own.settled and own.chain.startswith("s3 > "))
    assert " ? " in open_one.chain and "more queries settle the rest: " in open_one.in_words


def test_how_many_more_queries_are_needed_has_a_range_and_is_about_right() -> None:
    looks = looked(systems([0.0, 0.1, 0.25, 0.45], queries=1_500))
    halfway = next(own for own in looks if own.judged > looks[-1].judged / 3)
    assert halfway.more is not None
    fewest, about, most = halfway.more.fewest, halfway.more.about, halfway.more.most
    assert fewest is not None and about is not None and most is not None
    assert 1 <= fewest <= about <= most <= 1_500 - halfway.judged
    assert fewest <= looks[-1].judged - halfway.judged <= most


def test_a_look_is_read_as_it_was_written_whatever_order_the_systems_come_in() -> None:
    people = systems([0.0, 0.1, 0.25, 0.45])
    looks = looked(people)
    assert [look_from(as_data(own)) for own in looks] == looks
    order, n = np.random.default_rng(0).permutation(QUERIES), looks[1].judged
    turned = look(
        people[::-1][:, order[:n]],
        None,
        order[:n],
        names=["s3", "s2", "s1", "s0"],
        queries=QUERIES,
        goal=3,
        before=looks[:1],
        draws=1_000,
    )
    assert {(own.first, own.second, own.relation) for own in turned.pairs} == {
        (own.first, own.second, own.relation) for own in looks[1].pairs
    }
    with pytest.raises(ValueError, match="a pair of systems is missing"):
        look_from(as_data(looks[0]) | {"pairs": []})


def test_a_look_too_early_and_other_bad_input_are_refused() -> None:
    people, order = systems([0.0, 0.5]), np.arange(QUERIES)

    def at(n: int, before: Sequence[Look] = (), names: Sequence[str] = ("a", "b"), margin: float | None = None) -> Look:
        own = people[: len(names), order[:n]]
        return look(own, None, order[:n], names=names, queries=QUERIES, goal=1, before=before, margin=margin)

    with pytest.raises(EvaluationError, match="29 queries are judged, the next look is at 30"):
        at(29)
    first = at(40)
    with pytest.raises(EvaluationError, match="45 queries are judged, the next look is at 46"):
        at(45, [first])
    with pytest.raises(EvaluationError, match="another goal needs looks of its own"):
        at(60, [first], names=["a", "c"])
    with pytest.raises(EvaluationError, match="found 1 systems, expected at least 2"):
        at(60, names=["a"])
    with pytest.raises(EvaluationError, match="found the margin 0, expected a number above 0"):
        at(60, margin=0)
    for text in ("first:0", "first:", "last:3", "first:x", "first:-1"):
        with pytest.raises(EvaluationError, match="expected first:K"):
            goal_named(text)
