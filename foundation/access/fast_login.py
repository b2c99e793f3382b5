"""Identify a request's account and membership by prepared statements; the judging hot path needs only one.

The ordinary guards read the login (session_store.py) and then the membership; a judgment comes hundreds of thousands of
times, so its guard asks once.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.db import connection
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from foundation.access.second_factor import SecondFactorNeeded, is_missing
from foundation.access.session_use import note_use
from foundation.infra.prepared_sql import columns_of, rows_of_first
from foundation.models import Account, Collection, Membership
from foundation.models.sessions import SessionStore

_MEMBER, _MEMBER_COLUMNS = columns_of(Membership, "m")
_COLLECTION, _COLLECTION_COLUMNS = columns_of(Collection, "c")

_LOGIN = f"""
SELECT s.session_data, s.used_at, a.password, a.language, {_MEMBER_COLUMNS}, {_COLLECTION_COLUMNS}
  FROM foundation_session s
  JOIN foundation_account a ON a.id = s.account_id AND a.is_active
  LEFT JOIN (foundation_membership m JOIN foundation_collection c ON c.id = m.collection_id AND c.name = %(name)s)
    ON m.account_id = a.id
 WHERE s.session_key = %(key)s AND s.expire_date > now()"""

_MEMBERSHIP = f"""
SELECT {_MEMBER_COLUMNS}, {_COLLECTION_COLUMNS}
  FROM foundation_membership m JOIN foundation_collection c ON c.id = m.collection_id
 WHERE m.account_id = %(account)s AND c.name = %(name)s"""


class NotLoggedIn(Exception):
    """The request carries no valid login."""


class RequestLogin(NamedTuple):
    """Who sent a request: the membership in the collection, None for a stranger, and the account's language."""

    member: Membership | None
    language: str


def read_login(request: HttpRequest, name: str) -> RequestLogin:
    """Who sent the request, of whom the collection of this name is asked.

    Raises: NotLoggedIn; SecondFactorNeeded for a lead who logged in without a second factor, where leads need one.
    """
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    rows = rows_of_first(_LOGIN, {"key": key, "name": name}) if key else []
    if not rows:
        raise NotLoggedIn
    session_data, used_at, password, language, *values = rows[0]
    session = _opened(session_data, password, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
    if session is None:
        raise NotLoggedIn
    note_use(request, key, used_at)
    if values[0] is None:
        return RequestLogin(None, language)
    member = _member_of(values)
    if member.leads and is_missing(session):
        raise SecondFactorNeeded
    return RequestLogin(member, language)


@lru_cache(maxsize=4096)
def _opened(session_data: str, password: str, secrets: tuple[str, ...]) -> Mapping[str, Any] | None:
    """What a session holds, if it was made with this password; None otherwise.

    It follows from what is given alone, so it is remembered: two signatures to check, for each judgment anew. What the
    database says now is asked each time.
    """
    session = SessionStore().decode(session_data)
    proof = session.get(HASH_SESSION_KEY, "")
    # As Django's own check: a changed password ends the logins made with the old one.
    if not constant_time_compare(proof, Account(password=password).get_session_auth_hash()):
        return None
    return MappingProxyType(session)


def find_member(account_id: int | None, name: str) -> Membership | None:
    """An account's membership in the collection of this name, with the collection; None for a stranger."""
    with connection.wrap_database_errors:
        rows = rows_of_first(_MEMBERSHIP, {"account": account_id, "name": name})
    return _member_of(rows[0]) if rows else None


def _member_of(values: Sequence[Any]) -> Membership:
    split = len(_MEMBER)
    member = Membership.from_db("default", _MEMBER, values[:split])
    member.collection = Collection.from_db("default", _COLLECTION, values[split:])
    return member
