"""Judgments of the finished collection, written in bulk: grades by habit, every state by the consensus rule.

No time of day is asked of the clock: each person has a diary, and sits down there day by day.
"""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import F

from annotation.batches.transitions import rule_of, settle_batch
from annotation.consensus import state_of
from annotation.judging.paid_time import is_too_soon
from annotation.models import Batch, Judgment, Pair, Seat
from corpus.models import Clip
from demo.furnished.people import Habits
from demo.truth import ItemTruth
from foundation.models import Collection, Membership

SEAT = timedelta(minutes=30)
BETWEEN = timedelta(seconds=0.4)
"""From one grade to the next clip's first frame, and away from the keys now and then."""


@dataclass
class Diary:
    """When somebody judges: up to `a_day` judgments each of these days, from the usual hour on; on the last day all
    that is left."""

    habits: Habits
    days: Sequence[datetime]
    a_day: int
    dice: random.Random
    _day: int = -1
    _today: int = 0
    _now: datetime | None = None

    def judge(self, clip_seconds: float, *, after: datetime) -> tuple[datetime, float]:
        """The next judgment that begins not before `after`: when it is decided, and its seconds of work."""
        now = self._begin(after)
        seconds = self.habits.seconds * self.dice.lognormvariate(0, 0.35)
        if self.habits.seconds > clip_seconds:
            seconds = max(seconds, clip_seconds)
        self._now = now + timedelta(seconds=seconds) + BETWEEN * self.dice.expovariate(1)
        self._today += 1
        return self._now, round(seconds, 2)

    def _begin(self, after: datetime) -> datetime:
        while True:
            last_day = self._day + 1 >= len(self.days)
            if self._now is not None and (last_day or self._today < self.a_day):
                if self._now >= after:
                    return self._now
                if last_day or self._now.date() == after.date():
                    # Another sitting, later on the same day.
                    return after + timedelta(minutes=self.dice.uniform(2, 30))
            self._day += 1
            self._today = 0
            self._now = self.days[self._day] + timedelta(hours=self.habits.hour, minutes=self.dice.uniform(0, 50))


@dataclass
class Crew:
    """Those who judge a collection, with their diaries. `truth` says what a pair is worth."""

    collection: Collection
    members: dict[str, Membership]
    habits: dict[str, Habits]
    diaries: dict[str, Diary]
    truth: ItemTruth
    dice: random.Random
    _last: dict[str, datetime] = field(default_factory=dict)

    def judge_batch(self, batch: Batch, *, after: datetime, rounds: int = 2, share: float = 1.0) -> datetime:
        """Judge a batch by two people, and its pairs in dispute by two others. Returns: when the last grade was given.

        Args: rounds: 1 leaves the pairs in dispute; share: the part of the pairs that the first two have come to.
        """
        names = self.dice.sample(sorted(self.members), 4)
        every = batch.pairs.select_related("batch__query__description", "candidate__moment__video").order_by("pk")
        pairs = list(every)
        done = self._round(pairs[: round(share * len(pairs))], names[:2], 1, after)
        if rounds == 2 and share == 1:
            disputed = [pair for pair in pairs if pair.status == Pair.Status.DISPUTED]
            if disputed:
                done = self._round(disputed, names[2:], 2, done)
        return done

    def _round(self, pairs: list[Pair], names: Sequence[str], number: int, after: datetime) -> datetime:
        clips = dict(
            Clip.objects.filter(moment__in={pair.candidate.moment_id for pair in pairs}).values_list(
                "moment_id", "duration"
            )
        )
        given: list[Judgment] = []
        seats: list[Seat] = []
        for name in names:
            mine = self.dice.sample(pairs, len(pairs))
            own = [self._judgment(pair, name, number, clips.get(pair.candidate.moment_id), after) for pair in mine]
            first, last = own[0].decided_at, own[-1].decided_at
            held = sorted(pair.pk for pair in pairs)
            seats.append(
                Seat(
                    batch=pairs[0].batch,
                    annotator=self.members[name],
                    pairs=held,
                    taken_at=first,
                    expires_at=last + SEAT,
                    ended_at=last,
                )
            )
            given += own
        _store(given)
        Seat.objects.bulk_create(seats)
        self._settle(pairs, min(judgment.decided_at for judgment in given))
        return max(judgment.decided_at for judgment in given)

    def _judgment(self, pair: Pair, name: str, number: int, clip_seconds: float | None, after: datetime) -> Judgment:
        habits, collection, description = self.habits[name], self.collection, pair.batch.query.description
        assert description is not None, "all its queries are drawn, none is a typed topic"
        decided_at, seconds = self.diaries[name].judge(clip_seconds or 0.0, after=after)
        too_soon = is_too_soon(
            decided_at=decided_at,
            previous=self._last.get(name),
            active_seconds=seconds,
            clip_seconds=clip_seconds if collection.has_clips else None,
            fraction=collection.played_fraction,
        )
        self._last[name] = decided_at
        hurried = habits.seconds < 5
        return Judgment(
            pair=pair,
            annotator=self.members[name],
            grade=habits.temper.grade(self.truth(description, pair.candidate.moment), self.dice),
            round=number,
            key=uuid.UUID(int=self.dice.getrandbits(128), version=4),
            played=round(self.dice.uniform(0.8, 0.84 if hurried else 1.0), 2),
            active_seconds=seconds,
            too_soon=too_soon,
            guideline=collection.guideline_version,
            decided_at=decided_at,
            given_at=decided_at,
        )

    def _settle(self, pairs: list[Pair], begun: datetime) -> None:
        """Every pair's state by the rule, and its batch's by its pairs."""
        batch = pairs[0].batch
        # A seat's column takes the present time when it is made.
        Seat.objects.filter(batch=batch).update(taken_at=F("expires_at") - SEAT - timedelta(minutes=8))
        rule = rule_of(self.collection)
        for pair in pairs:
            grades = list(pair.judgments.filter(counted=True).order_by("pk").values_list("grade", flat=True))
            pair.status, pair.grade = state_of(grades, rule)
            pair.version = len(grades)
        Pair.objects.bulk_update(pairs, ["status", "grade", "version"])
        if batch.begun_at is None:
            batch.begun_at = begun
            Batch.objects.filter(pk=batch.pk).update(begun_at=begun, opened_at=begun - timedelta(hours=1))
        settle_batch(batch.pk)


def _store(given: Sequence[Judgment]) -> None:
    """Insert judgments with their own times: the model would state the present one, and no judgment ever changes."""
    fields = [field for field in Judgment._meta.concrete_fields if not field.primary_key]
    names = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(["%s"] * len(fields))
    rows = [[field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields] for row in given]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {Judgment._meta.db_table} ({names}) VALUES ({values})", rows)
