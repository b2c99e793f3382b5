"""The page that replays judgments under another consensus rule."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.batches.transitions import rule_of
from annotation.consensus import Rule
from annotation.models import Pair
from annotation.review.consensus_replay import in_words, replay_collection
from corpus.access.guards import lead_required
from corpus.models import Membership

NUMBERS = ("first_round", "second_round", "largest_difference")


@require_safe
@lead_required
def replay(request: HttpRequest, member: Membership) -> HttpResponse:
    """The current rule and, for other numbers, what they would change."""
    own = rule_of(member.collection)
    context = {"collection": member.collection, "member": member, "own": own, "rule": own}
    if request.GET:
        try:
            asked = {name: int(request.GET.get(name) or getattr(own, name)) for name in NUMBERS}
            rounding = request.GET.get("rounding") or own.rounding
            context["rule"] = Rule(top_grade=own.top_grade, rounding=rounding, **asked)  # type: ignore[arg-type]
            context["found"] = found = replay_collection(collection=member.collection, rule=context["rule"])
            context["moves"] = [
                (count, in_words(before), in_words(after))
                for (before, after), count in sorted(found.moves.items(), key=lambda move: (-move[1], repr(move[0])))
            ]
            rows = Pair.objects.select_related("candidate__query", "candidate__moment__video").in_bulk(
                [uuid.UUID(pair.pair) for pair, _ in found.examples], field_name="public_id"
            )
            context["examples"] = [
                (rows[uuid.UUID(pair.pair)], pair, in_words((pair.state, pair.grade)), in_words(after))
                for pair, after in found.examples
            ]
        except ValueError as error:
            context["error"] = str(error)
    return render(request, "annotation/replay.html", context)
