"""How long what is kept about people stays, read from the environment."""

import re
from collections.abc import Mapping

from django.core.exceptions import ImproperlyConfigured

CLASSES = ("logins", "mails", "jobs", "words", "traces", "training", "pay", "places", "accounts", "changes")
"""What docs/retention.md calls each."""


def keep_days(environment: Mapping[str, str]) -> dict[str, int]:
    """Days by class from QREELS_KEEP_DAYS, "CLASS=DAYS" with commas; a class that isn't named is kept for good.

    Raises: ImproperlyConfigured.
    """
    text = environment.get("QREELS_KEEP_DAYS", "")
    found: dict[str, int] = {}
    for part in (one.strip() for one in text.split(",")):
        if not part:
            continue
        match = re.fullmatch(r"([a-z]+)=([1-9]\d{0,4})", part, re.ASCII)
        if match is None or match[1] not in CLASSES or match[1] in found:
            raise ImproperlyConfigured(
                f"QREELS_KEEP_DAYS is {text[:200]!r}: expected CLASS=DAYS separated by commas, days from 1 to 99999,"
                f" each class once, of {', '.join(CLASSES)}"
            )
        found[match[1]] = int(match[2])
    return found
