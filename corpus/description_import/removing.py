"""Remove what was imported by mistake, until something depends on it: a whole import, single descriptions, a video."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.description_import.change_hooks import DescriptionsChanged, cost_of, held_descriptions, tell_changed
from corpus.description_import.import_descriptions import remove_moments, remove_videos
from corpus.models import Description, Import, Moment, Video
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from foundation.refused import Refused
from foundation.text import normalise

AT_ONCE = 5000
Record = Mapping[str, list[Any]]
"""As `Staging.record`."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What a removal would do, in words; where there are `obstacles`, it can't be done."""

    losses: list[str]
    obstacles: list[str]

    def refuse(self) -> None:
        """Raises: Refused if there is an obstacle."""
        if self.obstacles:
            raise Refused(" ".join(self.obstacles))


def removal_of(collection: Collection, descriptions: Sequence[int]) -> Removal:
    """What goes with descriptions (ids) of a collection."""
    here = len(descriptions)
    words = ngettext("%(count)s description", "%(count)s descriptions", here) % {"count": f"{here:,}"}
    return Removal(([words] if here else []) + cost_of(descriptions), _in_use(collection, descriptions))


def removal_of_import(job: Import) -> Removal:
    """What taking an import back would do."""
    record, collection = _record_of(job), job.collection
    added = list(Description.objects.filter(pk__in=record["added"]).values_list("pk", flat=True))
    changed = [row[0] for row in record["changed"]]
    removal = removal_of(collection, added)
    back = ngettext("%(count)s description is changed back", "%(count)s descriptions are changed back", len(changed))
    losses = removal.losses + ([back % {"count": f"{len(changed):,}"}] if changed else []) + cost_of(changed)
    obstacles = removal.obstacles + _in_use(collection, changed)
    own, own_videos = {*record["added"], *changed}, {*record["videos"], *(row[0] for row in record["retimed"])}
    for later in collection.imports.filter(pk__gt=job.pk, taken_back_at=None).exclude(record_file=""):
        since = _record_of(later)
        if own & {row[0] for row in since["changed"]} or own_videos & {row[0] for row in since["retimed"]}:
            sentence = _("A later import, %(file)s, has changed some of it: take that back first.")
            obstacles.append(sentence % {"file": later.file_name})
    return Removal(losses, obstacles)


def _in_use(collection: Collection, descriptions: Sequence[int]) -> list[str]:
    held = held_descriptions(collection, descriptions)
    if not held:
        return []
    pk, why = min(held.items())
    sentence = ngettext(
        "Description %(id)s is in use: %(why)s.",
        "%(count)s descriptions are in use. Of %(id)s, for instance: %(why)s.",
        len(held),
    )
    return [sentence % {"count": f"{len(held):,}", "id": Description.objects.get(pk=pk).source_id, "why": why}]


def _record_of(job: Import) -> Record:
    with default_storage.open(job.record_file) as file:
        record: Record = json.load(file)
        return record


@transaction.atomic
def ask_to_take_back(*, job: Import) -> None:
    """Have a worker take an import back; the caller sends it. Raises: Refused."""
    locked = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("collection").get(pk=job.pk)
    if not locked.can_be_taken_back:
        raise Refused(_("This import can't be taken back: it was already, or it was made before that was kept."))
    removal_of_import(locked).refuse()
    Import.objects.filter(pk=job.pk).update(
        state=Import.State.QUEUED, taking_back=True, said="", problem="", begun=0, due_at=None, finished_at=None
    )
    job.refresh_from_db()


def take_back(*, job: Import) -> None:
    """Take an import back, and end its job, which says why not if something depends on it by now.

    Raises: Busy.
    """
    try:
        with transaction.atomic():
            hold_descriptions(job.collection)
            removal_of_import(job).refuse()
            _undo(job.collection, _record_of(job))
            job.taken_back_at, job.said = timezone.now(), "It was taken back."
            _end_taking_back(job)
    except (Refused, ProtectedError) as refusal:
        why = str(refusal) if isinstance(refusal, Refused) else "Something else depends on it."
        job.taken_back_at, job.said = None, f"It was not taken back. {why}"
        _end_taking_back(job)


def _end_taking_back(job: Import) -> None:
    job.taking_back = False
    job.save(update_fields=["taking_back", "taken_back_at", "said"])
    job.end()


def _undo(collection: Collection, record: Record) -> None:
    _remove(collection, record["added"])
    _put_back(collection, record["changed"])
    _name_back(collection, record.get("named", ()))  # earlier records have none
    for pk, before, since in record["retimed"]:
        Video.objects.filter(pk=pk, duration=since).update(duration=before)
    remove_videos(Video.objects.filter(pk__in=record["videos"], moments=None))


def _remove(collection: Collection, descriptions: Sequence[int]) -> None:
    """Remove descriptions with what was derived from them, and moments that have no description any more."""
    tell_changed(DescriptionsChanged(collection, descriptions, descriptions))
    for first in range(0, len(descriptions), AT_ONCE):
        some = Description.objects.filter(pk__in=descriptions[first : first + AT_ONCE])
        moments = set(some.values_list("moment", flat=True))
        some.delete()
        remove_moments(_bare(Moment.objects.filter(pk__in=moments)))


def _bare(moments: QuerySet[Moment]) -> list[int]:
    return list(moments.filter(descriptions=None).values_list("pk", flat=True))


def _put_back(collection: Collection, rows: Sequence[Any]) -> None:
    """Give descriptions what they said before: rows as `Staging.record` has them."""
    standing = Description.objects.in_bulk([row[0] for row in rows])
    names = {row[5] for row in rows}
    Video.objects.bulk_create([Video(collection=collection, name=name) for name in names], ignore_conflicts=True)
    videos = dict(Video.objects.filter(collection=collection, name__in=names).values_list("name", "pk"))
    places = {(videos[row[5]], row[6], row[7]) for row in rows}
    Moment.objects.bulk_create([Moment(video_id=v, start=s, end=e) for v, s, e in places], ignore_conflicts=True)
    known = Moment.objects.filter(video__in=videos.values()).values_list("video", "start", "end", "pk")
    moments = {(video, start, end): pk for video, start, end, pk in known}
    left, reworded = set(), []
    for pk, source_id, text, kind, language, video, start, end in rows:
        if (description := standing.get(pk)) is None:
            continue
        left.add(description.moment_id)
        reworded += [pk] if description.text != text else []
        description.source_id, description.text, description.normalised, description.kind, description.language = (
            source_id,
            text,
            normalise(text),
            kind,
            language,
        )
        description.moment_id = moments[videos[video], start, end]
    fields = ["source_id", "text", "normalised", "kind", "language", "moment"]
    Description.objects.bulk_update(standing.values(), fields, batch_size=1000)
    tell_changed(DescriptionsChanged(collection, list(standing), reworded))
    remove_moments(_bare(Moment.objects.filter(pk__in=left)))


def _name_back(collection: Collection, rows: Sequence[Any]) -> None:
    """Give moments the ids from elsewhere that they had before, unless they got others since: rows as `_put_back`."""
    for first in range(0, len(rows), AT_ONCE):
        known = {
            (video, start, end): (before, since) for video, start, end, before, since in rows[first : first + AT_ONCE]
        }
        moments = Moment.objects.filter(
            video__collection=collection, video__name__in={video for video, _, _ in known}
        ).select_related("video")
        changed = []
        for moment in moments:
            before, since = known.get((moment.video.name, moment.start, moment.end), ("", None))
            if moment.external_id == since or (before and not moment.external_id):
                moment.external_id = before
                changed.append(moment)
        Moment.objects.bulk_update(changed, ["external_id"], batch_size=1000)


@transaction.atomic
def remove_description(*, description: Description) -> None:
    """Remove one description. Raises: Refused, Busy."""
    hold_descriptions(description.collection)
    removal_of(description.collection, [description.pk]).refuse()
    _remove(description.collection, [description.pk])


@transaction.atomic
def remove_video(*, video: Video) -> None:
    """Remove a video with its descriptions, moments and clips; its file stays.

    Raises: Refused, Busy.
    """
    hold_descriptions(video.collection)
    descriptions = descriptions_of(video)
    removal_of(video.collection, descriptions).refuse()
    _remove(video.collection, descriptions)
    remove_moments(_bare(video.moments.all()))
    try:
        remove_videos(Video.objects.filter(pk=video.pk))
    except ProtectedError as error:
        raise Refused(_("A moment of this video is in use.")) from error


def descriptions_of(video: Video) -> list[int]:
    """The ids of a video's descriptions."""
    return list(Description.objects.filter(moment__video=video).values_list("pk", flat=True))
