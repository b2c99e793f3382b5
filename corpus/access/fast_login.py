"""Identify a request's account and member by one prepared statement, for the judging hot path.

The ordinary guards read the session, the account and the membership one after the other; a judgment comes hundreds
of thousands of times, so its guard asks once.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.db import models
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from corpus.access.second_factor import SecondFactorNeeded, is_missing
from corpus.access.session_use import note_use
from corpus.infra.prepared_sql import rows_of_first
from corpus.models import Account, Collection, Membership
from corpus.models.sessions import SessionStore


def _columns(model: type[models.Model], alias: str) -> tuple[list[str], str]:
    fields = [field.attname for field in model._meta.concrete_fields]
    return fields, ", ".join(f'{alias}."{field}"' for field in fields)


_MEMBER, _MEMBER_COLUMNS = _columns(Membership, "m")
_COLLECTION, _COLLECTION_COLUMNS = _columns(Collection, "c")

_LOGIN = f"""
SELECT s.session_data, s.used_at, a.password, a.language, {_MEMBER_COLUMNS}, {_COLLECTION_COLUMNS}
  FROM corpus_session s
  JOIN corpus_account a ON a.id = s.account_id AND a.is_active
  LEFT JOIN (corpus_membership m JOIN corpus_collection c ON c.id = m.collection_id AND c.name = %(name)s)
    ON m.account_id = a.id
 WHERE s.session_key = %(key)s AND s.expire_date > now()"""


class NotLoggedIn(Exception):
    """The request carries no valid login."""


class Login(NamedTuple):
    """Who sent a request: the membership in the collection, None for a stranger, and the account's language."""

    member: Membership | None
    language: str


def read_login(request: HttpRequest, name: str) -> Login:
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
    split = len(_MEMBER)
    if values[0] is None:
        return Login(None, language)
    member = Membership.from_db("default", _MEMBER, values[:split])
    if member.leads and is_missing(session):
        raise SecondFactorNeeded
    member.collection = Collection.from_db("default", _COLLECTION, values[split:])
    return Login(member, language)


@lru_cache(maxsize=4096)
def _opened(session_data: str, password: str, secrets: tuple[str, ...]) -> Mapping[str, Any] | None:
    """What a session holds, if it was made with this password; None otherwise.

    It follows from what is given alone, so it is remembered: two signatures to check, for each judgment anew. What the
    database says now is asked each time.
    """
    session = SessionStore().decode(session_data)
    said = session.get(HASH_SESSION_KEY, "")
    # As Django's own check: a changed password ends the logins made with the old one.
    if not constant_time_compare(said, Account(password=password).get_session_auth_hash()):
        return None
    return MappingProxyType(session)
