"""Files of a backup as they lie in its place: as they are, or encrypted for an age key.

age (https://age-encryption.org) has two keys: whoever makes backups needs the public one alone, so a site that is
broken into can't read its own backups. `age -d` reads the files without Qreels.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operation.backup.errors import BackupError

SUFFIX = ".age"


@dataclass(frozen=True, slots=True)
class Seal:
    """How files are written and read. `public` "": as they are; `secrets`: keys that open encrypted ones.

    `signer`: by whose secret what is read was signed (`authenticity.py`), "" the installation's own; `unsigned`: also
    what nobody signed.
    """

    public: str = ""
    secrets: tuple[str, ...] = ()
    signer: str = ""
    unsigned: bool = False

    @property
    def suffix(self) -> str:
        """What the names of written files end with."""
        return SUFFIX if self.public else ""

    def seal(self, source: Path, target: Path) -> Path:
        """The file to put in the place: `source` itself, or `target`, encrypted. Raises: BackupError."""
        if not self.public:
            return source
        import pyrage

        try:
            key = pyrage.x25519.Recipient.from_str(self.public)
            with source.open("rb") as plain, target.open("wb") as sealed:
                pyrage.encrypt_io(plain, sealed, [key])
        except pyrage.RecipientError as error:
            raise BackupError(f"QREELS_BACKUP_KEY is no public age key (age1...): {error}.") from error
        return target

    def open(self, name: str, source: Path, target: Path) -> Path:
        """The content of a file got from the place under `name`: `source`, or decrypted `target`.

        Raises: BackupError if it is encrypted and none of the keys opens it.
        """
        if not name.endswith(SUFFIX):
            return source
        import pyrage

        if not self.secrets:
            raise BackupError("The backup is encrypted: give the file with its secret key, --key FILE.")
        try:
            keys: list[Any] = [pyrage.x25519.Identity.from_str(secret) for secret in self.secrets]
            with source.open("rb") as sealed, target.open("wb") as plain:
                pyrage.decrypt_io(sealed, plain, keys)
        except pyrage.IdentityError as error:
            raise BackupError(f"The file of the secret key has no age key (AGE-SECRET-KEY-1...): {error}.") from error
        except pyrage.DecryptError as error:
            raise BackupError(f"{name} can't be decrypted with this key, or is damaged: {error}.") from error
        return target


def read_secret_keys(path: Path) -> tuple[str, ...]:
    """The secret keys of a file as `age-keygen` writes it. Raises: BackupError."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} can't be read: {error}.") from error
    keys = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not keys:
        raise BackupError(f"{path} has no secret key: expected a line AGE-SECRET-KEY-1...")
    return keys


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
