"""The settings page."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy

from annotation.review.automatic_review import clear_batches
from annotation.settings.services import Setting, SettingsRefused, as_text, configure, settings_of
from annotation.settings.setting_texts import DEFAULTS, GROUPS, NONE
from foundation.access.pages import PageFacts, lead_page, lead_post, render_facts
from foundation.models import Membership

TEMPLATE = "annotation/settings.html"
CONTROLS = {"number": "number", "yes-no": "select"}
YES_NO = (("yes", gettext_lazy("yes")), ("no", gettext_lazy("no")))


@lead_page(TEMPLATE)
def settings(request: HttpRequest, member: Membership) -> PageFacts:
    """The settings page."""
    every = settings_of(member.collection)
    return {
        "groups": _groups(every, read_only=member.collection.archived_at is not None),
        "owns": member.role == Membership.Role.OWNER,
        "clear": clear_batches(collection=member.collection),
    }


@lead_post
def change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Save the settings that differ from what the page had shown, all or none; 422 shows the form again with errors."""
    every = settings_of(member.collection)
    changes = {setting.name: text for setting in every if (text := _said(request.POST, setting)) is not None}
    try:
        for setting in every:
            name, now = setting.name, as_text(setting.value)
            if name in changes and request.POST.get(f"was-{name}", now) != now:
                raise SettingsRefused(
                    f"somebody set {name} to {now} meanwhile; look at it again before you change it",
                    field=name,
                    why=gettext("Somebody set this to %(value)s meanwhile: look at it again before you change it.")
                    % {"value": now},
                )
        now_set = configure(collection=member.collection, changes=changes)
    except SettingsRefused as refusal:
        facts = {
            "groups": _groups(every, request.POST, refusal, read_only=member.collection.archived_at is not None),
            "refusal": refusal,
            "refused": next((setting for setting in every if setting.name == refusal.field), None),
            "owns": member.role == Membership.Role.OWNER,
        }
        return render_facts(request, member, TEMPLATE, facts, status=422)
    labels = ", ".join(setting.label for setting in every if getattr(now_set, setting.name) != setting.value)
    sentence = gettext("Changed: %(settings)s.") % {"settings": labels} if labels else gettext("Nothing was changed.")
    messages.info(request, sentence)
    return redirect("settings", member.collection.name)


def _said(sent: QueryDict, setting: Setting) -> str | None:
    """A setting's submitted value, if it differs from what the page had shown."""
    if setting.kind == "choices":
        if f"was-{setting.name}" not in sent:
            return None
        text = ",".join(sent.getlist(setting.name))
    elif setting.name not in sent:
        return None
    else:
        text = sent.get(setting.name, "").strip()
    return None if text == sent.get(f"was-{setting.name}", as_text(setting.value)) else text


def _groups(
    every: list[Setting], sent: QueryDict | None = None, refusal: SettingsRefused | None = None, *, read_only: bool
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The settings by section; `now` is what the form shows: the submitted value, or the stored one."""
    by_name = {setting.name: setting for setting in every}
    placed = {name for _, names in GROUPS for name in names}
    sections: list[tuple[Any, tuple[str, ...]]] = [
        *GROUPS,
        (gettext("More"), tuple(name for name in by_name if name not in placed)),
    ]
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    for title, names in sections:
        rows: list[dict[str, Any]] = []
        for setting in (by_name[name] for name in names if name in by_name):
            was, now = as_text(setting.value), as_text(setting.value)
            if sent is not None and f"was-{setting.name}" in sent:
                was = sent.get(f"was-{setting.name}", was)
                now = ",".join(sent.getlist(setting.name)) if setting.kind == "choices" else sent.get(setting.name, now)
            words = dict(setting.choices)
            chosen = [words.get(part, part) for part in as_text(setting.default).split(",")]
            rows.append(
                {
                    "setting": setting,
                    "was": was,
                    "wrong": refusal.why if refusal is not None and refusal.field == setting.name else "",
                    "control": CONTROLS.get(setting.kind, "text"),
                    "choices": YES_NO if setting.kind == "yes-no" else (),
                    "about": f"about-{setting.name}",
                    "disabled": setting.frozen or read_only,
                    "now": now,
                    "chosen": now.split(","),
                    "default": (", ".join(chosen) if words else as_text(setting.default))
                    or DEFAULTS.get(setting.name, NONE),
                }
            )
        if rows:
            groups.append((title, rows))
    return groups
