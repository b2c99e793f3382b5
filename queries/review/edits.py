"""A person's own caption: a worker checks it, then it is accepted; and captions that are to be rewritten again."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext_lazy

from foundation.infra.task_queue import QueueAway, result_of, send
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.checks.run_checks import CheckedCaption, build_attempt, generalises, limits_of
from queries.checks.verdicts import verdicts
from queries.models import Caption
from queries.review.decisions import accept_edit, clean, must_wait
from queries.review.rewrite_again import TASK, note_asked_again

CHECK_EXPIRES = 60
"""Seconds after which nobody waits for a check any more, and a worker that comes back needn't do it."""
LONGEST_ID = 64
NO_TEXT = gettext_lazy("There is no text yet.")


def ask_check(*, caption_id: int, text: str) -> tuple[str, str]:
    """Have a worker check a typed text. Returns: the check's id, to ask `checked_text` with, and the text that it
    checks.

    Raises: Refused for no text; QueueAway.
    """
    text = clean(text)
    if not text:
        raise Refused(str(NO_TEXT))
    return send("queries.tasks.check_text", caption_id, text, expires=CHECK_EXPIRES, result=True), text


def checked_text(collection: Collection, check: str) -> tuple[Caption, str, CheckedCaption] | None:
    """A finished check by its id: caption, text, result; None if it isn't finished, or of another collection."""
    state, result = _result(check)
    if state != "SUCCESS" or not isinstance(result, dict):
        return None
    # The result of another kind of task, or of another collection's caption, is none of this collection's.
    caption = (
        Caption.objects.select_related("description")
        .filter(pk=result.get("caption", 0), description__collection=collection)
        .first()
    )
    if caption is None or "checked" not in result:
        return None
    return caption, result["text"], CheckedCaption.from_json(result["checked"])


def check_told(collection: Collection, check: str) -> dict[str, Any]:
    """A check's result: {"state": "waiting"|"done"|"failed"}; of a done one also text, passed, verdicts."""
    finished = checked_text(collection, check)
    if finished is None:
        return {"state": "failed" if _result(check)[0] in ("FAILURE", "REVOKED") else "waiting"}
    caption, text, checked = finished
    attempt = build_attempt(caption.description, 0, checked)
    attempt.text = text
    limits, general = limits_of(collection), generalises(collection)
    rows = [asdict(verdict) for verdict in verdicts(caption.description.text, attempt, limits, generalises=general)]
    return {"state": "done", "text": text, "passed": attempt.passed, "verdicts": rows}


def write_caption(*, caption_id: int, member: Membership, text: str, check: str = "", reason: str = "") -> bool:
    """Accept a text that a worker has checked; send any other to a worker first. Returns: whether it is accepted.

    Raises: Refused, QueueAway.
    """
    text = clean(text)
    if not text:
        raise Refused(str(NO_TEXT))
    finished = checked_text(member.collection, check)
    if finished is not None and finished[0].pk == caption_id and finished[1] == text:
        accept_edit(caption_id=caption_id, member=member, text=text, checked=finished[2], reason=reason)
        return True
    # The worker could tell nobody that it came too late.
    must_wait(Caption.objects.get(pk=caption_id))
    send("queries.tasks.check_edit", caption_id, member.pk, text)
    return False


def ask_again(*, caption_id: int, member: Membership) -> bool:
    """Have a caption rewritten again. Returns: False where the queue is away; the sweep sends it then.

    Raises: Refused.
    """
    if note_asked_again(caption_id=caption_id, member=member):
        try:
            send(TASK, caption_id)
        except QueueAway:
            return False
    return True


def _result(check: str) -> tuple[str, Any]:
    """A task's state and result; PENDING also for unknown tasks and while the broker is away."""
    if not check or len(check) > LONGEST_ID:
        return "PENDING", None
    try:
        result = result_of(check)
        return str(result.state), result.result
    except QueueAway:
        return "PENDING", None
