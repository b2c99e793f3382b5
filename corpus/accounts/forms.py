"""Forms of accounts: a new one, one's own name and mail address, a new password."""

import zoneinfo
from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import ValidationError

from corpus.models import Account

WRONG_PASSWORD = "That isn't your current password."


def password_rules() -> list[str]:
    """What a new password has to be, for the pages that ask for one."""
    return [text for text in password_validation.password_validators_help_texts() if text]


class NewAccount(BaseUserCreationForm):
    """The form for a new account: name, password, optional mail address."""

    class Meta:
        model = Account
        fields = ("username", "email")


class AccountByOwner(forms.ModelForm):
    """The form by which the site's owner makes an account: its owner sets the password, by a one-time link."""

    class Meta:
        model = Account
        fields = ("username", "email", "may_create_collections")


class OwnAccount(forms.ModelForm):
    """One's name, mail address and time zone. Name and address ask for the password: with them comes the account."""

    password = forms.CharField(required=False, strip=False)

    class Meta:
        model = Account
        fields = ("username", "email", "time_zone")

    def clean_time_zone(self) -> str:
        zone = str(self.cleaned_data["time_zone"]).strip()
        if zone and zone not in zoneinfo.available_timezones():
            raise ValidationError(f"found {zone[:40]!r}, expected a time zone's name such as Europe/Berlin, or none")
        return "" if zone == "UTC" else zone

    @property
    def needs_password(self) -> bool:
        """Whether a field is changed that asks for the password."""
        return bool({"username", "email"} & set(self.changed_data))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.needs_password and not Account.objects.get(pk=self.instance.pk).check_password(cleaned.get("password")):
            self.add_error("password", f"{WRONG_PASSWORD} It is needed to change your name or address.")
        return cleaned
