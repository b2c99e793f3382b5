"""Guard of pages that are for owners of the site."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.access.needs_login import account_of
from foundation.access.second_factor import require_second_factor
from foundation.models import Account


def site_owner(request: HttpRequest) -> Account:
    """The account that asks. Raises: PermissionDenied for who doesn't own the site."""
    account = account_of(request)
    if not account.owns_site:
        raise PermissionDenied(_("This page is for the owners of this site."))
    require_second_factor(request)
    return account
