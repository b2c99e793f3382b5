"""The plans by which PostgreSQL executed this connection's statements, from its own auto_explain."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

_ON = """
    LOAD 'auto_explain';
    SET auto_explain.log_min_duration = 0;
    SET auto_explain.log_analyze = on;
    SET auto_explain.log_timing = off;
    SET auto_explain.log_format = json;
    SET auto_explain.log_level = notice;
    SET client_min_messages = notice"""


@dataclass(frozen=True, slots=True)
class Plan:
    """A statement and its executed plan, as EXPLAIN (ANALYZE, FORMAT JSON) has it."""

    statement: str
    root: dict[str, Any]

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Every node of the plan."""
        left = [self.root]
        while left:
            node = left.pop()
            left += node.get("Plans", [])
            yield node

    @property
    def rows_handled(self) -> int:
        """Rows that its nodes returned or threw away, over all their loops: grows with the square in a bad loop."""
        return round(sum(_handled(node) for node in self.nodes()))


def _handled(node: dict[str, Any]) -> float:
    removed = sum(value for key, value in node.items() if key.startswith("Rows Removed by"))
    return float(node["Actual Loops"]) * (node["Actual Rows"] + removed)


@contextmanager
def recorded_plans() -> Iterator[list[Plan]]:
    """Gives a list that fills with the plans of what is executed meanwhile."""
    connection.ensure_connection()
    raw = connection.connection
    plans: list[Plan] = []

    def heard(notice: Any) -> None:
        _, found, said = (notice.message_primary or "").partition("plan:\n")
        if found:
            read = json.loads(said)
            plans.append(Plan(read["Query Text"], read["Plan"]))

    raw.add_notice_handler(heard)
    try:
        with connection.cursor() as cursor:
            cursor.execute(_ON)
            yield plans
            cursor.execute("RESET auto_explain.log_min_duration; RESET client_min_messages")
    finally:
        raw.remove_notice_handler(heard)
