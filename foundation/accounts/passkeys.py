"""An account's passkeys (WebAuthn), which django-allauth asks for and checks, with what it leaves to a site.

It keeps a question in the session until the right answer comes, and takes pages of all subdomains for the site's. Here
a question is good for one answer, right or wrong, and the passkey's row remembers the last one, for two requests at
the same moment; origins are compared whole, uses are counted, and each fault has its word. No attestation is asked
for: a key's make says nothing here.
"""

import json
import logging
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth, flows
from cryptography.exceptions import UnsupportedAlgorithm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from fido2.cose import CoseKey
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from foundation.access.form_input import whole_number
from foundation.access.relying_party import passkeys_allowed, relying_party
from foundation.access.second_factor import FactorRefused
from foundation.accounts.own_sessions import end_other_sessions
from foundation.accounts.second_factors import note_change
from foundation.models import Account

MOST, LONGEST_NAME = 20, 60
SECONDS = 300
"""For how long a question is good."""
_LONGEST_ANSWER = 20_000
"""Characters: a browser's answer takes some 1,000, with a certificate in it some 4,000."""
_COUNTER, _CHALLENGE = "sign_count", "last_challenge"
"""In an authenticator's data, beside allauth's `name` and `credential`."""
# What allauth and fido2 raise for what isn't an answer of a browser: they read JSON, base64, CBOR and keys.
_NONSENSE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError, NotImplementedError),
    *(struct.error, UnsupportedAlgorithm, RecursionError, ValidationError),
)
log = logging.getLogger("qreels.logins")


def passkeys_of(account: Account) -> QuerySet[Authenticator]:
    """The account's passkeys, the oldest first."""
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN)
    return rows.order_by("pk")


def ask_for_new(request: HttpRequest) -> dict[str, Any]:
    """What a browser needs to make a passkey of who is logged in, as JSON. Raises: FactorRefused where none work."""
    asked = auth.begin_registration(request.user, passwordless=False)
    if passkeys_allowed(as_login=True):
        # Of a passkey that logs in alone, allauth would require a PIN; one that can't is welcome after the password.
        asked["publicKey"]["authenticatorSelection"] |= {"residentKey": "preferred"}
    return _at_this_time(asked)


def ask_for_proof(account: Account | None) -> dict[str, Any]:
    """What a browser needs to answer by a passkey, as JSON. Raises: FactorRefused where passkeys don't work.

    Args: account: who has given the password; None for a login without one, which asks for PIN, fingerprint or face.
    """
    return _at_this_time(auth.begin_authentication(account))


def _at_this_time(asked: dict[str, Any]) -> dict[str, Any]:
    auth.set_state({**auth.get_state(), "at": time.time()})
    return asked


@contextmanager
def _answered(request: HttpRequest, kind: Any, answer: str) -> Iterator[tuple[Any, str]]:
    """A browser's answer and the challenge that it is to, which is forgotten however it ends. Raises: FactorRefused."""
    try:
        party, state = relying_party(request), auth.get_state()
        if not state or abs(time.time() - state["at"]) > SECONDS:
            raise _too_old()
        if len(answer) > _LONGEST_ANSWER:
            raise ValueError(f"{len(answer)} characters")
        response = kind.from_dict(json.loads(answer))
        if response.response.client_data.challenge != websafe_decode(state["challenge"]):
            raise _too_old()
        if (origin := response.response.client_data.origin) not in party.origins:
            log.warning("passkey refused: an answer to a page of another site, %r", origin[:200])
            raise FactorRefused(
                _(
                    "This answer was given to a page of another site. Somebody may be trying to log in as you: it"
                    " isn't taken."
                )
            )
        yield response, state["challenge"]
    except _NONSENSE as fault:
        log.warning("passkey refused: %s", str(fault)[:200])
        raise FactorRefused(
            _("What your browser sent of the passkey is not valid. Try again, or log in otherwise.")
        ) from fault
    finally:
        auth.clear_state()


def _too_old() -> FactorRefused:
    """For an answer to what wasn't asked, was asked long ago or was answered already."""
    return FactorRefused(_("This answer of your passkey was sent before, or is too old. Try again."))


@transaction.atomic
def add(request: HttpRequest, *, answer: str, name: str) -> list[str]:
    """Store a new passkey of who is logged in. Other logins end with the first second factor, since they had none.

    Returns: recovery codes, if it is the account's first second factor; else none.
    Raises: FactorRefused.
    """
    account = Account.objects.select_for_update(no_key=True).get(pk=request.user.pk or 0)
    with _answered(request, RegistrationResponse, answer) as (response, _challenge):
        data = auth.complete_registration(response)
        if data.credential_data.public_key[3] not in CoseKey.supported_algorithms():
            raise ValueError("a key of a kind that wasn't asked for")
        logs_in = response.client_extension_results.get("credProps", {}).get("rk") is True
    number = websafe_encode(data.credential_data.credential_id)
    if Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN, data__credential__id=number).exists():
        raise FactorRefused(_("This passkey is in use already."))
    if passkeys_of(account).count() >= MOST:
        raise FactorRefused(_("You have %(most)s passkeys, which is the most. Remove one first.") % {"most": MOST})
    kept = {**response, "id": number, "rawId": number, "clientExtensionResults": {"credProps": {"rk": logs_in}}}
    row, codes = flows.add_authenticator(request, name[:LONGEST_NAME], kept)
    row.data[_COUNTER] = data.counter
    row.save(update_fields=["data"])
    note_change(account, "passkey-on")
    if codes is None:
        return []
    end_other_sessions(account=account, current_key=request.session.session_key)
    return list(codes.wrap().generate_codes())


@transaction.atomic
def prove(request: HttpRequest, *, account: Account | None, answer: str) -> Authenticator:
    """Check a passkey's answer to what `ask_for_proof` asked with the same account. Its use is noted by the caller.

    Returns: the passkey's row, whose `user` is who has proved to be here.
    Raises: FactorRefused for another site's, a foreign or a copied passkey, and an answer that was given before.
    """
    with _answered(request, AuthenticationResponse, answer) as (response, challenge):
        row = _row(response, account)
        counter = response.response.authenticator_data.counter
        if account is None and not response.response.authenticator_data.is_user_verified():
            raise FactorRefused(
                _(
                    "This passkey asked for no PIN, fingerprint or face: log in with your password, and use it"
                    " afterwards."
                )
            )
        auth.complete_authentication(row.user, response)
    if row.data.get(_CHALLENGE) == challenge:
        raise _too_old()
    before, named = row.data.get(_COUNTER, 0), (row.wrap().name, row.user.username)
    # Passkeys that lie in an account of their own, as those of phones do, always count 0.
    if (before or counter) and counter <= before:
        log.warning("passkey %r of %r may be a copy: counted %s after %s", *named, counter, before)
        raise FactorRefused(
            _(
                "This passkey seems to be a copy: its counter went back. It isn't taken. Log in otherwise, and remove"
                " it on the page Account."
            )
        )
    row.data |= {_COUNTER: counter, _CHALLENGE: challenge}
    row.save(update_fields=["data"])
    return row


def _row(response: AuthenticationResponse, account: Account | None) -> Authenticator:
    """The row of the passkey that answered, held; of whoever it says it is of, where no account is given."""
    owner = account.pk if account else whole_number((response.response.user_handle or b"").decode(errors="replace"))
    rows = Authenticator.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
    number = websafe_encode(response.raw_id)
    rows = rows.filter(type=Authenticator.Type.WEBAUTHN, user__is_active=True, data__credential__id=number)
    if owner is None or (row := rows.filter(user_id=owner).first()) is None:
        raise FactorRefused(_("This passkey belongs to no account here, or was removed."))
    return row


@transaction.atomic
def rename(request: HttpRequest, passkey_id: int, *, name: str) -> None:
    """Give a passkey of who is logged in another name. Raises: FactorRefused."""
    row = _own(request, passkey_id)
    if not name.strip():
        raise FactorRefused(_("A passkey needs a name, such as the device that it is on."))
    flows.rename_authenticator(request, row, name.strip()[:LONGEST_NAME])


@transaction.atomic
def remove(request: HttpRequest, passkey_id: int) -> None:
    """Remove a passkey. All other logins end, since whoever has it may be in one of them. Raises: FactorRefused."""
    account = Account.objects.select_for_update(no_key=True).get(pk=request.user.pk or 0)
    flows.remove_authenticator(request, _own(request, passkey_id))
    end_other_sessions(account=account, current_key=request.session.session_key)
    note_change(account, "passkey-off")


def _own(request: HttpRequest, passkey_id: int) -> Authenticator:
    rows = Authenticator.objects.select_for_update(no_key=True)
    row = rows.filter(user_id=request.user.pk, type=Authenticator.Type.WEBAUTHN, pk=passkey_id).first()
    if row is None:
        raise FactorRefused(_("That passkey was removed already."))
    return row
