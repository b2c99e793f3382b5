"""A mapping that lies in a file answers as a dictionary does, and memory doesn't grow with it."""

import subprocess
import sys

import pytest

from evaluation.releases.judged_pairs import JudgedPairs
from evaluation.releases.spilled import Spilled
from evaluation.releases.untrusted_files import PairFields
from tests.paths import ROOT

FACTS = PairFields("7", "a door opens", "v1", (0.5, 1 / 3), None, "A door opens.", 0.25)


def test_it_keeps_what_a_dictionary_keeps_in_its_order() -> None:
    kept = Spilled()
    for key, value in (("b", [1, None, 0.1]), ("a", "é"), ("\ud800", {"x": 10**30}), ("b", 2)):
        kept[key] = value
    assert list(kept.items()) == [("b", 2), ("a", "é"), ("\ud800", {"x": 10**30})]
    assert [key for key, _ in kept.items(by_key=True)] == ["a", "b", "\ud800"]
    assert (len(kept), "a" in kept, "c" in kept) == (3, True, False)
    assert (kept["b"], kept.get("c"), kept.get("c", 5)) == (2, None, 5)
    with pytest.raises(KeyError):
        kept["c"]


def test_a_pair_is_taken_up_again_where_its_rows_do_not_follow_each_other() -> None:
    pairs = JudgedPairs()
    for pair, grade in (("1", 3), ("2", 0), ("1", 4)):
        pairs.take(pair, FACTS._replace(query_id=pair)).grades.append(grade)
    assert [(pair, found.grades, found.facts.query_id) for pair, found in pairs.items()] == [
        ("1", [3, 4], "1"),
        ("2", [0], "2"),
    ]
    found = pairs.get("1")
    assert found is not None and found.facts == FACTS._replace(query_id="1")
    assert pairs.get("3") is None


def test_a_hundred_thousand_pairs_take_no_more_memory_than_a_thousand() -> None:
    program = """
import resource
from evaluation.releases.judged_pairs import JudgedPairs
from tests.evaluation.releases.test_spilled import FACTS

pairs = JudgedPairs()

def fill(first, last):
    for number in range(first, last):
        pair = pairs.take(str(number), FACTS._replace(query="a door opens " * 20))
        pair.grades += [1, 2]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

few = fill(0, 1_000)
print(fill(1_000, 100_000) - few)
"""
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(said.stdout) < 24 << 10, "KiB; in dictionaries they would be 60 MiB"
