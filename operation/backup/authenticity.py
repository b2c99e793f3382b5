"""Whose a backup is: beside what it says of itself lies an HMAC by a key of the installation, which is kept elsewhere.

Whoever can write where backups lie could otherwise have a restore run a database dump of their own. The key follows
from QREELS_SECRET_KEY, without which a restored site can't read its sealed secrets either.
"""

import hmac
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from foundation.infra.sealed import derived
from operation.backup.errors import BackupError

_PURPOSE = b"qreels: backups, 1"


def mac_of(name: str, text: str, *, secret: str = "") -> str:
    """The HMAC-SHA256 of a file's text and its name in the place, in hexadecimal. `secret`: "", the installation's."""
    key = derived(secret or settings.SECRET_KEY, _PURPOSE)
    return hmac.new(key, f"{name}\n{text}".encode(), sha256).hexdigest()


def refuse_forged(name: str, text: str, *, macs: Collection[str], signer: str, unsigned: bool) -> None:
    """See that a file was written by an installation with this secret, "" for this one's, or one that it had before.

    Args: macs: those that lie beside it; unsigned: whether a file without any is taken, as Qreels made them until 0.1.
    Raises: BackupError.
    """
    if not macs and not unsigned:
        raise BackupError(
            f"{name} isn't signed: an earlier Qreels made it, or somebody else. Nothing of it was run. If you know that"
            " nobody else could write there, give --unsigned."
        )
    for secret in (signer,) if signer else (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        right = mac_of(name, text, secret=secret).encode()
        if any(hmac.compare_digest(right, one.encode()) for one in macs):
            return
    if macs:
        raise BackupError(
            f"{name} was made with another key than this installation's, or was changed since. Nothing of it was run."
            " Give a file with the QREELS_SECRET_KEY of the site that made it: --secret FILE."
        )


def read_secret(path: Path) -> str:
    """The QREELS_SECRET_KEY in a file. Raises: BackupError."""
    try:
        found = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} can't be read: {error}.") from error
    if not found:
        raise BackupError(f"{path} is empty, expected a QREELS_SECRET_KEY.")
    return found
