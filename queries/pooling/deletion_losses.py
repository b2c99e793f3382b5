"""What a deleted collection loses of captions and queries, and the vectors of their texts."""

from django.db import connection, transaction
from django.utils.translation import ngettext_lazy

from foundation.deletion.hooks import Loss
from foundation.models import Collection
from queries.models import Caption
from queries.retrieval.vector_shards import clean_up

# A vector is stored once for all collections, by its text's digest: it goes when no other collection has the text.
_TEXTS = """
    SELECT d.text FROM corpus_description d WHERE d.collection_id {which}
    UNION SELECT c.text FROM queries_caption c JOIN corpus_description d ON d.id = c.description_id
     WHERE d.collection_id {which}
    UNION SELECT a.text FROM queries_attempt a JOIN corpus_description d ON d.id = a.description_id
     WHERE d.collection_id {which}
    UNION SELECT q.text FROM queries_query q WHERE q.collection_id {which}"""
_FORGET = f"""
DELETE FROM queries_embedding WHERE digest IN (
    SELECT sha256(convert_to(text, 'UTF8')) FROM (
        ({_TEXTS.format(which="= ANY(%(gone)s)")}) EXCEPT ({_TEXTS.format(which="<> ALL(%(gone)s)")})) AS own)"""


def captions_lost(collection: Collection) -> list[Loss]:
    """Its captions and queries."""
    captions = Caption.objects.filter(description__collection=collection).count()
    return [
        Loss(captions, ngettext_lazy("%(count)s caption", "%(count)s captions", "number")),
        Loss(collection.queries.count(), ngettext_lazy("%(count)s query", "%(count)s queries", "number")),
    ]


def forget_vectors(collections: list[int]) -> None:
    """Delete the kept vectors of texts that only these collections have; shards that others share are written anew."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, {"gone": collections})
    transaction.on_commit(clean_up, robust=True)
