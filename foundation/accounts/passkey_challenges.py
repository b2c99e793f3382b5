"""What a browser was asked to answer by a passkey: kept in its session, good once and for some minutes."""

import time
from typing import Any

from django.http import HttpRequest

from foundation.accounts.passkeys import too_old
from foundation.models import Account

SECONDS = 300
_ASKED = "passkey_asked"


def remember(request: HttpRequest, use: str, account: Account | None, state: dict[str, Any]) -> None:
    """Keep the state of a question, in the place of an earlier one.

    Args: use: what the answer is for ("add", "step", "login"); account: whose passkey, None where that is the question.
    """
    kept = {"use": use, "account": account.pk if account else None, "at": time.time(), "state": state}
    request.session[_ASKED] = kept


def recall(request: HttpRequest, use: str, account: Account | None) -> dict[str, Any]:
    """The state of what was asked for the same use and account, which is forgotten with it. Raises: Refused."""
    kept = request.session.pop(_ASKED, None)
    if not kept or (kept["use"], kept["account"]) != (use, account.pk if account else None):
        raise too_old()
    if abs(time.time() - kept["at"]) > SECONDS:
        raise too_old()
    state: dict[str, Any] = kept["state"]
    return state
