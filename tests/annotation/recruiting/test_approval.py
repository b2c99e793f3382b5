"""What is suggested and paid, and the files that platforms take."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.recruiting.approval import HEADINGS, SessionRow, amount_due, bonus_lines, suggested
from annotation.recruiting.files import file_of


def row(**said: Any) -> SessionRow:
    usual = {name: "" for name in HEADINGS} | {
        "person": "pid1",
        "session": "s1",
        "study": "st1",
        "outcome": "complete",
        "suggestion": "approve",
        "minutes": 12.345,
        "paid_minutes": 10.0,
        "judgments": 20,
        "exam_out": 0.1,
        "gold": 3,
        "gold_within": 2,
        "alerts": ("Very fast", "Harsh or lenient"),
        "due": Decimal("3.00"),
        "reward": Decimal("2.00"),
        "bonus": Decimal("1.00"),
    }
    return SessionRow(**usual | said)


@pytest.mark.parametrize(
    ("outcome", "alerts", "barred", "said"),
    [
        ("complete", [], False, "approve"),
        ("complete", ["fast"], False, "look"),
        ("short", [], False, "approve"),
        ("complete", ["fast"], True, "reject"),
        ("screened", ["fast"], True, "screened out"),
        ("left", [], True, ""),
        ("", [], False, ""),
    ],
)
def test_nothing_is_rejected_without_a_person_s_decision(
    outcome: str, alerts: list[str], barred: bool, said: str
) -> None:
    assert suggested(outcome, alerts=alerts, barred=barred) == said


def test_an_hour_is_the_platform_s_hour() -> None:
    assert amount_due("hour", Decimal(12), judgments=0, minutes=7.5) == Decimal("1.50")
    assert amount_due("judgment", Decimal("0.035"), judgments=100, minutes=7.5) == Decimal("3.50")
    assert amount_due("session", Decimal("4.2"), judgments=100, minutes=7.5) == Decimal("4.20")


def test_each_platform_gets_the_file_that_it_takes() -> None:
    rows = [row(), row(person="pid2", session="s2", suggestion="reject"), row(person="pid3", suggestion="look")]
    assert file_of("approve", "prolific", rows).lines == [("pid1",)]
    assert file_of("approve", "sona", rows).lines == [("pid1",)]
    assert file_of("approve", "mturk", rows).lines == [
        ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject"),
        ("st1", "s1", "pid1", "x", ""),
        ("st1", "s2", "pid2", "", "The lead has ended this person's part in the work."),
    ]
    toloka = file_of("approve", "toloka", rows)
    assert toloka.ending == "tsv"
    assert toloka.lines[0] == ("ASSIGNMENT:assignment_id", "ACCEPT:verdict", "ACCEPT:comment")
    assert [line[:2] for line in toloka.lines[1:]] == [("s1", "+"), ("s2", "-")]


def test_whose_id_is_gone_is_in_no_platform_s_file() -> None:
    erased = [row(person="", session="")]
    assert file_of("approve", "prolific", erased).lines == []
    assert file_of("bonus", "prolific", erased).lines == []
    assert len(file_of("sessions", "prolific", erased).lines) == 2, "the work was done, and stays"


def test_a_person_s_bonuses_are_added_up() -> None:
    rows = [row(), row(bonus=Decimal("0.50")), row(person="pid2", bonus=Decimal("0.00")), row(suggestion="look")]
    assert bonus_lines(rows) == [("pid1", Decimal("1.50"))]


def test_cells_are_rounded_and_empty_where_nothing_is_known() -> None:
    cells = dict(zip(HEADINGS, row(exam_out=None, minutes=12.345).as_cells(), strict=True))
    assert cells["minutes"] == round(12.345, 2)
    assert cells["exam_out"] == "" and cells["alerts"] == "Very fast; Harsh or lenient"
