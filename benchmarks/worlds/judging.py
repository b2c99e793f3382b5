"""A collection of any size, open for judging, made by PostgreSQL itself in seconds."""

from django.db import connection

from benchmarks.worlds.rows import Row, attempts, captions, clips, descriptions, make_rows

BATCH = 20
GHOSTS = 2
"""Members who have judged every tenth batch before, so that the tables aren't empty."""

_ROWS: list[Row] = [
    (
        "corpus.Video",
        {"collection_id": "%(collection)s", "name": "'video' || v", "duration": "1000"},
        "generate_series(1, %(moments)s / 10) v",
    ),
    (
        "corpus.Moment",
        {"video_id": "v.id", "start": "m * 10", '"end"': "m * 10 + 4"},
        "corpus_video v, generate_series(0, 9) m WHERE v.collection_id = %(collection)s",
    ),
    clips("4"),
    descriptions("'Rosa does thing ' || m.id"),
    attempts("'A woman does thing ' || d.id"),
    captions(),
    (
        "queries.Query",
        {
            "collection_id": "%(collection)s",
            "description_id": "d.id",
            "split": "'test'",
            "text": "'A woman does thing ' || q",
            "normalised": "'a woman does thing ' || q",
            "position": "q",
            "drawn_at": "now()",
        },
        "generate_series(1, %(queries)s) q"
        " JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM corpus_description"
        "        WHERE collection_id = %(collection)s) d ON d.place = q %% %(moments)s",
    ),
    (
        "queries.Candidate",
        {
            "query_id": "q.id",
            "moment_id": "k.moment_id",
            "caption_id": "k.caption_id",
            "caption_text": "k.text",
            "rank": "r",
            "similarity": "round(1 - r / 100.0, 6)",
        },
        "queries_query q CROSS JOIN generate_series(1, %(candidates)s) r"
        " JOIN (SELECT row_number() OVER (ORDER BY c.id) - 1 AS place, c.id AS caption_id, c.text, d.moment_id"
        "         FROM queries_caption c JOIN corpus_description d ON d.id = c.description_id"
        "        WHERE d.collection_id = %(collection)s) k"
        "   ON k.place = (q.position::bigint * %(candidates)s + r) %% %(moments)s"
        " WHERE q.collection_id = %(collection)s",
    ),
    (
        "annotation.Batch",
        {"collection_id": "%(collection)s", "query_id": "q.id", "number": "1", "opened_at": "now()"},
        "(SELECT id FROM queries_query WHERE collection_id = %(collection)s ORDER BY id) q",
    ),
    (
        "annotation.Pair",
        {"batch_id": "b.id", "candidate_id": "k.id", "public_id": "gen_random_uuid()"},
        "annotation_batch b JOIN queries_candidate k ON k.query_id = b.query_id AND k.rank <= %(batch)s"
        " WHERE b.collection_id = %(collection)s",
    ),
    (
        "annotation.Judgment",
        {
            "pair_id": "p.id",
            "annotator_id": "g.id",
            "grade": "2",
            "round": "1",
            "key": "gen_random_uuid()",
            "played": "1",
            "active_seconds": "4",
            "decided_at": "now()",
            "given_at": "now()",
        },
        "annotation_batch b JOIN annotation_pair p ON p.batch_id = b.id"
        " JOIN foundation_membership g ON g.collection_id = b.collection_id AND g.worker LIKE 'ghost%%'"
        " WHERE b.collection_id = %(collection)s AND b.id %% 10 = 0",
    ),
]

_FINISH = (
    "UPDATE annotation_pair p SET status = 'consensus', grade = 2 FROM annotation_batch b"
    " WHERE b.id = p.batch_id AND b.collection_id = %(collection)s AND b.id %% 10 = 0",
    "UPDATE annotation_batch SET status = 'finished', begun_at = now()"
    " WHERE collection_id = %(collection)s AND id %% 10 = 0",
)


def build_collection(
    name: str,
    *,
    pairs: int,
    people: list[str],
    password: str,
    moments: int = 20_000,
    batches: int = 1,
    begun: bool = True,
) -> None:
    """A collection of so many pairs with clips, and these annotators, each with an account of that name.

    The clips have rows and no files: the load doesn't fetch them.

    Args:
        batches: how many each query may have; the first is open, and has the `pairs`.
        begun: whether every tenth batch is judged already.
    """
    from django.contrib.auth.hashers import make_password

    from foundation.collections.members import add_member
    from foundation.models import Account, Collection, Membership

    collection = Collection.objects.create(name=name, title=name, max_batches=batches)
    for number in range(GHOSTS):
        if begun:
            Membership.objects.create(collection=collection, role="annotator", worker=f"ghost{number}")
    # One hash for everybody: it is slow by design.
    hashed = make_password(password)
    for person in people:
        account, _ = Account.objects.get_or_create(username=person, defaults={"password": hashed})
        add_member(collection=collection, account=account, role="annotator")
    values = {
        "collection": collection.pk,
        "moments": moments,
        "queries": pairs // BATCH,
        "batch": BATCH,
        "candidates": BATCH * batches,
    }
    make_rows([*_ROWS, *(_FINISH if begun else ()), "ANALYZE"], values)


_VIOLATIONS = """
SELECT count(*) FILTER (WHERE given > CASE WHEN NOT disputed THEN 2 ELSE 4 END) AS too_many,
       count(*) FILTER (WHERE given <> people) AS twice_by_one
  FROM (SELECT p.id, count(j.*) AS given, count(DISTINCT j.annotator_id) AS people,
               abs((array_agg(j.grade ORDER BY j.id))[1] - (array_agg(j.grade ORDER BY j.id))[2]) > 1 AS disputed
          FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id
          JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
         WHERE b.collection_id = (SELECT id FROM foundation_collection WHERE name = %s)
         GROUP BY p.id) AS pairs"""


def violations(name: str) -> int:
    """Pairs with more judgments than the rule asks for, or two by one person."""
    with connection.cursor() as cursor:
        cursor.execute(_VIOLATIONS, [name])
        return sum(cursor.fetchone())


def judgments(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM annotation_judgment j JOIN annotation_pair p ON p.id = j.pair_id"
            " JOIN annotation_batch b ON b.id = p.batch_id JOIN foundation_collection c ON c.id = b.collection_id"
            " WHERE c.name = %s",
            [name],
        )
        return int(cursor.fetchone()[0])
