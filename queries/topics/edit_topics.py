"""Type, change and delete single topics; they are fixed once their judging is open."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from corpus.description_formats import BadRow
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.storage import delete_at_commit
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, Query, QueryMedium
from queries.pooling.candidates import in_use
from queries.topics.standing_topics import StandingTopics
from queries.topics.topic_rows import SPLITS, SourceTopic, topic_row


@transaction.atomic
def add_topic(*, collection: Collection, typed: Mapping[str, str]) -> Query:
    """Store a new topic at the end of its split. The same topic again is refused.

    Args: typed: "text", "id" (blank: made of the text), "narrative", "language", "written_by", "split".
    Raises: Refused; Busy.
    """
    hold_descriptions(collection)
    row = _row(typed)
    standing = StandingTopics(collection)
    if standing.has(row.topic_id):
        raise Refused(
            _("Found %(id)s, expected an id that no topic has.") % {"id": row.topic_id},
            "id" if typed.get("id", "").strip() else "text",
        )
    _store(standing, row)
    return Query.objects.get(collection=collection, topic_id=row.topic_id)


@transaction.atomic
def change_topic(*, topic: Query, typed: Mapping[str, str]) -> Query:
    """Give a topic what is typed; a blank field empties it. Its id stays.

    Raises: Refused, also where its judging is open and it would change; Busy.
    """
    hold_descriptions(topic.collection)
    row = _row({**typed, "id": topic.topic_id})
    row = row._replace(narrative=row.narrative or "", language=row.language or "", written_by=row.written_by or "")
    _store(StandingTopics(topic.collection), row)
    topic.refresh_from_db()
    return topic


@transaction.atomic
def delete_topic(*, topic: Query) -> None:
    """Delete a topic with its candidates. Raises: Refused if its judging is open, or a run answers it."""
    if in_use(Candidate.objects.filter(query=topic)).exists():
        raise Refused(_("Judging of this topic is open, so it stays. Nothing was deleted."))
    delete_at_commit(QueryMedium.objects.filter(query=topic).values_list("media_file", flat=True))
    try:
        with transaction.atomic():
            topic.delete()
    except ProtectedError as error:
        raise Refused(_("Runs or a sample have this topic, so it stays. Remove them first.")) from error


def _row(typed: Mapping[str, Any]) -> SourceTopic:
    try:
        if typed.get("split") not in SPLITS:
            raise BadRow("split", typed.get("split"), "val or test")
        return topic_row(typed)
    except BadRow as bad:
        raise bad.refusal() from bad


def _store(standing: StandingTopics, row: SourceTopic) -> None:
    for _row_of, bad in standing.conflicts([row]):
        raise bad.refusal()
    standing.store([row], split=row.split or "test")
