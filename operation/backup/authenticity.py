"""Whose a backup is: what it says of itself carries an HMAC by a key of the installation, which isn't in the backup.

Whoever can write where backups lie could otherwise have a restore run a database dump of their own. The key follows
from QREELS_SECRET_KEY, without which a restored site can't read its sealed secrets either.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from corpus.infra.sealed import derived
from operation.backup.errors import BackupError

MAC = "mac"
_PURPOSE = b"qreels: backups, 1"


def own_secrets() -> tuple[str, ...]:
    """Those of this installation, the one that signs first."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def signed(name: str, facts: Mapping[str, Any]) -> str:
    """A file's JSON with its HMAC-SHA256, which is over its name in the place, too."""
    return json.dumps({**facts, MAC: _mac(settings.SECRET_KEY, name, facts)}, indent=1, ensure_ascii=False)


def refuse_forged(name: str, found: Any, *, secrets: Iterable[str], unsigned: bool) -> None:
    """See that a file's JSON, as it was read, was signed with one of these secrets.

    Args: unsigned: whether one without any HMAC is taken, as Qreels made them until 0.1; a wrong one never is.
    Raises: BackupError.
    """
    said = found.get(MAC) if isinstance(found, Mapping) else None
    if said is None:
        if unsigned:
            return
        raise BackupError(
            f"{name} isn't signed: an earlier Qreels made it, or somebody else. Nothing of it was run. If you know that"
            " nobody else could write there, give --unsigned."
        )
    facts = {key: value for key, value in found.items() if key != MAC}
    if not any(hmac.compare_digest(_mac(one, name, facts).encode(), str(said).encode()) for one in secrets):
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


def _mac(secret: str, name: str, facts: Mapping[str, Any]) -> str:
    plain = json.dumps([name, facts], sort_keys=True, separators=(",", ":"))
    return hmac.new(derived(secret, _PURPOSE), plain.encode(), hashlib.sha256).hexdigest()
