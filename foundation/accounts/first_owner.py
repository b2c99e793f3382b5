"""How a site gets its owner: a one-time link, printed where the server starts, that works while there is none."""

import secrets

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation.access.api_tokens import digest_of
from foundation.models import Account, OneTimeLink
from foundation.refused import LinkUnknown, Refused

HAS_OWNER = _lazy("This site already has an owner.")


def site_has_owner() -> bool:
    """Whether there is an account that owns the site and can log in."""
    return Account.objects.filter(is_superuser=True, is_active=True).exists()


def owners_beside(account: Account) -> bool:
    """Whether others own the site, too, and can log in."""
    return Account.objects.filter(is_superuser=True, is_active=True).exclude(pk=account.pk).exists()


@transaction.atomic
def make_owner_link() -> str:
    """A new token by which somebody becomes the site's owner. Earlier ones work no longer.

    Raises: Refused if there is an owner.
    """
    # Deleted first: whoever is becoming the owner at this moment is waited for, and seen below.
    _links().delete()
    if site_has_owner():
        raise Refused(str(HAS_OWNER))
    token = secrets.token_urlsafe(32)
    OneTimeLink.objects.create(purpose=OneTimeLink.Purpose.OWNER, digest=digest_of(token))
    return token


def check_owner_link(token: str) -> None:
    """Raises: Refused if there is an owner already, LinkUnknown for a token that isn't the newest."""
    if site_has_owner():
        raise Refused(str(HAS_OWNER))
    if not _links().filter(digest=digest_of(token)).exists():
        raise LinkUnknown(
            _(
                "This address is incomplete, or a newer one exists. The server prints an address when it starts;"
                " manage.py owner_link prints a new one."
            )
        )


@transaction.atomic
def claim_site(*, token: str, account: Account) -> Account:
    """Make an account, new or existing, the owner of a site that has none. Of several who try at once, one is.

    Raises: Refused, LinkUnknown.
    """
    # Whoever deletes the row is the one; others wait here, and then find none.
    if not _links().filter(digest=digest_of(token)).delete()[0]:
        raise (Refused(str(HAS_OWNER)) if site_has_owner() else LinkUnknown(_("This address was already used.")))
    if site_has_owner():
        raise Refused(str(HAS_OWNER))
    account.is_superuser = True
    account.save()
    return account


def _links() -> QuerySet[OneTimeLink]:
    return OneTimeLink.objects.filter(purpose=OneTimeLink.Purpose.OWNER)
