"""Template filters for figures about people; None is shown as a dash."""

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

register = template.Library()
DASH = "–"


@register.filter
def percent(share: float | None, digits: int = 0) -> str:
    """A share 0-1 in percent, without the sign: 0.123 is "12"."""
    return DASH if share is None else f"{100 * share:.{digits}f}"


@register.filter
def signed(value: float | None) -> str:
    """A difference with its sign and two decimals."""
    # Rounded first: what is no difference has no minus.
    return DASH if value is None else f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")


@register.filter
def hundredths(value: float | None) -> str:
    return DASH if value is None else f"{value:.2f}".replace("-", "−")


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds in hours and minutes: 3 h 12 min."""
    if seconds is None:
        return DASH
    hours, minutes = divmod(round(seconds / 60), 60)
    if not hours:
        return _("%(minutes)s min") % {"minutes": minutes}
    return _("%(hours)s h %(minutes)s min") % {"hours": number_format(hours, force_grouping=True), "minutes": minutes}


@register.filter
def signed_minutes(seconds: int) -> str:
    """Seconds in minutes with a sign: +12 min."""
    minutes = round(seconds / 60)
    figure = number_format(abs(minutes), force_grouping=True)
    return _("%(minutes)s min") % {"minutes": f"{'−' if minutes < 0 else '+'}{figure}"}


@register.filter
def agreement_step(kappa: float | None) -> str:
    """A kappa's step on the grades' colour ramp, one per fifth above 0."""
    return "" if kappa is None else f"grade-{min(4, max(0, int(kappa * 5)))}"
