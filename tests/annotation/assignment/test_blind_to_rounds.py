"""What an annotator could infer of rounds, batches and ranks from how work comes to her: nothing beyond chance.

A campaign as large as a part of the paper's is simulated over the rules that give work, and a guesser who knows
everything that an annotator can notice, and what was true each time, guesses as well as anybody could.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import correlation

import pytest

from annotation.assignment.assignment_policy import USUAL_SIZES, OpenBatch, Staffing
from annotation.assignment.next_tasks import next_tasks
from annotation.judging.progress import why_no_work
from annotation.models import Batch, Seat
from tests.annotation.assignment.campaigns import Campaign, Seen
from tests.annotation.judging_steps import judge
from tests.conftest import build_world

PAPER_PEOPLE = 23
Notice = Callable[[Seen], object]
Truth = Callable[[Seen], bool]

NOTICED: dict[str, Notice] = {
    "the sitting's length": lambda sitting: min(sitting.length, 8),
    "earlier sittings at the query": lambda sitting: min(sitting.earlier_sittings, 3),
    "clips of the query judged before": lambda sitting: min(sitting.earlier_pairs // 3, 5),
    "how long ago the query came last": lambda sitting: (
        sitting.since_last and 1 + int(math.log2(sitting.since_last)) // 2
    ),
    "length and earlier sittings": lambda sitting: (min(sitting.length, 8), min(sitting.earlier_sittings, 2)),
    "length and clips before": lambda sitting: (min(sitting.length, 8), min(sitting.earlier_pairs // 4, 3)),
}
HIDDEN: dict[str, Truth] = {
    "round": lambda sitting: sitting.second_round,
    "batch": lambda sitting: sitting.later_batch,
}


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return Campaign(people=PAPER_PEOPLE, queries=400, seed=20_240_615).run()


GOLD_SHARE = 0.2


@pytest.fixture(scope="module", params=[2, 20], ids=["much gold to choose from", "little"])
def with_gold(request: pytest.FixtureRequest) -> Campaign:
    """One finished query in so many is gold; what is given is the most that may be set, where there is enough."""
    return Campaign(people=23, queries=400, seed=7, gold_share=GOLD_SHARE, gold_every=request.param).run()


def best_guesses(seen: Sequence[Seen], notice: Notice, truth: Truth) -> tuple[float, float, float]:
    """Learns from every other sitting and guesses the others. Returns (accuracy, that of always guessing the commoner,
    accuracy if both were as common)."""
    taught, asked = seen[::2], seen[1::2]
    share = sum(map(truth, taught)) / len(taught)
    cells: dict[object, Counter[bool]] = defaultdict(Counter)
    for sitting in taught:
        cells[notice(sitting)][truth(sitting)] += 1
    plain = {what: cell[True] > cell[False] for what, cell in cells.items()}
    even = {what: cell[True] / share > cell[False] / (1 - share) for what, cell in cells.items()}
    right = sum(plain.get(notice(sitting), share > 0.5) == truth(sitting) for sitting in asked) / len(asked)
    base = max(sum(map(truth, asked)), sum(not truth(sitting) for sitting in asked)) / len(asked)
    each = [
        [even.get(notice(sitting), False) == truth(sitting) for sitting in asked if truth(sitting) is holds]
        for holds in (True, False)
    ]
    return right, base, sum(sum(guesses) / len(guesses) for guesses in each) / 2


@pytest.mark.parametrize("noticed", NOTICED)
@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_best_guesser_does_no_better_than_chance(campaign: Campaign, hidden: str, noticed: str) -> None:
    right, base, _ = best_guesses(campaign.seen, NOTICED[noticed], HIDDEN[hidden])
    deviation = math.sqrt(base * (1 - base) / (len(campaign.seen) / 2))
    assert right <= base + 3 * deviation, f"{right:.3f} by {noticed}, {base:.3f} by chance"


@pytest.mark.parametrize("noticed", NOTICED)
def test_the_best_guesser_of_gold_does_no_better_than_chance(with_gold: Campaign, noticed: str) -> None:
    right, base, _ = best_guesses(with_gold.seen, NOTICED[noticed], lambda sitting: sitting.gold)
    deviation = math.sqrt(base * (1 - base) / (len(with_gold.seen) / 2))
    assert sum(sitting.gold for sitting in with_gold.seen) > 100
    assert right <= base + 3 * deviation, f"{right:.4f} by {noticed}, {base:.4f} by chance"


@pytest.mark.parametrize("noticed", NOTICED)
def test_nothing_that_is_noticed_makes_gold_likelier_than_the_setting_says(with_gold: Campaign, noticed: str) -> None:
    share = GOLD_SHARE / (1 + GOLD_SHARE)
    cells: dict[object, list[bool]] = defaultdict(list)
    for sitting in with_gold.seen:
        cells[NOTICED[noticed](sitting)].append(sitting.gold)
    for what, cell in cells.items():
        likely = sum(cell) / len(cell)
        assert likely <= share + 4 * math.sqrt(share * (1 - share) / len(cell)), f"{likely:.3f} of {what}"


@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_length_tells_nothing_even_to_who_is_asked_about_both_alike(campaign: Campaign, hidden: str) -> None:
    """Where one answer is the rarer, a guesser who always says the other is hard to beat: here both count the same."""
    truth = HIDDEN[hidden]
    _, _, balanced = best_guesses(campaign.seen, NOTICED["the sitting's length"], truth)
    rarer = min(sum(map(truth, campaign.seen)), sum(not truth(sitting) for sitting in campaign.seen)) / 2
    assert balanced <= 0.5 + 3 * 0.5 / math.sqrt(rarer)


@pytest.mark.parametrize("length", range(1, 8))
def test_a_short_sitting_is_no_second_round(campaign: Campaign, length: int) -> None:
    """What gave it away: sittings of 1 to 6 were second rounds in 98.6 of 100 cases."""
    seen = [sitting for sitting in campaign.seen if sitting.length == length]
    share = sum(sitting.second_round for sitting in seen) / len(seen)
    base = sum(sitting.second_round for sitting in campaign.seen) / len(campaign.seen)
    assert abs(share - base) <= 0.04 + 3 * math.sqrt(base * (1 - base) / len(seen))


def test_having_judged_a_query_before_tells_no_batch(campaign: Campaign) -> None:
    shares = [
        sum(sitting.later_batch for sitting in seen) / len(seen)
        for seen in (
            [sitting for sitting in campaign.seen if not sitting.earlier_sittings],
            [sitting for sitting in campaign.seen if sitting.earlier_sittings],
        )
    ]
    assert abs(shares[0] - shares[1]) < 0.08


def test_the_time_of_a_campaign_tells_no_batch_but_at_its_ends(campaign: Campaign) -> None:
    """Extensions come as soon as they are there: the first tenth has few yet, and the last what is left."""
    tenths = [campaign.judgments * tenth // 10 for tenth in range(1, 10)]
    for begin, end in pairwise(tenths):
        seen = [sitting for sitting in campaign.seen if begin <= sitting.began < end]
        assert 0.15 < sum(sitting.later_batch for sitting in seen) / len(seen) < 0.5


def test_the_order_within_a_sitting_tells_no_rank(campaign: Campaign) -> None:
    places, ranks = zip(
        *((place, (rank - 1) % 20) for sitting in campaign.seen for place, rank in enumerate(sitting.ranks)),
        strict=True,
    )
    assert abs(correlation(places, ranks)) <= 4 / math.sqrt(len(ranks))


def test_every_pair_is_judged_by_as_many_as_the_rule_says_and_by_nobody_twice(campaign: Campaign) -> None:
    assert not any(campaign.open.values()), "nothing is left over"
    assert campaign.judgments == sum(sitting.length for sitting in campaign.seen)
    first = sum(sitting.length for sitting in campaign.seen if not sitting.second_round)
    batches = campaign.last_pk
    assert first == 2 * 20 * batches
    assert batches > campaign.queries * 1.3


@pytest.mark.parametrize("people", [4, 5, 7, 10, 12, 60])
def test_teams_of_every_size_finish(people: int) -> None:
    small = Campaign(people=people, queries=12, seed=people).run()
    assert not any(small.open.values())


@pytest.mark.parametrize(("people", "batches"), [(10, 1), (23, 1), (23, 2), (100, 2)])
def test_a_query_s_rounds_and_batches_are_dealt_to_different_people(people: int, batches: int) -> None:
    for query in range(50):
        dealt = [
            [
                place
                for place in range(people)
                if Staffing(people, place, batches).turn(OpenBatch(1, second, False, query=query, number=number))
            ]
            for number in range(1, batches + 1)
            for second in (False, True)
        ]
        assert sum(map(len, dealt)) == people and len({place for stage in dealt for place in stage}) == people
        assert min(map(len, dealt)) >= 2, "a pair in dispute needs two others"


@pytest.mark.django_db
def test_the_real_services_give_both_rounds_in_sittings_of_the_same_sizes() -> None:
    """One query of twenty, judged to its end by four: what the rule says is what the database does."""
    world = build_world(queries=2, candidates=20)
    people = [world[name] for name in ("bo", "cy", "di", "ed")]
    pairs = {str(pair.public_id): pair for batch in Batch.objects.all() for pair in batch.pairs.all()}
    empty, given = set(), Counter[int]()
    for turn in range(400):
        member = people[turn % 4]
        tasks = next_tasks(member=member)
        if not tasks:
            empty.add(why_no_work(member))
        for task in tasks[:2]:
            pair = pairs[task.pair]
            # Whoever two of them are, they disagree about every fifth.
            judge(member, pair, (0, 4)[given[pair.pk] % 2] if pair.pk % 5 == 0 else 2)
            given[pair.pk] += 1
    assert set(Batch.objects.values_list("status", flat=True)) == {"finished"}
    seats = list(Seat.objects.values_list("pairs", "batch__disputed"))
    assert max(len(held) for held, _ in seats) <= max(*USUAL_SIZES, *(disputed for _, disputed in seats))
    assert empty <= {
        "No work for you right now. New work usually comes within an hour; this page checks by itself.",
        "Everything is judged. Thank you.",
    }
