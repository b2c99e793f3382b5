"""Settings of backups, read from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Where backups go by themselves and how they are kept. `place` "": none is made; `key` "": not encrypted."""

    place: str = ""
    hours: int = 24
    days: int = 7
    weeks: int = 4
    key: str = ""


def backup_settings(environment: Mapping[str, str]) -> BackupSettings:
    """From QREELS_BACKUP_TO, _HOURS, _DAYS, _WEEKS and _KEY. Raises: ImproperlyConfigured."""
    key = environment.get("QREELS_BACKUP_KEY", "")
    if key and not key.startswith("age1"):
        # It isn't repeated: who gives the secret one by mistake shouldn't find it in a log.
        raise ImproperlyConfigured("QREELS_BACKUP_KEY: expected a public age key, which begins with age1")
    return BackupSettings(
        place=environment.get("QREELS_BACKUP_TO", ""),
        hours=_number(environment, "QREELS_BACKUP_HOURS", 24, least=1),
        days=_number(environment, "QREELS_BACKUP_DAYS", 7, least=1),
        weeks=_number(environment, "QREELS_BACKUP_WEEKS", 4, least=0),
        key=key,
    )


def _number(environment: Mapping[str, str], name: str, usual: int, *, least: int) -> int:
    text = environment.get(name) or str(usual)
    if not text.isdecimal() or int(text) < least:
        raise ImproperlyConfigured(f"{name} is {text!r}: expected a whole number of at least {least}")
    return int(text)
