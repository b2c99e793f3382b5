"""What people decide about captions, and take back; the rewriter asked again, by the rules and the real models."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from corpus.models import Description, Moment, Video
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from foundation.text import normalise
from queries.checks.run_checks import CheckedCaption, check_captions, collection_lexicon
from queries.models import Attempt, Caption, Decision
from queries.review.decisions import accept_edit, decide_caption, take_back
from queries.review.rewrite_again import note_asked_again, rewrite_again
from queries.review.selectors import captions_in_review, first_in_review, next_in_review, review_sheet
from queries.rewriting.caption_samples import sample_captions
from queries.rewriting.jobs import begin_rules_job
from queries.rewriting.report import as_lines, rewriting_report


@dataclass
class World:
    """Three captions that wait, and people: nothing was drawn from them yet."""

    collection: Collection
    people: dict[str, Membership]

    def __getitem__(self, name: str) -> Membership:
        return self.people[name]


@pytest.fixture
def world(db: None) -> World:
    collection = Collection.objects.create(name="paper", title="Paper", has_clips=False)
    people = {
        name: add_member(collection=collection, account=Account.objects.create(username=name), role=role)
        for name, role in (("ada", "lead"), ("bo", "annotator"))
    }
    video = Video.objects.create(collection=collection, name="v", duration=100)
    for number in range(3):
        moment = Moment.objects.create(video=video, start=number, end=number + 1)
        text, caption = f"Rosa does secret thing {number}.", f"A woman does thing {number}."
        description = Description.objects.create(
            collection=collection, moment=moment, source_id=str(number), text=text, normalised=normalise(text)
        )
        attempt = Attempt.objects.create(
            description=description, number=1, text=caption, similarity_passed=True, names_passed=True
        )
        Caption.objects.create(
            description=description, attempt=attempt, text=caption, normalised=normalise(caption), status="review"
        )
    return World(collection, people)


@pytest.fixture
def waiting(world: World) -> Caption:
    return Caption.objects.order_by("pk")[0]


def checked(collection: Collection, caption: Caption, text: str) -> CheckedCaption:
    before = caption.description.text
    lexicon = collection_lexicon(collection)
    return check_captions(collection, lexicon, {before: text}, {before: "en"}, remember=False)[before]


def test_an_accepted_edit_keeps_who_why_and_what_the_checks_said(world: World, waiting: Caption) -> None:
    ada, text = world["ada"], "A woman does secret thing 0."
    result = checked(world.collection, waiting, text)
    assert CheckedCaption.from_json(result.as_json()) == result
    for _ in range(2):
        done = accept_edit(caption_id=waiting.pk, member=ada, text=f" {text}\x00 ", checked=result)
    assert (done.status, done.text, done.decided_by, done.attempt.rewriter) == ("accepted", text, ada, "person")
    assert done.attempt.kept_ratio == 1.0 and done.attempt.passed and done.reason == "worded better"
    assert Decision.objects.filter(caption=waiting, kind="edited").count() == 1
    with pytest.raises(Refused, match=r"ada decided this caption meanwhile, at .* UTC: accepted"):
        decide_caption(caption_id=waiting.pk, member=world["bo"], accept=False)


def test_the_last_decision_is_taken_back_to_what_stood_before(world: World, waiting: Caption) -> None:
    ada, before = world["ada"], waiting.text
    accept_edit(caption_id=waiting.pk, member=ada, text="A woman does it.", checked=CheckedCaption())
    back = take_back(member=ada)
    assert (back.pk, back.status, back.text, back.decided_by) == (waiting.pk, "review", before, None)
    assert Decision.objects.get().taken_back_at is not None
    with pytest.raises(Refused, match="no decision to undo"):
        take_back(member=ada)


def test_what_the_rewriter_is_asked_for_again_is_out_until_it_answers(world: World, waiting: Caption) -> None:
    ada = world["ada"]
    assert note_asked_again(caption_id=waiting.pk, member=ada)
    assert not note_asked_again(caption_id=waiting.pk, member=ada)
    assert waiting not in captions_in_review(world.collection)
    attempt = rewrite_again(caption_id=waiting.pk)
    assert attempt is not None and (attempt.number, attempt.temperature) == (2, 0.2)
    assert rewrite_again(caption_id=waiting.pk) is None
    shown = captions_in_review(world.collection).get(pk=waiting.pk)
    assert shown.attempt == attempt and len(review_sheet(shown).attempts) == 2


def test_the_queue_goes_round_and_two_leads_begin_apart(world: World, waiting: Caption) -> None:
    Membership.objects.filter(pk=world["bo"].pk).update(role="lead")
    first, other = first_in_review(world["ada"]), first_in_review(world["bo"])
    assert first is not None and other is not None and first != other
    last = Caption.objects.order_by("-pk").first()
    assert last is not None and next_in_review(world.collection, last.pk) == first


def test_the_report_counts_what_is_stored(world: World, waiting: Caption) -> None:
    decide_caption(caption_id=waiting.pk, member=world["ada"], accept=False)
    report = rewriting_report(world.collection)
    assert (report.descriptions, report.review, report.refused, report.pending) == (3, 2, 1, 0)
    assert report.decided == {"refused": 1}
    assert "3 of 3 descriptions" in as_lines(report, world.collection, sample_captions(world.collection, 1))[0]


def test_a_rate_is_told_only_while_a_job_runs(world: World, waiting: Caption) -> None:
    Caption.objects.exclude(pk=waiting.pk).delete()
    first, *_ = Attempt.objects.filter(number=1).order_by("pk")
    Attempt.objects.filter(pk=first.pk).update(made_at=first.made_at - timedelta(minutes=1))
    assert rewriting_report(world.collection).per_minute is None, "captions brought from elsewhere tell no rate"
    begin_rules_job(collection=world.collection)
    report = rewriting_report(world.collection)
    assert report.per_minute and report.minutes_left
