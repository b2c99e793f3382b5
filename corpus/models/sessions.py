"""Login sessions in PostgreSQL, each naming its account (SESSION_ENGINE)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from corpus.models.accounts import Account


class Session(AbstractBaseSession):
    """A login session with its account, so that one query identifies a request and all of an account's can be ended."""

    account = models.ForeignKey(Account, models.CASCADE, null=True, db_constraint=False, related_name="+")

    @classmethod
    def get_session_store_class(cls) -> type[SessionStore]:
        return SessionStore


class SessionStore(DatabaseStore):
    """Django's database sessions, whose rows name the account that logged in."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row: Session = super().create_model_instance(data)
        account = data.get(SESSION_KEY)
        row.account_id = int(account) if account is not None else None
        return row
