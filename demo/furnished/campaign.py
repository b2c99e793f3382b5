"""The story of the finished collection, day by day: two waves of judging, reviews, and what the lead did besides."""

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal

from django.db.models import F

from annotation.batches.opening import open_annotation
from annotation.judging.flags import answer_flag, raise_flag
from annotation.judging.notices import answer_question, ask_question, post_notice
from annotation.models import (
    Adjudication,
    Batch,
    Flag,
    Judgment,
    Notice,
    Pair,
    Question,
    RateChange,
    Review,
    StatusChange,
    TimeCorrection,
)
from annotation.people.status import change_standing
from annotation.people.terms import set_terms
from annotation.people.timesheet import correct_time
from annotation.review.adjudication import adjudicate_pair
from annotation.review.decisions import review_batch
from annotation.review.extend_rule import Recommendation, recommend
from demo.furnished.judging import Crew, Diary
from demo.furnished.people import PEOPLE, admit_people
from demo.truth import ItemTruth
from foundation.models import Collection, Membership
from queries.models import Draw, Query

DAYS, FIRST_WAVE_DAYS = 11, 6
"""Working days of the story, the last of them before today; and of judging before the first release."""
A_PAIR = 2.6
"""Judgments a pair takes, second rounds and second batches included: for how much is judged a day."""
FIRST_WAVE = 2 / 3
"""The part of the queries that is judged before the first release."""
BY_EYE = 2
"""Batches a wave that the lead extends though the rule doesn't say so."""
WAITING, DISPUTED = 3, 3
"""Of the others, how many batches wait for the lead's review in the end, and how many for a second round."""


def working_days(today: datetime, number: int = DAYS) -> list[datetime]:
    """So many days from Monday to Friday before today, at midnight (UTC), oldest first."""
    days: list[datetime] = []
    day = datetime.combine(today.date(), time(), UTC)
    while len(days) < number:
        day -= timedelta(days=1)
        if day.weekday() < 5:
            days.append(day)
    return days[::-1]


def first_wave(lead: Membership, known: ItemTruth, days: Sequence[datetime]) -> None:
    """From the invitation to the reviews of the first queries' batches. Call it in one transaction."""
    collection = lead.collection
    _begin_on(collection, days[0])
    members = admit_people(lead, known, days[0] + timedelta(hours=8))
    open_annotation(collection=collection)
    collection.batches.update(opened_at=days[1])
    batches = _first_batches(collection)
    batches = batches[: round(FIRST_WAVE * len(batches))]
    judging = days[1 : 1 + FIRST_WAVE_DAYS]
    crew = _crew(collection, members, known, judging, len(batches))
    for batch in batches:
        crew.judge_batch(batch, after=judging[0])
    _review_all(lead)
    notice = post_notice(lead=lead, text="Welcome. Judge what can be seen in the clip, not what the query might mean.")
    Notice.objects.filter(pk=notice.pk).update(made_at=days[1] + timedelta(hours=7))


def second_wave(lead: Membership, known: ItemTruth, days: Sequence[datetime]) -> None:
    """From the extended batches to the present: some batches wait for review, some are in dispute, one is half done;
    flags and questions wait. Call it in one transaction."""
    collection = lead.collection
    members = {
        member.account.username: member
        for member in collection.memberships.select_related("account", "collection").filter(role="annotator")
        if member.account is not None and member.status == Membership.Status.ADMITTED
    }
    left = days[1 + FIRST_WAVE_DAYS :]
    extended = list(collection.batches.filter(number=2).order_by("pk"))
    *done, half = [batch for batch in _first_batches(collection) if batch.begun_at is None]
    crew = _crew(collection, members, known, left, len(done) + len(extended))
    for batch in extended:
        crew.judge_batch(batch, after=left[0])
    disputed, waiting = done[-DISPUTED:], done[-DISPUTED - WAITING : -DISPUTED]
    for batch in done[: -DISPUTED - WAITING]:
        crew.judge_batch(batch, after=left[0])
    _review_all(lead)
    for batch in [*collection.batches.filter(number=2, begun_at=None).order_by("pk"), *waiting]:
        crew.judge_batch(batch, after=left[0])
    for batch in disputed:
        crew.judge_batch(batch, after=left[0], rounds=1)
    crew.judge_batch(half, after=left[0], share=0.5)
    _adjudicate(lead, left[-1])
    _flag_and_ask(lead, half, left[-1])
    _manage(lead, members, left)


def _begin_on(collection: Collection, day: datetime) -> None:
    Collection.objects.filter(pk=collection.pk).update(created_at=day)
    Query.objects.filter(collection=collection).update(drawn_at=day + timedelta(hours=6))
    Draw.objects.filter(collection=collection).update(drawn_at=day + timedelta(hours=6))


def _crew(
    collection: Collection,
    members: dict[str, Membership],
    known: ItemTruth,
    days: Sequence[datetime],
    batches: int,
) -> Crew:
    """Everybody, with as many judgments a day as make the batches last for these days."""
    a_day = math.ceil(batches * collection.batch_size * A_PAIR / len(members) / len(days))
    habits = {person.name: person for person in PEOPLE if person.name in members}
    diaries = {name: Diary(habits[name], days, a_day, random.Random(f"{name} {len(days)}")) for name in habits}
    return Crew(collection, members, habits, diaries, known, random.Random(f"crew {len(days)}"))


def _first_batches(collection: Collection) -> list[Batch]:
    # Val and test in turns, so that each wave has of both.
    batches = collection.batches.filter(number=1).select_related("query")
    sizes = {split: collection.queries.filter(split=split).count() for split in ("val", "test")}
    return sorted(batches, key=lambda batch: (batch.query.position / sizes[batch.query.split], batch.query.split))


def _review_all(lead: Membership) -> None:
    """As the rule recommends, hours after the last grade; the two best are extended in any case, by the lead's eye."""
    collection = lead.collection
    recommended: list[tuple[Batch, Recommendation]] = []
    for batch in collection.batches.filter(status=Batch.Status.DECIDED).order_by("pk"):
        graded = list(batch.pairs.order_by("candidate__rank").values_list("candidate__rank", "grade"))
        recommended.append((batch, recommend(graded, threshold=collection.extend_threshold)))
    best = sorted(recommended, key=lambda row: row[1].mean or 0, reverse=True)[:BY_EYE]
    for batch, rule in recommended:
        extend = rule.extend or (batch, rule) in best
        review = review_batch(member=lead, batch_id=batch.pk, decision="extend" if extend else "finish")
        last = Judgment.objects.filter(pair__batch=batch).latest("decided_at").decided_at
        Review.objects.filter(pk=review.pk).update(decided_at=last + timedelta(hours=2))
        Batch.objects.filter(query=batch.query_id, number=2, begun_at=None).update(opened_at=last + timedelta(hours=2))


def _adjudicate(lead: Membership, day: datetime) -> None:
    """Half of the discarded pairs; the others wait."""
    pairs = list(Pair.objects.filter(batch__collection=lead.collection, status=Pair.Status.DISCARDED).order_by("pk"))
    for pair in pairs[: (len(pairs) + 1) // 2]:
        grades = sorted(pair.judgments.filter(counted=True).values_list("grade", flat=True))
        adjudicate_pair(
            member=lead, pair_id=pair.pk, grade=grades[len(grades) // 2], reason="I watched it twice: most of it fits."
        )
    Adjudication.objects.filter(pair__in=pairs).update(decided_at=day + timedelta(hours=9))


def _flag_and_ask(lead: Membership, half: Batch, day: datetime) -> None:
    """Two flags and a question that wait, and one of each that is answered."""
    sitting = [seat.annotator for seat in half.seats.select_related("annotator__collection").order_by("pk")]
    pairs = list(half.pairs.filter(status=Pair.Status.OPEN).order_by("pk"))
    notes = ("The clip ends before the action does.", "Does a toy count as an animal?", "Whose hat is meant?")
    flags = [
        raise_flag(member=sitting[number % 2], pair_id=pair.public_id, kind=kind, note=note)
        for number, (pair, kind, note) in enumerate(zip(pairs, ("clip", "query", "query"), notes, strict=False))
    ]
    answer_flag(member=lead, flag_id=flags[0].pk, outcome="returned", answer="Grade what the clip shows.")
    asked = [
        ask_question(member=sitting[number % 2], pair_id=pair.public_id, text=text)
        for number, (pair, text) in enumerate(
            zip(
                pairs[3:],
                ("Is a dusk scene a night scene?", "Two people hug, the query has one. 3 or 2?"),
                strict=False,
            )
        )
    ]
    answer_question(lead=lead, question_id=asked[0].pk, answer="Light counts only where the query names it.")
    Flag.objects.filter(pk__in=[flag.pk for flag in flags]).update(raised_at=day + timedelta(hours=14))
    Flag.objects.filter(pk=flags[0].pk).update(answered_at=day + timedelta(hours=15))
    Question.objects.filter(pk__in=[question.pk for question in asked]).update(asked_at=day + timedelta(hours=14))
    Question.objects.filter(pk=asked[0].pk).update(answered_at=day + timedelta(hours=15))


def _manage(lead: Membership, members: dict[str, Membership], days: Sequence[datetime]) -> None:
    """A raise, a corrected hour, a pause, notices."""
    lena, milo, jonas = members["lena"], members["milo"], members["jonas"]
    set_terms(lead=lead, member_id=lena.pk, languages=[], rate=Decimal("17.50"), since=days[0].date())
    RateChange.objects.filter(member=lena).update(changed_at=days[0] + timedelta(hours=7))
    correct_time(
        lead=lead, member_id=lena.pk, day=days[0].date(), minutes=30, reason="The meeting about dusk and night."
    )
    TimeCorrection.objects.filter(annotator=lena).update(made_at=F("day") + timedelta(hours=17))
    change_standing(
        lead=lead, member_id=milo.pk, step="pause", reason="Grades come before the clip has played. We talk."
    )
    StatusChange.objects.filter(member=milo).update(changed_at=days[-1] + timedelta(hours=18))
    notices = [
        post_notice(lead=lead, text="The second batches are open. Keep watching to the end of each clip."),
        post_notice(
            lead=lead, annotator_id=jonas.pk, text="Your grades are half a step above your partners'. See 3 and 4."
        ),
    ]
    Notice.objects.filter(pk__in=[notice.pk for notice in notices]).update(made_at=days[0] + timedelta(hours=7))
