"""The page Scale: how many grades there are, and how they are called, explained and coloured in which languages."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from annotation.scale import Scale, scale_of
from annotation.settings.grade_rows import LONGEST_SHOWS, LONGEST_WORD, GradeRow, faults, grade_row, own_of
from annotation.settings.grade_words import field_name, is_fixed, set_grade_words
from annotation.settings.services import SettingsRefused, configure
from corpus.description_formats import BadRow
from foundation.access.pages import PageFacts, lead_page, lead_post, render_facts
from foundation.models import HIGHEST_GRADE, STEPS_TO_100, Collection, Membership
from foundation.refused import Refused
from foundation.text import LANGUAGE_TAG, LONGEST_TAG

TEMPLATE = "annotation/scale.html"
MOST_LANGUAGES = 40


@lead_page(TEMPLATE)
def scale_page(request: HttpRequest, member: Membership) -> PageFacts:
    """The scale; `language` shows a language that it lacks beside those that it has, to be filled in."""
    tag = request.GET.get("language", "").strip()
    wrong = {}
    if tag and (not LANGUAGE_TAG.fullmatch(tag) or len(tag) > LONGEST_TAG):
        wrong["language"] = _("Expected a language tag such as en or pt-BR.")
    return _facts(member.collection, further=tag if tag and not wrong else "", wrong=wrong, tag=tag)


@lead_post
def change_number(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set how many grades there are; words of another scale go."""
    top, _between, step = request.POST.get("grades", "").partition("/")
    try:
        configure(collection=member.collection, changes={"top_grade": top, "grade_step": step})
    except SettingsRefused as refusal:
        facts = _facts(member.collection, wrong={"grades": refusal.why})
        return render_facts(request, member, TEMPLATE, facts, status=400)
    messages.info(request, _("The scale is set."))
    return redirect("settings-scale", member.collection.name)


@lead_post
def change_words(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set words, descriptions and colours, or show how they would look; 400 shows the form again with errors."""
    scale = scale_of(member.collection)
    rows, wrong = _sent(request.POST, scale)
    if request.POST.get("preview"):
        for row, bad in faults(rows, scale):
            wrong.setdefault(field_name(bad.field, row), str(bad.refusal()))
        shown = scale if wrong else Scale(scale.top, scale.step, *own_of(rows, scale))
        facts = _facts(member.collection, sent=request.POST, wrong=wrong, shown=shown)
        return render_facts(request, member, TEMPLATE, facts, status=400 if wrong else 200)
    try:
        if not wrong:
            set_grade_words(collection=member.collection, rows=rows)
            messages.info(request, _("Words and colours are set."))
            return redirect("settings-scale", member.collection.name)
    except Refused as refusal:
        wrong = refusal.wrong
    facts = _facts(member.collection, sent=request.POST, wrong=wrong)
    return render_facts(request, member, TEMPLATE, facts, status=400)


def _sent(sent: QueryDict, scale: Scale) -> tuple[list[GradeRow], dict[str, str]]:
    """The rows of a sent form, and what is wrong in fields. A language without a word is left out, and so is a mark of
    a slider."""
    rows: list[GradeRow] = []
    wrong: dict[str, str] = {}
    for language in sent.getlist("languages")[:MOST_LANGUAGES]:
        said = {mark: sent.get(f"word-{language}-{mark}", "").strip() for mark in scale.marks}
        if not any(said.values()):
            continue
        first = not rows
        for mark, word in said.items():
            if not word and scale.slides and mark not in (0, scale.top):
                continue
            values = {"grade": mark, "language": language, "word": word, "shows": sent.get(f"shows-{language}-{mark}")}
            if first:
                values |= {name: sent.get(f"{name}-{mark}") for name in ("colour", "dark_colour")}
            try:
                rows.append(grade_row(values))
            except BadRow as bad:
                wrong[field_name(bad.field, GradeRow(0, mark, language, word))] = str(bad.refusal())
    return rows, wrong


def _facts(
    collection: Collection,
    *,
    further: str = "",
    sent: QueryDict | None = None,
    wrong: Mapping[str, str] | None = None,
    shown: Scale | None = None,
    tag: str = "",
) -> PageFacts:
    """The page. Args: further: a language to be added; sent, wrong: the form as it was sent, and what is wrong in it by
    field; shown: the scale of the preview."""
    collection.refresh_from_db()
    scale, wrong = scale_of(collection), wrong or {}
    own = scale.languages or ["en"]
    known = {language.lower() for language in own}
    languages = list(sent.getlist("languages")) if sent is not None else list(own)
    languages += [further] if further and further.lower() not in known else []
    fixed = is_fixed(collection)
    shown = shown or scale

    def cell(name: str, usual: str) -> dict[str, Any]:
        return {"name": name, "value": usual if sent is None else sent.get(name, ""), "wrong": wrong.get(name, "")}

    def word(language: str, mark: int) -> str:
        return scale.word(mark, language) if language in own else ""

    def shows(language: str, mark: int) -> str:
        return scale.description(mark, language) if word(language, mark) else ""

    fields = {field for field in wrong if field[:4] in ("word", "show", "colo", "dark")}
    return {
        "scale": scale,
        "number": f"{scale.top}/{scale.step}",
        "numbers": _numbers(),
        "number_wrong": wrong.get("grades", ""),
        "fixed": fixed,
        "read_only": collection.archived_at is not None,
        "sections": [
            {
                "language": language,
                "locked": fixed and language in own,
                "rows": [
                    (
                        mark,
                        cell(f"word-{language}-{mark}", word(language, mark)),
                        cell(f"shows-{language}-{mark}", shows(language, mark)),
                    )
                    for mark in scale.marks
                ],
            }
            for language in languages
        ],
        "colours": [
            (mark, cell(f"colour-{mark}", light), cell(f"dark_colour-{mark}", dark))
            for mark, (light, dark) in zip(scale.marks, scale.ramp, strict=True)
        ],
        "shown": shown,
        "previews": [(language, shown.named(language)) for language in shown.languages or ["en"]],
        "refusal": wrong.get("", "") or ("" if not fields else _("Nothing was changed. Correct the marked fields.")),
        "language_wrong": wrong.get("language", ""),
        "tag": tag,
        "longest_word": LONGEST_WORD,
        "longest_shows": LONGEST_SHOWS,
    }


def _numbers() -> list[tuple[str, str]]:
    """How many grades there may be: as top and step, and in words."""
    few = [(f"{top}/1", _("%(count)s grades, 0 to %(top)s") % {"count": top + 1, "top": top}) for top in range(1, 5)]
    words = _("0 to %(top)s in steps of %(step)s, by a slider")
    return few + [(f"{HIGHEST_GRADE}/{step}", words % {"top": HIGHEST_GRADE, "step": step}) for step in STEPS_TO_100]
