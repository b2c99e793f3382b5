"""Where the site is found, for links that no request asked for."""

from django.conf import settings


def usual_address() -> str:
    """By the settings: the first allowed host in production, else the port of 127.0.0.1."""
    host = settings.ALLOWED_HOSTS[0].lstrip(".") if settings.ALLOWED_HOSTS else "*"
    if not settings.PRODUCTION or host == "*":
        return f"http://127.0.0.1:{settings.PORT}"
    return f"{'https' if settings.SESSION_COOKIE_SECURE else 'http'}://{host}"
