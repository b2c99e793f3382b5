"""Publishing jobs started in the browser: plan, confirmation, sending.

A row (`Publication`) says what was asked and how far it is; `publishing` does the work, and knows by itself what is
there already, so that whatever was interrupted goes on.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from celery import shared_task
from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets.models import Publication, Release
from datasets.publishing.destinations import overlap, place_below
from datasets.publishing.publish import items_of, plan, publish, target_of
from datasets.publishing.targets import InTheWay, Item, Planned
from foundation.infra.job_log import log_line
from foundation.infra.jobs import JobProgress, JobStopped, run_job
from foundation.models import Membership
from foundation.refused import Refused

State = Publication.State


def ask_for_publication(
    *, member: Membership, release: Release, root: str, below: str, format_name: str = "", new_record: bool = False
) -> Publication:
    """Record a publication to be checked; the caller sends the task. No file is sent yet.

    Asked again while a worker is looking, it is the one that is there.

    Args: new_record: at an archive, never as a new version of an earlier release's record.

    Raises: Refused if the place isn't allowed, is another collection's, or the release hasn't the format.
    """
    place = place_below(root, below)
    items_of(release, format_name, target_of(place))
    _refuse_others_place(release, place)
    asked = {"release": release, "root": root, "below": below, "place": place, "format_name": format_name}
    asked |= {"new_record": new_record}
    there = Publication.objects.filter(state=State.LOOKING, **asked).first()
    return there or Publication.objects.create(member=member, **asked)


def _refuse_others_place(release: Release, place: str) -> None:
    """Refuse a place where another collection has published, since all collections share the roots."""
    others = Publication.objects.exclude(release__collection=release.collection).exclude(confirmed_at=None)
    if any(overlap(place, other) for other in others.order_by().values_list("place", flat=True).distinct()):
        raise Refused(f"Another collection is published at {place}: choose another place.")


def confirm_publication(
    *, publication: Publication, member: Membership, replace: bool = False, final: bool = False
) -> bool:
    """Confirm a plan to be sent; the caller sends the task.

    Args:
        final: whether an archive is to publish the record too, which can't be undone.

    Returns: whether it changed anything; False where it was confirmed before.
    Raises: Refused if files are in the way and shan't be replaced, or the place is being published to.
    """
    if not replace and any(file["state"] == "differs" for file in publication.plan):
        raise Refused("Other files are in the way: say that they be replaced, or choose another place.")
    _refuse_others_place(publication.release, publication.place)
    try:
        with transaction.atomic():
            changed = Publication.objects.filter(pk=publication.pk, state=State.PLANNED).update(
                state=State.SENDING,
                touched_at=None,
                started_at=None,
                member=member,
                replace=replace,
                final=final,
                confirmed_at=timezone.now(),
            )
    except IntegrityError as error:
        raise Refused(f"A release is being sent to {publication.place}: wait until it is there.") from error
    if changed:
        log_line(publication, f"Confirmed by {member.worker}.")
    return changed == 1


def record_publication(
    *,
    release: Release,
    place: str,
    format_name: str,
    planned: Sequence[Planned],
    record: Mapping[str, Any] = MappingProxyType({}),
    new_record: bool = False,
) -> Publication:
    """Record in the history what a command on the server published."""
    now = timezone.now()
    return Publication.objects.create(
        release=release,
        place=place[:700],
        format_name=format_name,
        state=State.DONE,
        plan=_to_json(planned),
        replace=any(file.state == "differs" for file in planned),
        sent=[file.item.goes_to for file in planned if file.state != "same"],
        record=dict(record),
        final=bool(record.get("published")),
        new_record=new_record,
        confirmed_at=now,
        finished_at=now,
    )


def _to_json(planned: Sequence[Planned]) -> list[dict[str, Any]]:
    return [
        {
            "path": file.item.path,
            "goes_to": file.item.goes_to,
            "address": file.address,
            "size": max(0, file.item.size),
            "sha256": file.item.sha256,
            "state": file.state,
        }
        for file in planned
    ]


@shared_task(name=Publication.TASK, time_limit=24 * 60 * 60)
def work_on_publication(publication_id: int) -> None:
    """Plan or send, whichever comes next: a job (`run_job`), which may take hours."""
    run_job(Publication, publication_id, _work)


def _work(publication: Publication, progress: JobProgress) -> None:
    rows = Publication.objects.filter(pk=publication.pk, state=publication.state)
    # Settings and links may have changed since it was asked for.
    place = place_below(publication.root, publication.below)
    target = target_of(place, final=publication.final, new_record=publication.new_record)
    if publication.state == State.LOOKING:
        items = items_of(publication.release, publication.format_name, target)
        planned = _to_json(plan(publication.release, target, items))
        if not rows.update(plan=planned, record=target.outcome, state=State.PLANNED):
            raise JobStopped
        publication.state = State.PLANNED
        return
    if publication.sent:
        # A resumed one shows no pace, which would count what was sent before.
        rows.update(started_at=None)
    sent = list(publication.sent)

    def arrived(item: Item) -> None:
        if item.goes_to not in sent:
            sent.append(item.goes_to)
        # A job that gets on doesn't kill its workers, however often it is broken off.
        progress.note(sent=sent, begun=1)

    try:
        publish(
            release=publication.release,
            target=target,
            format_name=publication.format_name,
            replace=_may_go(publication),
            arrived=arrived,
        )
    except InTheWay as error:
        raise Refused("What lies there has changed since you looked. Nothing was sent: look again.") from error
    except OSError as error:
        raise Refused(f"The server can't read or write: {error.strerror or error}. What was sent stays.") from error
    finally:
        # Also of what was broken off: the draft is there.
        Publication.objects.filter(pk=publication.pk).update(record=target.outcome)


def _may_go(publication: Publication) -> set[str]:
    """The files that may be replaced: those in the plan that the lead confirmed."""
    differing = {file["goes_to"] for file in publication.plan if file["state"] == "differs"}
    return differing if publication.replace else set()
