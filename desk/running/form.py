"""The form of "Run to open" on the overview."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from desk.models import RunToOpen
from desk.running.checked_numbers import faults_of
from foundation.access.form_input import WholeNumberField
from foundation.models import Collection

MOST = 1_000_000


class ProcedureForm(forms.Form):
    """By what to rewrite, and how many queries to draw; empty numbers are those that the draw suggests."""

    rewriter = forms.ChoiceField(
        choices=[
            (RunToOpen.Rewriter.RULES, _("Rules, free of charge")),
            (RunToOpen.Rewriter.LLM, _("The LLM")),
            (RunToOpen.Rewriter.AS_THEY_ARE, _("Nobody: use descriptions as they are")),
        ]
    )
    val = WholeNumberField(required=False, max_value=MOST)
    test = WholeNumberField(required=False, max_value=MOST)
    seed = WholeNumberField(required=False, max_value=2**62, initial=1)

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._collection = collection

    def clean(self) -> dict[str, Any]:
        sent: dict[str, Any] = super().clean() or {}
        if not self.errors:
            for field, fault in faults_of(self._collection, sent["rewriter"], sent["val"], sent["test"]).items():
                self.add_error(field, fault)
        return sent
