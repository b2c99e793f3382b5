"""An account's second factor: codes of an authenticator app (TOTP), recovery codes for when it is lost, or passkeys.

What is about passkeys alone is in `passkeys.py`.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

from allauth.mfa import app_settings
from allauth.mfa.base.internal.flows import delete_dangling_recovery_codes
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    compare_user_code,
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.utils import decrypt
from django.db import transaction
from django.utils.translation import gettext as _

from foundation.access.second_factor import FactorRefused
from foundation.accounts.mails import tell
from foundation.accounts.own_sessions import end_other_sessions
from foundation.infra.sealed import SealBroken
from foundation.models import Account, Session

LAST = "last_counter"
"""In an authenticator's data: the time step of the last code that was taken, so that none is good twice."""
log = logging.getLogger("qreels.logins")


def wrong_code() -> FactorRefused:
    """The code isn't the account's, is of another time, or was used."""
    return FactorRefused(_("This code is wrong, was used already, or is too old. Enter the one that is shown now."))


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """A second factor that is on: since when, how many recovery codes are left, and what it is."""

    since: datetime
    codes_left: int
    app_since: datetime | None
    passkeys: int


def second_factor_of(account: Account) -> SecondFactor | None:
    """None where the account has none."""
    rows = list(Authenticator.objects.filter(user=account))
    by_type = {row.type: row for row in rows}
    app, recovery = by_type.get(Authenticator.Type.TOTP), by_type.get(Authenticator.Type.RECOVERY_CODES)
    proofs = [row.created_at for row in rows if row is not recovery]
    if not proofs:
        return None
    used = int(recovery.data.get("used_mask", 0)).bit_count() if recovery else 0
    left = int(app_settings.RECOVERY_CODE_COUNT) - used if recovery else 0
    return SecondFactor(min(proofs), left, app.created_at if app else None, len(proofs) - (app is not None))


@transaction.atomic
def take_code(*, account: Account, code: str) -> Authenticator:
    """Use up a code of the account's app, or a recovery code. Each is good once, in whichever process or tab.

    Raises: FactorRefused, also if what is stored can't be read.
    """
    rows = Authenticator.objects.select_for_update(no_key=True).filter(user=account).order_by("-type")
    try:
        for row in rows:
            if row.type == Authenticator.Type.TOTP and (counter := _counter(row, code)) is not None:
                row.data[LAST] = counter
                row.save(update_fields=["data"])
                return row
            if row.type == Authenticator.Type.RECOVERY_CODES and row.wrap().validate_code(code):
                log.warning("recovery code of %r used", account.username)
                return row
    except SealBroken as broken:
        raise FactorRefused(
            _(
                "The stored second factor can't be read, because QREELS_SECRET_KEY has changed since. An owner of"
                " this site can take it away."
            )
        ) from broken
    raise wrong_code()


def _counter(row: Authenticator, code: str) -> int | None:
    """The time step whose code this is, among the current one and its neighbours; None for one taken before."""
    return _counter_of(decrypt(row.data["secret"]), code, after=row.data.get(LAST, 0))


def _counter_of(secret: str, code: str, *, after: int = 0) -> int | None:
    for counter in yield_hotp_counters_from_time():
        expected = format_hotp_value(hotp_value(secret, counter))
        if compare_user_code(actual=code, expected=expected):
            if counter > after:
                return int(counter)
            log.warning("a code that was used, or is older than one that was, is sent again")
    return None


@transaction.atomic
def set_up(*, account: Account, secret: str, code: str, current_key: str | None) -> list[str]:
    """Make an app a second factor by a first code of it. Every other login ends.

    Returns: the recovery codes; none where the account has some already, beside its passkeys.
    Raises: FactorRefused, also if there is an app already.
    """
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    before = second_factor_of(account)
    if before is not None and before.app_since is not None:
        raise FactorRefused(_("Your authenticator app is set up already."))
    counter = _counter_of(secret, code)
    if counter is None:
        raise wrong_code()
    row = TOTP.activate(account, secret).instance
    row.data[LAST] = counter
    row.save(update_fields=["data"])
    end_other_sessions(account=account, current_key=current_key)
    note_change(account, "factor-on")
    return fresh_codes(account) if before is None else []


@transaction.atomic
def new_recovery_codes(*, account: Account, code: str | None) -> list[str]:
    """Ten new recovery codes; the earlier ones work no longer.

    Args: code: of the app, or a recovery code; None for who has no app and logged in just now.
    Raises: as `take_code`; FactorRefused for None where there is an app, or no second factor.
    """
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    now = second_factor_of(account)
    if now is None or (code is None and now.app_since is not None):
        raise wrong_code()
    if code is not None:
        take_code(account=account, code=code)
    note_change(account, "factor-codes")
    return fresh_codes(account)


def fresh_codes(account: Account) -> list[str]:
    """New recovery codes in the place of those that there are, as part of a caller's transaction."""
    Authenticator.objects.filter(user=account, type=Authenticator.Type.RECOVERY_CODES).delete()
    return list(RecoveryCodes.activate(account).generate_codes())


@transaction.atomic
def turn_off(*, account: Account, code: str) -> None:
    """Remove the app, for a code of it or a recovery code; passkeys stay. Raises: as `take_code`."""
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    take_code(account=account, code=code)
    Authenticator.objects.filter(user=account, type=Authenticator.Type.TOTP).delete()
    delete_dangling_recovery_codes(account)
    note_change(account, "app-off" if second_factor_of(account) else "factor-off")


@transaction.atomic
def take_away(*, account: Account, by: str) -> bool:
    """Remove somebody's second factor, whose device and codes are lost. All their logins end; the password stays.

    Returns whether there was one.
    """
    if not Authenticator.objects.filter(user=account).delete()[0]:
        return False
    Session.objects.filter(account=account).delete()
    log.warning("second factor of %r taken away by %s", account.username, by)
    tell(account, "factor-taken")
    return True


def note_change(account: Account, change: str) -> None:
    """Log one of CHANGES of `mails.py`, and have its person told once it is stored."""
    log.warning("account %r: %s", account.username, change)
    tell(account, change)
