"""What a study shares with its collection: who belongs to it, and what it has no pages of its own for."""

from django.db import transaction
from django.http import Http404

from corpus.leaving import stop_judging
from corpus.models import Collection, Membership, Purpose

NOT_OF_STUDIES = frozenset(
    """
    imports import-upload import-report import-progress import-rejected import-again videos videos-csv video
    rewriting caption-list captions caption-card caption-queue caption-checked caption-undo caption-check caption-decide
    pool pool-fetch pool-progress
    members member-change person-change person-terms archive invitations invitation-withdraw settings settings-change
    guideline-edit qualification training practice exam-begin exam exam-hand-in exam-feedback again
    candidates candidate-results candidate-decide exam-move exam-close prepare prepare-draw prepare-explain
    prepare-explain-exam
    review review-queue review-decide review-decide-clear review-take-back review-decisions review-decisions-csv
    studies study-start study-progress study-again study-put-away
    releases release-make release-progress release-again shared-releases release release-share release-archive
    release-file release-differences release-differences-csv board run-upload run run-progress run-again run-withdraw
    run-file run-query statistics
    publish publish-look publication publication-progress publication-send publication-stop publication-again
    """.split()
)
"""Addresses, by name, of what a study takes from its collection or never has."""


class NotOfStudies(Http404):
    """The page isn't there because this is a study; it says where to go, to a member and to nobody else."""

    def __init__(self, study: Collection) -> None:
        super().__init__(
            f"{study.title} is a study: it has no such page of its own, and nothing of it counts. "
            "Its material, people, guideline and settings are those of its collection."
        )


class StudyRefused(Exception):
    """It can't be done with a study, or no such study can be made; the message says why, nothing was changed."""


def refuse_study(collection: Collection, what: str) -> None:
    """For what only a collection has. `what` follows the study's name: "can't be released".

    Raises: StudyRefused.
    """
    if collection.is_study:
        kind = Purpose(collection.purpose).label
        raise StudyRefused(f"{collection.name} {what}: it is a {kind} of another collection, and nothing of it counts")


@transaction.atomic
def carry_to_studies(member: Membership) -> None:
    """Have a member's place in the studies of their collection follow the one in the collection.

    Who leads the collection leads its studies; who is no longer at work in it is at work in none of them. Whoever is
    new gets a place in the studies that aren't put away, under the same worker id. Repeating it changes nothing.
    """
    member = Membership.objects.get(pk=member.pk)
    for study in Collection.objects.filter(study_of=member.collection_id).order_by("pk"):
        place_in_study(member, study)


def place_in_study(member: Membership, study: Collection) -> None:
    """Make or change one member's place in one study."""
    place = Membership.objects.filter(collection=study, worker=member.worker).first()
    if place is None:
        at_work = member.leads or member.status == Membership.Status.ADMITTED
        if member.account_id is None or not at_work or study.archived_at is not None:
            return
        place = Membership(collection=study, worker=member.worker, guideline_confirmed=member.guideline_confirmed)
    place.account_id = member.account_id
    place.role, place.has_led = member.role, member.has_led
    place.status = _STATUS[Membership.Status(member.status)]
    place.languages, place.pay_per_hour = member.languages, member.pay_per_hour
    place.save()
    if place.leads or place.status != Membership.Status.ADMITTED:
        stop_judging(place)


_STATUS = {
    Membership.Status.ADMITTED: Membership.Status.ADMITTED,
    Membership.Status.PAUSED: Membership.Status.PAUSED,
    Membership.Status.CANDIDATE: Membership.Status.PAUSED,
    Membership.Status.DECLINED: Membership.Status.BARRED,
    Membership.Status.BARRED: Membership.Status.BARRED,
}
"""A study has no training: who is back in it waits."""
