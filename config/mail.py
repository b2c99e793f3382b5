"""Django's settings for outgoing mail, from one address of an SMTP server."""

from typing import Any
from urllib.parse import unquote, urlsplit

from config.variables import Mail

PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
SECONDS = 10
"""To wait for the server."""


def mail_settings(mail: Mail) -> dict[str, Any]:
    """Django's settings; without a server no mail is sent."""
    if not mail.QREELS_SMTP_URL:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend", "MAIL_IS_SET": False}
    parts = urlsplit(mail.QREELS_SMTP_URL)
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+starttls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": SECONDS,
        "DEFAULT_FROM_EMAIL": mail.QREELS_MAIL_FROM,
        "SERVER_EMAIL": mail.QREELS_MAIL_FROM,
        "MAIL_IS_SET": True,
    }
