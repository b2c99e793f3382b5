"""Time and pay: figures that follow from the judgments, and corrections with reasons."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotation.judging.judgments import take_back_last
from annotation.judging.paid_time import is_too_soon
from annotation.judging.progress import own_progress
from annotation.models import Judgment, Seat, TimeCorrection
from annotation.people.timesheet import all_together, correct_time, totals, work_days
from annotation.templatetags.people_words import signed_minutes
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = NOON.date()


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


class TestPlausibility:
    def test_a_grade_sooner_than_the_clip_could_have_played_is_too_soon(self) -> None:
        def judged(after: float, active: float | None = None) -> bool:
            return is_too_soon(
                decided_at=NOON + seconds(after),
                previous=NOON,
                active_seconds=active,
                clip_seconds=10,
                fraction=0.8,
            )

        # 80 % of ten seconds at double speed is four; a tenth of grace leaves 3.6.
        assert judged(3.5) and not judged(3.7)
        assert judged(60, active=3.5) and not judged(60, active=3.7)

    def test_without_a_clip_or_a_needed_part_nothing_is_too_soon(self) -> None:
        for clip, fraction in ((None, 0.8), (10.0, 0.0)):
            assert not is_too_soon(
                decided_at=NOON, previous=NOON, active_seconds=0, clip_seconds=clip, fraction=fraction
            )


@pytest.fixture
def worked(world: World) -> World:
    """Bo judged three, ten and twenty seconds apart, and cy one; a rate of 18 an hour, cy's own of 36."""
    sit(world["bo"], world["cy"])
    for place, pair in enumerate(world.batch.pairs.order_by("pk")):
        judge(world["bo"], pair, 2)
        when = NOON + seconds(1200 * place)
        Judgment.objects.filter(annotator=world["bo"], pair=pair).update(active_seconds=600, decided_at=when)
    judge(world["cy"], world.batch.pairs.order_by("pk")[0], 2)
    Judgment.objects.filter(annotator=world["cy"]).update(active_seconds=1800, decided_at=NOON)
    world.collection.pay_per_hour, world.collection.currency = Decimal("18.00"), "EUR"
    world.collection.save()
    world["cy"].pay_per_hour = Decimal("36.00")
    world["cy"].save()
    return world


@pytest.mark.django_db
class TestTheLog:
    def test_days_add_up_to_the_judgments_they_come_from(self, worked: World) -> None:
        days = work_days(worked.collection, first=DAY, last=DAY)
        assert [(day.worker, day.judgments, day.active, day.hours, day.pay) for day in days] == [
            (worked["bo"].worker, 3, 1800.0, Decimal("0.50"), Decimal("9.00")),
            (worked["cy"].worker, 1, 1800.0, Decimal("0.50"), Decimal("18.00")),
        ]
        assert sum(day.judgments for day in days) == Judgment.objects.count()
        assert work_days(worked.collection, first=DAY + timedelta(1), last=DAY + timedelta(9)) == []

    def test_a_judgment_taken_back_was_work_too(self, worked: World) -> None:
        Judgment.objects.filter(annotator=worked["cy"]).update(counted=False, uncounted_because="taken-back")
        days = work_days(worked.collection, first=DAY, last=DAY)
        assert [(day.judgments, day.hours) for day in days] == [(3, Decimal("0.50")), (0, Decimal("0.50"))]

    def test_a_correction_moves_hours_and_pay_and_never_below_nothing(self, worked: World) -> None:
        def bo() -> Any:
            return work_days(worked.collection, first=DAY, last=DAY, member=worked["bo"])[0]

        correct_time(lead=worked["ada"], member_id=worked["bo"].pk, day=DAY, minutes=30, reason="Training call")
        assert (bo().corrected, bo().hours, bo().pay) == (1800, Decimal("1.00"), Decimal("18.00"))
        correct_time(lead=worked["ada"], member_id=worked["bo"].pk, day=DAY, minutes=-600, reason="Left it running")
        assert (bo().hours, bo().pay) == (Decimal("0.00"), Decimal("0.00"))

    def test_a_day_without_judgments_can_be_credited(self, worked: World) -> None:
        correct_time(lead=worked["ada"], member_id=worked["di"].pk, day=DAY, minutes=15, reason="Meeting")
        (total,) = (
            total
            for total in totals(work_days(worked.collection, first=DAY, last=DAY))
            if total.member == worked["di"].pk
        )
        assert (total.judgments, total.hours, total.pay, total.per_hour) == (0, Decimal("0.25"), Decimal("4.50"), 0)

    def test_without_a_rate_there_are_hours_and_no_pay(self, worked: World) -> None:
        worked.collection.pay_per_hour = None
        worked.collection.save()
        assert [total.pay for total in totals(work_days(worked.collection, first=DAY, last=DAY))] == [
            None,
            Decimal("18.00"),
        ]

    def test_everybody_together_is_the_sum_and_without_a_rate_for_all_has_no_pay(self, worked: World) -> None:
        days = work_days(worked.collection, first=DAY, last=DAY)
        sums, together = totals(days), all_together(days)
        assert together is not None
        assert (together.days, together.judgments) == (2, sum(total.judgments for total in sums))
        assert together.hours == sum(total.hours for total in sums)
        assert together.pay == sum(total.pay for total in sums if total.pay is not None)
        worked.collection.pay_per_hour = None
        worked.collection.save()
        without = all_together(work_days(worked.collection, first=DAY, last=DAY))
        assert without is not None
        assert (without.hours, without.pay) == (together.hours, None)
        assert all_together([]) is None

    @pytest.mark.parametrize(("seconds", "said"), [(720, "+12 min"), (-90_000, "−1,500 min")])
    def test_a_correction_is_told_in_minutes(self, seconds: int, said: str) -> None:
        assert signed_minutes(seconds) == said

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"minutes": 0}, "time_correction_seconds"),
            ({"minutes": 5000}, "time_correction_seconds"),
            ({"reason": "  "}, "cannot be blank"),
            ({"day": date.today() + timedelta(days=9)}, "expected a day that has begun"),
            ({"member_id": 10**9}, "no such person"),
        ],
        ids=repr,
    )
    def test_a_correction_that_is_none_is_refused(self, worked: World, change: dict[str, Any], said: str) -> None:
        asked = {"member_id": worked["bo"].pk, "day": DAY, "minutes": 5, "reason": "Why"} | change
        with pytest.raises(ValidationError) as refusal:
            correct_time(lead=worked["ada"], **asked)
        assert said in str(refusal.value)
        assert not TimeCorrection.objects.exists()


@pytest.mark.django_db
class TestThePages:
    def test_the_csv_says_what_the_page_shows(self, worked: World, client_of: Any) -> None:
        ada = client_of(worked["ada"].account)
        asked = {"first": DAY.isoformat(), "last": DAY.isoformat()}
        rows = list(csv.DictReader(io.StringIO(ada.get("/c/paper/time/csv", asked).content.decode())))
        assert [(row["worker"], row["hours"], row["rate"], row["pay"], row["currency"]) for row in rows] == [
            (worked["bo"].worker, "0.50", "18.00", "9.00", "EUR"),
            (worked["cy"].worker, "0.50", "36.00", "18.00", "EUR"),
        ]
        page = ada.get("/c/paper/time/", asked).content.decode()
        assert "9.00 EUR" in page and "18.00 EUR" in page

    def test_the_lead_corrects_and_the_person_reads_why(self, worked: World, client_of: Any) -> None:
        ada, bo, cy = (client_of(worked[name].account) for name in ("ada", "bo", "cy"))
        form = {"person": worked["bo"].pk, "day": DAY.isoformat(), "minutes": "-5", "reason": "Phone call"}
        assert ada.post("/c/paper/time/correct", form).status_code == 302
        assert "Phone call" in bo.get("/c/paper/judge/time/").content.decode()
        assert "Phone call" not in cy.get("/c/paper/judge/time/").content.decode()

    @pytest.mark.parametrize(
        ("field", "sent", "told"),
        [
            ("minutes", "many", "Found “many”, expected a whole number from -1,440 to 1,440."),
            ("minutes", "0", "Enter how many minutes to add or to take away."),
            ("person", "", ""),
            ("day", "soon", "Write the day as in 2026-11-21."),
            ("day", "2999-01-01", "expected a day that has begun"),
            ("reason", "  ", ""),
        ],
    )
    def test_a_form_that_says_nothing_sensible_changes_nothing_and_is_told_beside_its_field(
        self, worked: World, client_of: Any, field: str, sent: str, told: str
    ) -> None:
        form = {"person": worked["bo"].pk, "day": DAY.isoformat(), "minutes": "5", "reason": "Why"} | {field: sent}
        answer = client_of(worked["ada"].account).post("/c/paper/time/correct", form)
        assert answer.status_code == 400
        assert told in answer.content.decode().split(f'id="field-{field}-wrong">')[1]
        assert not TimeCorrection.objects.exists()


def test_today_and_your_time_count_alike(world: World) -> None:
    sit(world["bo"], world["cy"], world["di"])
    first, second, third = world.batch.pairs.order_by("pk")[:3]
    judge(world["bo"], first, 1)
    take_back_last(member=world["bo"])
    judge(world["bo"], first, 2)
    judge(world["bo"], first, 4)
    judge(world["cy"], second, 2)
    Seat.objects.create(
        batch=world.batch, annotator=world["di"], pairs=[second.pk], taken_at=timezone.now(), expires_at=timezone.now()
    )
    judge(world["di"], second, 2)
    judge(world["bo"], second, 2)
    judge(world["bo"], third, 2)
    # Decided before midnight, sent afterwards.
    Judgment.objects.filter(pair=third).update(decided_at=timezone.now() - timedelta(days=1))
    today = timezone.now().date()
    (day,) = work_days(world.collection, first=today, last=today, member=world["bo"])
    assert day.judgments == own_progress(world["bo"])["today"] == 2, "one that stands, and one that came too late"
    assert own_progress(world["bo"])["week"] == 3
