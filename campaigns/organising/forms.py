"""The form of a campaign, and how moments are written in it."""

from datetime import UTC, datetime

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from foundation.access.form_input import WholeNumberField


class MomentField(forms.DateTimeField):
    """A moment in UTC, as a browser's own field or as "2026-12-01 18:00"."""

    def __init__(self) -> None:
        super().__init__(
            input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"],
            error_messages={"invalid": _("Write it as 2026-12-01 18:00, in UTC.")},
        )

    def clean(self, value: object) -> datetime | None:
        """The moment. Raises: ValidationError."""
        moment: datetime | None = super().clean(value)
        if moment is None:
            return None
        if not 2000 <= moment.year <= 9000:
            raise ValidationError(_("Write it as 2026-12-01 18:00, in UTC."))
        return moment.replace(tzinfo=UTC)

    def prepare_value(self, value: object) -> object:
        # As a browser's own field takes it; what it can't read it would drop.
        text = f"{value.astimezone(UTC):%Y-%m-%dT%H:%M}" if isinstance(value, datetime) else value
        return text.strip().replace(" ", "T") if isinstance(text, str) else text


class CampaignForm(forms.Form):
    """What a lead says of a campaign at any time."""

    title = forms.CharField(max_length=200)
    rules = forms.CharField(required=False)
    contact = forms.CharField(max_length=200, required=False)
    opens_at = MomentField()
    closes_at = MomentField()
    results_at = MomentField()
    audience = forms.ChoiceField(choices=Campaign.Audience.choices)
    own_scores = forms.BooleanField(required=False)
    most_submissions = WholeNumberField(min_value=1, max_value=1000)
    most_a_day = WholeNumberField(min_value=1, max_value=1000)
    most_pooled = WholeNumberField(min_value=1, max_value=1000)
    most_predictions = WholeNumberField(min_value=1, max_value=100_000)

    def take(self, wrong: dict[str, str]) -> None:
        """Put a service's refusals beside their fields."""
        for name, why in wrong.items():
            self.add_error(name if name in self.fields else None, why)


class NewCampaignForm(CampaignForm):
    """What is said of it once: its address, and what it is over ("test of release 3", or "later test")."""

    name = forms.RegexField(
        r"^[a-z0-9][a-z0-9-]*\Z",
        max_length=60,
        error_messages={"invalid": _("Use lower-case letters, digits and hyphens.")},
    )
    over = forms.CharField()

    def clean_over(self) -> tuple[int | None, str]:
        """The release's number, None for topics judged later; and the split."""
        chosen = self.cleaned_data["over"]
        kind, _colon, split = chosen.partition(":")
        if split not in ("val", "test") or not (kind == "later" or (kind.isascii() and kind.isdigit())):
            raise ValidationError(_("Choose what the campaign is over."))
        return (None if kind == "later" else int(kind[:18])), split
