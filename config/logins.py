"""Settings of logins beyond a name and a password: second factors, and logins at an OpenID Connect server."""

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

OIDC = ("QREELS_OIDC_ISSUER", "QREELS_OIDC_CLIENT_ID", "QREELS_OIDC_CLIENT_SECRET")
TWO_FACTORS = ("off", "offered", "leads")


def login_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """Django's and allauth's settings from QREELS_TWO_FACTORS and QREELS_OIDC_*. Raises: ImproperlyConfigured."""
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
        **_openid_connect(environment),
    }


def _openid_connect(environment: Mapping[str, str]) -> dict[str, Any]:
    issuer, client_id, secret = (environment.get(name, "") for name in OIDC)
    new = environment.get("QREELS_OIDC_NEW_ACCOUNTS") or "0"
    if new not in ("0", "1"):
        raise ImproperlyConfigured(f"QREELS_OIDC_NEW_ACCOUNTS is {new!r}: expected 1 or 0")
    parts = urlsplit(issuer)
    here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    secure = parts.scheme == "https" or (parts.scheme == "http" and here)
    if issuer and (not secure or not parts.hostname or parts.query):
        raise ImproperlyConfigured(
            f"QREELS_OIDC_ISSUER is {issuer!r}: expected the issuer's https address, below which"
            " /.well-known/openid-configuration is found"
        )
    if not (issuer and client_id and secret):
        if issuer or client_id or secret:
            missing = [name for name in OIDC if not environment.get(name)]
            raise ImproperlyConfigured(
                f"Logins by OpenID Connect need {', '.join(OIDC)}; not set: {', '.join(missing)}"
            )
        return {"OIDC_ISSUER": "", "OIDC_NAME": "", "OIDC_NEW_ACCOUNTS": False}
    name = environment.get("QREELS_OIDC_NAME") or str(parts.hostname)
    app = {
        # Another issuer is another provider: its people's numbers may be the same.
        "provider_id": f"oidc-{hashlib.sha256(issuer.encode()).hexdigest()[:16]}",
        "name": name,
        "client_id": client_id,
        "secret": secret,
        "settings": {"server_url": issuer.rstrip("/")},
    }
    return {
        "OIDC_ISSUER": issuer,
        "OIDC_NAME": name,
        "OIDC_NEW_ACCOUNTS": new == "1",
        "SOCIALACCOUNT_ADAPTER": "corpus.accounts.outside_adapter.OutsideLogins",
        "SOCIALACCOUNT_PROVIDERS": {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}},
    }
