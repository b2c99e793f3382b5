"""What lies between the measured steps of a collection's way, generated: captions, their vectors, candidates,
judgments."""

import itertools
import sys

from benchmarks.worlds.releases import DEPTH, draw_training
from benchmarks.worlds.rows import Row, attempts, captions, make_rows

_POOL = (
    "CREATE TEMPORARY TABLE pool AS"
    " SELECT c.id, c.text, d.moment_id, c.description_id, row_number() OVER (ORDER BY c.id) - 1 AS place"
    "   FROM queries_caption c JOIN corpus_description d ON d.id = c.description_id"
    "  WHERE d.collection_id = %(collection)s AND c.status = 'accepted'",
    "CREATE UNIQUE INDEX ON pool (place)",
    "CREATE UNIQUE INDEX ON pool (description_id)",
    "ANALYZE pool",
)
_CANDIDATES: Row = (
    "queries.Candidate",
    {
        "query_id": "q.id",
        "moment_id": "k.moment_id",
        "caption_id": "k.id",
        "caption_text": "k.text",
        "rank": "r",
        "similarity": "1 - (r - 1) * 0.01",
    },
    # Each query's own first, then others at distances that meet no description twice.
    f"queries_query q JOIN pool o ON o.description_id = q.description_id CROSS JOIN generate_series(1, {DEPTH}) r"
    " JOIN pool k ON k.place = (o.place + (r - 1) * 37) %% (SELECT count(*) FROM pool)"
    # Two descriptions of one moment make one candidate.
    " WHERE q.collection_id = %(collection)s ON CONFLICT DO NOTHING",
)
_JUDGMENTS: Row = (
    "annotation.Judgment",
    {
        "pair_id": "p.id",
        "annotator_id": "m.id",
        "grade": "p.id %% 5",
        "round": "1",
        "key": "gen_random_uuid()",
        "played": "1",
        "active_seconds": "5",
        "decided_at": "now()",
        "given_at": "now()",
    },
    "annotation_batch b JOIN annotation_pair p ON p.batch_id = b.id"
    " JOIN foundation_membership m ON m.collection_id = b.collection_id AND m.role = 'annotator'"
    " WHERE b.collection_id = %(collection)s ORDER BY p.id",
)
_DECIDED = (
    "UPDATE annotation_pair p SET status = 'consensus', grade = p.id %% 5"
    "  FROM annotation_batch b WHERE b.id = p.batch_id AND b.collection_id = %(collection)s",
    "UPDATE annotation_batch SET status = 'finished' WHERE collection_id = %(collection)s",
)

VECTORS_AT_ONCE, ROWS_AT_ONCE = 1 << 16, 1 << 12


def make_captions(name: str) -> None:
    """A caption of each description, accepted."""
    _make(name, attempts("'Somebody ' || d.text", similarity="0.9"), captions(in_pool="true"))


def make_vectors_of(name: str) -> None:
    """A vector for the text of each caption that has none, by the configured encoder as it seems."""
    from benchmarks.worlds.vectors import make_part
    from queries.models import Caption
    from queries.retrieval.embedding_cache import keep

    captions = Caption.objects.filter(description__collection__name=name).order_by("pk")
    texts, count = captions.values_list("text", flat=True).iterator(), captions.count()
    for number in itertools.count():
        some = list(itertools.islice(texts, VECTORS_AT_ONCE))
        if not some:
            return
        vectors = make_part(len(some), number=number, texts=count, seed=7)
        for first in range(0, len(some), ROWS_AT_ONCE):
            keep(some[first : first + ROWS_AT_ONCE], vectors[first : first + ROWS_AT_ONCE])


def make_candidates(name: str) -> None:
    """Forty candidates of each query, and the arrays of the training queries'."""
    _make(name, *_POOL, _CANDIDATES, "DROP TABLE pool")
    draw_training(name, queries=sys.maxsize)


def judge_all(name: str) -> None:
    """Two judgments of each pair, by two members who agree."""
    from foundation.collections.members import add_member
    from foundation.models import Account, Collection

    collection = Collection.objects.get(name=name)
    for number in (1, 2):
        account = Account.objects.create(username=f"{name}-{number}")
        add_member(collection=collection, account=account, role="annotator")
    _make(name, _JUDGMENTS, *_DECIDED)


def _make(name: str, *steps: Row | str) -> None:
    from foundation.models import Collection

    make_rows([*steps, "ANALYZE"], {"collection": Collection.objects.get(name=name).pk})
