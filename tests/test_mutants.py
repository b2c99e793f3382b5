"""The mutation run's mistakes: where they are made, and that each is one."""

from types import FunctionType

import pytest
from django.utils.functional import SimpleLazyObject

from tests.mutants import ROOMS, compile_mutant, files_below, living, mutants_of
from tests.paths import ROOT

RULE = "annotation/review/extend_rule.py"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_s_files_and_tests_are_there(room: str) -> None:
    files, tests = ROOMS[room]
    assert all((ROOT / path).exists() for path in files.split()) and files_below(files.split())
    assert all((ROOT / "tests" / name).exists() for name in tests.split())


def test_a_mutant_is_the_file_with_one_mistake() -> None:
    said = {mutant.what: mutant for mutant in mutants_of(RULE) if mutant.function == "decide_alone"}
    mutant = said["mean <= finish_to  ->  mean < finish_to"]
    for number, decided in ((-1, "finish"), (mutant.number, None)):
        names: dict[str, object] = {"__name__": "mutant", "__builtins__": __builtins__}
        exec(compile_mutant(RULE, number, RULE), names)
        assert names["decide_alone"](1.0, extend_from=None, finish_to=1.0) == decided  # type: ignore[operator]


def test_functions_are_found_without_loading_what_is_lazy() -> None:
    def found() -> None: ...

    lazy = SimpleLazyObject(lambda: pytest.fail("loaded"))
    assert any(one is found for one in living(FunctionType))
    assert type(lazy) is SimpleLazyObject
