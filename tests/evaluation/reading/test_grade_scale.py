"""Scales of files: grades of more than one digit, steps, and tables that say what a file's grades stand for."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import InputError
from evaluation.reading.grade_scale import GradeScale, read_table, table_in, table_in_words
from evaluation.reading.judgments import read_judgments

HEADER = "pair_id,worker,relevance\n"


def raw(folder: Path, *grades: str) -> Path:
    path = folder / "raw.csv"
    path.write_text(HEADER + "".join(f"p{place},w,{grade}\n" for place, grade in enumerate(grades)))
    return path


@pytest.mark.parametrize(("top", "step", "bad"), [(1, 1, "2"), (3, 1, "4"), (100, 1, "101"), (100, 25, "30")])
def test_every_grade_of_a_scale_is_read_and_no_other(tmp_path: Path, top: int, step: int, bad: str) -> None:
    scale = GradeScale(top, step)
    read = read_judgments(raw(tmp_path, *map(str, scale.grades)), top_grade=top, step=step)
    assert read.grade.tolist() == list(scale.grades)
    with pytest.raises(InputError, match=rf"raw.csv, line 2: found relevance '{bad}', expected a whole number from 0"):
        read_judgments(raw(tmp_path, bad), top_grade=top, step=step)


@pytest.mark.parametrize("text", ["", "-1", "1.0", "00", "٣", "1_0", "+1", "0x1", "9" * 5000])
def test_what_looks_like_a_grade_is_none(text: str) -> None:
    with pytest.raises(InputError, match="expected a whole number from 0 to 100"):
        GradeScale(100).read(Path("a.csv"), "line 2", text)


@given(st.integers(0, 100))
def test_numbers_are_read_as_they_are_written(grade: int) -> None:
    assert GradeScale(100).read(Path("a.csv"), "line 2", f" {grade} ") == grade


def test_a_table_says_what_words_and_numbers_stand_for(tmp_path: Path) -> None:
    table = table_in("0=0, 1=2\nrelevant=4", GradeScale())
    assert table == {"0": 0, "1": 2, "relevant": 4} and table_in(table_in_words(table), GradeScale()) == table
    read = read_judgments(raw(tmp_path, "relevant", "1", "0"), table=table)
    assert read.grade.tolist() == [4, 2, 0]
    with pytest.raises(InputError) as refused:
        read_judgments(raw(tmp_path, "1", "3", "2"), table=table)
    assert "line 3: found relevance '3', expected one of the table of grades: 0, 1, relevant" in str(refused.value)
    assert "line 4: found relevance '2'" in str(refused.value)


def test_a_table_comes_from_a_file_with_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "grades.txt"
    path.write_text("# ours = theirs\n\nnot at all=0\na=b=100\n")
    assert read_table(str(path), GradeScale(100, 25)) == {"not at all": 0, "a=b": 100}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0=0,1", "table of grades, entry 2: found '1', expected WORD=GRADE"),
        ("0=0,=1", "table of grades, entry 2: found '=1', expected WORD=GRADE"),
        ("0=0,0=1", "table of grades, entry 2: found '0' a second time, expected each word once"),
        ("0=0,1=5", "table of grades, entry 2: found '1' '5', expected a whole number from 0 to 4"),
        (" ,\n", "table of grades: found no entry, expected WORD=GRADE"),
    ],
)
def test_a_table_that_is_none_says_where(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        table_in(text, GradeScale())


def test_a_file_of_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"grades\.txt"):
        read_table(str(tmp_path / "grades.txt"), GradeScale())


def test_label_studio_s_choices_ratings_and_numbers_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    values = [{"choices": ["partly"]}, {"rating": 5}, {"number": 40}]
    tasks = [
        {"id": n, "data": {}, "annotations": [{"completed_by": 1, "result": [{"value": value}]}]}
        for n, value in enumerate(values)
    ]
    path.write_text(json.dumps(tasks))
    table = {"partly": 50, "5": 100, "40": 40}
    assert read_judgments(path, top_grade=100, step=10, table=table).grade.tolist() == [50, 100, 40]
    path.write_text(json.dumps(tasks[2:]))
    assert read_judgments(path, top_grade=100, step=10).grade.tolist() == [40]


def test_what_nobody_judged_stays_so_unless_the_table_names_it(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("q1 w1 v@0-5 2\nq1 w1 v@5-9 -1\n")
    assert read_judgments(path, table={"2": 4}).grade.tolist() == [4]
    assert read_judgments(path, table={"2": 4, "-1": 0}).grade.tolist() == [4, 0]
