"""Settings: read with their meaning, changed together, and fixed once judgments rest on them."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Batch, Pair
from annotation.settings.services import FROZEN, LIMITS, NO_SETTINGS, settings_of
from foundation.models import Collection
from queries.checks.thresholds import limits_for
from queries.retrieval.encoder import PACKAGED_MODEL
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World

pytestmark = pytest.mark.django_db


def configure(*changes: str) -> str:
    out = StringIO()
    call_command("configure", "paper", *changes, stdout=out)
    return out.getvalue()


def test_settings_are_changed_together_and_told(world: World) -> None:
    output = configure(
        "pay_per_hour=12.50", "currency=EUR", "show_agreement=yes", "query_kinds=v,vt", "seat_minutes=10"
    )
    collection = Collection.objects.get(name="paper")
    assert (str(collection.pay_per_hour), collection.currency) == ("12.50", "EUR")
    assert (collection.show_agreement, collection.query_kinds, collection.seat_minutes) == (True, ["v", "vt"], 10.0)
    assert "seat_minutes = 10.0 (default 30.0)" in output
    assert "silent for this many minutes" in output and "top_grade" not in output


def test_without_a_change_all_are_shown(world: World) -> None:
    output = configure()
    for setting in settings_of(world.collection):
        assert f"{setting.name} = " in output


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("colour=red", "found the setting 'colour', expected one of title"),
        ("played_fraction=2", "found played_fraction='2', expected 0 to 1"),
        ("played_fraction=much", "found played_fraction='much', expected a number, such as 12.5"),
        ("pay_per_hour=1,500", "found pay_per_hour='1,500', expected a number, such as 12.5"),
        ("idle_seconds=2,5", "found idle_seconds='2,5', expected a whole number, such as 20"),
        ("show_agreement=perhaps", "expected yes or no"),
        ("currency=euro", "currency: "),
        ("query_kinds=v,x", "query_kinds: "),
        ("first_round_people=0", "at least 1 in the first round"),
        ("rounding=sideways", "expected up or down"),
        ("top_grade", "expected NAME=VALUE"),
        ("extend_threshold=nan", "found extend_threshold='nan', expected 0 to 5"),
        ("auto_extend_from=nan", "found auto_extend_from='nan', expected a finite number"),
        ("repeat_share=nan", "found repeat_share='nan', expected 0 to 0.1"),
        ("seat_minutes=inf", "found seat_minutes='inf', expected 0.05 to 10080"),
        ("seat_minutes=1e300", "found seat_minutes='1e300', expected 0.05 to 10080"),
        ("idle_seconds=100000", "found idle_seconds='100000', expected 0 to 86400"),
        ("pay_per_hour=-1", "found pay_per_hour='-1', expected 0 or more"),
        ("rewriting_style=bold", "found rewriting_style='bold', expected faithful or diverse"),
        ("similarity_threshold=1,5", "found similarity_threshold='1,5', expected -1 to 1"),
        ("pay_per_hour=NaN", "found pay_per_hour='NaN', expected a number, such as 12.5"),
        ("guideline_version=9", "found the setting 'guideline_version'"),
    ],
)
def test_what_can_t_be_is_refused_and_nothing_is_changed(world: World, change: str, told: str) -> None:
    with pytest.raises(CommandError, match="(?s)" + told.replace("(", r"\(")):
        configure("seat_minutes=5", change)
    assert Collection.objects.get(name="paper").seat_minutes == 30


def test_the_rule_is_fixed_once_somebody_has_judged_by_it(world: World) -> None:
    configure("largest_difference=2")
    sit(world["bo"])
    pair = world.batch.pairs.first()
    assert pair is not None
    judge(world["bo"], pair, 1)
    with pytest.raises(CommandError, match="largest_difference is 2 for good"):
        configure("largest_difference=1")
    assert "fixed: existing judgments depend on it" in configure("largest_difference=2")
    configure("break_minutes=0")


def test_the_size_of_a_batch_is_fixed_as_soon_as_one_is_open(world: World) -> None:
    with pytest.raises(CommandError, match="batch_size is 20 for good: batches are open"):
        configure("batch_size=10")
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    configure("batch_size=10", "max_batches=3")


def test_every_default_is_within_its_limits() -> None:
    # An empty threshold stands for the one calibrated for the encoder and the style.
    thresholds = limits_for(Collection(), PACKAGED_MODEL)
    for name, (low, high) in LIMITS.items():
        assert low <= getattr(thresholds, name, Collection._meta.get_field(name).get_default()) <= high


def test_what_is_fixed_or_left_out_are_real_fields() -> None:
    names = {field.name for field in Collection._meta.concrete_fields}
    assert names >= FROZEN and names >= NO_SETTINGS
