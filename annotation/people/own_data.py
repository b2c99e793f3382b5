"""Everything that is kept about one person, for themselves: as one JSON text, in pieces.

Nothing in it tells more than they saw: queries and clips as they were shown, their own grades, and no round, rank,
source or anybody else. A hidden repeat is one of their judgments like any other. While judging in a collection goes on,
all its grades are left out, whichever of its pairs are to be repeated: who could look an earlier grade up here would
repeat it, and a single grade that was missing would tell which pair comes again.
"""

import heapq
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.contrib.postgres.expressions import ArraySubquery
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Case, F, ManyToOneRel, OuterRef, QuerySet, When
from django.db.models.functions import JSONObject

from annotation.models import (
    ExamAnswer,
    ExamSitting,
    Flag,
    JudgedFactor,
    Judgment,
    Notice,
    PracticeAnswer,
    Question,
    Recruit,
    RepeatAnswer,
)
from annotation.people.timesheet import work_days
from foundation.access.outside_roles import told_of
from foundation.access.throttle import Limit
from foundation.accounts.own_sessions import sessions_of
from foundation.accounts.passkeys import passkeys_of
from foundation.accounts.second_factors import second_factor_of
from foundation.models import Account, FactorsAsked, Membership

BLOCK = 2000
LISTED = "Each judgment has its grade."
LEFT_OUT = "Judging in this collection goes on, so each grade is null here: download this file again when it has ended."
DOWNLOADS = Limit("own-data", 20, 60)
"""Of one account: it reads every judgment of a person."""
_SHOWN = {"query": "pair__batch__query__text", "clip": "pair__candidate__moment__clip__public_name"}


def own_data(account: Account) -> Iterator[str]:
    """The pieces of a JSON object: "profile", "logins", "mails", "tokens", "campaigns"
    (`foundation/access/outside_roles.py`), and "collections" with one's work in each."""
    factor = second_factor_of(account)
    facts = {
        "profile": {
            "username": account.username,
            "email": account.email,
            "language": account.language,
            "time_zone": account.time_zone or "UTC",
            "joined": account.date_joined,
            "last_login": account.last_login,
            "creates_collections": account.creates_collections,
            "owns_site": account.owns_site,
            "second_factor_since": factor.since if factor else None,
            "passkeys": [
                {"name": passkey.wrap().name, "made": passkey.created_at, "last_use": passkey.last_used_at}
                for passkey in passkeys_of(account)
            ],
            "outside_logins": [
                login.extra_data.get("email", "") for login in SocialAccount.objects.filter(user=account).order_by("pk")
            ],
        },
        "logins": [
            {"device": session.device, "address": session.address, "last_use": session.used_at}
            for session in sessions_of(account, current_key=None)
        ],
        "mails": {
            "not_wanted": list(account.mail_refusals.order_by("pk").values_list("kind", flat=True)),
            "sent": list(account.letters.exclude(sent_at=None).order_by("sent_at").values_list("sent_at", flat=True)),
        },
        "tokens": list(
            account.api_tokens.order_by("pk").values(
                "name", "scopes", "collection__name", "made_at", "last_used", "expires_at", "revoked_at"
            )
        ),
        **told_of(account),
    }
    yield _text(facts)[:-1] + ', "collections": ['
    places = Membership.objects.filter(account=account).select_related("collection").order_by("joined_at", "pk")
    for number, member in enumerate(places):
        yield (",\n" if number else "\n") + _text(_of_member(member))[:-1] + ', "judgments": ['
        for place, row in enumerate(_judgments(member)):
            yield (",\n" if place else "\n") + _text(row)
        yield "]}"
    yield "]}\n"


def _text(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _of_member(member: Membership) -> dict[str, Any]:
    """A person's place in a collection, and what they did there beside their judgments."""
    collection = member.collection
    return {
        "collection": collection.title,
        "name": collection.name,
        "role": member.role,
        "worker": member.worker,
        "status": member.status,
        "joined": member.joined_at,
        "languages": member.languages,
        "avoids": member.avoids,
        "age": member.age,
        "guideline_confirmed": member.guideline_confirmed,
        **_consent(member),
        "grades": LISTED if _is_over(member) else LEFT_OUT,
        **({"recruited": _recruited(member.recruit)} if member.recruited else {}),
        "exams": [_exam(sitting) for sitting in member.exam_sittings.order_by("pk")],
        "flags": list(
            _shown(Flag.objects.filter(annotator=member)).values(
                "query", "clip", "kind", "note", "raised_at", "outcome", "answer", "answered_at"
            )
        ),
        "notices": list(
            Notice.objects.filter(collection=collection, annotator=member)
            .order_by("pk")
            .values("text", "made_at", "withdrawn_at")
        ),
        "practice": list(
            PracticeAnswer.objects.filter(annotator=member)
            .order_by("given_at", "pk")
            .annotate(query=F("item__query"), clip=F("item__moment__clip__public_name"))
            .values("query", "clip", "grade", "given_at")
        ),
        "standing": _standing(member),
        "corrections": list(member.time_corrections.order_by("pk").values("day", "seconds", "reason", "made_at")),
        "rates": list(member.rate_changes.order_by("pk").values("since", "after", "changed_at")),
        "led": _led(member) if member.leads else {},
        "questions": list(
            _shown(Question.objects.filter(annotator=member)).values(
                "query", "clip", "text", "asked_at", "answer", "answered_at"
            )
        ),
        "days": [
            {
                "day": day.day,
                "judgments": day.judgments,
                "active_seconds": round(day.active),
                "corrected_seconds": day.corrected,
                "hours": day.hours,
                "rate": day.rate,
                "currency": day.currency,
                "pay": day.pay,
            }
            for day in work_days(collection, first=date(2000, 1, 1), last=date(9998, 12, 31), member=member)
        ],
    }


def _consent(member: Membership) -> dict[str, Any]:
    """What the person confirmed and withdrew, and their answers to the survey; nothing where there is no such text."""
    if not member.collection.consent_version:
        return {}
    return {
        "consent": list(member.consent_acts.order_by("pk").values("kind", "version", "digest", "at")),
        "survey": list(member.survey_answers.order_by("pk").values("question__text", "answer")),
    }


def _recruited(recruit: Recruit) -> dict[str, Any]:
    """The platform that sent the person, its ids, and their sessions."""
    told = ("session", "study", "entered_at", "ended_at", "outcome")
    return {
        "platform": recruit.platform,
        "id": recruit.person,
        "sessions": list(recruit.sessions.order_by("pk").values(*told)),
    }


def _standing(member: Membership) -> list[dict[str, Any]]:
    """Changes of the person's standing. A lead's reasons may speak of others' grades: they follow when all is over."""
    over = _is_over(member)
    changes = [
        {
            "at": change.changed_at,
            "before": change.before,
            "after": change.after,
            "reason": change.reason if over else None,
        }
        for change in member.status_changes.order_by("pk")
    ]
    noted = [
        {"at": dismissal.dismissed_at, "alert": dismissal.told, "note": dismissal.note}
        for dismissal in member.alert_dismissals.all()
    ]
    return changes + (noted if over else [])


def _led(member: Membership) -> dict[str, int]:
    """What a lead did here, in rows of each table that name them. Of an annotator such numbers would tell too much."""
    # These have no name at the membership; what an annotator did and was told is elsewhere, or untold.
    relations = [
        relation
        for relation in Membership._meta.get_fields(include_hidden=True)
        if isinstance(relation, ManyToOneRel) and relation.hidden and relation.field.name != "annotator"
    ]
    rows: dict[str, int] = {}
    for relation in relations:
        number = relation.related_model._default_manager.filter(**{relation.field.name: member}).count()
        if number:
            name = f"{relation.related_model._meta.label}.{relation.field.name}"
            rows[name] = number
    return dict(sorted(rows.items()))


def _exam(sitting: ExamSitting) -> dict[str, Any]:
    answers = ExamAnswer.objects.filter(sitting=sitting).order_by("given_at", "pk")
    shown = answers.annotate(query=F("item__query"), clip=F("item__moment__clip__public_name"))
    return {
        "begun": sitting.begun_at,
        "handed_in": sitting.handed_in_at,
        # Turn 1 is the exam, later ones followed its feedback.
        "answers": list(shown.values("query", "clip", "grade", "turn", "given_at", "taken_back_at")),
    }


def _is_over(member: Membership) -> bool:
    """Whether no pair can come again to the person: the collection is archived, or they lead it and judge nothing."""
    return member.collection.archived_at is not None or member.leads


def _judgments(member: Membership) -> Iterator[dict[str, Any]]:
    """All that the person graded, in the order of time; the grade is None while judging goes on."""
    over = _is_over(member)
    fields = ("grade", "decided_at", "given_at", "taken_back_at", "played", "active_seconds", "used")
    order = ("decided_at", "pk")
    judged = _shown(Judgment.objects.filter(annotator=member)).order_by(*order)
    begin = "pair__candidate__moment__start"
    judged = judged.annotate(marked_from=F("span__start") - F(begin), marked_to=F("span__end") - F(begin))
    asks = member.collection.factors_asked != FactorsAsked.NEVER
    answers = JudgedFactor.objects.filter(judgment=OuterRef("pk")).order_by("factor__place")
    judged = judged.annotate(answered=ArraySubquery(answers.values(one=JSONObject(key="factor__key", value="value"))))
    judged = judged.values("query", "clip", "marked_from", "marked_to", *(["answered"] if asks else []), *fields)
    repeated = RepeatAnswer.objects.filter(annotator=member).order_by(*order)
    # Of a second grade of a pair, which is stored as taken back at once, they know as little as of a judgment's.
    repeated = repeated.annotate(taken_back=Case(When(taken_back_at__gt=F("given_at"), then=F("taken_back_at"))))
    again = repeated.annotate(**{name: F(f"repeat__{path}") for name, path in _SHOWN.items()})
    rows = heapq.merge(
        judged.iterator(chunk_size=BLOCK),
        again.values("query", "clip", "taken_back", *fields, answered=F("factors")).iterator(chunk_size=BLOCK),
        key=lambda row: row["decided_at"],
    )
    # Of what is slipped in no mark is kept: one named where something was marked would tell the others.
    hidden = {} if member.collection.span_agreement is None else {"marked": None}
    for row in rows:
        yield (
            {
                "query": row["query"],
                "clip": row["clip"],
                "grade": row["grade"] if over else None,
                "graded_at": row["decided_at"],
                "saved_at": row["given_at"],
                "taken_back_at": row.get("taken_back", row["taken_back_at"]),
                "share_seen": row["played"],
                "active_seconds": row["active_seconds"],
                **({} if row["used"] is None else {"used": row["used"]}),
            }
            | (_marked(row) if over else hidden)
            | ({"factors": _answered(row["answered"]) if over else None} if asks else {})
        )


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """What was marked as fitting, in seconds of the clip, where something was."""
    if row.get("marked_from") is None:
        return {}
    return {"marked": [round(row["marked_from"], 3), round(row["marked_to"], 3)]}


def _answered(answers: list[dict[str, Any]] | dict[str, int | None] | None) -> dict[str, int | None]:
    """What was answered to factors, by key: of a judgment, or of a repeat, which has it so."""
    return {one["key"]: one["value"] for one in answers} if isinstance(answers, list) else answers or {}


def _shown(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows with the query and the clip's public name that the person saw."""
    shown: QuerySet[Any] = rows.annotate(**{name: F(path) for name, path in _SHOWN.items()})
    return shown
