"""The trail's pages: a collection's for its leads, the site's for its owners; as CSV and JSON Lines."""

import json
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from foundation.access.needs_login import account_get
from foundation.access.pages import FactsEncoder, PageFacts, lead_get, lead_page
from foundation.access.site_owner import site_owner
from foundation.audit.selectors import COLUMNS, Change, as_text, every_change, in_sentences, trail
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.list_pages import Order, list_page
from foundation.models import Collection, Membership

PAGE = 50
NEWEST_FIRST = Order(("-pk",))


@lead_page("foundation/audit.html")
def audit(request: HttpRequest, member: Membership) -> PageFacts:
    """A collection's changes, the newest first."""
    return _facts(request, member.collection)


def _facts(request: HttpRequest, collection: Collection | None) -> PageFacts:
    page = list_page(trail(collection), request.GET, NEWEST_FIRST, size=PAGE)
    return {"paged": page, "changes": in_sentences(page)}


@lead_get
def audit_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """All of a collection's changes as CSV, the oldest first."""
    return _csv(f"{member.collection.name}-changes", member.collection)


@lead_get
def audit_lines(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The same as JSON Lines."""
    return _lines(f"{member.collection.name}-changes", member.collection)


@never_cache
@account_get
def site_audit(request: HttpRequest) -> HttpResponseBase:
    """What was changed of no collection: accounts, tokens, LLM servers. For its owners; `?format=` csv or jsonl."""
    site_owner(request)
    form = request.GET.get("format", "")
    if form == "csv":
        return _csv("site-changes", None)
    if form == "jsonl":
        return _lines("site-changes", None)
    return render(request, "foundation/site_audit.html", _facts(request, None))


def _csv(name: str, collection: Collection | None) -> HttpResponseBase:
    rows = (safe_row(_cell(asdict(change)[column]) for column in COLUMNS) for change in every_change(collection))
    return csv_download(name, COLUMNS, rows, streamed=True)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return as_text(value) if isinstance(value, dict) else str(value)


def _lines(name: str, collection: Collection | None) -> HttpResponseBase:
    response = StreamingHttpResponse(map(_line, every_change(collection)), content_type="application/jsonl")
    response["Content-Disposition"] = f'attachment; filename="{name}.jsonl"'
    return response


def _line(change: Change) -> str:
    return json.dumps(asdict(change), cls=FactsEncoder, ensure_ascii=False) + "\n"
