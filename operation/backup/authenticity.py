"""Signatures of backups: an HMAC beside each manifest, by a key of the installation, which isn't kept with them.

Whoever can write where backups lie could otherwise have a restore run a database dump of their own. The key follows
from QREELS_SECRET_KEY, without which a restored site can't read its sealed secrets either.
"""

import hmac
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.utils.encoding import force_str

from foundation.infra.sealed import derived
from operation.backup.errors import BackupError

_PURPOSE = b"qreels: backups, 1"


def mac_of(name: str, text: str, *, secret: str | bytes = "") -> str:
    """The HMAC-SHA256 of a file's text and its name in the place, in hexadecimal. `secret`: "", the installation's."""
    key = derived(force_str(secret or settings.SECRET_KEY), _PURPOSE)
    return hmac.new(key, f"{name}\n{text}".encode(), sha256).hexdigest()


def refuse_forged(name: str, text: str, *, mac: str | None, signer: str, unsigned: bool) -> None:
    """See that a file was written by an installation with this secret, "" for this one's, or one that it had before.

    Args: mac: the one beside it, if any; unsigned: whether a file without one is taken.
    Raises: BackupError.
    """
    if mac is None:
        if unsigned:
            return
        raise BackupError(
            f"{name} isn't signed: its .mac is gone, or somebody else made it. Nothing of it was run. If you know that"
            " nobody else could write there, give --unsigned."
        )
    for secret in (signer,) if signer else (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        right = mac_of(name, text, secret=secret).encode()
        if hmac.compare_digest(right, mac.encode()):
            return
    raise BackupError(
        f"{name} was made with another key than this installation's, or was changed since. Nothing of it was run."
        " Give a file with the QREELS_SECRET_KEY of the site that made it: --secret FILE."
    )


def read_secret(path: Path) -> str:
    """The QREELS_SECRET_KEY in a file. Raises: BackupError."""
    try:
        secret = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} can't be read: {error}.") from error
    if not secret:
        raise BackupError(f"{path} is empty, expected a QREELS_SECRET_KEY.")
    return secret
