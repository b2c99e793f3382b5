"""A collection of the paper's size after its judging, made by PostgreSQL itself: what the lead's desk has to bear.

3,281 queries (500 val), 96,000 pairs, 227,808 judgments by 23 people over seventeen weeks; 17,904 pairs went to the
second round and 2,016 of them were discarded. Grades follow from rank and luck, and every pair's state from its
grades by the paper's rule, which `check` asserts. Some first batches still wait for the lead's review.
"""

from dataclasses import dataclass, replace
from typing import Any

from benchmarks.worlds.rows import Row, attempts, captions, clips, descriptions, make_rows


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything. `extended` queries have a second batch; `people` is a prime, for the rota."""

    videos: int = 19_614
    moments_a_video: int = 5
    val: int = 500
    queries: int = 3_281
    extended: int = 1_519
    disputed: int = 17_904
    discarded: int = 2_016
    waiting: int = 300
    people: int = 23
    days: int = 119
    flags: int = 400

    @property
    def pairs(self) -> int:
        """All pairs: batches of 20."""
        return 20 * (self.queries + self.extended)

    @property
    def judgments(self) -> int:
        """Two a pair, and two more for each in dispute."""
        return 2 * self.pairs + 2 * self.disputed

    def times(self, number: int) -> "Size":
        """So many times the rows, by as many people in as many days."""
        rows = ("videos", "val", "queries", "extended", "disputed", "discarded", "waiting", "flags")
        return replace(self, **{name: number * getattr(self, name) for name in rows})


PAPER = Size()
SMALL = Size(
    videos=60, val=5, queries=33, extended=15, disputed=180, discarded=20, waiting=3, people=7, days=20, flags=8
)

_RANKED = """
CREATE TEMPORARY TABLE ranked ON COMMIT PRESERVE ROWS AS
SELECT c.id AS caption_id, c.description_id, c.text, d.moment_id,
       row_number() OVER (ORDER BY md5(c.id::text)) - 1 AS place
  FROM queries_caption c JOIN corpus_description d ON d.id = c.description_id WHERE d.collection_id = %(collection)s;
ANALYZE ranked;
CREATE TEMPORARY TABLE crew ON COMMIT PRESERVE ROWS AS
SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM foundation_membership
 WHERE collection_id = %(collection)s AND role = 'annotator'"""

# What becomes of every pair: `base` is what it is worth by rank and luck. Which pairs are disputed is drawn among those
# that are neither perfect nor unrelated first, as it happens with people.
_PLANNED = """
CREATE TEMPORARY TABLE planned ON COMMIT PRESERVE ROWS AS
WITH placed AS (
    SELECT b.id AS batch_id, k.id AS candidate_id, k.rank, (hashint8(k.id) & 1023) / 1024.0 AS luck,
           (hashint8(k.id * 31) & 1023) / 1024.0 AS second,
           date_trunc('day', now()) - %(days)s * interval '1 day' + interval '9 hours'
           + floor((row_number() OVER (ORDER BY b.number, b.id, k.rank) - 1) * %(days)s / %(pairs)s) * interval '1 day'
           + (b.id %% 7) * interval '1 hour' AS day
      FROM annotation_batch b
      JOIN queries_candidate k ON k.query_id = b.query_id AND (k.rank + 19) / 20 = b.number
     WHERE b.collection_id = %(collection)s),
valued AS (
    SELECT *, CASE WHEN rank = 1 THEN CASE WHEN luck < 0.88 THEN 4 WHEN luck < 0.96 THEN 3 ELSE 2 END
                   ELSE least(4, greatest(0, round((3.4 - 1.1 * ln(rank::numeric) + (luck - 0.5) * 3.6)::numeric)))
              END::int AS base FROM placed),
drawn AS (SELECT *, row_number() OVER (ORDER BY abs(base - 2) + second * 3, candidate_id) AS dispute FROM valued),
kinds AS (
    SELECT *, CASE WHEN dispute <= %(discarded)s THEN 'discarded' WHEN dispute <= %(disputed)s THEN 'disputed'
                   ELSE 'agreed' END AS kind,
              least(3, greatest(1, base)) AS middle FROM drawn)
SELECT batch_id, candidate_id, rank, day, kind,
       CASE kind
         WHEN 'discarded' THEN (ARRAY['{0,4,1,3}', '{0,2,4,4}', '{4,0,0,4}'])[1 + candidate_id %% 3]::int[]
         WHEN 'disputed' THEN ARRAY[middle - 1, middle + 1, middle, middle - (candidate_id %% 2)::int]
         ELSE CASE WHEN second < 0.35 AND base > 0 THEN ARRAY[base, base - 1]
                   WHEN second > 0.9 AND base > 0 THEN ARRAY[base - 1, base] ELSE ARRAY[base, base] END
       END AS grades,
       CASE WHEN kind = 'disputed' THEN middle ELSE base END AS grade
  FROM kinds;
ANALYZE planned"""

_STEPS: list[Row | str] = [
    (
        "corpus.Video",
        {
            "collection_id": "%(collection)s",
            "name": "'show_clip_' || lpad(v::text, greatest(5, length(v::text)), '0')",
            "duration": "90.02",
        },
        "generate_series(1, %(videos)s) v",
    ),
    (
        "corpus.Moment",
        {"video_id": "v.id", "start": "m * 16", '"end"': "m * 16 + 8.5"},
        "corpus_video v, generate_series(0, %(moments_a_video)s - 1) m WHERE v.collection_id = %(collection)s",
    ),
    clips("8.5"),
    descriptions("'Rosa carries the box number ' || m.id || ' to the door.'"),
    attempts("replace(d.text, 'Rosa', 'A woman')", similarity="0.6 + (d.id %% 40) / 100.0"),
    captions(
        status="CASE WHEN row_number() OVER (ORDER BY a.id) %% 1000 = 1 THEN 'review' ELSE 'accepted' END",
        # As after a fetch of candidates, which its queries have.
        in_pool="row_number() OVER (ORDER BY a.id) %% 1000 <> 1",
    ),
    (
        "queries.Query",
        {
            "collection_id": "%(collection)s",
            "description_id": "d.id",
            "split": "CASE WHEN d.place <= %(val)s THEN 'val' ELSE 'test' END",
            "text": "d.text",
            "normalised": "lower(d.text)",
            "position": "d.place",
            "drawn_at": "now()",
            "ranked_by": "'generated'",
        },
        "(SELECT a.description_id AS id, a.text, row_number() OVER (ORDER BY md5(a.id::text)) AS place"
        "   FROM queries_caption c JOIN queries_attempt a ON a.id = c.attempt_id"
        "   JOIN corpus_description d ON d.id = a.description_id"
        "  WHERE d.collection_id = %(collection)s AND c.status = 'accepted') d WHERE d.place <= %(queries)s",
    ),
    *_RANKED.split(";"),
    (
        "queries.Candidate",
        {
            "query_id": "q.id",
            "moment_id": "k.moment_id",
            "caption_id": "k.caption_id",
            "caption_text": "k.text",
            "rank": "r + 1",
            "similarity": "CASE WHEN r = 0 THEN 1 ELSE round((0.95 - r * 0.011)::numeric, 6) END",
        },
        # Its own moment first, then others at distances that meet no moment twice.
        "queries_query q CROSS JOIN generate_series(0, 39) r"
        " JOIN ranked o ON o.description_id = q.description_id"
        " JOIN ranked k ON k.place = (o.place + r * 37) %% (%(videos)s * %(moments_a_video)s)"
        " WHERE q.collection_id = %(collection)s",
    ),
    (
        "annotation.Batch",
        {
            "collection_id": "%(collection)s",
            "query_id": "q.id",
            "number": "n",
            "status": "CASE WHEN n = 2 THEN 'finished' WHEN q.place <= %(extended)s THEN 'extended'"
            "     WHEN q.place > %(queries)s - %(waiting)s THEN 'decided' ELSE 'finished' END",
            "opened_at": "now() - %(days)s * interval '1 day'",
            "begun_at": "now() - %(days)s * interval '1 day'",
        },
        "(SELECT id, row_number() OVER (ORDER BY md5(id::text)) AS place FROM queries_query"
        "  WHERE collection_id = %(collection)s) q"
        " JOIN generate_series(1, 2) n ON n = 1 OR q.place <= %(extended)s ORDER BY n, q.id",
    ),
    *_PLANNED.split(";"),
    (
        "annotation.Pair",
        {
            "batch_id": "p.batch_id",
            "candidate_id": "p.candidate_id",
            "public_id": "gen_random_uuid()",
            "status": "CASE WHEN p.kind = 'discarded' THEN 'discarded' ELSE 'consensus' END",
            "grade": "CASE WHEN p.kind = 'discarded' THEN NULL ELSE p.grade END",
        },
        "planned p ORDER BY p.batch_id, p.rank",
    ),
    (
        "annotation.Judgment",
        {
            "pair_id": "p.id",
            "annotator_id": "w.id",
            "grade": "k.grades[n]",
            "round": "(n + 1) / 2",
            "key": "gen_random_uuid()",
            "played": "0.8 + (p.id %% 20) / 100.0",
            "active_seconds": "5 + (p.id * 7 + n * 3) %% 20",
            "guideline": "1",
            "decided_at": "k.day + (n + k.rank * 4) * interval '10 seconds'",
            "given_at": "k.day + (n + k.rank * 4) * interval '10 seconds'",
        },
        # Each batch has its own four people: the step never meets the same of a prime number twice.
        "planned k JOIN annotation_pair p ON p.candidate_id = k.candidate_id"
        " JOIN generate_series(1, 4) n ON n <= array_length(k.grades, 1)"
        " JOIN crew w ON w.place = (k.batch_id + n * (1 + k.batch_id %% (%(people)s - 1))) %% %(people)s"
        " ORDER BY k.day, k.rank, n",
    ),
    (
        "annotation.Review",
        {
            "batch_id": "b.id",
            "decision": "CASE WHEN b.status = 'extended' THEN 'extend' ELSE 'finish' END",
            "decided_by_id": "%(lead)s",
            "decided_at": "now() - (b.id %% %(days)s) * interval '1 day'",
            "mean": "1.5",
            "threshold": "2.5",
        },
        "annotation_batch b WHERE b.collection_id = %(collection)s AND b.status <> 'decided' AND b.number = 1",
    ),
    (
        "annotation.Flag",
        {
            "pair_id": "p.id",
            "annotator_id": "p.annotator_id",
            "kind": "'query'",
            "note": "'The box is hidden.'",
            "raised_at": "now() - p.place * interval '1 hour'",
            "outcome": "CASE WHEN p.place <= 20 THEN '' ELSE 'returned' END",
            "answer": "CASE WHEN p.place <= 20 THEN '' ELSE 'Grade what can be seen.' END",
            "answered_by_id": "CASE WHEN p.place <= 20 THEN NULL ELSE %(lead)s END",
            "answered_at": "CASE WHEN p.place <= 20 THEN NULL ELSE now() END",
        },
        "(SELECT p.id, j.annotator_id, row_number() OVER (ORDER BY p.id) AS place"
        "   FROM annotation_pair p JOIN planned k ON k.candidate_id = p.candidate_id"
        "   JOIN annotation_judgment j ON j.pair_id = p.id AND j.round = 1"
        "  WHERE k.rank = 3 ORDER BY p.id LIMIT %(flags)s) p WHERE p.place %% 2 = 0",
    ),
    "DROP TABLE ranked, crew, planned",
]


def build_desk_world(name: str, *, size: Size = PAPER) -> None:
    """A collection of that name and size, its lead `ada` (an account, made if need be), its people `w01`, `w02`, ..."""
    from foundation.collections.members import add_member
    from foundation.models import Account, Collection, Membership

    collection: Any = Collection.objects.create(
        name=name, title=f"A collection of {size.pairs:,} pairs", pay_per_hour=12
    )
    account = Account.objects.filter(username="ada").first() or Account.objects.create_user("ada")
    lead = add_member(collection=collection, account=account, role="lead")
    for number in range(1, size.people + 1):
        person = f"{name}-w{number:02d}"
        add_member(collection=collection, account=Account.objects.create(username=person), role="annotator")
    values = {field: getattr(size, field) for field in Size.__dataclass_fields__}
    make_rows(_STEPS, {**values, "pairs": size.pairs, "collection": collection.pk, "lead": lead.pk})
    assert collection.memberships.filter(role=Membership.Role.ANNOTATOR).count() == size.people


def check(name: str, *, size: Size = PAPER) -> None:
    """Everything that was planned is there, and every pair's state follows from its judgments by the rule.

    Raises: AssertionError.
    """
    from annotation.consensus import Rule
    from annotation.models import Judgment, Pair
    from annotation.review.consensus_replay import replay_collection
    from foundation.models import Collection

    collection = Collection.objects.get(name=name)
    pairs = Pair.objects.filter(batch__collection=collection)
    assert pairs.count() == size.pairs, pairs.count()
    assert pairs.filter(status="discarded").count() == size.discarded
    assert Judgment.objects.filter(pair__batch__collection=collection).count() == size.judgments
    replay = replay_collection(collection=collection, rule=Rule())
    assert (replay.pairs, replay.changed) == (size.pairs, 0), replay.moves
