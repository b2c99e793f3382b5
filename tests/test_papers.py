"""docs/papers.md can't rot: what its table names exists, and each row has an id of its own and a verdict."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

TABLE = ROOT / "docs" / "papers.md"
PAPERS = {"TVR-Ranking": "T", "AxIoU": "X", "AxIoU, supplement": "S", "HAP-VR, supplement": "H"}
ROOMS = ("foundation", "corpus", "queries", "annotation", "datasets", "campaigns", "desk")
HEAD = ["id", "in the paper", "what it says", "here", "verdict"]
ID = re.compile(r"[TXSH]-[0-9A-C](?:\.[0-9]+)?-[1-9][0-9]*")
CITES = re.compile(
    r"abstract|sections? |appendix |footnote |equations? |Tables? [0-9]|Figure [0-9]|condition |Property |[A-C]\.[0-9]"
)
VERDICT = re.compile(r"as the paper\b.*|(?:differs|not ours), because \S.*")
LINK = re.compile(r"\[[^]]+\]\(([^)#]+)(?:#([^)]+))?\)")


@dataclass(frozen=True)
class Row:
    """A row of the table: `here` as written, under the heading of its paper."""

    paper: str
    id: str
    source: str
    says: str
    here: str
    verdict: str


def rows_of(text: str) -> list[Row]:
    """All rows. Raises: AssertionError for one that hasn't five cells."""
    paper, found = "", []
    for line in text.splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ")
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == len(HEAD), f"found {len(cells)} cells, expected {len(HEAD)}: {line}"
        if cells != HEAD:
            found.append(Row(paper, *cells))
    return found


def problems(text: str) -> list[str]:
    """What is wrong with the table, a sentence each."""
    rows = rows_of(text)
    counts = Counter(row.id for row in rows)
    found = [f"{id_} stands there {times} times" for id_, times in counts.items() if times > 1]
    for row in rows:
        found += [f"{row.id}: {wrong}" for wrong in _wrong_with(row)]
    return found


def _wrong_with(row: Row) -> Iterator[str]:
    if not ID.fullmatch(row.id) or row.id[0] != PAPERS.get(row.paper):
        yield f"found this id under {row.paper!r}, expected one that begins with {PAPERS.get(row.paper)!r}"
    if not CITES.search(row.source):
        yield f"found {row.source!r}, expected a section, equation, table or figure"
    if not row.says:
        yield "it says nothing"
    if not VERDICT.fullmatch(row.verdict):
        expected = '"as the paper", "differs, because ..." or "not ours, because ..."'
        yield f"found the verdict {row.verdict!r}, expected {expected}"
    named = [*re.findall(r"`([^`]+)`", row.here), *LINK.finditer(row.here)]
    if not named and not row.verdict.startswith("not ours"):
        yield "it names no place"
    rest = re.sub(r"`[^`]+`", "", LINK.sub("", row.here))
    if rest.strip(" ,;"):
        yield f"found {rest.strip()!r} among the places, expected names in backquotes and links alone"
    for name in named:
        wrong = wrong_with_link(name[1], name[2]) if isinstance(name, re.Match) else wrong_with_name(name)
        if wrong:
            yield wrong


def wrong_with_name(name: str) -> str:
    """Why there is no such thing; "" where there is.

    A name is `module` or `module:name` (`module:Class.name`), `manage.py COMMAND`, `python -m evaluation COMMAND`,
    `page URL-NAME`, `env VARIABLE`, or a file.
    """
    if name.startswith("manage.py "):
        there = any(ROOT.glob(f"*/management/commands/{name.removeprefix('manage.py ')}.py"))
    elif name.startswith("python -m evaluation "):
        there = name.removeprefix("python -m evaluation ") in evaluation_commands()
    elif name.startswith("page "):
        there = name.removeprefix("page ") in url_names()
    elif name.startswith("env "):
        there = f"`{name.removeprefix('env ')}`" in (ROOT / "docs" / "settings.md").read_text()
    elif "/" in name:
        there = (ROOT / name).is_file()
    else:
        module, _, definition = name.partition(":")
        path = module_file(module)
        there = path is not None and (not definition or definition in definitions(path))
    return "" if there else f"there is no {name!r}"


def wrong_with_link(file: str, anchor: str | None) -> str:
    """Why a link from docs/ leads nowhere; "" where it leads somewhere."""
    path = TABLE.parent / file
    if not path.is_file() or (anchor and anchor not in anchors(path)):
        return f"the link {file}#{anchor} leads nowhere"
    return ""


@cache
def module_file(module: str) -> Path | None:
    """The file of a module or package of ours."""
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def definitions(path: Path) -> frozenset[str]:
    """What a file defines: functions, classes and assigned names, those of a class as `Class.name`.

    Parsed and not imported: no model has to be loaded to know that its adapter is there.
    """
    return frozenset(_defined(ast.parse(path.read_text()).body))


def _defined(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield prefix + node.name
            yield from _defined(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from (prefix + leaf.id for leaf in ast.walk(target) if isinstance(leaf, ast.Name))


@cache
def evaluation_commands() -> frozenset[str]:
    """The commands of `python -m evaluation`, by each module's NAME."""
    found = (ROOT / "evaluation" / "commands").glob("*.py")
    return frozenset(name for path in found for name in re.findall(r'^NAME = "([^"]+)"', path.read_text(), re.M))


@cache
def url_names() -> frozenset[str]:
    """The URL names of all rooms."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("urls.py"))
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text())))
    return frozenset(
        str(node.value.value)
        for node in nodes
        if isinstance(node, ast.keyword) and node.arg == "name" and isinstance(node.value, ast.Constant)
    )


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors of a manual's headings, as they are made from them, and those written into it."""
    text = path.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    made = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return frozenset(made | set(re.findall(r'<a id="([^"]+)"', text)))


def test_everything_that_the_table_names_exists_and_every_row_has_its_verdict() -> None:
    assert problems(TABLE.read_text()) == []


def test_every_paper_has_its_section_and_the_ids_of_a_section_are_counted_in_order() -> None:
    rows = rows_of(TABLE.read_text())
    assert list(dict.fromkeys(row.paper for row in rows)) == list(PAPERS)
    by_section: dict[str, list[int]] = {}
    for row in rows:
        section, _, number = row.id.rpartition("-")
        by_section.setdefault(section, []).append(int(number))
    assert [section for section, numbers in by_section.items() if numbers != sorted(numbers)] == []


GOOD = "## AxIoU\n\n| X-5-1 | Figure 2 | INV-k. | `evaluation.measures.axiou:AxIoU.cutoff` | as the paper |"


def test_a_good_row_has_no_problem() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (":AxIoU.cutoff", ":AxIoU.cutof", "there is no 'evaluation.measures.axiou:AxIoU.cutof'"),
        ("measures.axiou:", "measures.axio:", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "`manage.py rewrit`", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "`python -m evaluation scor`", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "`page rewritin`", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "`env QREELS_NONE`", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "`docs/none.md`", "there is no"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "[x](evaluation.md#none)", "leads nowhere"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "", "names no place"),
        ("`evaluation.measures.axiou:AxIoU.cutoff`", "AxIoU", "expected names in backquotes"),
        ("as the paper", "as always", "found the verdict"),
        ("as the paper", "differs", "found the verdict"),
        ("as the paper", "not ours, because", "found the verdict"),
        ("X-5-1", "T-5-1", "expected one that begins with 'X'"),
        ("Figure 2", "somewhere", "expected a section"),
        ("INV-k.", "", "says nothing"),
    ],
)
def test_a_bad_row_is_told(before: str, after: str, said: str) -> None:
    assert any(said in problem for problem in problems(GOOD.replace(before, after)))


def test_an_id_that_stands_there_twice_is_told() -> None:
    assert problems(GOOD + "\n" + GOOD.splitlines()[-1]) == ["X-5-1 stands there 2 times"]
