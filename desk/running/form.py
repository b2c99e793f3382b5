"""The form of "Run to open" on the overview."""

from django import forms
from django.utils.translation import gettext_lazy as _

from corpus.access.form_input import WholeNumberField
from desk.models import RunToOpen

MOST = 1_000_000


class ProcedureForm(forms.Form):
    """By what to rewrite, and how many queries to draw; empty numbers are those that the draw suggests."""

    rewriter = forms.ChoiceField(
        choices=[(RunToOpen.Rewriter.RULES, _("Rules, free of charge")), (RunToOpen.Rewriter.LLM, _("The LLM"))]
    )
    val = WholeNumberField(required=False, max_value=MOST)
    test = WholeNumberField(required=False, max_value=MOST)
    seed = WholeNumberField(required=False, max_value=2**62, initial=1)
