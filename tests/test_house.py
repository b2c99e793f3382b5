"""The house keeps its shape: rooms import from their left alone, and a web process stays light."""

import ast
import os
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    # Counts in words, and how far long work is.
    "foundation": {"evaluation"},
    # Of JSON texts, for description files.
    "corpus": {"foundation", "evaluation"},
    # The recipes of a pool, the rule that merges spans, and the readers of runs: pure, over plain files.
    "queries": {"foundation", "corpus", "evaluation"},
    "annotation": {"foundation", "corpus", "queries", "evaluation"},
    "datasets": {"foundation", "corpus", "queries", "annotation", "evaluation"},
    "campaigns": {"foundation", "corpus", "queries", "annotation", "datasets", "evaluation"},
    "desk": {"foundation", "corpus", "queries", "annotation", "datasets", "campaigns", "evaluation"},
    "operation": {"foundation", "corpus", "queries", "annotation", "datasets", "campaigns", "desk"},
    "api": {"foundation", "corpus", "queries", "annotation", "datasets", "campaigns", "desk"},
    "evaluation": set(),
    "baselines": {"evaluation"},
    # The API for Python programs: it knows the site by its addresses alone.
    "client": set(),
    "demo": {"foundation", "corpus", "queries", "annotation", "datasets", "campaigns", "desk", "evaluation", "config"},
}
ROOMS = {*MAY_IMPORT, "config"}
HEAVY = (
    "torch",
    "flair",
    "sentence_transformers",
    "transformers",
    "openai",
    "av",
    "PIL",
    "faiss",
    "numba",
    "pandas",
    "crowdkit",
    "sklearn",
    "h5py",
)


def imports_of(path: Path) -> set[str]:
    """Top-level names that a file imports anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_from_its_left(room: str) -> None:
    files = list((ROOT / room).rglob("*.py"))
    assert files
    for path in files:
        foreign = (imports_of(path) & ROOMS) - {room} - MAY_IMPORT[room]
        assert not foreign, f"{path.relative_to(ROOT)} imports {sorted(foreign)}"


# The order of the sub-rooms and modules inside a room: each imports from earlier ones alone.
ORDER = {
    "foundation": """lazy refused version text counted markdown models templatetags infra uploads access audit mail
        webhooks collections accounts jobs deletion urls apps management""",
    "corpus": """models description_formats description_import content clips subtitles video_import browse
        deletion_losses urls apps management""",
    "queries": """models language retrieval checks calibration pooling topics runs rewriting review caption_import
        tagger_training urls apps management""",
    "annotation": """consensus consensus_in_words span_consensus grades grade_colours scale figure_tables
        models shown_pair precomputed versioned_texts versioned_text_views agreement factors batches sampling
        assignment review judging consent people gold qualification recruiting machine_judges settings studies
        tryout precomputed_views templatetags urls apps management""",
    "datasets": """models templatetags content formats releases judgment_import judgment_audits leaderboard certificates
        guarantees planning stopping publishing presentation urls apps management""",
    "campaigns": """models topics planning teams scoring submissions mails notifications deletion_losses results portal
        organising comparison pooled archive urls apps management""",
    "desk": """models menu help templatetags steps attention forecast backlog pace charts overview_figures figures
        opening selectors home_card running waiting_mails views urls apps""",
    "operation": "models backup health upgrade metrics probes alerts retention system urls apps management",
    "api": "frame v1 urls",
    "evaluation": """errors texts progress arrays figures moments formats reading measures scores judgments significance
        guarantees stability pooling ir_measures_provider releases outlets report notebook
        commands __main__""",
    "baselines": """errors arrays whole_files version device progress losses reading runs reranking features floors
        models collation retrieval training copy_retrieval commands __main__""",
}


def modules() -> dict[str, Path]:
    """Dotted name -> file, of every module of ours but tests and migrations."""
    found = {}
    for room in (*ROOMS, "benchmarks"):
        for path in (ROOT / room).rglob("*.py"):
            if "migrations" not in path.parts:
                parts = path.relative_to(ROOT).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def modules_imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports anywhere in it."""
    package = path.relative_to(ROOT).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & known.keys()
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                found.add(f"{module}.{alias.name}" if f"{module}.{alias.name}" in known else module)
    return {name for name in found if known.get(name, path) != path}


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = {name: modules_imported(path, known) for name, path in known.items()}
    list(TopologicalSorter(graph).static_order())  # CycleError names the circle


@pytest.mark.parametrize("room", sorted(ORDER))
def test_a_sub_room_imports_only_from_earlier_ones(room: str) -> None:
    known, order = modules(), ORDER[room].split()
    for name, path in known.items():
        here = name.split(".")
        if here[0] != room or len(here) == 1:
            continue
        assert here[1] in order, f"{name}: {here[1]} has no place in ORDER"
        for other in modules_imported(path, known):
            there = other.split(".")
            if there[0] == room and len(there) > 1 and there[1] != here[1]:
                assert order.index(there[1]) < order.index(here[1]), f"{name} imports {other}"


def test_the_api_asks_no_views() -> None:
    known = modules()
    for name, path in known.items():
        if name.startswith("api."):
            assert not [other for other in modules_imported(path, known) if other.endswith((".views", "_views"))], name


def test_a_hall_has_few_modules_beside_its_sub_rooms() -> None:
    for room in (
        "foundation",
        "corpus",
        "evaluation",
        "queries",
        "annotation",
        "datasets",
        "campaigns",
        "demo",
        "baselines",
    ):
        assert len(list((ROOT / room).glob("*.py"))) <= 16, room


@pytest.mark.parametrize("room", ["evaluation", "baselines", "client"])
def test_rooms_of_plain_files_know_no_django(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        assert "django" not in imports_of(path), path


def test_the_baselines_say_what_they_can_do_without_loading_a_library() -> None:
    program = "import sys; from baselines.__main__ import parser; parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & set(HEAVY)


def test_the_import_check_would_see_a_forbidden_import(tmp_path: Path) -> None:
    path = tmp_path / "sneaky.py"
    path.write_text("def f():\n    from annotation.models import Pair\n    import desk.views\n")
    assert imports_of(path) == {"annotation", "desk"}


def test_a_web_process_loads_no_model_and_no_video_library() -> None:
    program = (
        "import sys, json\n"
        "from config.wsgi import application\n"
        "from django.urls import get_resolver\n"
        "get_resolver().url_patterns\n"
        "[p.url_patterns for p in get_resolver().url_patterns]\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ
    )
    loaded = set(done.stdout.replace('"', "").strip("[]\n").split(", "))
    assert "annotation.judging.views" in loaded
    assert not loaded & set(HEAVY)


def test_a_production_that_is_half_set_up_is_refused_and_told_what_to_set() -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("QREELS_SECRET_KEY", "QREELS_ALLOWED_HOSTS", "DATABASE_URL")
    }
    done = subprocess.run(
        [sys.executable, "-m", "config.run", "server"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**environment, "QREELS_ENV": "production"},
        check=False,
    )
    assert done.returncode != 0
    for name in ("QREELS_SECRET_KEY", "QREELS_ALLOWED_HOSTS", "DATABASE_URL"):
        assert name in done.stderr


def test_the_migrations_are_complete() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_setting_from_the_environment_is_in_its_manual() -> None:
    manual = (ROOT / "docs" / "settings.md").read_text()
    named = set()
    code = [path for folder in (*ROOMS, "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    for path in [*code, *(ROOT / "script").iterdir()]:
        for word in path.read_text(errors="ignore").replace('"', " ").replace("'", " ").replace("$", " ").split():
            name = word.strip("{}()[],:;.=-").split(":")[0].split("=")[0]
            if name.startswith("QREELS_") and name.replace("_", "").isalpha() and name.isupper():
                named.add(name)
    assert {"QREELS_ENV", "QREELS_VAR", "QREELS_PYTHON"} <= named
    assert not {name for name in named if f"`{name}`" not in manual}


def test_every_management_command_is_in_its_manual() -> None:
    manual = (ROOT / "docs" / "commands.md").read_text()
    commands = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    assert "export_release" in commands
    assert not {name for name in commands if name not in manual}
