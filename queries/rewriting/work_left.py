"""The work left in a rewriting job: texts to ask for, answers to check."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Count

from corpus.models import Description
from foundation.models import Collection
from queries.models import Answer
from queries.rewriting.decoding import ModelAndPrompt, seed_of, temperature_of
from queries.rewriting.rewriters.prompting import Request, ladder, split_evenly

BLOCK = 200
"""Descriptions that are worked on at once: enough for the models' batches, few enough to lose."""
Need = tuple[int, str]
"""An attempt's number and a description's text: what one answer serves, for however many descriptions."""


@dataclass(slots=True)
class Pending:
    """Descriptions without a caption, by what they need next."""

    ids: dict[Need, list[int]] = field(default_factory=dict)
    answered: list[Need] = field(default_factory=list)
    """Needs whose answer is stored."""
    to_ask: dict[Need, int] = field(default_factory=dict)
    """Needs that nothing is stored or under way for, in the order of import; how often each has failed."""
    under_way: int = 0
    """Needs whose answer is in a parcel."""

    @property
    def descriptions(self) -> int:
        return sum(len(ids) for ids in self.ids.values())

    def requests(self, per_request: int) -> list[Request]:
        """The requests for everything to be asked, in order; full except for the last of each kind."""
        return plan_requests(self.to_ask, per_request)


def pending_block(collection: Collection, *, after: int) -> list[int]:
    """The next descriptions (ids) without a caption, in the order of import."""
    rows = Description.objects.filter(collection=collection, caption__isnull=True, pk__gt=after)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:BLOCK])


def plan_requests(needs: dict[Need, int], per_request: int) -> list[Request]:
    """Group needs into requests, by attempt number and failures so far.

    Args: needs: need -> how often it has failed; per_request: descriptions a request at first.
    """
    steps = ladder(per_request)
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    for (number, text), failures in needs.items():
        groups[number, min(failures, len(steps) - 1)].append(text)
    return [
        Request(some, number, temperature_of(number), seed_of(number), level)
        for (number, level), texts in sorted(groups.items())
        for some in split_evenly(texts, steps[level])
    ]


def is_last_try(request: Request, per_request: int) -> bool:
    """Whether this request is the last try for its descriptions."""
    return len(request.texts) == 1 or request.level + 1 >= len(ladder(per_request))


def find_pending(
    *, collection: Collection, recipe: ModelAndPrompt, description_ids: Sequence[int] | None = None
) -> Pending:
    """The needs of descriptions without a caption: of these, by default of the whole collection."""
    rows = Description.objects.filter(collection=collection, caption__isnull=True)
    if description_ids is not None:
        rows = rows.filter(pk__in=description_ids)
    pending = Pending()
    for pk, text, tries in (
        rows.order_by("pk").annotate(tries=Count("attempts")).values_list("pk", "text", "tries").iterator()
    ):
        pending.ids.setdefault((tries + 1, text), []).append(pk)
    for number in sorted({number for number, _ in pending.ids}):
        texts = [text for attempt, text in pending.ids if attempt == number]
        _sort(pending, number, texts, _stored(collection, recipe.key(number), texts))
    return pending


def _sort(pending: Pending, number: int, texts: list[str], stored: dict[bytes, int]) -> None:
    for text in texts:
        failures = stored.get(digest(text), 0)
        if failures == _SETTLED:
            pending.answered.append((number, text))
        elif failures == _UNDER_WAY:
            pending.under_way += 1
        else:
            pending.to_ask[number, text] = failures


_SETTLED, _UNDER_WAY = -1, -2
FEW = 1000


def _stored(collection: Collection, key: str, texts: list[str]) -> dict[bytes, int]:
    """Stored answers by digest: settled, under way, or the number of failures."""
    answers = Answer.objects.filter(collection=collection, recipe=key)
    if len(texts) <= FEW:
        answers = answers.filter(digest__in=[digest(text) for text in texts])
    states: dict[bytes, int] = {}
    for raw, settled, back in answers.values_list("digest", "settled", "exchange__answered_at").iterator():
        key_ = bytes(raw)
        if settled or states.get(key_) == _SETTLED:
            states[key_] = _SETTLED
        elif back is None:
            states[key_] = _UNDER_WAY
        elif states.get(key_) != _UNDER_WAY:
            states[key_] = states.get(key_, 0) + 1
    return states


def settled_answers(
    *, collection: Collection, recipe: ModelAndPrompt, number: int, texts: Iterable[str]
) -> dict[str, Answer]:
    """The stored answers to these texts, by text, with their exchanges."""
    asked = list(texts)
    rows = Answer.objects.filter(
        collection=collection, recipe=recipe.key(number), settled=True, digest__in=[digest(text) for text in asked]
    )
    return {row.text: row for row in rows.select_related("exchange")}


def digest(text: str) -> bytes:
    """SHA-256 of a text, by which its answers are found."""
    return hashlib.sha256(text.encode()).digest()
