"""Settings of logins beyond a name and a password: second factors, and logins at an OpenID Connect server."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from config.variables import BadVariables, Logins, Site


def login_settings(logins: Logins, hosts: Sequence[str]) -> dict[str, Any]:
    """Django's and allauth's settings. Args: hosts: those of QREELS_ALLOWED_HOSTS."""
    off = logins.QREELS_TWO_FACTORS == "off"
    return {
        "TWO_FACTORS": logins.QREELS_TWO_FACTORS,
        "PASSKEYS": "off" if off else logins.QREELS_PASSKEYS,
        "PASSKEY_DOMAIN": passkey_domain(hosts),
        "ACCOUNT_ADAPTER": "foundation.access.allauth_adapters.Accounts",
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        # Its limits count in one process: ours (foundation/access/throttle.py) hold before it is asked.
        "ACCOUNT_RATE_LIMITS": False,
        # Nor does it ask for a fresh login: our pages do (foundation/access/fresh_login.py), or ask for a code.
        "MFA_REAUTHENTICATION_REQUIRED": False,
        "MFA_ADAPTER": "foundation.access.allauth_adapters.SecondFactors",
        # Codes of the step before and after: clocks may be off by half a minute.
        "MFA_TOTP_TOLERANCE": 1,
        "MFA_TOTP_ISSUER": "Qreels",
        **_openid_connect(logins),
    }


def passkey_domain(hosts: Sequence[str]) -> str:
    """The domain for which passkeys are made, their relying party's id: the first host of QREELS_ALLOWED_HOSTS.

    It is "" where that is no domain: browsers make passkeys neither for network addresses nor for any host at all.
    """
    first = hosts[0].lstrip(".").lower()
    labels = first.split(".")
    named = all(re.fullmatch(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?", label) for label in labels)
    # A name's last label is never a number: that would be a network address.
    return first if named and not labels[-1].isdecimal() and (len(labels) > 1 or first == "localhost") else ""


def passkey_problems(environment: Mapping[str, str]) -> list[str]:
    """Why passkeys that the environment asks for can't be offered, a sentence each; empty where it doesn't ask."""
    asked, problems = environment.get("QREELS_PASSKEYS"), list[str]()
    try:
        logins, site = Logins.read(environment), Site.read(environment)
    except BadVariables:
        return []  # told already
    if asked not in ("factor", "login"):
        return []
    if logins.QREELS_TWO_FACTORS == "off":
        problems.append(f"QREELS_PASSKEYS is {asked!r}, and QREELS_TWO_FACTORS=off turns passkeys off, too")
    domain = passkey_domain(site.QREELS_ALLOWED_HOSTS)
    if not domain:
        problems.append(
            f"QREELS_PASSKEYS is {asked!r}, and QREELS_ALLOWED_HOSTS begins with {site.QREELS_ALLOWED_HOSTS[0]!r}:"
            " passkeys are made for a domain such as qreels.example.org, which has to be the first"
        )
    behind_tls = any(origin.startswith("https://") for origin in site.QREELS_TRUSTED_ORIGINS)
    if site.QREELS_PLAIN_HTTP and domain not in ("", "localhost") and not behind_tls:
        problems.append(
            f"QREELS_PASSKEYS is {asked!r}, and QREELS_PLAIN_HTTP=1: browsers offer passkeys over https alone; if a"
            f" proxy speaks it, name it: QREELS_TRUSTED_ORIGINS=https://{domain}"
        )
    return problems


def _openid_connect(logins: Logins) -> dict[str, Any]:
    issuer = logins.QREELS_OIDC_ISSUER
    if not issuer:
        return {"OIDC_ISSUER": "", "OIDC_NAME": "", "OIDC_NEW_ACCOUNTS": False}
    name = logins.QREELS_OIDC_NAME or str(urlsplit(issuer).hostname)
    app = {
        # Another issuer is another provider: its people's numbers may be the same.
        "provider_id": f"oidc-{hashlib.sha256(issuer.encode()).hexdigest()[:16]}",
        "name": name,
        "client_id": logins.QREELS_OIDC_CLIENT_ID,
        "secret": logins.QREELS_OIDC_CLIENT_SECRET,
        "settings": {"server_url": issuer.rstrip("/")},
    }
    return {
        "OIDC_ISSUER": issuer,
        "OIDC_NAME": name,
        "OIDC_NEW_ACCOUNTS": logins.QREELS_OIDC_NEW_ACCOUNTS,
        "SOCIALACCOUNT_ADAPTER": "foundation.accounts.outside_adapter.OutsideLogins",
        "SOCIALACCOUNT_PROVIDERS": {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}},
    }
