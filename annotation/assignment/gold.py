"""Gold: decided pairs whose grade is known, given to people who never saw them, to tell how well they grade.

Gold comes as work does, some pairs of one query in a row, and looks as a sitting of the same annotator did: as many
pairs, of a query met as often before. So nothing that can be counted tells the one from the other; where no gold looks
so, none is given. How it is given and answered: `slipped_in.py`.
"""

from datetime import datetime
from statistics import fmean

from django.db import connection

from annotation.assignment.assignment_policy import Asker, OpenBatch, may_judge
from annotation.assignment.slipped_in_rule import Look, OfferedGold, dice, due_in, looks_like, noticed
from annotation.assignment.suited_sql import SUITED, suiting
from annotation.models import Repeat
from foundation.models import Collection, Membership

SITTINGS_LOOKED_AT = 60
"""The annotator's last seats, one of which each sitting of gold looks like."""

_LOOKS = """
SELECT cardinality(s.pairs), before.met, extract(epoch FROM s.taken_at - before.last)::float8
  FROM (SELECT * FROM annotation_seat WHERE annotator_id = %(member)s ORDER BY id DESC LIMIT %(last)s) AS s
  JOIN annotation_batch b ON b.id = s.batch_id
  CROSS JOIN LATERAL (
      SELECT count(*) AS met, max(e.taken_at) AS last
        FROM annotation_batch o JOIN annotation_seat e ON e.batch_id = o.id
       WHERE o.query_id = b.query_id AND e.annotator_id = %(member)s AND e.id < s.id) AS before"""

# What was judged anywhere under the same account is known, in a study as well; so is what was practised with its grade,
# or in an exam. Gold of an exam isn't given beside a query of the same words.
_OFFERED = f"""
WITH over AS MATERIALIZED (
    SELECT q.id, q.text, q.normalised, coalesce(d.language, q.language) AS language, before.met, before.last,
           ARRAY(SELECT a.annotator_id FROM annotation_assignment a WHERE a.query_id = q.id AND a.rule = 'reserved')
               AS reserved,
           ARRAY(SELECT a.annotator_id FROM annotation_assignment a WHERE a.query_id = q.id AND a.rule = 'barred')
               AS barred
      FROM queries_query q
      LEFT JOIN corpus_description d ON d.id = q.description_id
      CROSS JOIN LATERAL (
          SELECT count(DISTINCT at) AS met, max(at) AS last
            FROM annotation_batch o
           CROSS JOIN LATERAL (
                 SELECT e.taken_at AS at FROM annotation_seat e WHERE e.batch_id = o.id AND e.annotator_id = %(member)s
                  UNION ALL
                 SELECT r.slipped_in_at FROM annotation_pair op JOIN annotation_repeat r ON r.pair_id = op.id
                  WHERE op.batch_id = o.id AND r.annotator_id = %(member)s) AS sat
           WHERE o.query_id = q.id) AS before
     WHERE q.id IN (SELECT b.query_id FROM annotation_goldpair g JOIN annotation_pair p ON p.id = g.pair_id
                      JOIN annotation_batch b ON b.id = p.batch_id
                     WHERE g.collection_id = %(collection)s AND g.removed_at IS NULL)
       AND NOT EXISTS (SELECT FROM annotation_batch o
                        WHERE o.query_id = q.id AND o.status IN ('first', 'second', 'decided'))
       AND NOT EXISTS (SELECT FROM queries_query t
                        WHERE t.collection_id = %(collection)s AND t.normalised = q.normalised AND t.id <> q.id))
SELECT g.id, p.id, p.public_id, q.id, q.met, extract(epoch FROM %(now)s - q.last)::float8,
       q.language, q.reserved, q.barred
  FROM over q
  JOIN annotation_batch b ON b.query_id = q.id
  JOIN annotation_pair p ON p.batch_id = b.id AND p.status IN ('consensus', 'discarded')
  JOIN annotation_goldpair g ON g.pair_id = p.id AND g.removed_at IS NULL
  JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
 WHERE (NOT %(has_clips)s OR c.video_file > '') AND {SUITED}
   AND NOT EXISTS (SELECT FROM annotation_repeat r WHERE r.pair_id = p.id AND r.annotator_id = %(member)s)
   AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL)
   AND NOT EXISTS (SELECT FROM queries_candidate ok
                     JOIN queries_query oq ON oq.id = ok.query_id AND oq.normalised = q.normalised
                     JOIN annotation_pair op ON op.candidate_id = ok.id
                     JOIN annotation_judgment j ON j.pair_id = op.id
                     JOIN foundation_membership m ON m.id = j.annotator_id
                    WHERE ok.moment_id = k.moment_id AND (m.id = %(member)s OR m.account_id = %(account)s))
   AND NOT EXISTS (SELECT FROM annotation_workeditem w WHERE w.moment_id = k.moment_id AND w.query = q.text)
   AND NOT EXISTS (SELECT FROM annotation_examitem x
                     JOIN annotation_examsitting s ON s.exam_id = x.exam_id
                     JOIN foundation_membership m ON m.id = s.applicant_id
                     LEFT JOIN queries_caption xc ON xc.description_id = x.description_id
                    WHERE x.moment_id = k.moment_id AND (x.query = q.text OR xc.normalised = q.normalised)
                      AND (m.id = %(member)s OR m.account_id = %(account)s))
 ORDER BY g.id"""


def gives_gold(collection: Collection) -> bool:
    """Whether gold is among the collection's work: all requests then go the same way, and take the same time."""
    return collection.gold_share > 0


def due_gold(*, member: Membership, batch_id: int, pairs: int, now: datetime) -> list[Repeat]:
    """The gold, not stored yet, that goes with `pairs` pairs of a batch at which an annotator takes a seat."""
    if not gives_gold(member.collection):
        return []
    with connection.cursor() as cursor:
        cursor.execute(_LOOKS, {"member": member.pk, "last": SITTINGS_LOOKED_AT})
        looks = [Look(size, *noticed(met, ago)) for size, met, ago in cursor.fetchall() if size]
    if not looks:
        return []
    mean = fmean(look.size for look in looks)
    due = due_in(member.collection.gold_share / mean, pairs, dice(member.pk, batch_id, "gold"))
    offered = offered_gold(member, now) if due else []
    given: list[OfferedGold] = []
    for turn in range(due):
        look = looks[int(dice(member.pk, batch_id, "looks", turn) * len(looks))]
        chosen = looks_like(offered, look, lot=(member.pk, batch_id, turn))
        given += chosen
        offered = [gold for gold in offered if gold.query not in {one.query for one in chosen}]
    return [
        Repeat(pair_id=gold.pair, gold_id=gold.pk, annotator=member, before_batch_id=batch_id, slipped_in_at=now)
        for gold in given
    ]


def offered_gold(member: Membership, now: datetime) -> list[OfferedGold]:
    """The gold that an annotator may be given: of queries of which nothing is judged or reviewed any more, and that
    they may judge; no pair that they judged, had as gold or repeat, or know with its grade. One SQL query."""
    asked = {
        "member": member.pk,
        "account": member.account_id,
        "collection": member.collection_id,
        "has_clips": member.collection.has_clips,
        "now": now,
        **suiting(member),
    }
    with connection.cursor() as cursor:
        cursor.execute(_OFFERED, asked)
        rows = cursor.fetchall()
    asker = Asker(member.pk, frozenset(member.languages))
    return [
        OfferedGold(pk, pair, str(public_id), query, *noticed(met, ago))
        for pk, pair, public_id, query, met, ago, language, reserved, barred in rows
        if may_judge(
            asker,
            OpenBatch(query, False, True, language=language, reserved=frozenset(reserved), barred=frozenset(barred)),
        )
    ]


def sitting_of(repeat: Repeat) -> dict[str, object]:
    """What tells the other gold of the same sitting, as the filter of a query of `Repeat`."""
    return {
        "annotator": repeat.annotator_id,
        "slipped_in_at": repeat.slipped_in_at,
        "gold__isnull": False,
        "pair__batch__query": repeat.pair.batch.query_id,
    }
