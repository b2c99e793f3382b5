"""The cast list of a collection: read, refused with a sentence, replaced."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from foundation.collections.cast import GENDERS, BadCast, CastMember, parse_cast, write_cast
from foundation.models import Collection


def test_a_line_is_a_name_and_a_gender() -> None:
    text = "\ufeff# Friends\n\nRachel  Green, f\nJoey,M\r\nMr. Heckles, Jr., ?\nrachel green, F\n"
    assert parse_cast(text) == [
        CastMember("Rachel Green", "f"),
        CastMember("Joey", "m"),
        CastMember("Mr. Heckles, Jr.", "?"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("Rachel", 'line 1: found "Rachel", expected "Name, f"', id="no gender"),
        pytest.param("A, f\nRachel, female", 'line 2: found "Rachel, female"', id="another word for the gender"),
        pytest.param(", m", "found no name", id="no name"),
        pytest.param("..., m", "found no name", id="only marks"),
        pytest.param("Kim, f\nKIM, m", 'found "KIM" as m, which stands above as f', id="two genders"),
        pytest.param("x" * 101 + ", f", "a name of 101 characters", id="too long"),
        pytest.param("Kim, f\nRo\0ss, m", "line 2: found a character that can't be stored", id="a binary file"),
    ],
)
def test_a_bad_line_is_told_with_what_was_found_and_expected(text: str, told: str) -> None:
    with pytest.raises(BadCast) as refusal:
        parse_cast(text, source="cast.txt")
    assert told in str(refusal.value)
    assert str(refusal.value).startswith("cast.txt, line")


def test_of_many_bad_lines_ten_are_shown() -> None:
    with pytest.raises(BadCast, match="and 15 more"):
        parse_cast("x\n" * 25)


@given(st.lists(st.tuples(st.from_regex(r"[A-Za-z][\w' .,]{0,30}", fullmatch=True), st.sampled_from(GENDERS))))
def test_what_is_written_is_read_again(rows: list[tuple[str, str]]) -> None:
    try:
        members = parse_cast("\n".join(f"{name}, {gender}" for name, gender in rows))
    except BadCast:
        return
    assert parse_cast(write_cast(members)) == members


@pytest.mark.django_db
class TestCommand:
    @pytest.fixture(autouse=True)
    def collection(self) -> None:
        Collection.objects.create(name="friends", title="Friends")

    def stored(self) -> Collection:
        return Collection.objects.get(name="friends")

    def test_a_file_replaces_the_cast_and_leaves_the_context(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("set_cast", "friends", context="The show\n is Friends.")
        file = tmp_path / "cast.txt"
        for text in ("Ross, m\n", "Rachel, f\nJoey, m\n"):
            file.write_text(text)
            call_command("set_cast", "friends", file)
        assert (self.stored().cast, self.stored().context) == ("Rachel, f\nJoey, m", "The show is Friends.")
        assert "a cast of 2" in capsys.readouterr().out

    def test_a_name_in_two_unicode_forms_is_one(self, tmp_path: Path) -> None:
        file = tmp_path / "cast.txt"
        file.write_text("Zoë, f\nZoe\u0308, f\n")
        call_command("set_cast", "friends", file)
        assert self.stored().cast == "Zoë, f"

    def test_a_bad_file_changes_nothing(self, tmp_path: Path) -> None:
        file = tmp_path / "cast.txt"
        file.write_text("Ross, m")
        call_command("set_cast", "friends", file)
        file.write_text("Ross, m\nRachel")
        with pytest.raises(CommandError, match=r"cast.txt, line 2"):
            call_command("set_cast", "friends", file)
        file.write_bytes("Zoë, f\n".encode() + b"Ren\xe9, m")
        with pytest.raises(CommandError, match=r"cast\.txt, line 2, encoding: found b'\\xe9', expected UTF-8"):
            call_command("set_cast", "friends", file)
        with pytest.raises(CommandError, match="can't be read: No such file"):
            call_command("set_cast", "friends", tmp_path / "none.txt")
        with pytest.raises(CommandError, match="Nothing to set"):
            call_command("set_cast", "friends")
        with pytest.raises(CommandError, match="at most 4,000"):
            call_command("set_cast", "friends", context="x" * 5000)
        assert self.stored().cast == "Ross, m"
