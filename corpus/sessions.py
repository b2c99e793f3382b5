"""Logins kept in PostgreSQL with their account beside them (SESSION_ENGINE)."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

from corpus.models import Session


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
