"""Settings of logins beyond a name and a password: second factors, and the library that does them."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

TWO_FACTORS = ("off", "offered", "leads")


def login_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """Django's and django-allauth's settings from QREELS_TWO_FACTORS. Raises: ImproperlyConfigured."""
    wanted = environment.get("QREELS_TWO_FACTORS") or "offered"
    if wanted not in TWO_FACTORS:
        raise ImproperlyConfigured(f"QREELS_TWO_FACTORS is {wanted!r}: expected one of {', '.join(TWO_FACTORS)}")
    return {
        "TWO_FACTORS": wanted,
        "ACCOUNT_ADAPTER": "corpus.access.allauth_adapters.Accounts",
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        # Its limits count in one process: ours (corpus/access/throttle.py) hold before it is asked.
        "ACCOUNT_RATE_LIMITS": False,
        "MFA_ADAPTER": "corpus.access.allauth_adapters.SecondFactors",
        # Codes of the step before and after: clocks may be off by half a minute.
        "MFA_TOTP_TOLERANCE": 1,
        "MFA_TOTP_ISSUER": "Qreels",
    }
