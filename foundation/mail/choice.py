"""Which kinds of mail somebody wants: chosen on the account page, or by the signed link of a mail."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core import signing
from django.db import transaction

from foundation.mail.kinds import KINDS, MailKind, kinds_of
from foundation.models import Account, MailRefusal

_SALT = "qreels.mail.unsubscribe"


class LinkWrong(Exception):
    """The link isn't one of ours, or was changed on its way."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind of mail, and whether the person gets it."""

    kind: MailKind
    wanted: bool


def choices_of(account: Account) -> list[Choice]:
    """Every kind that the person may get."""
    refused = set(account.mail_refusals.values_list("kind", flat=True))
    return [Choice(kind, kind.name not in refused) for kind in kinds_of(account)]


def wants(account: Account, kind: str) -> bool:
    """Whether the person gets this kind, if the site sends mail and the account has an address."""
    return not account.mail_refusals.filter(kind=kind).exists()


@transaction.atomic
def choose(*, account: Account, wanted: Iterable[str]) -> None:
    """Of all kinds that the person may get, have these mailed and no others. Repeating it changes nothing."""
    chosen = set(wanted)
    for kind in kinds_of(account):
        (begin if kind.name in chosen else stop)(account_id=account.pk, kinds=[kind.name])


def begin(*, account_id: int, kinds: Iterable[str]) -> None:
    """Have these kinds mailed again."""
    MailRefusal.objects.filter(account=account_id, kind__in=kinds).delete()


def stop(*, account_id: int, kinds: Iterable[str]) -> None:
    """Mail these kinds no longer, those that wait already among them. An account that is gone gets none anyway."""
    if Account.objects.filter(pk=account_id).exists():
        refusals = [MailRefusal(account_id=account_id, kind=kind) for kind in kinds]
        MailRefusal.objects.bulk_create(refusals, ignore_conflicts=True)


def link_token(account: Account, kinds: Iterable[str]) -> str:
    """What the link of a mail carries: for whom, and which kinds it stops. It works as long as the site's key does, and
    can do nothing else."""
    return signing.Signer(salt=_SALT).sign_object([account.pk, sorted(kinds)])


def read_token(token: str) -> tuple[int, list[str]]:
    """The account's primary key and the kinds. Raises: LinkWrong."""
    try:
        account, kinds = signing.Signer(salt=_SALT).unsign_object(token)
    except (signing.BadSignature, ValueError) as error:
        raise LinkWrong from error
    return int(account), [kind for kind in kinds if kind in KINDS]
