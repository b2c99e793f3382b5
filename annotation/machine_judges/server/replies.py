"""Answers of servers as they are kept: found again under all that they follow from, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, QuerySet, Sum

from annotation.machine_judges.server.parameters import ServerParameters
from annotation.machine_judges.server.prompting import Wording
from annotation.models import MachineJudge, MachineReply
from foundation.models import Collection
from queries.rewriting.rewriters.reading import storable

UNLIKELY = -9999.0
"""What stands for a probability of 0, as in OpenAI's own answers: tables hold no infinite numbers."""
FEWEST = 3
"""Answers of a judge after which a request is reckoned to cost what they did."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: its key, and what it shows and asks. `times` are empty where the whole clip is shown."""

    key: str
    clip: str
    """Its name in the storage, "" where the description is told instead."""
    digest: str
    times: tuple[float, ...]
    query: str
    sample: int
    description: str = ""


def reply_key(
    *,
    wording: Wording,
    model: str,
    parameters: ServerParameters,
    clip: str,
    times: Sequence[float],
    query: str,
    sample: int,
) -> str:
    """SHA-256 of all that an answer follows from, in hexadecimal digits.

    Args: clip: its digest, or its description's; times: of its pictures, in seconds; sample: which of the answers to
        the same, from 0. How answers are read isn't among it: whoever declares a judge that reads them otherwise pays
        nothing.
    """
    parts = [
        clip,
        list(times),
        wording.prompt_version,
        wording.instructions,
        wording.material(query),
        model,
        asked_with(parameters),
        sample,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


def asked_with(parameters: ServerParameters) -> dict[str, Any]:
    """The parameters that an answer follows from; of one answer probabilities are asked for as well."""
    asked = {name: value for name, value in parameters.as_json().items() if name != "least_mass"}
    return {**asked, "samples": parameters.samples > 1}


def replies_of(collection: Collection, keys: Iterable[str]) -> dict[str, tuple[int, dict[str, Any]]]:
    """The stored answers with these keys: key -> (primary key, as the server gave it)."""
    rows = MachineReply.objects.filter(collection=collection, key__in=list(keys))
    return {key: (pk, reply) for key, pk, reply in rows.values_list("key", "pk", "reply")}


def as_stored(answer: Any) -> Any:
    """A server's answer as a table can hold it: the same but for signs and numbers that none can."""
    if isinstance(answer, dict):
        return {storable(str(name)): as_stored(value) for name, value in answer.items()}
    if isinstance(answer, list):
        return [as_stored(value) for value in answer]
    if isinstance(answer, float) and not math.isfinite(answer):
        return UNLIKELY
    return storable(answer) if isinstance(answer, str) else answer


def usual_tokens(judge: MachineJudge) -> tuple[float, float] | None:
    """Tokens of a request and its answer, by what servers said of this judge's; None while these are too few."""
    told = MachineReply.objects.filter(judging__judge=judge, tokens_in__gt=0).aggregate(
        answers=Count("pk"), sent=Avg("tokens_in"), answered=Avg("tokens_out")
    )
    return None if told["answers"] < FEWEST else (told["sent"], told["answered"])


def totals(rows: QuerySet[MachineReply]) -> dict[str, Any]:
    """What was paid for these answers: {"replies", "retries", "tokens_in", "tokens_out", "cost"}; cost None: no
    prices."""
    sums = rows.aggregate(
        replies=Count("pk"),
        tries=Sum("tries", default=0),
        tokens_in=Sum("tokens_in", default=0),
        tokens_out=Sum("tokens_out", default=0),
        cost=Sum("cost"),
    )
    return {**sums, "retries": sums.pop("tries") - sums["replies"]}
