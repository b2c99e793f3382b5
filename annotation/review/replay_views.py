"""The page that replays judgments under another consensus rule."""

import uuid
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.batches.transitions import rule_of
from annotation.consensus import Rule
from annotation.models import Pair
from annotation.review.consensus_replay import in_words, replay_collection
from foundation.access.form_input import WholeNumberField
from foundation.access.guards import lead_required
from foundation.infra.jobs import as_sentence
from foundation.models import Collection, Membership


class RuleForm(forms.Form):
    """Another consensus rule, of as many people as the settings allow; what is empty is the collection's own."""

    first_round = WholeNumberField(min_value=1, max_value=9, required=False)
    second_round = WholeNumberField(max_value=9, required=False)
    largest_difference = WholeNumberField(max_value=4, required=False)
    rounding = forms.ChoiceField(choices=Collection._meta.get_field("rounding").choices, required=False)


@require_safe
@lead_required
def replay(request: HttpRequest, member: Membership) -> HttpResponse:
    """The current rule and, for other numbers, what they would change."""
    own = rule_of(member.collection)
    now = {name: getattr(own, name) for name in RuleForm.base_fields}
    form = RuleForm({**now, **request.GET.dict()} if request.GET else None, initial=now)
    context: dict[str, Any] = {"collection": member.collection, "member": member, "own": own, "form": form}
    if form.is_valid():
        asked = {name: said if said not in (None, "") else now[name] for name, said in form.cleaned_data.items()}
        try:
            rule = Rule(top_grade=own.top_grade, **asked)
            context["found"] = found = replay_collection(collection=member.collection, rule=rule)
            context["moves"] = [(count, in_words(before), in_words(after)) for count, before, after in found.ordered]
            rows = Pair.objects.select_related("candidate__query", "candidate__moment__video").in_bulk(
                [uuid.UUID(pair.pair) for pair, _ in found.examples], field_name="public_id"
            )
            context["examples"] = [
                (rows[uuid.UUID(pair.pair)], pair, in_words((pair.state, pair.grade)), in_words(after))
                for pair, after in found.examples
            ]
        except ValueError as error:
            form.add_error("first_round", as_sentence(str(error)))
    return render(request, "annotation/replay.html", context, status=400 if form.errors else 200)
