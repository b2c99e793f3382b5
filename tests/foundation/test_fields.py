"""A form's field: label, control, hint and error belong together; numbers are read as people write them."""

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.template import Context, Template

from foundation.access.form_input import WholeNumberField, with_point


class DrawLike(forms.Form):
    val = WholeNumberField(max_value=500)
    kind = forms.ChoiceField(choices=[("a", "An a"), ("b", "A <b>")], required=False)
    sure = forms.BooleanField()


def shown(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


def test_an_error_is_announced_by_its_field_and_takes_the_focus() -> None:
    form = DrawLike({"val": "<many>", "kind": "b"})
    page = shown('{% field form.val "Val queries" kind="number" hint="At most 500." %}', form=form)
    assert '<label for="field-val">Val queries</label>' in page
    assert 'aria-describedby="field-val-wrong field-val-hint"' in page
    assert 'aria-invalid="true"' in page and " autofocus" in page and " required" in page
    assert 'id="field-val-wrong">Found “&lt;many&gt;”, expected a whole number from 0 to 500.</p>' in page
    assert 'value="&lt;many&gt;"' in page and 'id="field-val-hint">At most 500.</p>' in page


def test_a_field_without_an_error_has_none_of_it() -> None:
    form = DrawLike({"val": "12", "kind": "b", "sure": "on"})
    page = shown('{% field form.val "Val" %}{% field form.kind "Kind" %}{% field form.sure "Sure" %}', form=form)
    assert "aria-invalid" not in page and "autofocus" not in page and "describedby" not in page
    assert '<option value="b" selected>A &lt;b&gt;</option>' in page
    assert 'type="checkbox"' in page and " checked" in page


def test_a_field_needs_no_form() -> None:
    page = shown('{% field "key" "Key" kind="password" value="secret" errors=wrong prefix="new" %}', wrong="Too long.")
    assert "secret" not in page and 'id="new-key-wrong">Too long.</p>' in page and 'name="key"' in page


@pytest.mark.parametrize(
    ("typed", "read"),
    [("0", 0), ("12", 12), ("1,000", 1000), ("12.000", 12000), ("12 000", 12000), ("1'234'567", 1234567)],
)
def test_whole_numbers_are_read_as_people_write_them(typed: str, read: int) -> None:
    assert WholeNumberField(max_value=10**7).clean(typed) == read


@pytest.mark.parametrize("typed", ["1,00", "1,0000", "0,5", "1.5", "1,000.000", "-1", "ten", "1e3", "1000000001"])
def test_what_is_no_whole_number_is_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(ValidationError, match=f"Found “{typed}”, expected a whole number from 0 to 1,000,000,000."):
        WholeNumberField(max_value=10**9).clean(typed)


@pytest.mark.parametrize("typed", ["0,5", "0.5", " 0,5 "])
def test_decimals_are_read_with_comma_and_point(typed: str) -> None:
    assert float(with_point(typed)) == 0.5


@pytest.mark.parametrize("typed", ["1.234,5", "1,234.5", "1.234.5"])
def test_decimals_with_grouped_digits_are_not_guessed(typed: str) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        float(with_point(typed))
