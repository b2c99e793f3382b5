"""A collection that differs from the defaults in every setting, and its release."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotation.consent.standing import confirm_consent
from annotation.consent.survey import answer_survey, ask_question
from annotation.consent.texts import publish_consent
from annotation.factors.declared import declare_factors, factors_of
from annotation.factors.texts import paper_factors
from annotation.gold.set_aside import set_aside
from annotation.judging.judgments import give_judgment
from annotation.models import (
    Adjudication,
    GoldPair,
    JudgedSpan,
    Judgment,
    Pair,
    PracticeAnswer,
    Repeat,
    RepeatAnswer,
    Seat,
    WorkedItem,
)
from annotation.qualification.guidelines import publish_guideline
from annotation.settings.grade_rows import grade_row
from annotation.settings.grade_words import set_grade_words
from annotation.settings.services import configure
from corpus.content.hiding import hide_in_video
from corpus.content.marks import mark_video
from corpus.models import Moment, Video
from datasets.formats import FORMATS
from datasets.formats.about import FIELDS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from queries.models import Draw, Query, QueryMedium
from tests.annotation.judging_steps import graded
from tests.datasets.conftest import World
from tests.datasets.importing import run
from tests.datasets.judgment_files import row, write_raw
from tests.datasets.releases.further import draw_pairs, plant

WORDS = (
    *((0, "en", "off", "nothing of it"), (1, "en", "near", "some of it")),
    *((2, "en", "good", "most of it"), (3, "en", "there", "all of it")),
    *((0, "de", "daneben", "nichts"), (1, "de", "nah", "etwas"), (2, "de", "gut", "viel"), (3, "de", "da", "alles")),
)
SETTINGS = {
    "top_grade": "3",
    "consensus_rule": "median",
    "first_round_people": "2",
    "second_round_people": "1",
    "largest_difference": "0",
    "has_clips": "yes",
    "evidence": "picture,sound,subtitles",
    "context_seconds": "5",
    "compare_clips": "yes",
    "factors_asked": "every",
    "gold_share": "0.1",
    "minimum_age": "18",
    "language": "de",
}
MORE: dict[str, Any] = {
    "query_kinds": ["v", "t"],
    "pool_kinds": ["v", "vt"],
    "end_slack": 2.0,
    "cast": "Ada, f",
    "cast_set_at": datetime(2026, 1, 2, tzinfo=UTC),
    "context": "A show.",
    "rewriting_style": "diverse",
    "similarity_threshold": 0.45,
    "name_threshold": 0.7,
    "discarded_names": ["thing"],
    "kept_threshold": 0.5,
    "max_attempts": 3,
    "review_policy": "failing",
    "least_recall": 0.95,
    "max_batches": 3,
    "extend_threshold": 2.0,
    "auto_finish_to": 0.0,
    "span_agreement": 0.5,
    "guideline": "# A draft",
    "seat_minutes": 20.0,
    "played_fraction": 0.7,
    "break_minutes": 40,
    "show_agreement": True,
    "needs_exam": False,
    "offers_tryout": True,
    "repeat_share": 0.05,
    "repeat_days": 5,
    "gold_feedback": "at-once",
    "idle_seconds": 50,
    "pay_per_hour": 14,
    "currency": "EUR",
    "pay_training": True,
}
"""What judging goes on with; `make_different` does what stands in no setting."""
HUNDRED: dict[str, Any] = {
    **{"top_grade": "100", "grade_step": "5", "consensus_rule": "mean", "rounding": "nearest"},
    **{"first_round_people": "3", "second_round_people": "1", "largest_difference": "20"},
}
SAID = {field: f"The authors' {field}." for field in FIELDS} | {
    "authors": "Lovelace, Ada",
    "licence": "CC-BY-4.0",
    "address": "https://example.org/tiny",
    "sources": "TVR, https://example.org/tvr",
}


def configured(world: World, changes: dict[str, str]) -> None:
    configure(collection=world.collection, changes=changes)
    world.collection.refresh_from_db()
    for member in world.members.values():
        member.collection.refresh_from_db()


def judge(world: World, pair: Pair, *grades: tuple[str, int]) -> None:
    """Heard to the end, with the seconds before and after, and each factor answered."""
    for number, (who, grade) in enumerate(grades):
        member = world.members[who]
        in_an_hour = timezone.now() + timedelta(hours=1)
        Seat.objects.get_or_create(batch=pair.batch, annotator=member, defaults={"expires_at": in_an_hour})
        answers = {factor.key: number % 2 for factor in factors_of(world.collection)}
        used = ["context", "sound"] if number % 2 else []
        sent = graded(pair.public_id, grade, played=1.0, used=used, factors=answers)
        assert give_judgment(member=member, sent=sent).outcome == "counted"


def with_medium(world: World, query: Query, topic_id: str, kind: str, suffix: str, *, alone: bool) -> None:
    Query.objects.filter(pk=query.pk).update(description=None, topic_id=topic_id)
    content = f"{kind} of {topic_id}".encode()
    name = default_storage.save(f"query-media/{uuid.uuid4().hex}.{suffix}", ContentFile(content))
    about = {"kind": kind, "suffix": suffix, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    QueryMedium.objects.create(query=query, media_file=name, alone=alone, **about)


def make_different(world: World, folder: Path, top: int = 3) -> None:
    """Everything that may differ does."""
    lead = world.members["ada"]
    more = MORE if top == 3 else {**MORE, "trimmed_grades": 2, "auto_extend_from": 4.0}
    Collection.objects.filter(pk=world.collection.pk).update(**more)
    Draw.objects.update(val=1, test=1)  # of the four queries two are topics
    if top == 3:
        configured(world, SETTINGS)
        names = ("grade", "language", "word", "shows")
        rows = [grade_row(dict(zip(names, one, strict=True)) | {"colour": "", "dark_colour": ""}) for one in WORDS]
        set_grade_words(collection=world.collection, rows=rows)
    else:
        configured(world, SETTINGS | HUNDRED)
    declare_factors(collection=world.collection, factors=paper_factors())
    for video in Video.objects.filter(collection=world.collection, name="alpha"):
        mark_video(video=video, content="violence", minimum_age="16")
        hide_in_video(video=video, lines="1 2 0.1 0.1 0.5 0.5")
    Moment.objects.filter(video__collection=world.collection).update(
        external_id=Concat(Value("shot"), Cast("pk", CharField()))
    )
    with_medium(world, world.query("102"), "robot 1", "picture", "png", alone=False)
    with_medium(world, world.query("104"), "hum", "sound", "mp3", alone=True)
    publish_consent(lead=lead, source="Draft.", on_withdrawal="kept")
    question = ask_question(lead=lead, kind="language", text="Native language?", options=[])
    for name in ("bo", "cy"):
        confirm_consent(member=world.members[name], version=1)
    publish_consent(lead=lead, source="# Taking part", note="clearer", on_withdrawal="undecided")
    for name in ("bo", "cy", "di", "ed"):
        confirm_consent(member=world.members[name], version=2)
    publish_guideline(lead=lead, source="# How to judge")
    Membership.objects.filter(collection=world.collection).update(guideline_confirmed=1)
    for member in world.members.values():
        member.refresh_from_db()
    pairs = Pair.objects.filter(batch__query__collection=world.collection, status="open").order_by("pk")
    levels = (0, 1, 2, 3) if top == 3 else (0, 25, 85, 100)
    for place, pair in enumerate(pairs):
        grade = levels[place % 4]
        first = ("cy", grade), ("di", grade if place % 3 else levels[(place + 1) % 4])
        judge(world, pair, *first, *((("ed", grade),) if top == 100 else ()))
        pair.refresh_from_db()
        if pair.status == "disputed":
            judge(world, pair, ("bo" if top == 100 else "ed", grade))
    first = Pair.objects.filter(batch__query__collection=world.collection, status="consensus").order_by("pk")[0]
    gold = GoldPair.objects.create(
        collection=world.collection, pair=first, grade=first.grade or 0, source="decided", added_by=lead
    )
    repeat = Repeat.objects.create(pair=first, annotator=world.members["bo"], gold=gold)
    RepeatAnswer.objects.create(
        repeat=repeat, annotator=world.members["bo"], grade=0, key=uuid.uuid4(), decided_at=timezone.now()
    )
    set_some_aside(world)
    mark_some(world)
    work_some(world)
    for number in range(12):
        account = Account.objects.create(username=f"p{number}")
        member = add_member(collection=world.collection, account=account, role="annotator")
        confirm_consent(member=member, version=2)
        some = Pair.objects.filter(status="withdrawn").first()
        if some is None:
            some = pairs.model.objects.filter(batch__query__collection=world.collection).latest("pk")
            Pair.objects.filter(pk=some.pk).update(status="withdrawn", grade=None)
        Judgment.objects.create(pair=some, annotator=member, grade=0, round=1, key=uuid.uuid4())
        answer_survey(member=member, answers={question.pk: "de" if number < 7 else ""})
    for pair in Pair.objects.filter(status="discarded"):
        Adjudication.objects.create(pair=pair, grade=top, reason="Seen.", decided_by=lead)
    plant(world, "robot", 3, model="llava")
    if top == 3:
        draw_pairs(world)
    else:  # what is drawn to be judged takes no judgments from elsewhere
        bring_some(world, folder)


def mark_some(world: World) -> None:
    """Starts and ends of one pair, on which all agree."""
    pair = Pair.objects.filter(batch__collection=world.collection, status="consensus", grade__gte=1).order_by("pk")[0]
    begin = pair.candidate.moment.start
    for judgment in pair.judgments.filter(counted=True):
        JudgedSpan.objects.create(judgment=judgment, start=begin + 1, end=begin + 3)


def work_some(world: World) -> None:
    """Judging took time, and so did practice, which is paid here."""
    Judgment.objects.update(active_seconds=360.0)
    one = world.collection.descriptions.order_by("-pk")[0]
    item = WorkedItem.objects.create(
        collection=world.collection, use="practice", description=one, query=one.text, moment=one.moment, grade=0
    )
    PracticeAnswer.objects.create(item=item, annotator=world.members["bo"], grade=0, active_seconds=1800.0, paid=True)


def bring_some(world: World, folder: Path) -> None:
    """Judgments of another query, made elsewhere on another scale."""
    told = {"query_id": "911", "query": "Ein Hund bellt den Mond an."}
    rows = [row(worker, "yes", moment=moment) | told for moment in (0, 1) for worker in ("w91", "w92", "w93")]
    folder.parent.mkdir(exist_ok=True, parents=True)
    path = write_raw(folder.parent / "raw.csv", rows)
    run("tiny", path, "--map-grades", "no=0,yes=100")
    # None of them is for pseudo-training, for which no candidates are fetched here.
    world.collection.descriptions.filter(attempts__rewriter="import").update(kind="t", language="de")


def set_some_aside(world: World) -> None:
    """One judgment that is set aside, of a pair that somebody else judges anew if anybody is left."""
    last = Judgment.objects.filter(annotator=world.members["ed"], counted=True).order_by("given_at").last()
    assert last is not None
    since = last.given_at.replace(microsecond=max(0, last.given_at.microsecond - 1))
    set_aside(lead=world.members["ada"], member_id=world.members["ed"].pk, since=since, reason="Drift.", seen=1)
    if not Judgment.objects.filter(pair=last.pair_id, annotator=world.members["bo"]).exists():
        judge(world, Pair.objects.get(pk=last.pair_id), ("bo", last.grade))


def different(world: World, folder: Path, top: int = 3) -> Release:
    make_different(world, folder, top)
    return released(world, folder, top, name="1.0.0", formats=list(FORMATS))


def released(world: World, folder: Path, top: int, **named: Any) -> Release:
    """With all that may be asked for."""
    release = create_release(
        collection=Collection.objects.get(pk=world.collection.pk),
        **named,
        adjudicated=True,
        posteriors=top < 100,
        provenance=True,
        machine_judges=["robot"],
        about=SAID,
    )
    write_release(release=release, folder=folder)
    return release
