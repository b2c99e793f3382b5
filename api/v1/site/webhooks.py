"""Webhooks of a collection, and those of the whole site: listed, made, tested, stopped, their log, sent again."""

from datetime import datetime
from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Storable
from foundation.models import Collection, Webhook, WebhookEvent, WebhookTry
from foundation.webhooks import services
from foundation.webhooks.kinds import KINDS
from foundation.webhooks.selectors import hook_rows, hooks_of, newest_events

endpoints = Endpoints("Webhooks")


class WebhookOut(Out):
    """An address that is told of events."""

    webhook: int = From("id")
    address: str
    kinds: list[str]
    made_by: str
    made_at: datetime
    state: str = Field(description="on or stopped.")
    problem: str = Field(description="Why it stopped by itself; else empty.")
    waiting: int
    delivered: int
    given_up: int
    pauses_until: datetime | None


class MadeWebhook(WebhookOut):
    """A new webhook with its secret, which can't be asked for again."""

    secret: str = Field(examples=["whsec_..."])


class NewWebhook(BaseModel):
    """A webhook to be."""

    address: Storable = Field(max_length=500, examples=["https://hooks.example.org/qreels"])
    kinds: list[Annotated[str, Field(pattern="^[a-z.]{1,30}$")]] = Field(
        min_length=1, max_length=20, description=", ".join(KINDS)
    )


class TryOut(Out):
    """One try to tell of an event."""

    at: datetime
    seconds: float
    answer: int | None = Field(description="The HTTP status; null: none came.")
    problem: str


class EventOut(Out):
    """An event, with its newest five tries."""

    event: int = From("pk")
    webhook: int = From("webhook_id")
    public_id: str
    kind: str
    state: str = Field(description="waiting, delivered or dead (given up).")
    made_at: datetime
    ended_at: datetime | None
    tries: int
    log: list[TryOut]


class Again(BaseModel):
    """Which event is sent again."""

    event: int | None = Field(None, ge=1, le=2**63 - 1, description="Null: all that were given up.")


class SentAgain(BaseModel):
    """How many events are sent again."""

    events: int


def _row(row: Any) -> WebhookOut:
    return WebhookOut.of(
        row,
        made_by=row.made_by.username if row.made_by else "",
        state="stopped" if row.stopped_at else "on",
        pauses_until=row.due_at if row.waiting and not row.stopped_at else None,
    )


def _event(row: WebhookEvent, tries: list[WebhookTry]) -> EventOut:
    log = [TryOut.of(sent) for sent in tries]
    return EventOut.of(row, public_id=str(row.public_id), log=log)


def _place(call: Call) -> Collection | None:
    """The collection that the path names; None: the whole site."""
    return call.place.collection if call.place is not None else None


def _one(call: Call, webhook_id: int) -> Webhook:
    return get_object_or_404(hooks_of(_place(call)), pk=webhook_id)


def _out(call: Call, webhook_id: int) -> WebhookOut:
    return next(_row(row) for row in hook_rows(_place(call)) if row.id == webhook_id)


def _declare(who: Who, of: str) -> None:
    """The same endpoints, for the webhooks of a collection and for those of the site."""

    def every(call: Call) -> list[WebhookOut]:
        """Webhooks, the oldest first."""
        return [_row(row) for row in hook_rows(_place(call))]

    def make(call: Call, new: NewWebhook) -> MadeWebhook:
        """Make a webhook. Its secret is in this answer and nowhere else."""
        made = services.make_webhook(
            account=call.account, collection=_place(call), address=new.address, kinds=new.kinds
        )
        return MadeWebhook.of(_out(call, made.row.pk), secret=made.secret)

    def remove(call: Call, webhook_id: Id) -> None:
        """Remove a webhook, with its log."""
        services.remove_webhook(webhook=_one(call, webhook_id))

    def stop(call: Call, webhook_id: Id) -> WebhookOut:
        """Stop a webhook; what it has yet to be told waits."""
        services.stop_webhook(webhook=_one(call, webhook_id))
        return _out(call, webhook_id)

    def start(call: Call, webhook_id: Id) -> WebhookOut:
        """Start a webhook again, for you, with what waited."""
        services.start_webhook(webhook=_one(call, webhook_id), account=call.account)
        return _out(call, webhook_id)

    def test(call: Call, webhook_id: Id) -> WebhookOut:
        """Send a webhook an event that says nothing."""
        services.test_webhook(webhook=_one(call, webhook_id))
        return _out(call, webhook_id)

    def again(call: Call, webhook_id: Id, which: Again) -> SentAgain:
        """Have what was given up sent again, one event or all."""
        return SentAgain(events=services.send_again(webhook=_one(call, webhook_id), event_id=which.event))

    def log(call: Call) -> list[EventOut]:
        """The newest 50 events of all these webhooks, with their tries."""
        return [_event(*each) for each in newest_events(_place(call))]

    hooks, hook = "/webhooks", "/webhooks/{int:webhook_id}"
    kinds: tuple[tuple[Any, str, Any, str], ...] = (
        (endpoints.read, hooks, every, f"list_{of}_webhooks"),
        (endpoints.make, hooks, make, f"make_a_{of}_webhook"),
        (endpoints.remove, hook, remove, f"remove_a_{of}_webhook"),
        (endpoints.act, f"{hook}/stop", stop, f"stop_a_{of}_webhook"),
        (endpoints.act, f"{hook}/start", start, f"start_a_{of}_webhook"),
        (endpoints.act, f"{hook}/test", test, f"test_a_{of}_webhook"),
        (endpoints.act, f"{hook}/send-again", again, f"send_again_to_a_{of}_webhook"),
        (endpoints.read, f"{hooks}/events", log, f"list_{of}_webhook_events"),
    )
    for declare, path, view, name in kinds:
        view.__name__ = name
        declare(path, who=who, scope=Scope.READ if declare == endpoints.read else Scope.ADMIN)(view)


_declare(Who.LEAD, "collection")
_declare(Who.SITE_OWNER, "site")
