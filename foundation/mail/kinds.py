"""The kinds of mail that people can choose among, and the events of each, which rooms register.

A room whose pages tell somebody something has it mailed as well by two things: `register` when Django starts, with the
function that says it, and `tell` (`outbox.py`) in the transaction in which it happens. To whoever judges a mail says
nothing that their pages don't.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.access.outside_roles import outside_roles_of
from foundation.models import Account, MailItem, Membership


@dataclass(frozen=True, slots=True)
class MailKind:
    """A kind of mail: its name in tables, what the account page calls it, and who may get it at all."""

    name: str
    title: Promise
    of: Callable[[Account], bool]
    urgent: bool = False


def _anybody(account: Account) -> bool:
    return True


def _leads(account: Account) -> bool:
    return account.memberships.filter(role__in=[Membership.Role.OWNER, Membership.Role.LEAD]).exists()


def _in_team(account: Account) -> bool:
    return bool(outside_roles_of(account))


def _owns_site(account: Account) -> bool:
    return account.owns_site


KINDS = {
    kind.name: kind
    for kind in (
        MailKind("notices", _("Notices and answers from the lead of a collection"), _anybody),
        MailKind("guideline", _("A new version of a guideline or consent text to read and confirm"), _anybody),
        MailKind("standing", _("Your place in a collection: exam, admission, pauses, role"), _anybody),
        MailKind("pay", _("Changes of your recorded time and your pay"), _anybody),
        MailKind("campaigns", _("Campaigns of your teams: deadlines, refused runs, results"), _in_team),
        MailKind("waiting", _("What waits for you as a lead, once a day at most"), _leads),
        MailKind("alerts", _("Alerts about this site, at once"), _owns_site, urgent=True),
    )
}
ACCOUNT = MailKind("account", _("What was changed about how you log in, and links that you asked for"), _anybody)
"""Sent at once, each in a letter of its own, and never refused: whoever takes an account over can't have it unsaid."""
GAP = timedelta(hours=1)
"""Between two letters to one person: what comes meanwhile goes into the next."""
URGENT_GAP = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Said:
    """What a mail says about one event: a headline, its text, and the path of the page that has more."""

    title: str
    text: str
    path: str


Says = Callable[[MailItem], Said | None]


@dataclass(frozen=True, slots=True)
class Event:
    kind: MailKind
    says: Says


_events: dict[str, Event] = {}


def register(event: str, kind: str, says: Says) -> None:
    """Called by a room's AppConfig.ready().

    Args:
        event: the room's name and the event's, e.g. "annotation.notice"; at most 40 characters. It stays, since rows
            hold it.
        kind: a name in KINDS, or that of ACCOUNT.
        says: what a mail says about it, in the language that is active; None where it has become needless meanwhile.
    """
    _events[event] = Event(ACCOUNT if kind == ACCOUNT.name else KINDS[kind], says)


def event_called(name: str) -> Event:
    """The registered event."""
    return _events[name]


def events_alone() -> list[str]:
    """The names of the events that are mailed at once, each in a letter of its own."""
    return [name for name, event in _events.items() if event.kind == ACCOUNT]


def kinds_of(account: Account) -> list[MailKind]:
    """Those that this person may get."""
    return [kind for kind in KINDS.values() if kind.of(account)]
