"""A collection's factors: declared as a whole until the first judgment, then only retired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.factors.texts import BETWEEN, DeclaredFactor, Words
from annotation.models import Factor, JudgedFactor, Judgment
from foundation.collections.studies import refuse_study
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection, FactorsAsked
from foundation.refused import Refused


def factors_of(collection: Collection) -> list[Factor]:
    """All that were declared, in the order in which they are asked."""
    return list(Factor.objects.filter(collection=collection).order_by("place"))


def asked_in(collection: Collection) -> list[Factor]:
    """Those whose answers are taken, retired ones too, in their order. No SQL query where none is asked."""
    return [] if collection.factors_asked == FactorsAsked.NEVER else factors_of(collection)


@dataclass(frozen=True, slots=True)
class AskedFactor:
    """A factor as annotators are asked it."""

    key: str
    words: Words
    may_skip: bool


def asked_now(collection: Collection) -> list[AskedFactor]:
    """What annotators are asked, in the reader's language. No SQL query where nothing is."""
    return [
        AskedFactor(factor.key, words_of(factor), factor.may_skip)
        for factor in asked_in(collection)
        if factor.retired_at is None
    ]


def words_of(factor: Factor, language: str | None = None) -> Words:
    """A factor's words in a language, by default the reader's; its own where it has none in that."""
    tag = (language or get_language() or "").lower()
    own = {name.lower(): words for name, words in factor.languages.items()}
    words = own.get(tag) or own.get(tag.partition("-")[0])
    if words is None:
        return Words(factor.name, factor.question, tuple(factor.answers))
    return Words(words["name"], words["question"], tuple(words["answers"]))


def said_in(collection: Collection, judgments: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """What was answered with these judgments, by judgment: each factor's name and its answer, in the reader's language.
    One SQL query, none where nothing is asked."""
    said: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    if collection.factors_asked != FactorsAsked.NEVER:
        given = JudgedFactor.objects.filter(judgment__in=judgments).select_related("factor").order_by("factor__place")
        for one in given:
            words = words_of(one.factor)
            answer = _("can't say") if one.value is None else words.answers[one.value]
            said[one.judgment_id].append((words.name, answer))
    return said


def declared_in(collection: Collection) -> list[DeclaredFactor]:
    """The factors as they were declared."""
    return [
        DeclaredFactor(
            factor.key,
            Words(factor.name, factor.question, tuple(factor.answers)),
            factor.may_skip,
            {language: words_of(factor, language) for language in factor.languages},
        )
        for factor in factors_of(collection)
    ]


def rows_of(factors: Sequence[DeclaredFactor]) -> Iterator[tuple[str, ...]]:
    """The rows of a file of them (`texts.COLUMNS`), as `texts.FACTORS` reads it."""
    for factor in factors:
        for language, words in {"": factor.words, **factor.languages}.items():
            skips = "" if language else "yes" if factor.may_skip else "no"
            yield factor.key, language, words.name, words.question, f" {BETWEEN} ".join(words.answers), skips


def are_fixed(collection: Collection) -> bool:
    """Whether something is judged, so that factors can only be retired."""
    return Judgment.objects.filter(pair__batch__collection=collection).exists()


@transaction.atomic
def declare_factors(
    *, collection: Collection, factors: Sequence[DeclaredFactor], asked: str | None = None
) -> Collection:
    """Declare a collection's factors in the place of those that it has.

    Args: asked: after which grades (`FactorsAsked`); None: as set, or after every grade where none was asked.
    Raises: Refused in a study or an archived collection, once something is judged, while something is imported.
    """
    collection = _held(collection)
    if are_fixed(collection):
        raise Refused(_("Something is judged already, so factors stay as they are: they can only be retired."))
    # Judgments that are being imported aren't to be seen yet.
    hold_descriptions(collection)
    Factor.objects.filter(collection=collection).delete()
    _store(collection, factors)
    if not factors:
        collection.factors_asked = FactorsAsked.NEVER
    elif asked is not None:
        collection.factors_asked = asked
    elif collection.factors_asked == FactorsAsked.NEVER:
        collection.factors_asked = FactorsAsked.EVERY
    collection.save(update_fields=["factors_asked"])
    return collection


def copy_factors(source: Collection, to: Collection) -> None:
    """Give a new study its collection's factors that are asked."""
    retired = set(Factor.objects.filter(collection=source, retired_at__isnull=False).values_list("key", flat=True))
    _store(to, [factor for factor in declared_in(source) if factor.key not in retired])


def _store(collection: Collection, factors: Sequence[DeclaredFactor]) -> None:
    Factor.objects.bulk_create(
        Factor(
            collection=collection,
            place=place,
            key=factor.key,
            name=factor.words.name,
            question=factor.words.question,
            answers=list(factor.words.answers),
            may_skip=factor.may_skip,
            languages={language: asdict(words) for language, words in factor.languages.items()},
        )
        for place, factor in enumerate(factors, start=1)
    )


@transaction.atomic
def retire_factor(*, collection: Collection, key: str) -> Factor:
    """Ask a factor no more, for good. Its answers stay; those to pages that were open before are still taken.

    Raises: Refused in a study or an archived collection, and where there is no such factor. Repeating it changes
        nothing.
    """
    collection = _held(collection)
    factor = Factor.objects.filter(collection=collection, key=key).first()
    if factor is None:
        keys = ", ".join(one.key for one in factors_of(collection)) or "-"
        raise Refused(_("Found the factor %(key)s, expected one of: %(keys)s.") % {"key": key, "keys": keys})
    if factor.retired_at is None:
        factor.retired_at = timezone.now()
        factor.save(update_fields=["retired_at"])
    return factor


def _held(collection: Collection) -> Collection:
    refuse_study(collection, "has its collection's factors")
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if collection.archived_at is not None:
        raise Refused(_("The collection is archived: restore it first."))
    return collection
