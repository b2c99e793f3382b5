"""Collections whose queries are topics, and whose candidates nobody's caption found."""

from django.db.models import F, TextField, Value
from django.db.models.functions import Cast, Concat

from foundation.models import Collection
from queries.models import Candidate, Query

NARRATIVE = "Relevant is a moment in which it is done & shown.\nA mention of it <alone> isn't."


def turn_into_topics(collection: Collection, *, language: str = "") -> None:
    """Make all queries topics, T1 on by position, and take captions and similarities from their candidates."""
    named = Concat(Value("T"), Cast(F("position"), TextField()))
    collection.queries.update(
        description=None, topic_id=named, narrative=NARRATIVE, language=language, written_by="The team"
    )
    Candidate.objects.filter(query__collection=collection).update(caption=None, caption_text="", similarity=None)


def make_topic(collection: Collection, topic_id: str, text: str, **fields: object) -> Query:
    """A topic of test, after those that are there."""
    last = collection.queries.filter(split="test").count()
    values = {"split": "test", "position": last + 1, "normalised": text.casefold(), **fields}
    return Query.objects.create(collection=collection, topic_id=topic_id, text=text, **values)
