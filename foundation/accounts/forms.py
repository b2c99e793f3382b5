"""Forms of accounts: a new one, one's own name and mail address, a new password."""

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.accounts.names import OwnName
from foundation.models import Account

WRONG_PASSWORD = gettext_lazy("That isn't your current password.")
BROWSERS_LANGUAGE = gettext_lazy("As the browser asks")


def password_rules() -> list[str]:
    """What a new password has to be, for the pages that ask for one."""
    return [text for text in password_validation.password_validators_help_texts() if text]


class NewAccount(OwnName, BaseUserCreationForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The form for a new account: name, password, optional mail address."""

    class Meta:
        model = Account
        fields = ("username", "email")


class AccountByOwner(OwnName):
    """The form by which the site's owner makes an account: its owner sets the password, by a one-time link."""

    class Meta:
        model = Account
        fields = ("username", "email", "may_create_collections")


def languages_to_choose() -> list[tuple[str, Any]]:
    return [("", BROWSERS_LANGUAGE), *settings.LANGUAGES]


class OwnAccount(OwnName):
    """One's name, mail address, language and time zone.

    Name and address ask for the password: with them comes the account.
    """

    language = forms.ChoiceField(required=False, choices=languages_to_choose)
    password = forms.CharField(required=False, strip=False)

    class Meta:
        model = Account
        fields = ("username", "email", "language", "time_zone")

    def clean_time_zone(self) -> str:
        zone = str(self.cleaned_data["time_zone"]).strip()
        if zone and zone not in zoneinfo.available_timezones():
            raise ValidationError(
                _("Found %(found)s, expected a time zone's name such as Europe/Berlin, or none.")
                % {"found": f"“{zone[:40]}”"}
            )
        return "" if zone == "UTC" else zone

    @property
    def needs_password(self) -> bool:
        """Whether a field is changed that asks for the password."""
        return bool({"username", "email"} & set(self.changed_data))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.needs_password and not Account.objects.get(pk=self.instance.pk).check_password(cleaned.get("password")):
            needed = _("It is needed to change your name or address.")
            self.add_error("password", f"{WRONG_PASSWORD} {needed}")
        return cleaned
