"""The page that replays judgments under another consensus rule."""

import uuid

from django import forms
from django.http import HttpRequest, HttpResponse

from annotation.batches.transitions import rule_of
from annotation.consensus_in_words import rule_in_words
from annotation.models import Pair
from annotation.review.consensus_replay import another_rule, in_words, replay_collection
from foundation.access.form_input import WholeNumberField
from foundation.access.pages import PageFacts, lead_get, render_facts
from foundation.infra.jobs import as_sentence
from foundation.models import HIGHEST_GRADE, ConsensusRule, Membership
from foundation.models.collection_settings import Rounding


class RuleForm(forms.Form):
    """Another consensus rule, of as many people as the settings allow; what is empty is the collection's own."""

    kind = forms.ChoiceField(choices=ConsensusRule.choices, required=False)
    first_round = WholeNumberField(min_value=1, max_value=9, required=False)
    second_round = WholeNumberField(max_value=9, required=False)
    largest_difference = WholeNumberField(max_value=HIGHEST_GRADE, required=False)
    trimmed = WholeNumberField(min_value=1, max_value=8, required=False)
    rounding = forms.ChoiceField(choices=Rounding.choices, required=False)


@lead_get
def replay(request: HttpRequest, member: Membership) -> HttpResponse:
    """The current rule and, for other numbers, what they would change."""
    own = rule_of(member.collection)
    now = {name: getattr(own, name) for name in RuleForm.base_fields}
    form = RuleForm({**now, **request.GET.dict()} if request.GET else None, initial=now)
    facts: PageFacts = {"own": rule_in_words(own), "form": form}
    if form.is_valid():
        try:
            rule = another_rule(own, form.cleaned_data)
            facts["found"] = replayed = replay_collection(collection=member.collection, rule=rule)
            facts["moves"] = [(count, in_words(before), in_words(after)) for count, before, after in replayed.ordered]
            rows = Pair.objects.select_related("candidate__query", "candidate__moment__video").in_bulk(
                [uuid.UUID(pair.pair) for pair, _ in replayed.examples], field_name="public_id"
            )
            facts["examples"] = [
                (rows[uuid.UUID(pair.pair)], pair, in_words((pair.state, pair.grade)), in_words(after))
                for pair, after in replayed.examples
            ]
        except ValueError as error:
            form.add_error("first_round", as_sentence(str(error)))
    return render_facts(request, member, "annotation/replay.html", facts, status=400 if form.errors else 200)
