"""Which owners get mails about alerts: all, but those who chose not to."""

from corpus.models import Account
from operation.models import NoAlertMail


def gets_alert_mail(account: Account) -> bool:
    """Whether this owner is told by mail, if the site sends mail and the account has an address."""
    return not NoAlertMail.objects.filter(account=account).exists()


def change_alert_mail(*, account: Account, wanted: bool) -> None:
    """Begin or stop mails about alerts to this account."""
    if wanted:
        NoAlertMail.objects.filter(account=account).delete()
    else:
        NoAlertMail.objects.get_or_create(account=account)
