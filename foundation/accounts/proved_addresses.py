"""Mail addresses proved to be an account's: by a link mailed there, a server that vouches, or the site's owner."""

from allauth.account.models import EmailAddress
from django.db import transaction

from foundation.models import Account


@transaction.atomic
def note_proved_address(account: Account) -> None:
    """Note that the account's mail address was proved. An address is one account's: whoever proved it last."""
    address = account.email.lower()
    if address:
        EmailAddress.objects.filter(email=address, verified=True).exclude(user=account).delete()
        EmailAddress.objects.update_or_create(user=account, email=address, defaults={"verified": True})


def account_of_address(address: str) -> Account | None:
    """The account whose address this is, and was proved to be."""
    return Account.objects.filter(
        email__iexact=address, emailaddress__email=address.lower(), emailaddress__verified=True
    ).first()
