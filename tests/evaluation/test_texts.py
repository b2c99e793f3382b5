"""The library's normal form of a text is the product's."""

from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.texts import normalise
from foundation import text


@given(st.text())
@example("ΐ\u0345 ß\tİ")
def test_the_check_compares_texts_as_the_product_does(words: str) -> None:
    assert normalise(words) == text.normalise(words)
