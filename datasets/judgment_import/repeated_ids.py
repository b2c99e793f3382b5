"""A worker's id that stands more than once at a pair: what an import makes of it, by a policy that is declared.

- ``refuse``: the file is refused;
- ``as-published``: every judgment counts as if somebody else had given it. An id's second judgment of a pair is stored
  as that of `ID+2`, its third as that of `ID+3`: the database takes one of a worker and pair;
- ``first``, ``last``: an id's first or last judgment of a pair counts, its others are left out.

With a policy other than ``refuse``, the order of the file isn't taken for the order of judging either (`arrange`).
"""

from django.db import connection

from annotation.consensus import Rule
from datasets.judgment_import.staging_tables import Conflicts, allowed, execute, rows_of
from evaluation.judgments.repeats import order_of_judging

REFUSE, AS_PUBLISHED = "refuse", "as-published"
POLICIES = (REFUSE, AS_PUBLISHED, "first", "last")

_REPEATED = """
DROP TABLE IF EXISTS pg_temp.repeated;
CREATE TEMPORARY TABLE repeated ON COMMIT DROP AS
SELECT seq, line, worker, worker || '+' || nth AS name
  FROM (SELECT seq, line, worker, row_number() OVER (PARTITION BY pair_no, worker ORDER BY seq {order}) AS nth
          FROM numbered) AS one
 WHERE nth > 1"""
_RENAMED = "UPDATE numbered n SET worker = r.name FROM repeated r WHERE r.seq = n.seq"
_LEFT_OUT = "DELETE FROM numbered n USING repeated r WHERE r.seq = n.seq"
_NOT_FREE = """
SELECT min(n.line), 'worker', quote_literal(n.worker),
       'another id: a judgment of ' || quote_literal(min(r.worker)) || ', who has several of a pair, gets this one'
  FROM numbered n JOIN (SELECT DISTINCT name, worker FROM repeated) AS r ON r.name = n.worker GROUP BY n.worker
UNION ALL
SELECT min(line), 'worker', quote_literal(worker), 'at most 38 characters, since it stands more than once at a pair'
  FROM repeated WHERE length(name) > 40 GROUP BY worker"""

_ARRANGE = """
UPDATE fresh f SET nth = array_position(a.places, f.nth::int)
  FROM sequence s JOIN arrangement a ON (a.before, a.added) = (s.before, s.added)
 WHERE s.pair_no = f.pair_no AND f.stored IS NULL;
UPDATE sequence s SET added = a.arranged
  FROM arrangement a WHERE (a.before, a.added) = (s.before, s.added);
DELETE FROM sequence WHERE cardinality(added) = 0;
ANALYZE sequence;
DELETE FROM fresh WHERE nth IS NULL"""


def apply_policy(policy: str, file: str) -> tuple[int, Conflicts]:
    """Apply a policy to the staged judgments. Returns: how many it concerned, and where names aren't free."""
    if policy == REFUSE:
        return 0, Conflicts.none(file)
    execute(_REPEATED.format(order="DESC" if policy == "last" else ""), {})
    conflicts = Conflicts(file, _NOT_FREE, {}) if policy == AS_PUBLISHED else Conflicts.none(file)
    ((concerned,),) = rows_of("SELECT count(*) FROM repeated", {})
    execute(_RENAMED if policy == AS_PUBLISHED else _LEFT_OUT, {})
    return concerned, conflicts


def arrange(rule: Rule) -> int:
    """Put the new judgments of each pair in an order by which the rule decides on all of them: `order_of_judging`.

    Judgments of a pair that has some follow these in the file's order. Returns: how many are left out, since their
    pair is decided without them.
    """
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.arrangement")
        cursor.execute(
            "CREATE TEMPORARY TABLE arrangement"
            " (before smallint[], added smallint[], places integer[], arranged smallint[]) ON COMMIT DROP"
        )
        cursor.execute("SELECT DISTINCT before, added FROM sequence")
        sequences = cursor.fetchall()
        with cursor.copy("COPY arrangement FROM STDIN") as copy:
            for before, added in sequences:
                order = range(allowed(before, added, rule)[0]) if before else order_of_judging(added, rule)
                if list(order) != list(range(len(added))):
                    arranged = [added[place] for place in order]
                    copy.write_row((before, added, [place + 1 for place in order], arranged))
    return execute(_ARRANGE, {})
