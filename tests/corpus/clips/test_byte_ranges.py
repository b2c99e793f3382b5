"""What a Range header asks for, where it is out of the ordinary."""

import pytest

from corpus.clips.serving import _wanted


@pytest.mark.parametrize("digits", [19, 5000])
@pytest.mark.parametrize("header", ["bytes={}-", "bytes=0-{}", "bytes=-{}"])
def test_a_number_with_too_many_digits_is_answered_with_the_whole_file(header: str, digits: int) -> None:
    assert _wanted(header.format("9" * digits), 100) is None
