"""Whether those who may judge are enough: how many people the rule needs, and the pairs that these can't decide."""

from dataclasses import dataclass

from django.db.models import Exists, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.assignment.assignment_policy import Asker, OpenBatch, may_judge
from annotation.batches.transitions import rule_of
from annotation.consensus import needed_in
from annotation.models import Assignment, RecruitSession
from foundation.infra.prepared_sql import rows_of
from foundation.models import Collection, Membership

# Undecided pairs by what says who may judge them.
_UNDECIDED = """
SELECT p.status, coalesce(d.language, q.language), b.query_id, v.content, v.minimum_age,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j
              WHERE j.pair_id = p.id AND j.counted ORDER BY 1) AS judges, count(*)
  FROM annotation_pair p
  JOIN annotation_batch b ON b.id = p.batch_id
  JOIN queries_query q ON q.id = b.query_id
  LEFT JOIN corpus_description d ON d.id = q.description_id
  JOIN queries_candidate k ON k.id = p.candidate_id
  JOIN corpus_moment m ON m.id = k.moment_id
  JOIN corpus_video v ON v.id = m.video_id
 WHERE b.collection_id = %(collection)s AND p.status IN ('open', 'disputed')
 GROUP BY 1, 2, 3, 4, 5, 6"""

_PERSONS = {
    2: gettext_noop("a second person"),
    3: gettext_noop("a third person"),
    4: gettext_noop("a fourth person"),
    5: gettext_noop("a fifth person"),
    6: gettext_noop("a sixth person"),
}


@dataclass(frozen=True, slots=True)
class Staffing:
    """`admitted` people may judge, `needed` are the fewest by whom the rule can decide any pair.

    `short` undecided pairs need more people than may judge them, at most `more` each. `person` is the place of the one
    that all of them lack (4: a fourth person), 0 where they lack different ones. `stuck`: nobody may judge any pair
    that is left.
    """

    admitted: int
    needed: int
    short: int = 0
    more: int = 0
    person: int = 0
    stuck: bool = False

    @property
    def lacking(self) -> str:
        """Whom the work lacks, in words without a full stop; "" where nobody is lacking."""
        if self.short:
            words = ngettext("%(shown)s pair needs %(person)s", "%(shown)s pairs need %(person)s", self.short)
            more = ngettext("%(count)s more person", "%(count)s more people", self.more) % {"count": self.more}
            person = _(_PERSONS[self.person]) if self.person in _PERSONS else more
            return words % {"shown": f"{self.short:,}", "person": person}
        if self.admitted < self.needed:
            words = _("At least %(needed)s admitted people are needed, you have %(admitted)s")
            return words % {"needed": self.needed, "admitted": self.admitted}
        return ""


ENOUGH = Staffing(0, 0)
"""Where nothing is known to be lacking."""


def staffing(collection: Collection) -> Staffing:
    """Who is lacking. One SQL query where everybody may judge everything and the rule has its people, else three."""
    assigned = Assignment.objects.filter(query__collection=collection)
    # Whom a platform sent judges while their session goes on.
    at_work = Q(recruited=False) | Q(recruit__sessions__in=RecruitSession.objects.filter(ended_at=None))
    admitted = Membership.objects.filter(
        at_work,
        collection=collection,
        role=Membership.Role.ANNOTATOR,
        status=Membership.Status.ADMITTED,
        account__is_active=True,
        has_led=False,
        consent_withdrawn_at=None,
        age__gte=collection.minimum_age,
    ).values_list("pk", "languages", "avoids", "age", Exists(assigned))
    people = [
        Asker(pk, frozenset(languages), avoids=frozenset(avoids), age=age) for pk, languages, avoids, age, _ in admitted
    ]
    rule = rule_of(collection)
    everybody_may = not collection.marks_content and not any(
        languages or ruled for _pk, languages, _avoids, _age, ruled in admitted
    )
    if len(people) >= rule.both_rounds and everybody_may:
        return Staffing(len(people), rule.both_rounds)
    rules: dict[int, dict[str, set[int]]] = {}
    for query, kind, person in assigned.values_list("query", "rule", "annotator"):
        rules.setdefault(query, {}).setdefault(kind, set()).add(person)
    short = left = 0
    lacks: set[tuple[int, int]] = set()
    for status, language, query, content, minimum_age, judges, pairs in rows_of(
        _UNDECIDED, {"collection": collection.pk}
    ):
        own = rules.get(query, {})
        reserved, barred = (frozenset(own.get(kind, ())) for kind in Assignment.Rule.values)
        asked = OpenBatch(0, status == "disputed", True, 0, language, reserved=reserved, barred=barred)
        others = sum(
            may_judge(asker, asked) and asker.may_see(content, minimum_age)
            for asker in people
            if asker.pk not in judges
        )
        left += pairs if others else 0
        needed = needed_in(status, rule)
        if len(judges) + others < needed:
            short += pairs
            lacks.add((needed - len(judges) - others, needed))
    more = max((missing for missing, _needed in lacks), default=0)
    person = next(iter(lacks))[1] if len(lacks) == 1 and more == 1 else 0
    return Staffing(len(people), rule.both_rounds, short, more, person, stuck=short > 0 and not left)
