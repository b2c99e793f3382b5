"""The one rule about who may take an account out of its person's hands; pages, the API and commands ask it."""

from django.db.models import Q
from django.utils.translation import gettext as _

from foundation.access.outside_roles import outside_roles_of
from foundation.models import Account, Membership

LEADS_TOO = frozenset({"link", "erase"})
"""What leads may, too; everything else is for owners of the site."""
NOT_TO_ONESELF = frozenset({"disown", "disable", "factor"})


def why_no_power(power: str, *, actor: Account, account: Account, within: int | None = None) -> str:
    """Why `actor` may not do this to `account`; "" if they may.

    Owners of the site may for everybody. A lead may for an annotator all of whose places they lead: with a password
    comes everything that the account may do, which must be no more than the lead may, and erasing ends it all.

    Args:
        power: "link" (to set the password by a one-time link), "erase", or one of CHANGES of `site_accounts.py`.
        within: the primary key of the only collection by which the actor's rights count, as those of a token that is
            bound to it do; an owner of the site is no more than a member there.
    """
    if actor.owns_site and within is None:
        if actor.pk == account.pk and power in NOT_TO_ONESELF:
            return _("Ask another owner of this site to change your own account.")
        return ""
    if power not in LEADS_TOO:
        return _("Only an owner of this site can change accounts.")
    named = {"name": account.username}
    if account.is_superuser or account.is_staff or account.creates_collections:
        return _("%(name)s may do more than annotate, so only an owner of this site can do this.") % named
    led = Membership.objects.filter(account=actor, account__is_active=True, role__in=["owner", "lead"])
    if within is not None:
        led = led.filter(Q(collection=within) | Q(collection__study_of=within))
    places = list(Membership.objects.filter(account=account))
    if any(place.leads for place in places):
        return _("%(name)s leads a collection, so only an owner of this site can do this.") % named
    elsewhere = {place.collection_id for place in places} - set(led.values_list("collection", flat=True))
    if elsewhere or outside_roles_of(account):
        text = _("%(name)s also belongs to a collection or a team that you don't lead, so ask an owner of this site.")
        return text % named
    return "" if places else _("Leads can do this for annotators of their own collections.")
