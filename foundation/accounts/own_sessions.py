"""An account's open logins, and how they are ended."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.access.api_tokens import digest_of
from foundation.models import Account, Session

_BROWSERS = (
    ("Edge", r"\bEdgA?/"),
    ("Opera", r"\bOPR/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Chrome|CriOS|Chromium|HeadlessChrome)/"),
    ("Safari", r"\bSafari/"),
)
"""In this order: the later ones are named by the earlier ones, too."""
_SYSTEMS = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("macOS", r"\bMac OS X\b"),
    ("Linux", r"\bLinux\b"),
)


def device_words(user_agent: str) -> str:
    """A browser and its system in words, from what it calls itself (User-Agent).

    >>> device_words("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> device_words("curl/8.5"), device_words("")
    ('curl/8.5', 'unknown')
    """
    browser = next((name for name, pattern in _BROWSERS if re.search(pattern, user_agent)), "")
    system = next((name for name, pattern in _SYSTEMS if re.search(pattern, user_agent)), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or user_agent[:40] or _("unknown")


@dataclass(frozen=True, slots=True)
class OpenSession:
    """One open login. `mark` names it on pages, where its key must not stand."""

    mark: str
    device: str
    address: str
    used_at: datetime
    current: bool


def sessions_of(account: Account, *, current_key: str | None) -> list[OpenSession]:
    """The account's open logins, the current one first, then by last use."""
    rows = Session.objects.filter(account=account, expire_date__gt=timezone.now()).order_by("-used_at")
    sessions = [
        OpenSession(
            mark=digest_of(row.pk)[:20],
            device=device_words(row.device),
            address=row.address,
            used_at=row.used_at,
            current=row.pk == current_key,
        )
        for row in rows
    ]
    return sorted(sessions, key=lambda session: not session.current)


def end_session(*, account: Account, mark: str) -> bool:
    """End one of the account's logins. Returns whether there was one of this mark: nobody else's is ever found."""
    keys = Session.objects.filter(account=account).values_list("pk", flat=True)
    marked = [key for key in keys if digest_of(key)[:20] == mark]
    return bool(Session.objects.filter(pk__in=marked).delete()[0]) if marked else False


def end_other_sessions(*, account: Account, current_key: str | None) -> int:
    """End all of the account's logins but the current one. Returns how many there were."""
    return Session.objects.filter(account=account).exclude(pk=current_key or "").delete()[0]
