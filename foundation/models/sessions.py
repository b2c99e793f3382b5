"""Login sessions in PostgreSQL, each naming its account (SESSION_ENGINE)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from foundation.models.accounts import Account

TRACELESS = "traceless"
"""In a session's data: it was begun by somebody of whom nothing is stored but an id."""


class Session(AbstractBaseSession):
    """A login session with its account, so that one query identifies a request and all of an account's can be ended."""

    account = models.ForeignKey(Account, models.CASCADE, null=True, db_constraint=False, related_name="+")
    used_at = models.DateTimeField(default=timezone.now, help_text="The last use, at most an hour late.")
    device = models.CharField(max_length=200, blank=True, default="", help_text="What the browser calls itself.")
    address = models.CharField(max_length=45, blank=True, default="", help_text="The network address of that use.")
    traceless = models.BooleanField(
        default=False, db_default=False, help_text="Whether device and address are never noted."
    )

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the session. One that is stored again keeps what was noted of its use (access/session_use.py)."""
        if kwargs.get("force_update"):
            kwargs["update_fields"] = ["session_data", "expire_date", "account", "traceless"]
        super().save(*args, **kwargs)

    @classmethod
    def get_session_store_class(cls) -> type[SessionStore]:
        return SessionStore


class SessionStore(DatabaseStore):
    """Django's database sessions, whose rows name the account that logged in."""

    stored = False
    """Whether the session was found in the table, or put there, in this request."""
    used_at: datetime | None = None
    """The last noted use of the one that was found; None for one that begins with this request."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        row = self.read_row()
        if row is None:
            self._session_key = None
        self.stored, self.used_at = row is not None, row.used_at if row is not None else None
        return row

    def read_row(self) -> Session | None:
        """The session's row if it hasn't ended."""
        return Session.objects.filter(session_key=self.session_key, expire_date__gt=timezone.now()).first()

    def create(self) -> None:
        super().create()
        self.stored, self.used_at = True, None

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = super().create_model_instance(data)
        assert isinstance(row, Session)
        account = data.get(SESSION_KEY)
        row.account_id = int(account) if account is not None else None
        row.traceless = bool(data.get(TRACELESS))
        return row
