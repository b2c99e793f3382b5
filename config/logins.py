"""Settings of logins beyond a name and a password: second factors, and logins at an OpenID Connect server."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

OIDC = ("QREELS_OIDC_ISSUER", "QREELS_OIDC_CLIENT_ID", "QREELS_OIDC_CLIENT_SECRET")
TWO_FACTORS = ("off", "offered", "leads")
PASSKEYS = ("off", "factor", "login")
DEVELOPMENT_HOSTS = "localhost,127.0.0.1,[::1]"


def login_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """Django's and allauth's settings from QREELS_TWO_FACTORS, QREELS_PASSKEYS and QREELS_OIDC_*.

    Raises: ImproperlyConfigured.
    """
    wanted = _one_of(environment, "QREELS_TWO_FACTORS", TWO_FACTORS, "offered")
    passkeys = _one_of(environment, "QREELS_PASSKEYS", PASSKEYS, "login")
    return {
        "TWO_FACTORS": wanted,
        "PASSKEYS": "off" if wanted == "off" else passkeys,
        "PASSKEY_DOMAIN": passkey_domain(environment),
        "ACCOUNT_ADAPTER": "foundation.access.allauth_adapters.Accounts",
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        # Its limits count in one process: ours (foundation/access/throttle.py) hold before it is asked.
        "ACCOUNT_RATE_LIMITS": False,
        "MFA_ADAPTER": "foundation.access.allauth_adapters.SecondFactors",
        # Codes of the step before and after: clocks may be off by half a minute.
        "MFA_TOTP_TOLERANCE": 1,
        "MFA_TOTP_ISSUER": "Qreels",
        **_openid_connect(environment),
    }


def _one_of(environment: Mapping[str, str], name: str, values: tuple[str, ...], usual: str) -> str:
    found = environment.get(name) or usual
    if found not in values:
        raise ImproperlyConfigured(f"{name} is {found!r}: expected one of {', '.join(values)}")
    return found


def passkey_domain(environment: Mapping[str, str]) -> str:
    """The domain for which passkeys are made, their relying party's id: the first host of QREELS_ALLOWED_HOSTS.

    It is "" where that is no domain: browsers make passkeys neither for network addresses nor for any host at all.
    """
    first = environment.get("QREELS_ALLOWED_HOSTS", DEVELOPMENT_HOSTS).split(",")[0].strip().lstrip(".").lower()
    labels = first.split(".")
    named = all(re.fullmatch(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?", label) for label in labels)
    # A name's last label is never a number: that would be a network address.
    return first if named and not labels[-1].isdecimal() and (len(labels) > 1 or first == "localhost") else ""


def passkey_problems(environment: Mapping[str, str]) -> list[str]:
    """Why passkeys that the environment asks for can't be offered, a sentence each; empty where it doesn't ask."""
    asked = environment.get("QREELS_PASSKEYS", "")
    if asked not in ("factor", "login"):
        return []
    found = []
    if environment.get("QREELS_TWO_FACTORS") == "off":
        found.append(f"QREELS_PASSKEYS is {asked!r}, and QREELS_TWO_FACTORS=off turns passkeys off, too")
    domain = passkey_domain(environment)
    if not domain:
        hosts = environment.get("QREELS_ALLOWED_HOSTS", "")
        found.append(
            f"QREELS_PASSKEYS is {asked!r}, and QREELS_ALLOWED_HOSTS begins with {hosts.split(',')[0]!r}: passkeys are"
            " made for a domain such as qreels.example.org, which has to be the first"
        )
    behind_tls = any(one.startswith("https://") for one in environment.get("QREELS_TRUSTED_ORIGINS", "").split(","))
    if environment.get("QREELS_PLAIN_HTTP") == "1" and domain not in ("", "localhost") and not behind_tls:
        found.append(
            f"QREELS_PASSKEYS is {asked!r}, and QREELS_PLAIN_HTTP=1: browsers offer passkeys over https alone; if a"
            f" proxy speaks it, name it: QREELS_TRUSTED_ORIGINS=https://{domain}"
        )
    return found


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
        "SOCIALACCOUNT_ADAPTER": "foundation.accounts.outside_adapter.OutsideLogins",
        "SOCIALACCOUNT_PROVIDERS": {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}},
    }
