"""Requests that are sent again with their `Idempotency-Key`: what was made is made once, and the answer is the same."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from api.frame.problems import Problem
from foundation.infra.sealed import SealBroken, seal, unseal
from foundation.models import Account, KeptAnswer

KEPT_FOR = timedelta(days=1)
HEADER = "Idempotency-Key"
LONGEST_KEY = 100


def key_of(request: HttpRequest) -> str:
    """The request's key; "" without one. Raises: Problem for one that can't be."""
    key = request.headers.get(HEADER, "")
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Problem(422, f"Expected 1 to {LONGEST_KEY} printable characters of ASCII.", field=f"header.{HEADER}")
    return key


def once(account: Account, key: str, request: HttpRequest, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Answer, or give the answer that the same request with this key was given before.

    The key, the answer and what was made are one transaction: where it fails nothing is kept, and it may be sent
    again. One that comes at the same time waits for the first.

    Raises: Problem where the key was used for something else.
    """
    request_bytes = b"\n".join([(request.method or "").encode(), request.path.encode(), request.body])
    asked = hashlib.sha256(request_bytes).hexdigest()
    with transaction.atomic():
        KeptAnswer.objects.filter(made_at__lt=timezone.now() - KEPT_FOR).delete()
        try:
            with transaction.atomic():
                row = KeptAnswer.objects.create(account=account, key=key, asked=asked, status=0)
        except IntegrityError:
            return _again(KeptAnswer.objects.get(account=account, key=key), asked)
        response = answer()
        assert isinstance(response, HttpResponse), "what makes something answers with no file"
        row.status, row.content = response.status_code, seal(response.content.decode())
        row.save(update_fields=["status", "content"])
    return response


def _again(row: KeptAnswer, asked: str) -> HttpResponse:
    if row.asked != asked:
        raise Problem(422, "This key came with another request before. Take a new one.", field=f"header.{HEADER}")
    try:
        response = HttpResponse(unseal(row.content), status=row.status, content_type="application/json")
    except SealBroken as fault:
        raise Problem(409, "This was done before, and its answer can't be read any longer.") from fault
    response["Idempotent-Replayed"] = "true"
    return response
