"""An account's passkeys (WebAuthn): added, proved, named and removed; the cryptography is the library fido2's.

A challenge is good once: its asker forgets it (`passkey_challenges.py`), and the passkey's row remembers the last one
that it answered, for two requests at the same moment. No attestation is asked for: a key's make says nothing here.
"""

import json
import logging
import struct
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from cryptography.exceptions import UnsupportedAlgorithm
from django.db import transaction
from django.utils.translation import gettext as _
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    CollectedClientData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from foundation.access.form_input import whole_number
from foundation.access.relying_party import RelyingParty, passkeys_allowed
from foundation.accounts.own_sessions import end_other_sessions
from foundation.accounts.second_factors import drop_lonely_codes, fresh_codes, note_change, second_factor_of
from foundation.models import Account
from foundation.refused import Refused

MOST, LONGEST_NAME = 20, 60
_LONGEST_ANSWER = 20_000
"""Characters: a browser's answer takes some 1,000, with a certificate in it some 4,000."""
_COUNTER, _CHALLENGE = "sign_count", "last_challenge"
"""In an authenticator's data, beside allauth's `name` and `credential`."""
# What the library raises for what isn't an answer of a browser: it reads JSON, base64, CBOR and keys.
_NONSENSE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError, NotImplementedError),
    *(struct.error, UnsupportedAlgorithm),
)
log = logging.getLogger("qreels.logins")


@dataclass(frozen=True, slots=True)
class Passkey:
    """One passkey. `logs_in`: whether it lies on its device so that it can log in without a name and a password."""

    pk: int
    name: str
    made_at: datetime
    used_at: datetime | None
    logs_in: bool


class _WrongOrigin(Exception):
    """The answer was given to a page that isn't this site's."""


def passkeys_of(account: Account) -> list[Passkey]:
    """The account's passkeys, the oldest first."""
    rows = Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN).order_by("pk")
    return [
        Passkey(one.pk, one.wrap().name, one.created_at, one.last_used_at, bool(one.wrap().is_passwordless))
        for one in rows
    ]


def _server(party: RelyingParty) -> Fido2Server:
    def is_ours(origin: str) -> bool:
        if origin not in party.origins:
            raise _WrongOrigin
        return True

    return Fido2Server(PublicKeyCredentialRpEntity(id=party.id, name="Qreels"), verify_origin=is_ours)


def _credential(row: Authenticator) -> AttestedCredentialData:
    return row.wrap().authenticator_data.credential_data


def _credentials(account: Account) -> list[AttestedCredentialData]:
    rows = Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN).order_by("pk")
    return [_credential(row) for row in rows]


def ask_for_new(*, account: Account, party: RelyingParty) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a browser needs to make a passkey, as JSON, and the state to check its answer by."""
    alone = passkeys_allowed(as_login=True)
    asked, state = _server(party).register_begin(
        PublicKeyCredentialUserEntity(
            id=str(account.pk).encode(), name=account.username, display_name=account.username
        ),
        credentials=_credentials(account),
        resident_key_requirement=ResidentKeyRequirement.PREFERRED if alone else ResidentKeyRequirement.DISCOURAGED,
        user_verification=UserVerificationRequirement.PREFERRED,
        extensions={"credProps": True},
    )
    return dict(asked), state


def ask_for_proof(*, account: Account | None, party: RelyingParty) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a browser needs to answer by a passkey, as JSON, and the state to check its answer by.

    Args: account: who has given the password; None for a login without one, which asks for PIN, fingerprint or face.
    """
    wanted = UserVerificationRequirement.REQUIRED if account is None else UserVerificationRequirement.PREFERRED
    asked, state = _server(party).authenticate_begin(
        _credentials(account) if account is not None else None, user_verification=wanted
    )
    return dict(asked), state


@transaction.atomic
def add(
    *, account: Account, party: RelyingParty, state: dict[str, Any], answer: str, name: str, current_key: str | None
) -> list[str]:
    """Store a new passkey. Other logins end with the first second factor, since they had none.

    Returns: recovery codes, if it is the account's first second factor; else none.
    Raises: Refused.
    """
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    said = _read(RegistrationResponse, answer)
    _refuse_replay(state, said.response.client_data)
    try:
        data = _server(party).register_complete(state, said)
        credential = data.credential_data
        known_kind = credential is not None and credential.public_key[3] in CoseKey.supported_algorithms()
    except _WrongOrigin:
        raise _of_elsewhere(account.username) from None
    except _NONSENSE as fault:
        raise _invalid(account.username, fault) from fault
    if credential is None or not known_kind:
        raise _invalid(account.username, "a key of a kind that wasn't asked for")
    number = websafe_encode(credential.credential_id)
    if Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN, data__credential__id=number).exists():
        raise Refused(_("This passkey is in use already."))
    if Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN).count() >= MOST:
        raise Refused(_("You have %(most)s passkeys, which is the most. Remove one first.") % {"most": MOST})
    first = second_factor_of(account) is None
    kept = {
        "id": number,
        "rawId": number,
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(said.response.client_data),
            "attestationObject": websafe_encode(said.response.attestation_object),
        },
        "clientExtensionResults": {"credProps": {"rk": _is_on_device(said)}},
    }
    Authenticator.objects.create(
        user=account,
        type=Authenticator.Type.WEBAUTHN,
        data={"name": name[:LONGEST_NAME], "credential": kept, _COUNTER: data.counter, _CHALLENGE: ""},
    )
    note_change(account, "passkey-on")
    if not first:
        return []
    end_other_sessions(account=account, current_key=current_key)
    return fresh_codes(account)


def _is_on_device(said: RegistrationResponse) -> bool:
    """What the browser says of it: whether the key can be found without naming the account."""
    extensions: Any = said.client_extension_results
    found = extensions.get("credProps") if hasattr(extensions, "get") else None
    return hasattr(found, "get") and found.get("rk") is True


@transaction.atomic
def prove(*, account: Account | None, party: RelyingParty, state: dict[str, Any], answer: str) -> Authenticator:
    """Check a passkey's answer to what `ask_for_proof` asked with the same account. Its use is noted by the caller.

    Returns: the passkey's row, whose `user` is who has proved to be here.
    Raises: Refused for another site's, a foreign or a copied passkey, and an answer that was given before.
    """
    said = _read(AuthenticationResponse, answer)
    _refuse_replay(state, said.response.client_data)
    row = _row(said, account)
    name = row.user.username
    if account is None and not said.response.authenticator_data.is_user_verified():
        raise Refused(
            _("This passkey asked for no PIN, fingerprint or face: log in with your password, and use it afterwards.")
        )
    try:
        _server(party).authenticate_complete(state, [_credential(row)], said)
    except _WrongOrigin:
        raise _of_elsewhere(name) from None
    except _NONSENSE as fault:
        raise _invalid(name, fault) from fault
    if row.data.get(_CHALLENGE) == state["challenge"]:
        raise too_old()
    before, counter = row.data.get(_COUNTER, 0), said.response.authenticator_data.counter
    # Passkeys that lie in an account of their own, as those of phones do, always count 0.
    if (before or counter) and counter <= before:
        log.warning("passkey %r of %r may be a copy: counted %s after %s", row.wrap().name, name, counter, before)
        raise Refused(
            _(
                "This passkey seems to be a copy: its counter went back. It isn't taken. Log in otherwise, and remove"
                " it on the page Account."
            )
        )
    row.data |= {_COUNTER: counter, _CHALLENGE: state["challenge"]}
    row.save(update_fields=["data"])
    return row


def _row(said: AuthenticationResponse, account: Account | None) -> Authenticator:
    """The row of the passkey that answered, held; of whoever it says it is of, where no account is given."""
    owner = str(account.pk) if account else (said.response.user_handle or b"").decode(errors="replace")
    rows = Authenticator.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
    rows = rows.filter(type=Authenticator.Type.WEBAUTHN, user__is_active=True)
    if (number := whole_number(owner)) is not None:
        row = rows.filter(user_id=number, data__credential__id=websafe_encode(said.raw_id)).first()
        if row is not None:
            return row
    raise Refused(_("This passkey belongs to no account here, or was removed."))


def rename(*, account: Account, passkey_id: int, name: str) -> None:
    """Give a passkey another name. Raises: Refused."""
    row = _own(account, passkey_id)
    if not name.strip():
        raise Refused(_("A passkey needs a name, such as the device that it is on."))
    row.data["name"] = name.strip()[:LONGEST_NAME]
    row.save(update_fields=["data"])


@transaction.atomic
def remove(*, account: Account, passkey_id: int, current_key: str | None) -> bool:
    """Remove a passkey. All other logins end, since whoever has it may be in one of them.

    Returns: whether the account has a second factor left.
    Raises: Refused.
    """
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    _own(account, passkey_id).delete()
    end_other_sessions(account=account, current_key=current_key)
    note_change(account, "passkey-off")
    return drop_lonely_codes(account)


def _own(account: Account, passkey_id: int) -> Authenticator:
    row = Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN, pk=passkey_id).first()
    if row is None:
        raise Refused(_("That passkey was removed already."))
    return row


def _read(kind: Any, answer: str) -> Any:
    """A browser's answer. Raises: Refused."""
    try:
        if len(answer) > _LONGEST_ANSWER:
            raise ValueError(f"{len(answer)} characters")
        return kind.from_dict(json.loads(answer))
    except (*_NONSENSE, RecursionError) as fault:
        raise _invalid("", fault) from fault


def _refuse_replay(state: dict[str, Any], client_data: CollectedClientData) -> None:
    if client_data.challenge != websafe_decode(state["challenge"]):
        raise too_old()


def too_old() -> Refused:
    """For an answer to what wasn't asked, was asked long ago or was answered already."""
    return Refused(_("This answer of your passkey was sent before, or is too old. Try again."))


def _of_elsewhere(name: str) -> Refused:
    log.warning("passkey refused: an answer to a page of another site, for %r", name)
    return Refused(
        _("This answer was given to a page of another site. Somebody may be trying to log in as you: it isn't taken.")
    )


def _invalid(name: str, fault: object) -> Refused:
    log.warning("passkey refused for %r: %s", name, str(fault)[:200])
    return Refused(_("What your browser sent of the passkey is not valid. Try again, or log in otherwise."))
