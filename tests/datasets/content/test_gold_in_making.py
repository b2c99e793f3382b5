"""What a release says of gold: counts where there was any, and nothing at all elsewhere."""

import pytest

from annotation.gold.set_aside import set_aside
from annotation.models import Pair, Repeat, RepeatAnswer
from datasets.content.making import describe_making
from tests.annotation.gold_worlds import gold_world, make_gold
from tests.conftest import World


@pytest.fixture
def world(db: None) -> World:
    return gold_world()


def test_a_collection_without_gold_says_nothing_of_it(world: World) -> None:
    make_gold(world, 0)
    assert "gold" not in describe_making(world.collection), "listed, and answered by nobody"


def test_answers_and_judgments_set_aside_are_counted_and_those_count_no_more(world: World) -> None:
    before = describe_making(world.collection)["judgments"]["here"]
    gold, other, *_ = make_gold(world, 0)
    for one, name in ((gold, "bo"), (gold, "ed"), (other, "bo")):
        repeat = Repeat.objects.create(pair=one.pair, gold=one, annotator=world[name])
        RepeatAnswer.objects.create(
            repeat=repeat, annotator=world[name], grade=2, key=repeat.public_id, decided_at=one.added_at
        )
    assert describe_making(world.collection)["gold"] == {"answers": 3, "pairs": 2, "set_aside": 0}
    set_aside(lead=world["ada"], member_id=world["cy"].pk, since=None, reason="Gold missed.", seen=16, finished=True)
    made = describe_making(world.collection)
    assert made["gold"]["set_aside"] == 16 and Pair.objects.filter(status="open").exists()
    assert made["judgments"]["here"] < before
