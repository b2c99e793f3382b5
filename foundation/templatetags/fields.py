"""The template tag `field`: a form's field with its label, hint and error, as every page of ours shows one."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, ChoiceField, FileInput, PasswordInput
from django.forms.utils import flatatt

register = template.Library()


@register.inclusion_tag("field.html")
def field(
    of: BoundField | str,
    label: str,
    *,
    kind: str = "",
    value: Any = None,
    errors: Any = None,
    hint: str = "",
    choices: Iterable[tuple[Any, Any]] = (),
    in_own_language: bool = False,
    prefix: str = "field",
    **attributes: Any,
) -> dict[str, Any]:
    """A field of a form: label, control, hint, and its errors, which the control announces.

    The first field of a page that has an error takes the focus. What is in a closed <details> has to be opened for it.

    Args:
        of: a field of a Django form, which brings its value, errors, choices and whether it is required; or a name,
            where the view has no Django form and gives `value` and `errors`.
        kind: "text" (the default), "checkbox", "select", "textarea", or another type of <input>; "number" is a text
            that phones offer digits for: pages take numbers as people write them (foundation/access/form_input.py).
        errors: a sentence or several; None or empty: nothing is wrong.
        choices: of a select, (value, label) each.
        in_own_language: each choice's value is a language, and its label is written in it.
        prefix: begins the control's id; forms with the same names on one page need one each.
        attributes: of the control, `_` for `-`; True is an attribute without a value, False and None are left out.
    """
    name = of if isinstance(of, str) else of.html_name
    if isinstance(of, BoundField):
        kind = kind or _kind(of)
        value = of.value() if value is None else value
        errors = of.errors if errors is None else errors
        choices = choices or getattr(of.field, "choices", ())
        attributes.setdefault("required", of.field.required)
    place = f"{prefix}-{name}"
    wrong = [errors] if isinstance(errors, str) and errors else [str(error) for error in errors or ()]
    described_by = [f"{place}-{what}" for what, shown in (("wrong", wrong), ("hint", hint)) if shown]
    described_by += [attributes.pop("describedby")] if attributes.get("describedby") else []
    attributes = {key.replace("_", "-"): each for key, each in attributes.items() if each is not None}
    attributes |= {"id": place, "name": name}
    if described_by:
        attributes["aria-describedby"] = " ".join(described_by)
    if wrong:
        attributes |= {"aria-invalid": "true", "autofocus": True}
    if kind == "number":
        kind, attributes["inputmode"] = "text", attributes.get("inputmode", "decimal")
        attributes.setdefault("autocomplete", "off")
    if kind == "checkbox":
        attributes["checked"] = bool(value)
    elif kind not in ("select", "textarea", "file", "password") and value not in (None, ""):
        attributes["value"] = str(value)
    return {
        "label": label,
        "kind": kind or "text",
        "place": place,
        "attributes": flatatt(attributes),
        "value": "" if value is None else value,
        "choices": _chosen(choices, value),
        "in_own_language": in_own_language,
        "wrong": wrong,
        "hint": hint,
    }


def _kind(of: BoundField) -> str:
    widget = of.field.widget
    if isinstance(widget, CheckboxInput):
        return "checkbox"
    if isinstance(of.field, ChoiceField):
        return "select"
    return "file" if isinstance(widget, FileInput) else "password" if isinstance(widget, PasswordInput) else "text"


def _chosen(choices: Iterable[tuple[Any, Any]], value: Any) -> Sequence[tuple[str, Any, bool]]:
    return [(str(choice), label, str(choice) == str("" if value is None else value)) for choice, label in choices]
