"""Mutants of a file: the same program with one small mistake, of the kinds that a tired developer makes."""

import ast
import copy
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import TypeVar

from tests.paths import ROOT

Kind = TypeVar("Kind")
ROOMS: dict[str, tuple[str, str]] = {
    "rules": (
        "annotation/consensus.py annotation/span_consensus.py annotation/judging/paid_time.py"
        " annotation/review/extend_rule.py annotation/assignment/assignment_policy.py"
        " annotation/qualification/exam_rule.py",
        "annotation/test_consensus.py annotation/test_consensus_rules.py annotation/test_span_consensus.py"
        " annotation/judging/test_work_clock.py annotation/judging/test_paid_time.py"
        " annotation/review/test_extend_rule.py"
        " annotation/assignment/test_assignment_policy.py annotation/assignment/test_staffing.py"
        " annotation/qualification/test_exam_rule.py",
    ),
    "measures": (
        "evaluation/measures",
        "evaluation/measures evaluation/test_charades_sta.py evaluation/test_documentation.py",
    ),
    "annotation": (
        "annotation/judging annotation/review annotation/batches/transitions.py annotation/batches/opening.py",
        "annotation/judging annotation/review annotation/batches/test_opening.py"
        " annotation/batches/test_pools_apart.py annotation/assignment/test_hidden_repeats.py"
        " api/test_judging.py api/test_leading.py",
    ),
    "guards": (
        "foundation/access/guards.py foundation/access/pages.py foundation/access/needs_login.py"
        " foundation/access/outside_roles.py foundation/access/second_factor.py foundation/access/api_tokens.py"
        " foundation/access/collection_standing.py"
        " foundation/accounts/powers.py api/frame campaigns/portal/guard.py",
        "foundation/access/test_api_tokens.py foundation/access/test_guards.py foundation/accounts/test_powers.py"
        " foundation/accounts/test_second_factor.py api/test_description.py api/test_frame.py api/test_site.py"
        " api/test_foreign_rows.py foundation/access/test_reasons_to_log_in.py"
        " test_access.py test_access_of_annotators.py test_logins.py campaigns/test_team_pages.py",
    ),
    "campaigns": ("campaigns", "campaigns api/test_campaigns.py api/test_foreign_rows.py"),
    "runs": (
        "queries/runs evaluation/pooling",
        "queries/runs evaluation/pooling annotation/batches/test_pools.py api/test_recipes.py",
    ),
    "operation": (
        "operation/retention operation/health operation/alerts operation/metrics operation/probes.py operation/system",
        "operation annotation/people/test_erasure.py config/test_monitoring.py",
    ),
}
"""The product's files, and below `tests/` those that are to notice."""
FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
FILTERS = frozenset({"filter", "exclude", "get", "get_object_or_404", "get_or_create", "update_or_create"})
MAKE_WHAT_IT_IS = frozenset(
    "property cached_property staticmethod classmethod dataclass overload contextmanager abstractmethod register"
    " receiver shared_task endpoints cache lru_cache total_ordering wraps".split()
)
"""Decorators without which a function isn't what everybody takes it for: no mistake that could be overlooked."""
TEXT = (ast.JoinedStr, ast.Raise, ast.Assert, ast.arg, ast.AnnAssign)
"""Sentences and annotations: what they say is no behaviour. An annotated name's value is looked into."""


@dataclass(frozen=True)
class Mutant:
    """The `number`th mistake that can be made in a file, and where."""

    file: str
    number: int
    function: str
    """The outermost one or a method, by its qualified name; empty in a module's or class's own lines."""
    line: int
    lines: range
    """Of the statement; of what is decorated or has a default, those of its body."""
    what: str
    at_import: bool
    """Whether only a process that imports the file anew has the mistake."""

    @property
    def name(self) -> str:
        """The same as long as the line is the same, wherever it stands."""
        return f"{self.file} {self.function}: {self.what}"


@dataclass(frozen=True)
class _Place:
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    function: str
    lines: range
    at_import: bool


def mutants_of(file: str) -> list[Mutant]:
    """Args: file: its path below the root."""
    tree = ast.parse((ROOT / file).read_text())
    original = functions_of(compile(tree, file, "exec"))
    found = []
    for number, (place, new) in enumerate(_mistakes(tree)):
        what = f"{_written(place.node)}  ->  {_written(new)}"
        at_import = place.at_import or _closes_over_others(original, compile_mutant(file, number, file))
        line = getattr(place.node, "lineno", place.lines.start)
        found.append(Mutant(file, number, place.function, line, place.lines, what, at_import))
    return found


def compile_mutant(file: str, number: int, path: str) -> CodeType:
    """The module's code; of the number -1 as it is."""
    tree = ast.parse((ROOT / file).read_text())
    if number < 0:
        return compile(tree, path, "exec")
    place, new = next(mistake for at, mistake in enumerate(_mistakes(tree)) if at == number)
    if place.index is None:
        setattr(place.parent, place.field, new)
    elif new is None:
        del getattr(place.parent, place.field)[place.index]
    else:
        getattr(place.parent, place.field)[place.index] = new
    return compile(ast.fix_missing_locations(tree), path, "exec")


def functions_of(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """All functions of a module, by qualified name and first line; of two lambdas on one line none."""
    found: dict[tuple[str, int], CodeType] = {}
    twice = set()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            own = {(constant.co_qualname, constant.co_firstlineno): constant}
            for key, one in (own | functions_of(constant)).items():
                if key in found:
                    twice.add(key)
                found[key] = one
    return {key: one for key, one in found.items() if key not in twice}


def _closes_over_others(original: dict[tuple[str, int], CodeType], mutant: CodeType) -> bool:
    """Whether a function that exists can't be given its new code."""
    return any(
        key in original and one.co_freevars != original[key].co_freevars for key, one in functions_of(mutant).items()
    )


def _mistakes(tree: ast.Module) -> Iterator[tuple[_Place, ast.AST | None]]:
    for place in _places(tree, "", range(0), at_import=True):
        for new in _variants(place):
            yield place, new


def _places(node: ast.AST, function: str, lines: range, *, at_import: bool) -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        within, where, then = function, lines, at_import
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            where = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            within = function if not at_import and function else f"{function}{node.name}"
            then = field != "body"
            if node.name in ("__str__", "__repr__"):
                continue
        elif isinstance(node, ast.ClassDef):
            within = f"{function}{node.name}."
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if not isinstance(child, ast.AST):
                continue
            there = where
            if isinstance(child, ast.stmt) and not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                body = getattr(child, "body", None)
                last = body[0].lineno - 1 if body else child.end_lineno
                there = range(child.lineno, max(child.lineno, last or 0) + 1)
            yield _Place(node, field, index if isinstance(value, list) else None, child, within, there, then)
            if _is_text(child) or (field == "decorator_list" and MAKE_WHAT_IT_IS & {*_names(child)}):
                continue
            yield from _places(child, within, there, at_import=then)


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.If) and _written(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Call) and _written(node.func) in ("_", "gettext", "gettext_lazy", "ngettext"):
        return True
    return isinstance(node, TEXT) and not (isinstance(node, ast.AnnAssign) and node.value)


def _variants(place: _Place) -> Iterator[ast.AST | None]:
    """What stands there in a mutant; None: nothing."""
    node = place.node
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                for other in FLIPS[type(op)]:
                    yield ast.copy_location(
                        ast.Compare(node.left, [*node.ops[:at], other(), *node.ops[at + 1 :]], node.comparators), node
                    )
        case ast.BoolOp():
            yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
            for at in range(len(node.values)):
                left = [*node.values[:at], *node.values[at + 1 :]]
                yield left[0] if len(left) == 1 else _changed(node, values=left)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in OTHER and not any(_is_a_string(one) for one in (node.left, node.right)):
            yield _changed(node, op=OTHER[type(node.op)]())
        case ast.Constant(value=bool() as value):
            yield _changed(node, value=not value)
        case ast.Constant(value=int() | float() as value):
            yield _changed(node, value=1 - value if value in (0, 1) else value + 1)
        case ast.If() | ast.IfExp():
            yield _changed(node, test=ast.Constant(False))
        case ast.comprehension() if node.ifs:
            for at in range(len(node.ifs)):
                yield _changed(node, ifs=[*node.ifs[:at], *node.ifs[at + 1 :]])
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _changed(node, value=ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            yield ast.copy_location(ast.Pass(), node)
        case ast.Call() if (name := _last_name(node.func)) in FILTERS:
            least = 1 if name in ("filter", "exclude") else 2 + (name == "get_object_or_404")
            if len(node.args) + len(node.keywords) >= least:
                first = name == "get_object_or_404"
                for at in range(int(first), len(node.args)):
                    yield _changed(node, args=[*node.args[:at], *node.args[at + 1 :]])
                for at, keyword in enumerate(node.keywords):
                    if keyword.arg != "defaults":
                        yield _changed(node, keywords=[*node.keywords[:at], *node.keywords[at + 1 :]])
    if place.field == "decorator_list" and not MAKE_WHAT_IT_IS & set(_names(node)):
        yield None


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _is_a_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def _written(node: ast.AST | None) -> str:
    if node is None:
        return "nothing"
    if isinstance(node, (ast.If, ast.comprehension)):
        tests = [node.test] if isinstance(node, ast.If) else node.ifs
        return "if " + ", ".join(ast.unparse(one) for one in tests)
    return " ".join(ast.unparse(node).split())[:160]


def files_below(paths: list[str]) -> list[str]:
    """The product's files that mutants are made of."""
    left_out = {"urls.py", "apps.py", "__init__.py", "tasks.py"}
    found = [
        one
        for path in paths
        for one in ([ROOT / path] if path.endswith(".py") else sorted(Path(ROOT / path).rglob("*.py")))
    ]
    return [str(one.relative_to(ROOT)) for one in found if one.name not in left_out and "migrations" not in one.parts]


def living(kind: type[Kind]) -> list[Kind]:
    """The objects in memory of exactly this type. `isinstance` would load lazy ones, such as a request's user."""
    return [one for one in gc.get_objects() if type(one) is kind]
