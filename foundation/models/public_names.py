"""Names in public addresses."""

import secrets


def new_public_name() -> str:
    """A new random name of 128 bits, for what is found by its address alone."""
    return secrets.token_urlsafe(16)
