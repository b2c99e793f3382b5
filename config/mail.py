"""Django's settings for outgoing mail, from one address of an SMTP server."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SCHEMES = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
SECONDS = 10
"""To wait for the server."""


def mail_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """Settings from QREELS_SMTP_URL and QREELS_MAIL_FROM; without the first no mail is sent.

    The address is smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST[:PORT].
    Raises: ImproperlyConfigured.
    """
    url, sender = environment.get("QREELS_SMTP_URL", ""), environment.get("QREELS_MAIL_FROM", "")
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend", "MAIL_IS_SET": False}
    # The address isn't repeated in a message: it has the password.
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"QREELS_SMTP_URL is no address: {error}") from None
    if parts.scheme not in SCHEMES or not parts.hostname or parts.path not in ("", "/") or parse_qs(parts.query):
        raise ImproperlyConfigured(
            "QREELS_SMTP_URL: expected smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST[:PORT]"
        )
    if "@" not in sender:
        raise ImproperlyConfigured(
            f"QREELS_MAIL_FROM is {sender!r}: expected the address that mails come from, since QREELS_SMTP_URL is set"
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or SCHEMES[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+starttls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": SECONDS,
        "DEFAULT_FROM_EMAIL": sender,
        "SERVER_EMAIL": sender,
        "MAIL_IS_SET": True,
    }
