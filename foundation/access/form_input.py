"""What people typed into forms: cleaned, and numbers read as people write them."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from foundation.access.middleware import Middleware
from foundation.access.needs_login import View, is_api
from foundation.text import is_seen


class CleanInput(Middleware):
    """Middleware: every form reaches its view by way of `clean_input`."""

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        if not is_api(request):
            clean_input(request)


def clean_input(request: HttpRequest) -> None:
    """Remove from a form's text what no keyboard types: NULs, which PostgreSQL stores nowhere, and texts that show
    nothing, such as a zero-width space alone."""
    if request.method != "POST" or all(_clean(text) == text for _, texts in request.POST.lists() for text in texts):
        return
    cleaned = request.POST.copy()
    for name, texts in request.POST.lists():
        cleaned.setlist(name, [_clean(text) for text in texts])
    request.POST = cleaned  # type: ignore[assignment]


def _clean(typed: str) -> str:
    text = typed.replace("\x00", "")
    return text if text.isascii() or is_seen(text) else ""


def is_own_address(address: str) -> bool:
    """Whether an address is a path of this site, so that redirecting to it is safe."""
    return address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


_DECIMAL_COMMA = re.compile(r"([+-]?(?:0|\d+(?!,\d{3}\Z))),(\d+)", re.ASCII)


def with_point(number: str) -> str:
    """A typed number with its decimal comma replaced by a point.

    A comma before three digits stays, unless a 0 is before it: it may stand for thousands.

    >>> with_point("15,50"), with_point("0,125"), with_point("1,500"), with_point("12.5")
    ('15.50', '0.125', '1,500', '12.5')
    """
    match = _DECIMAL_COMMA.fullmatch(number.strip())
    return f"{match[1]}.{match[2]}" if match else number


_GROUPED = re.compile(r"\d{1,3}(?:([,.'’\u00a0\u2009\u202f ])\d{3})(?:\1\d{3})*", re.ASCII)


def without_grouping(number: str) -> str:
    """A typed whole number without what groups its digits by three.

    >>> without_grouping("2,781"), without_grouping("1.234.567"), without_grouping("12 000"), without_grouping("0,5")
    ('2781', '1234567', '12000', '0,5')
    """
    text = number.strip()
    return re.sub(r"\D", "", text) if _GROUPED.fullmatch(text) else text


def whole_number(sent: str) -> int | None:
    """A number that a program sends, in a form, a query or a header: digits alone, up to 18; None for anything else.

    >>> whole_number("100000"), whole_number("+100000"), whole_number(" 5"), whole_number("1_0"), whole_number("٣")
    (100000, None, None, None, None)
    """
    return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 19 else None


class WholeNumberField(forms.IntegerField):
    """A whole number of a form, with or without digits grouped by three; the error says what was found and expected."""

    widget = forms.TextInput

    def __init__(self, *, max_value: int, min_value: int = 0, **options: Any) -> None:
        super().__init__(max_value=max_value, min_value=min_value, **options)

    def clean(self, value: Any) -> Any:
        typed = str(value if value is not None else "").strip()
        try:
            return super().clean(without_grouping(typed))
        except ValidationError as fault:
            if not typed:
                raise ValidationError(_("Enter a whole number.")) from fault
            expected = {"found": typed[:40], "least": f"{self.min_value:,}", "most": f"{self.max_value:,}"}
            raise ValidationError(
                _("Found “%(found)s”, expected a whole number from %(least)s to %(most)s."), params=expected
            ) from fault


class DayField(forms.DateField):
    """A day of a form; the error says how it is written."""

    default_error_messages = {"invalid": _("Write the day as in 2026-11-30.")}


class LastDayField(DayField):
    """The day with which something ends, as the moment after it (UTC)."""

    def clean(self, value: Any) -> Any:
        day = super().clean(value)
        try:
            return day and datetime.combine(day + timedelta(days=1), time.min, tzinfo=UTC)
        except OverflowError as error:
            raise ValidationError(_("Choose an earlier day.")) from error
