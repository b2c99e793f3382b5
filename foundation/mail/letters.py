"""Letters: what waits for a person gathered into one, and sent by a worker until the mail server has taken it.

The rows are the truth. A letter is marked as sent once the server has taken it. It is sent twice, with the same
Message-ID, only if the worker dies or the connection breaks between the two.
"""

import logging
import smtplib
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from foundation.infra.advisory_lock import alone_at
from foundation.infra.jobs import ask, job_task
from foundation.mail.kinds import GAP, URGENT_GAP
from foundation.mail.writing import write
from foundation.models import Letter, MailItem

LOCK = ("foundation.mail.gathering", 0)
AT_ONCE = 500
"""People whose notices one round gathers."""
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 1800.0
"""Seconds until a letter is tried again; the pause doubles each time."""
FIRST_PAUSE_ALONE = 10.0
"""Of a letter for which somebody may wait: it has a link in it that works for an hour."""
GIVEN_UP_AFTER = timedelta(days=3)
NOTHING_LEFT = "Nothing was left to say."
NO_MAIL = "This site sends no mail any longer."

log = logging.getLogger(__name__)


def gather(now: datetime | None = None) -> list[Letter]:
    """Make a letter for each person for whom notices wait, and hand it to a worker.

    Nobody gets another one while one is under way, or within an hour of the last (five minutes where it is urgent).
    Returns: the letters made; none while another worker gathers.
    """
    now = now or timezone.now()
    letters = []
    with alone_at(*LOCK, wait=False) as ours:
        if not ours or not settings.MAIL_IS_SET:
            return []
        for urgent, gap in ((True, URGENT_GAP), (False, GAP)):
            recent = Letter.objects.filter(account=OuterRef("account"), urgent=urgent, alone=False).filter(
                Q(ended_at=None) | Q(sent_at__range=(now - gap, now))
            )
            waiting = MailItem.objects.filter(~Exists(recent), letter=None, held=False, urgent=urgent)
            for account in waiting.order_by("account").values_list("account", flat=True).distinct()[:AT_ONCE]:
                with transaction.atomic():
                    letter = Letter.objects.create(account_id=account, urgent=urgent)
                    MailItem.objects.filter(account=account, urgent=urgent, letter=None, held=False).update(
                        letter=letter
                    )
                letters.append(letter)
    for letter in letters:
        if not ask(letter):
            break  # the sweep sends the others once the queue is back
    return letters


@job_task(Letter)
def send_letter(letter: Letter, progress: Any) -> float | None:
    """Send a letter, if nobody has. Safe to repeat.

    Returns: seconds until it is tried again, None if it has ended.
    """
    if not settings.MAIL_IS_SET:
        letter.end(NO_MAIL)
        return None
    mail = write(letter)
    if mail is None:
        letter.end(NOTHING_LEFT)
        return None
    try:
        mail.send()
    except (smtplib.SMTPException, OSError) as fault:
        return _not_taken(letter, fault)
    letter.end()
    return None


def _not_taken(letter: Letter, fault: Exception) -> float | None:
    reason = _in_words(fault)
    if _is_final(fault):
        log.warning("The mail server refuses letter %s for good: %s", letter.pk, type(fault).__name__)
        letter.end(f"The mail server refused it: {reason}")
        return None
    if timezone.now() - letter.made_at > GIVEN_UP_AFTER:
        log.warning("Letter %s was tried for %d days and is given up", letter.pk, GIVEN_UP_AFTER.days)
        letter.end(f"The mail server didn't take it for {GIVEN_UP_AFTER.days} days: {reason}")
        return None
    Letter.objects.filter(pk=letter.pk).update(tries=F("tries") + 1, problem=reason)
    log.warning("The mail server doesn't take letter %s, which is tried again: %s", letter.pk, type(fault).__name__)
    first = FIRST_PAUSE_ALONE if letter.alone else FIRST_PAUSE
    return float(min(first * 2**letter.tries, LONGEST_PAUSE))


def _in_words(fault: Exception) -> str:
    """What the server said, without the person's address."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{code} {text!r}" for code, text in fault.recipients.values())[:500]
    return f"{type(fault).__name__}: {fault}"[:500]


def _is_final(fault: Exception) -> bool:
    """Whether the server refuses this person or this mail for good; a wrong password or sender is the site's fault."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in fault.recipients.values())
    return isinstance(fault, smtplib.SMTPDataError) and fault.smtp_code >= 500
