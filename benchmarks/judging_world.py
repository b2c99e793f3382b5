"""A collection of any size, open for judging, made by PostgreSQL itself in seconds."""

from django.db import connection

MOMENTS = 20_000
BATCH = 20
GHOSTS = 2
"""Members who have judged every tenth batch before, so that the tables aren't empty."""

_FILL = """
INSERT INTO corpus_video (collection_id, name, duration, path)
SELECT %(collection)s, 'video' || v, 1000, '' FROM generate_series(1, %(moments)s / 10) v;
INSERT INTO corpus_moment (video_id, start, "end")
SELECT v.id, m * 10, m * 10 + 4 FROM corpus_video v, generate_series(0, 9) m WHERE v.collection_id = %(collection)s;
INSERT INTO corpus_clip (moment_id, public_name, video_file, poster_file, duration, problem, made_at)
SELECT m.id, md5(%(collection)s || '-' || m.id), 'clips/' || m.id || '.mp4', '', 4, '', now()
  FROM corpus_moment m JOIN corpus_video v ON v.id = m.video_id WHERE v.collection_id = %(collection)s;
INSERT INTO corpus_description (collection_id, moment_id, source_id, text, normalised, kind)
SELECT %(collection)s, m.id, m.id::text, 'Rosa does thing ' || m.id, 'rosa does thing ' || m.id, 'v'
  FROM corpus_moment m JOIN corpus_video v ON v.id = m.video_id WHERE v.collection_id = %(collection)s;
INSERT INTO queries_attempt (description_id, number, text, error, rewriter, model, prompt_version, encoder, tagger,
                             name_score, names, similarity_passed, names_passed, made_at)
SELECT d.id, 1, 'A woman does thing ' || d.id, '', 'rules', '', '', '', '', 0, '[]', true, true, now()
  FROM corpus_description d WHERE d.collection_id = %(collection)s;
INSERT INTO queries_caption (description_id, attempt_id, text, normalised, status, reason)
SELECT a.description_id, a.id, a.text, lower(a.text), 'accepted', ''
  FROM queries_attempt a JOIN corpus_description d ON d.id = a.description_id WHERE d.collection_id = %(collection)s;
INSERT INTO queries_query (collection_id, description_id, split, text, normalised, position, drawn_at)
SELECT %(collection)s, d.id, 'test', 'A woman does thing ' || q, 'a woman does thing ' || q, q, now()
  FROM generate_series(1, %(queries)s) q
  JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
          FROM corpus_description WHERE collection_id = %(collection)s) d ON d.place = q %% %(moments)s;
CREATE TEMPORARY TABLE known AS
SELECT row_number() OVER (ORDER BY c.id) - 1 AS place, c.id AS caption_id, c.text, d.moment_id
  FROM queries_caption c JOIN corpus_description d ON d.id = c.description_id WHERE d.collection_id = %(collection)s;
CREATE INDEX ON known (place);
ANALYZE known;
INSERT INTO queries_candidate (query_id, moment_id, caption_id, caption_text, rank, similarity)
SELECT q.id, k.moment_id, k.caption_id, k.text, r, round(1 - r / 100.0, 6)
  FROM queries_query q CROSS JOIN generate_series(1, %(batch)s) r
  JOIN known k ON k.place = (q.position::bigint * %(batch)s + r) %% %(moments)s
 WHERE q.collection_id = %(collection)s;
DROP TABLE known;
INSERT INTO annotation_batch (collection_id, query_id, number, status, opened_at, priority)
SELECT %(collection)s, id, 1, 'first', now(), 0 FROM queries_query WHERE collection_id = %(collection)s ORDER BY id;
INSERT INTO annotation_pair (batch_id, candidate_id, public_id, status, version)
SELECT b.id, k.id, gen_random_uuid(), 'open', 0
  FROM annotation_batch b JOIN queries_candidate k ON k.query_id = b.query_id WHERE b.collection_id = %(collection)s;
INSERT INTO annotation_judgment (pair_id, annotator_id, grade, round, counted, uncounted_because, key, played,
                                 active_seconds, too_soon, guideline, decided_at, given_at)
SELECT p.id, g.id, 2, 1, true, '', gen_random_uuid(), 1, 4, false, 0, now(), now()
  FROM annotation_batch b JOIN annotation_pair p ON p.batch_id = b.id
  JOIN corpus_membership g ON g.collection_id = b.collection_id AND g.worker LIKE 'ghost%%'
 WHERE b.collection_id = %(collection)s AND b.id %% 10 = 0;
UPDATE annotation_pair p SET status = 'consensus', grade = 2
  FROM annotation_batch b WHERE b.id = p.batch_id AND b.collection_id = %(collection)s AND b.id %% 10 = 0;
UPDATE annotation_batch SET status = 'finished', begun_at = now() WHERE collection_id = %(collection)s AND id %% 10 = 0;
"""


def build_collection(name: str, *, pairs: int, people: list[str], password: str) -> None:
    """A collection of so many pairs with clips, and these annotators, each with an account of that name.

    The clips have rows and no files: the load doesn't fetch them.
    """
    from corpus.models import Account, Collection, Membership
    from corpus.services import add_member

    collection = Collection.objects.create(name=name, title=name, max_batches=1)
    for number in range(GHOSTS):
        Membership.objects.create(collection=collection, role="annotator", worker=f"ghost{number}")
    for person in people:
        account = Account.objects.filter(username=person).first() or Account.objects.create_user(
            person, password=password
        )
        add_member(collection=collection, account=account, role="annotator")
    numbers = {"collection": collection.pk, "moments": MOMENTS, "queries": pairs // BATCH, "batch": BATCH}
    with connection.cursor() as cursor:
        for statement in _FILL.split(";\n"):
            if statement.strip():
                cursor.execute(statement, numbers)
        cursor.execute("ANALYZE")


_VIOLATIONS = """
SELECT count(*) FILTER (WHERE given > CASE WHEN NOT disputed THEN 2 ELSE 4 END) AS too_many,
       count(*) FILTER (WHERE given <> people) AS twice_by_one
  FROM (SELECT p.id, count(j.*) AS given, count(DISTINCT j.annotator_id) AS people,
               abs((array_agg(j.grade ORDER BY j.id))[1] - (array_agg(j.grade ORDER BY j.id))[2]) > 1 AS disputed
          FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id
          JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
         WHERE b.collection_id = (SELECT id FROM corpus_collection WHERE name = %s)
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
            " JOIN annotation_batch b ON b.id = p.batch_id JOIN corpus_collection c ON c.id = b.collection_id"
            " WHERE c.name = %s",
            [name],
        )
        return int(cursor.fetchone()[0])
