"""A report as somebody opens it from a folder: with the keyboard, on a phone, in the dark, without scripts."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.__main__ import main
from tests.e2e.axe import found_by_axe
from tests.evaluation.files import run_rows, write_json, write_lines

pytestmark = pytest.mark.long

QUERIES = 12


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report on a dozen queries: other gains more with each, mine the less."""
    folder = tmp_path_factory.mktemp("report")
    truth, mine, other = [], [], []
    for number in range(1, QUERIES + 1):
        video, query_id = "a_long_name_of_a_video_" * 3 + str(number), f"q{number}"
        moments = [{"video_name": video, "timestamp": [0, 10], "relevance": grade} for grade in (4, 0)]
        moments[1]["timestamp"] = [20, 30]
        truth.append({"query_id": query_id, "query": f"Somebody opens door {number}.", "relevant_moment": moments})
        mine.append((query_id, [(video, [0, 10], 1.0)]))
        other.append(
            (query_id, [(video, [40 + rank, 41 + rank], 1.0) for rank in range(number)] + [(video, [0, 9], 0.5)])
        )
    write_json(folder / "val.json", truth)
    runs = [write_lines(folder / f"{name}.jsonl", run_rows(*run)) for name, run in (("mine", mine), ("other", other))]
    out = folder / "report.html"
    assert main(["report", *map(str, (folder, *runs)), "--html", str(out), "--draws", "100"]) == 0
    return out.as_uri()


def first_column(page: Any) -> list[str]:
    return [cell.inner_text() for cell in page.locator("#queries tbody tr:visible td:first-child").all()]


def test_it_is_sorted_filtered_and_opened_with_the_keyboard_alone(browser: Any, report: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.goto(report)
    measures = page.locator("section.measure")
    assert measures.count() == 9 and page.locator("section.measure:visible").count() == 1
    page.locator("select").focus()
    page.keyboard.type("NDCG@40,IoU>=0.7")
    assert page.locator("section.measure:visible svg").get_by_text("NDCG@40,IoU>=0.7").is_visible()
    assert page.locator("section.measure:visible").count() == 1
    assert first_column(page) == [f"q{number}" for number in range(QUERIES, 0, -1)], "the largest differences first"
    page.locator("#queries th button", has_text="difference").focus()
    page.keyboard.press("Enter")
    assert first_column(page) == [f"q{number}" for number in range(1, QUERIES + 1)]
    assert page.locator("#queries th[aria-sort=ascending]").inner_text().startswith("difference")
    page.keyboard.press("Enter")
    assert first_column(page)[0] == f"q{QUERIES}"
    page.locator("#queries input").focus()
    page.keyboard.type("DOOR 7")
    assert first_column(page) == ["q7"] and page.locator("#queries [role=status]").inner_text() == "1 shown"
    page.locator("#queries a", has_text="q7").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("details[open]")
    assert "q7" in page.locator("details[open] summary:focus").inner_text()
    assert asked == [report] and failed == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_reads_it_in_either_scheme(browser: Any, report: str, scheme: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    page.goto(f"{report}#q1")
    assert page.locator("details#q1[open]").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert found_by_axe(page).response["violations"] == []
    page.close()


def test_without_scripts_all_is_there_but_sorting_and_filtering(browser: Any, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report)
    assert len(first_column(page)) == QUERIES and page.locator("input, button, select").count() == 0
    assert page.locator("section.measure:visible").count() == 9
    page.locator("summary").first.click()
    assert page.locator("details[open] td", has_text="unjudged").count() > 0
    context.close()
