"""Which pairs a job has a judge asked about: a scope of its collection's candidates, query by query."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.machine_judges.selectors import candidates_of
from annotation.machine_judges.server.parameters import DESCRIPTION
from annotation.models import MachineJudge
from corpus.models import Description, clip_ready
from foundation.access.form_input import whole_number
from foundation.refused import FieldsRefused
from queries.models import Candidate
from queries.models.pooling import Split

AT_ONCE = 200
TRIAL = 5
"""Pairs that a judge is tried on."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Of which candidates a job is: of one split ("": all), up to a rank (0: all), a few spread over them (0: all)."""

    split: str = ""
    ranks: int = 0
    some: int = 0

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Scope:
        """As `MachineJudging.scope` has it."""
        return cls(**stored)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def scope_typed(typed: Mapping[str, str]) -> Scope:
    """A scope as typed: `split`, `ranks`, and `trial` for a few pairs. Raises: FieldsRefused."""
    faults = {}
    split, ranks = typed.get("split", ""), typed.get("ranks", "").strip()
    if split not in ("", *Split.values):
        faults["split"] = _("Choose one of the offered values.")
    first = whole_number(ranks) if ranks else 0
    if first is None or (ranks and first < 1):
        faults["ranks"] = _("Found “%(found)s”, expected how many of each query's first pairs, such as 10, or nothing.")
        faults["ranks"] %= {"found": ranks[:40]}
    if faults:
        raise FieldsRefused(faults)
    return Scope(split, first or 0, TRIAL if typed.get("trial") else 0)


def pairs_in(judge: MachineJudge, scope: Scope) -> QuerySet[Candidate]:
    """The candidates of a scope that can be judged now, query by query, so that a job that ends early leaves whole
    queries. A few of them (`some`) are of those with a clip, where it sees clips."""
    rows = _chosen(judge, scope).exclude(_waits_for_its_clip(judge))
    rows = rows.order_by("query__split", "query__position", "query", "rank")
    if scope.some:
        to_see = rows if reads_words(judge) else rows.filter(clip_ready("moment__clip__"))
        ids = list(to_see.values_list("pk", flat=True))
        step = max(1, len(ids) // scope.some)
        rows = rows.filter(pk__in=ids[::step][: scope.some])
    return rows


def reads_words(judge: MachineJudge) -> bool:
    """Whether it is told descriptions and sees no clip."""
    return bool(judge.parameters.get("sees") == DESCRIPTION)


def _chosen(judge: MachineJudge, scope: Scope) -> QuerySet[Candidate]:
    # A query without words has nothing that a prompt could say.
    rows = candidates_of(judge.collection).exclude(query__medium__alone=True)
    if scope.split:
        rows = rows.filter(query__split=scope.split)
    return rows.filter(rank__lte=scope.ranks) if scope.ranks else rows


def _waits_for_its_clip(judge: MachineJudge) -> Q:
    """Condition: cutting the candidate's clip wasn't tried yet. An abstention is for good, so nothing is said of it."""
    return Q(moment__clip=None) if judge.collection.has_clips and not reads_words(judge) else Q(pk__in=())


def waiting_in(judge: MachineJudge, scope: Scope) -> int:
    """How many candidates of a scope are left to a later job, when their clips are there."""
    return _unsaid(judge, _chosen(judge, scope).filter(_waits_for_its_clip(judge))).count()


def left_in(judge: MachineJudge, scope: Scope) -> QuerySet[Candidate]:
    """Those of a scope of which the judge has said nothing."""
    return _unsaid(judge, pairs_in(judge, scope))


def _unsaid(judge: MachineJudge, rows: QuerySet[Candidate]) -> QuerySet[Candidate]:
    return rows.filter(~Exists(judge.judgments.filter(candidate=OuterRef("pk"))))


@dataclass(frozen=True, slots=True)
class PairToSee:
    """A candidate with what a model sees of it. `file`: the clip's name in the storage, "" where there is none;
    `description`: all that is written of the moment, a line each, "" where nothing is, or where it isn't asked for."""

    candidate: int
    query: str
    file: str
    duration: float
    description: str = ""


def blocks_of(pairs: QuerySet[Candidate], *, described: bool = False) -> Iterator[list[PairToSee]]:
    """The pairs in their order, in blocks; those that are judged meanwhile are among them.

    Args: described: with the descriptions of their moments.
    """
    ids = iter(list(pairs.values_list("pk", flat=True)))
    while block := list(islice(ids, AT_ONCE)):
        rows = Candidate.objects.filter(pk__in=block).values_list(
            "pk",
            "query__text",
            "query__narrative",
            "moment__clip__video_file",
            Coalesce("moment__clip__duration", F("moment__end") - F("moment__start")),
            "moment",
        )
        told = _descriptions({row[-1] for row in rows}) if described else {}
        by_pk = {
            pk: PairToSee(
                pk, f"{text}\n\n{narrative}" if narrative else text, file or "", duration, told.get(moment, "")
            )
            for pk, text, narrative, file, duration, moment in rows
        }
        yield [by_pk[pk] for pk in block if pk in by_pk]


def _descriptions(moments: Collection[int]) -> dict[int, str]:
    """What is written of these moments, in the order in which it came; those of which nothing is are left out."""
    rows = Description.objects.filter(moment__in=moments).order_by("pk").values_list("moment", "text")
    told: dict[int, str] = {}
    for moment, text in rows:
        told[moment] = f"{told[moment]}\n{text}" if moment in told else text
    return told
