"""The session of a request and its account, read by one prepared statement (SESSION_ENGINE, and its middleware).

Django asks for the one and then for the other, and makes the SQL of both anew each time: a third of the time of a short
answer.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from foundation.infra.prepared_sql import columns_of, rows_of_first
from foundation.models import Account, Session
from foundation.models import sessions as tables

_SESSION, _SESSION_COLUMNS = columns_of(Session, "s")
_ACCOUNT, _ACCOUNT_COLUMNS = columns_of(Account, "a")
_FIND = f"""
SELECT {_SESSION_COLUMNS}, {_ACCOUNT_COLUMNS}
  FROM foundation_session s LEFT JOIN foundation_account a ON a.id = s.account_id
 WHERE s.session_key = %(key)s AND s.expire_date > now()"""


class SessionStore(tables.SessionStore):
    """As Django's, in PostgreSQL; whose the session is comes with it."""

    account: Account | None = None
    """Of the row that was found in the table."""

    def read_row(self) -> Session | None:
        with connection.wrap_database_errors:
            rows = rows_of_first(_FIND, {"key": self.session_key})
        if not rows:
            return None
        split = len(_SESSION)
        row = Session.from_db("default", _SESSION, rows[0][:split])
        if rows[0][split] is not None:
            self.account = Account.from_db("default", _ACCOUNT, rows[0][split:])
        return row


class LoggedIn(AuthenticationMiddleware):
    """`request.user`, when it is asked for."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        user = SimpleLazyObject(lambda: _account_of(request))
        request.user = user  # type: ignore[assignment]  # as Django's own middleware


def _account_of(request: Any) -> Account | AnonymousUser:
    if not hasattr(request, "_cached_user"):  # where Django's own function keeps it
        request._cached_user = _proved_account(request.session) or get_user(request)
    return request._cached_user  # type: ignore[no-any-return]


def _proved_account(session: SessionStore) -> Account | None:
    """The account that came with the session, by Django's own checks; None where these have to be made by Django."""
    account_id = session.get(SESSION_KEY)
    account = session.account
    if account is None or account_id != str(account.pk) or not account.is_active:
        return None
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    proof = session.get(HASH_SESSION_KEY, "")
    return account if proof and constant_time_compare(proof, account.get_session_auth_hash()) else None
