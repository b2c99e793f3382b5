"""SQL counts for the figures of the paper's appendix: two statements, whatever the collection's size."""

from typing import Any

from django.db import connection

from annotation.agreement import paper_figures
from annotation.agreement.paper_figures import BIN, GradeCount, PairCount
from annotation.models import Study
from evaluation.judgments.grade_classes import class_of
from foundation.models import Collection, Purpose

NAME = "appendix"
"""The name of the precomputed result (`annotation/precomputed.py`)."""

# Counted by what the pairs have in common, so that a few thousand rows come over, not one a pair.
_JUDGED = """
SELECT split, week, grades, status, count(*)
  FROM (SELECT q.split, p.status, array_agg(j.grade ORDER BY j.id) AS grades,
               to_char(date_trunc('week', min(j.given_at) AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS week
          FROM annotation_batch b
          JOIN queries_query q ON q.id = b.query_id
          JOIN annotation_pair p ON p.batch_id = b.id AND p.status <> 'withdrawn'
          JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
         WHERE b.collection_id = %s
         GROUP BY p.id, q.split) AS pair
 GROUP BY 1, 2, 3, 4"""

_GRADED = """
SELECT q.split, k.rank, floor(k.similarity / %s + 1e-9)::int, p.grade, count(*),
       d.moment_id IS NOT NULL
  FROM annotation_batch b
  JOIN queries_query q ON q.id = b.query_id
  JOIN annotation_pair p ON p.batch_id = b.id AND p.status = 'consensus'
  JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_description d ON d.id = q.description_id AND d.moment_id = k.moment_id
 WHERE b.collection_id = %s
 GROUP BY 1, 2, 3, 4, 6"""


def appendix_of(collection: Collection) -> paper_figures.Appendix:
    """Compute all figures of a collection now."""
    return paper_figures.appendix(
        judged_pairs(collection),
        graded_pairs(collection),
        top_grade=collection.top_grade,
        first_round=collection.first_round_people,
        last_rank=Study.objects.get(made=collection).depth if collection.purpose == Purpose.DEPTH else None,
    )


def judged_pairs(collection: Collection) -> list[PairCount]:
    """Pairs with a counted judgment that the lead hasn't withdrawn, counted by the classes of their grades in the order
    given."""
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED, [collection.pk])
        top = collection.top_grade
        return [
            PairCount(split, week, tuple(class_of(grade, top) for grade in grades), status, n)
            for split, week, grades, status, n in cursor.fetchall()
        ]


def graded_pairs(collection: Collection) -> list[GradeCount]:
    """Pairs in consensus, counted by rank, similarity and grade."""
    with connection.cursor() as cursor:
        cursor.execute(_GRADED, [BIN, collection.pk])
        return [GradeCount(*row) for row in cursor.fetchall()]


def appendix_from(value: dict[str, Any]) -> paper_figures.Appendix:
    """The precomputed counts, read back from JSON."""
    from annotation.agreement.krippendorff import Alpha
    from annotation.agreement.paper_figures import AgreementRow, GradeSpread, Rounds

    def spreads(rows: list[dict[str, Any]]) -> list[GradeSpread]:
        return [GradeSpread(**row) for row in rows]

    # What was computed by an earlier version lacks the last.
    own_test, of_queries = value["own_test"], value.get("own_test_queries")
    return paper_figures.Appendix(
        **{
            **value,
            "agreement": [
                AgreementRow(**{**row, "every": Alpha(**row["every"]), "first_round": Alpha(**row["first_round"])})
                for row in value["agreement"]
            ],
            "by_similarity": spreads(value["by_similarity"]),
            "by_rank": spreads(value["by_rank"]),
            "final": spreads(value["final"]),
            "rounds": [(name, Rounds(**counts)) for name, counts in value["rounds"]],
            "own": GradeSpread(**value["own"]),
            "own_test": GradeSpread(**own_test) if own_test is not None else None,
            "own_test_queries": GradeSpread(**of_queries) if of_queries is not None else None,
        }
    )
