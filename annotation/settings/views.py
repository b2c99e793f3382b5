"""The settings page."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from annotation.review.automatic_review import clear_batches
from annotation.settings.services import Setting, SettingsRefused, as_text, configure, settings_of
from annotation.settings.setting_texts import DEFAULTS, GROUPS, NONE
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, render_facts
from foundation.models import Membership

TEMPLATE = "annotation/settings.html"
CONTROLS = {"number": "number", "yes-no": "select"}
YES_NO = (("yes", gettext_lazy("yes")), ("no", gettext_lazy("no")))


@lead_page(TEMPLATE)
def settings(request: HttpRequest, member: Membership) -> PageFacts:
    """The settings page."""
    found = settings_of(member.collection)
    return {
        "groups": _groups(found, read_only=member.collection.archived_at is not None),
        "owns": member.role == Membership.Role.OWNER,
        "clear": clear_batches(collection=member.collection),
    }


@require_POST
@lead_required
def change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Save the settings that differ from what the page had shown, all or none; 422 shows the form again with errors."""
    found = settings_of(member.collection)
    changes = {one.name: said for one in found if (said := _said(request.POST, one)) is not None}
    try:
        for one in found:
            if one.name in changes and request.POST.get(f"was-{one.name}", as_text(one.value)) != as_text(one.value):
                raise SettingsRefused(
                    f"somebody set {one.name} to {as_text(one.value)} meanwhile; look at it again before you change it",
                    field=one.name,
                    why=gettext("Somebody set this to %(value)s meanwhile: look at it again before you change it.")
                    % {"value": as_text(one.value)},
                )
        configure(collection=member.collection, changes=changes)
    except SettingsRefused as refusal:
        facts = {
            "groups": _groups(found, request.POST, refusal, read_only=member.collection.archived_at is not None),
            "refusal": refusal,
            "refused": next((one for one in found if one.name == refusal.field), None),
            "owns": member.role == Membership.Role.OWNER,
        }
        return render_facts(request, member, TEMPLATE, facts, status=422)
    labels = ", ".join(one.label for one in found if one.name in changes)
    said = gettext("Changed: %(settings)s.") % {"settings": labels} if changes else gettext("Nothing was changed.")
    messages.info(request, said)
    return redirect("settings", member.collection.name)


def _said(sent: QueryDict, one: Setting) -> str | None:
    """A setting's submitted value, if it differs from what the page had shown."""
    if one.kind == "choices":
        if f"was-{one.name}" not in sent:
            return None
        said = ",".join(sent.getlist(one.name))
    elif one.name not in sent:
        return None
    else:
        said = sent.get(one.name, "").strip()
    return None if said == sent.get(f"was-{one.name}", as_text(one.value)) else said


def _groups(
    found: list[Setting], sent: QueryDict | None = None, refusal: SettingsRefused | None = None, *, read_only: bool
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The settings by section; `now` is what the form shows: the submitted value, or the stored one."""
    by_name = {one.name: one for one in found}
    placed = {name for _, names in GROUPS for name in names}
    sections: list[tuple[Any, tuple[str, ...]]] = [
        *GROUPS,
        (gettext("More"), tuple(name for name in by_name if name not in placed)),
    ]
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    for title, names in sections:
        rows: list[dict[str, Any]] = []
        for one in (by_name[name] for name in names if name in by_name):
            was, now = as_text(one.value), as_text(one.value)
            if sent is not None and f"was-{one.name}" in sent:
                was = sent.get(f"was-{one.name}", was)
                now = ",".join(sent.getlist(one.name)) if one.kind == "choices" else sent.get(one.name, now)
            words = dict(one.choices)
            chosen = [words.get(part, part) for part in as_text(one.default).split(",")]
            rows.append(
                {
                    "setting": one,
                    "was": was,
                    "wrong": refusal.why if refusal is not None and refusal.field == one.name else "",
                    "control": CONTROLS.get(one.kind, "text"),
                    "choices": YES_NO if one.kind == "yes-no" else (),
                    "about": f"about-{one.name}",
                    "disabled": one.frozen or read_only,
                    "now": now,
                    "chosen": now.split(","),
                    "default": ", ".join(chosen) if words else as_text(one.default) or DEFAULTS.get(one.name, NONE),
                }
            )
        if rows:
            groups.append((title, rows))
    return groups
