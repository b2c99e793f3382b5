"""The lead's list of gold: added by query or by a file, taken off, and what was answered to each."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from django.db import transaction
from django.db.models import Avg, Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Abs, Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.gold.gold_rows import SaidGold, gold_on
from annotation.models import Adjudication, Batch, GoldPair, Pair, RepeatAnswer
from annotation.scale import scale_of
from corpus.description_formats import BadFile, BadRow
from corpus.description_import.row_files import RowChoices, read_whole
from foundation.infra.list_pages import Order
from foundation.models import Collection, Membership
from foundation.refused import FieldsRefused, Refused
from queries.models import Query

NEWEST = Order(("-pk",))
_OVER = (Batch.Status.FINISHED, Batch.Status.EXTENDED)
_DECIDED = (Pair.Status.CONSENSUS, Pair.Status.DISCARDED)


def ended_queries(collection: Collection) -> QuerySet[Query]:
    """Queries whose pairs can be gold: every batch of them is finished."""
    batches = Batch.objects.filter(query=OuterRef("pk"))
    return collection.queries.filter(Exists(batches), ~Exists(batches.exclude(status__in=_OVER)))


def queries_to_add(collection: Collection, most: int) -> list[tuple[Query, int]]:
    """The first finished queries without gold, and how many graded or adjudicated pairs each has."""
    gold = _standing(collection).filter(pair__batch__query=OuterRef("pk"))
    known = Q(status=Pair.Status.CONSENSUS) | Exists(_adjudicated().filter(pair=OuterRef("pk")))
    pairs = Pair.objects.filter(known, batch__query=OuterRef("pk")).order_by().values("batch__query")
    counted = Coalesce(Subquery(pairs.annotate(number=Count("pk")).values("number")), 0)
    rows = ended_queries(collection).filter(~Exists(gold)).annotate(pairs=counted).order_by("pk")
    return [(query, query.pairs) for query in rows[:most]]


def _standing(collection: Collection) -> QuerySet[GoldPair]:
    return GoldPair.objects.filter(collection=collection, removed_at=None)


def _adjudicated() -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(withdrawn_at=None)


@transaction.atomic
def add_queries(*, lead: Membership, queries: Iterable[int]) -> int:
    """Make every pair of finished queries gold by the grade that people agreed on, or the lead's. Returns how many.

    Those that are gold stay as they are. Raises: Refused for a query that isn't finished; nothing was added.
    """
    wanted = set(queries)
    found = set(ended_queries(lead.collection).filter(pk__in=wanted).values_list("pk", flat=True))
    if not wanted or found != wanted:
        raise Refused(_("Choose queries of which every batch is finished; nothing was added."))
    pairs = Pair.objects.filter(batch__query__in=found, status__in=_DECIDED).exclude(
        pk__in=_standing(lead.collection).values("pair")
    )
    ruled = dict(_adjudicated().filter(pair__in=pairs).values_list("pair", "grade"))
    rows = [(pk, grade, "decided") for pk, grade in pairs.values_list("pk", "grade") if grade is not None]
    rows += [(pk, grade, "adjudicated") for pk, grade in ruled.items()]
    gold = [_gold(lead, pk, grade, source) for pk, grade, source in sorted(rows)]
    return len(GoldPair.objects.bulk_create(gold))


def _gold(lead: Membership, pair: int, grade: int, source: str, explanation: str = "") -> GoldPair:
    return GoldPair(
        collection=lead.collection,
        pair_id=pair,
        grade=grade,
        source=source,
        explanation=explanation,
        added_by=lead,
    )


@dataclass(frozen=True, slots=True)
class AddedGold:
    """What rows added; `unchanged` were gold of that grade."""

    added: int
    unchanged: int


@transaction.atomic
def add_file(*, lead: Membership, file: BinaryIO, name: str) -> AddedGold:
    """Add the gold of a file, all of it or none.

    Args: file: seekable, at its beginning; name: the file's, for messages.

    Raises: BadFile naming each problem with its line.
    """
    met = _MetPairs(lead.collection)
    read = read_whole(file, name, RowChoices(), gold_on(scale_of(lead.collection).numbers), conflicts=met.conflicts)
    read.refuse()
    return _add(lead, read.rows, met)


@transaction.atomic
def add_rows(*, lead: Membership, rows: Sequence[SaidGold]) -> AddedGold:
    """Add rows that were sent, all or none; their lines are their places from 0 on.

    Raises: FieldsRefused, by `pairs.PLACE.FIELD`, of the first ten problems.
    """
    met, scale = _MetPairs(lead.collection), scale_of(lead.collection).numbers
    off_scale = [(row, BadRow("grade", row.grade, scale.words)) for row in rows if row.grade not in scale.grades]
    wrong = [*off_scale, *met.conflicts(rows)][: BadFile.SHOWN]
    if wrong:
        told = {f"pairs.{row.line}.{bad.field}": f"Found {bad.found}, expected {bad.expected}." for row, bad in wrong}
        raise FieldsRefused(told)
    return _add(lead, rows, met)


def _add(lead: Membership, rows: Sequence[SaidGold], met: "_MetPairs") -> AddedGold:
    fresh = [row for row in rows if met.pairs[row.pair].pk not in met.known]
    GoldPair.objects.bulk_create(
        _gold(lead, met.pairs[row.pair].pk, row.grade, GoldPair.Source.LEAD, row.explanation) for row in fresh
    )
    return AddedGold(len(fresh), len(rows) - len(fresh))


class _MetPairs:
    """A collection's pairs beside rows that name them, and the gold that they are."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.pairs: Mapping[str, Pair] = {}
        self.known: dict[int, GoldPair] = {}

    def conflicts(self, rows: Sequence[SaidGold]) -> Iterator[tuple[SaidGold, BadRow]]:
        """The rows that won't do, and why; each row at most once."""
        self.pairs = _pairs_named(self._collection, {row.pair for row in rows})
        gold = _standing(self._collection).filter(pair__in=[pair.pk for pair in self.pairs.values()])
        self.known = {one.pair_id: one for one in gold}
        lines: dict[int, int] = {}
        for row in rows:
            pair = self.pairs.get(row.pair)
            if pair is None:
                yield row, BadRow("pair_id", row.pair, f"a pair of {self._collection.name}")
            elif pair.pk in lines:
                yield row, BadRow("pair_id", row.pair, f"each pair once; the first is line {lines[pair.pk]}")
            elif pair.status not in _DECIDED or pair.batch.status not in _OVER:
                yield row, BadRow("pair_id", row.pair, "a decided pair of a finished batch")
            elif pair.pk in self.known and self.known[pair.pk].grade != row.grade:
                expected = f"{self.known[pair.pk].grade}, of which it is gold; take it off the list first"
                yield row, BadRow("grade", row.grade, expected)
            if pair is not None:
                lines.setdefault(pair.pk, row.line)


def _pairs_named(collection: Collection, names: Iterable[str]) -> dict[str, Pair]:
    """Pairs by what names them: a public id, or the number in releases."""
    public, numbers = dict[uuid.UUID, str](), dict[int, str]()
    for name in names:
        if name.isascii() and name.isdecimal() and len(name) < 19:
            numbers[int(name)] = name
        else:
            with suppress(ValueError):
                public[uuid.UUID(name)] = name
    pairs = Pair.objects.filter(batch__collection=collection).select_related("batch")
    found = list(pairs.filter(Q(public_id__in=public) | Q(pk__in=numbers)))
    by_public_id = {public[pair.public_id]: pair for pair in found if pair.public_id in public}
    return by_public_id | {numbers[pair.pk]: pair for pair in found if pair.pk in numbers}


def remove_gold(*, lead: Membership, gold_ids: Iterable[int]) -> int:
    """Take gold off the list; who has it at hand still answers it. Returns how many; repeating it changes nothing."""
    standing = _standing(lead.collection).filter(pk__in=list(gold_ids))
    return standing.update(removed_at=timezone.now(), removed_by=lead)


def gold_of(collection: Collection) -> QuerySet[GoldPair]:
    """The list, with how often each was `answered`, the mean `error` (grade minus known grade) and how far `off` the
    grades were on average; None without answers."""
    stands = Q(given__answers__taken_back_at=None, given__answers__isnull=False)
    error = F("given__answers__grade") - F("grade")
    return (
        _standing(collection)
        .select_related("pair__batch__query", "pair__candidate__moment__clip", "added_by")
        .annotate(
            answered=Count("given__answers", filter=stands),
            error=Avg(error, filter=stands),
            off=Avg(Abs(error), filter=stands),
        )
    )


def given_share(collection: Collection) -> tuple[int, int]:
    """How much gold was answered, and of how many judgments' work it came beside. Two SQL queries."""
    answers = RepeatAnswer.objects.filter(repeat__gold__collection=collection, taken_back_at=None)
    first = answers.order_by("given_at").values_list("given_at", flat=True).first()
    if first is None:
        return 0, 0
    given = Pair.objects.filter(batch__collection=collection, judgments__given_at__gte=first)
    return answers.count(), given.count()
