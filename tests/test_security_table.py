"""docs/security.md can't rot: each requirement stands there once with a verdict, and the tests it names exist."""

import re
from collections import Counter

import pytest

from tests.paths import ROOT

TABLE = ROOT / "docs" / "security.md"
VERDICT = re.compile(r"met(?:[:,; ] ?\S.*)?|(?:not met|not applicable): \S.*")
CHAPTERS = range(1, 15)


def rows_of(text: str) -> list[list[str]]:
    """The cells of every row that begins with a requirement's number."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if "|" in line]
    return [cells for cells in rows if re.match(r"\d", cells[0])]


def problems(text: str) -> list[str]:
    """What is wrong with the table, a sentence each."""
    rows = rows_of(text)
    found = [f"{row[0]}: found {len(row)} cells, expected 4" for row in rows if len(row) != 4]
    for number, times in Counter(row[0] for row in rows).items():
        if times > 1 or not re.fullmatch(r"(1[0-4]|[1-9])\.\d{1,2}\.\d{1,2}", number):
            found.append(f"{number} stands there {times} times")
    for number, words, verdict, tested in (row for row in rows if len(row) == 4):
        tests = re.findall(r"`(tests/[^`]+)`", tested)
        found += [f"{number}: there is no {path}" for path in tests if not (ROOT / path).is_file()]
        if not words or not VERDICT.fullmatch(verdict):
            found.append(f"{number}: found the verdict {verdict!r}, expected met, not met: WHY or not applicable: WHY")
        if verdict == "met" and not tests:
            found.append(f"{number}: it is met, and no test says so")
        if re.sub(r"`tests/[^`]+`", "", tested).strip():
            found.append(f"{number}: found {tested!r}, expected paths of tests alone")
    return found


def test_every_requirement_has_a_verdict_and_the_tests_that_it_names_exist() -> None:
    assert problems(TABLE.read_text()) == []


def test_the_chapters_are_complete_and_their_requirements_in_order() -> None:
    numbers = [tuple(int(part) for part in row[0].split(".")) for row in rows_of(TABLE.read_text())]
    assert numbers == sorted(numbers) and {number[0] for number in numbers} == set(CHAPTERS)


GOOD = "| 2.1.1 | words | met | `tests/test_access.py` |"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("tests/test_access.py", "tests/none.py", "there is no tests/none.py"),
        ("`tests/test_access.py`", "", "no test says so"),
        ("`tests/test_access.py`", "test_access", "paths of tests alone"),
        ("| met |", "| not met |", "found the verdict"),
        ("| met |", "| perhaps |", "found the verdict"),
        ("2.1.1", "2.1", "stands there"),
        ("| words", "", "found 3 cells"),
    ],
)
def test_a_bad_row_is_told(before: str, after: str, said: str) -> None:
    assert problems(GOOD) == []
    assert any(said in problem for problem in problems(GOOD.replace(before, after)))
