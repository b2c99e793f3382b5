"""The settings page: every setting with its meaning, and changes that are taken whole or not at all."""

from typing import Any

import pytest

from annotation.settings.services import FROZEN, as_text, settings_of
from annotation.settings.setting_texts import GROUPS, MEANINGS, PAPER, WHY_FIXED
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import read
from tests.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(world: World, client_of: Any) -> Any:
    return client_of(world["ada"].account)


def form(**changes: Any) -> dict[str, Any]:
    """What a browser sends of the page as it is, with these changes."""
    sent: dict[str, Any] = {}
    for setting in settings_of(Collection.objects.get(name="paper")):
        if setting.frozen:
            continue
        sent[setting.name] = setting.value if setting.kind == "choices" else as_text(setting.value)
        sent[f"was-{setting.name}"] = as_text(setting.value)
    return sent | changes


def test_every_setting_has_its_words_and_its_place() -> None:
    settings = settings_of(Collection(name="x", title="X", pk=0))
    names = [setting.name for setting in settings]
    placed = [name for _, group in GROUPS for name in group]
    assert sorted(placed) == sorted(names), "put a new setting into a group of annotation/settings/setting_texts.py"
    assert all(setting.meaning for setting in settings), "say what it means there"
    assert set(PAPER) == set(names) and set(MEANINGS) == set(names)
    assert set(WHY_FIXED) == FROZEN


def test_the_page_says_meaning_default_and_the_paper_s_value(ada: Any, world: World) -> None:
    text = ada.get("/c/paper/settings/").content.decode()
    for setting in settings_of(world.collection):
        assert f'name="{setting.name}"' in text
    assert "Default: 20 · the paper: 20" in text
    told = read(ada, "collections/paper/settings")
    assert {setting["name"]: setting["value"] for setting in told}["batch_size"] == "20"


def test_what_differs_is_changed_together(ada: Any) -> None:
    answer = ada.post(
        "/c/paper/settings/change",
        form(seat_minutes="12.5", show_agreement="yes", query_kinds=["v", "vt"], pay_per_hour="14.20"),
        follow=True,
    )
    assert "Changed: Kinds of queries, Minutes a seat is kept, Show agreement, Pay per hour." in answer.content.decode()
    collection = Collection.objects.get(name="paper")
    assert (collection.seat_minutes, collection.show_agreement, collection.query_kinds) == (12.5, True, ["v", "vt"])
    assert str(collection.pay_per_hour) == "14.20"
    assert "Nothing was changed." in ada.post("/c/paper/settings/change", form(), follow=True).content.decode()


def test_of_several_choices_all_may_be_left_out_where_none_is_usual(ada: Any) -> None:
    assert "Default: none · the paper: none" in ada.get("/c/paper/settings/").content.decode()
    for chosen in (["listed", "letters"], []):
        ada.post("/c/paper/settings/change", form(discarded_names=chosen))
        assert Collection.objects.get(name="paper").discarded_names == chosen
    assert ada.post("/c/paper/settings/change", form(discarded_names=["whim"])).status_code == 422


def test_a_number_may_have_a_decimal_comma_and_one_that_is_none_is_told_beside_its_field(ada: Any) -> None:
    sent = form(pay_per_hour="15,50", seat_minutes="12,5", auto_finish_to="1,25")
    assert ada.post("/c/paper/settings/change", sent).status_code == 302
    collection = Collection.objects.get(name="paper")
    assert (str(collection.pay_per_hour), collection.seat_minutes, collection.auto_finish_to) == ("15.50", 12.5, 1.25)
    numbers = [setting.name for setting in settings_of(collection) if setting.kind == "number" and not setting.frozen]
    assert len(numbers) > 10
    for name in numbers:
        text = ada.post("/c/paper/settings/change", form(**{name: "a lot"})).content.decode()
        beside = text.split(f'id="set-{name}-wrong"')[1].split("</p>")[0]
        assert "Found a lot, expected a" in beside, name
    assert "must be" not in text


def test_a_wrong_value_changes_nothing_and_keeps_what_was_typed(ada: Any) -> None:
    answer = ada.post("/c/paper/settings/change", form(seat_minutes="7", played_fraction="3"))
    text = answer.content.decode()
    assert answer.status_code == 422
    assert 'id="set-played_fraction-wrong">Found 3, expected 0 to 1.</p>' in text
    assert '<a href="#setting-played_fraction">Share of the clip to watch</a>: Found 3' in text
    assert 'value="7"' in text and 'value="3"' in text
    assert Collection.objects.get(name="paper").seat_minutes == 30


def test_the_last_kind_may_be_taken_away_by_nobody_silently(ada: Any) -> None:
    sent = form()
    del sent["pool_kinds"]
    assert ada.post("/c/paper/settings/change", sent).status_code == 422
    assert Collection.objects.get(name="paper").pool_kinds == ["v", "t", "vt"]


def test_two_leads_don_t_undo_each_other(ada: Any) -> None:
    mine = form(seat_minutes="10")
    ada.post("/c/paper/settings/change", form(break_minutes="20"))
    ada.post("/c/paper/settings/change", mine)
    collection = Collection.objects.get(name="paper")
    assert (collection.seat_minutes, collection.break_minutes) == (10, 20)
    late = {**mine, "seat_minutes": "5"}
    answer = ada.post("/c/paper/settings/change", late)
    assert answer.status_code == 422
    assert "Minutes a seat is kept</a>: Somebody set this to 10 meanwhile" in answer.content.decode()


def test_what_judging_fixed_says_why_and_stays(ada: Any, world: World) -> None:
    assert "Fixed by the first judgment." in ada.get("/c/paper/settings/").content.decode()
    sit(world["bo"])
    pair = world.batch.pairs.first()
    assert pair is not None
    judge(world["bo"], pair, 1)
    assert (
        "Fixed: existing judgments depend on how many people judge a pair."
        in ada.get("/c/paper/settings/").content.decode()
    )
    answer = ada.post("/c/paper/settings/change", form(batch_size="10"))
    assert answer.status_code == 422
    assert "Batch size</a>: This setting stays at 20" in answer.content.decode()
