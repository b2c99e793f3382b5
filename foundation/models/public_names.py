"""Names in public addresses."""

import secrets


def new_public_name() -> str:
    """A new random address of a clip: 128 bits."""
    return secrets.token_urlsafe(16)
