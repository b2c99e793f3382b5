"""Secrets at rest, encrypted with a key derived from QREELS_SECRET_KEY: a copy of the database reveals none."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes
from django.utils.translation import gettext as _

_PURPOSE = b"qreels: secrets at rest, 1"


class SealBroken(Exception):
    """A sealed secret can't be opened: it was sealed with another QREELS_SECRET_KEY. The message is a sentence."""


def seal(secret: str) -> str:
    """A secret's sealed form, as text for the database."""
    return _fernet().encrypt(secret.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """The secret. Raises: SealBroken."""
    try:
        return _fernet().decrypt(sealed.encode("ascii")).decode()
    except (InvalidToken, UnicodeError) as error:
        raise SealBroken(
            _("The stored key can't be read, because QREELS_SECRET_KEY has changed since. Enter the key again.")
        ) from error


def _fernet() -> MultiFernet:
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(derived(secret, _PURPOSE))) for secret in secrets])


def derived(secret: str | bytes, purpose: bytes) -> bytes:
    """A key of 32 bytes for one purpose; it reveals neither the secret nor the keys of other purposes."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(force_bytes(secret))
