"""``select``: models selected on validation by each measure, and their scores on test."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..commands.inputs import add_convention, add_run_format, read_runs
from ..commands.outputs import note, print_json, show_progress, write_files
from ..errors import EvaluationError
from ..figures.line_panels import Panel, PlotLine, line_panels
from ..figures.text_table import figure, table
from ..measures.usual import SINGLE
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading import read_ground_truth
from ..scores.conventions import convention_named
from ..stability.model_selection import ModelSelection, select_models
from ..stability.pictures import by_family
from ..texts import counted

NAME = "select"
HELP = "Select a model on validation by each measure, and compare the choices on test."
TEST_MEASURES = [name for name in SINGLE if name.startswith("R@") and name != "R@10,IoU>0.3"]
"""Those of the paper: R@10,IoU>0.3 saturates."""
_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("validation", type=Path, metavar="VAL", help="the ground truth of the validation split")
    parser.add_argument("runs", type=Path, metavar="VAL_RUNS", help="a folder with one run per variant")
    parser.add_argument("test", type=Path, metavar="TEST", help="the ground truth of the test split")
    parser.add_argument("test_runs", type=Path, metavar="TEST_RUNS", help="a folder with the variants' runs on test")
    parser.add_argument("--measures", nargs="+", metavar="M", default=SINGLE, help="to select by (AxIoU's twelve)")
    parser.add_argument(
        "--test-measures", nargs="+", metavar="M", default=TEST_MEASURES, help="to score by (the paper's eight R@K)"
    )
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="write the figure there, as SVG")
    parser.add_argument("--json", action="store_true", help="print the selection and nothing else")
    add_convention(parser)
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, select, score, print, draw."""
    convention = convention_named(options.convention)
    files, test_files = _variants(options.runs), _variants(options.test_runs)
    missing = sorted(files.keys() - test_files.keys())
    if missing:
        raise EvaluationError(
            f"{options.test_runs} has no run of {counted(len(missing), 'variant')}, {missing[0]} for one: "
            f"expected a file of the same name as in {options.runs}"
        )

    validation, test = read_ground_truth(options.validation), read_ground_truth(options.test)

    def read(name: str, path: Path, truth: GroundTruth) -> Run:
        # Whatever its file ends in, a variant has one name in both folders.
        return replace(read_runs(options, [path], truth)[0], name=name)

    def all_of_them() -> Iterator[Run]:
        for number, (name, path) in enumerate(files.items(), start=1):
            yield read(name, path, validation)
            show_progress(number, len(files), "variants")

    selection = select_models(
        validation,
        all_of_them(),
        list(dict.fromkeys(options.measures)),
        test,
        lambda name: read(name, test_files[name], test),
        list(dict.fromkeys(options.test_measures)),
        convention=convention,
    )
    if options.figures:
        _draw(options.figures, selection)
    if options.json:
        note(f"as {convention.name}: {convention.description}")
        print_json(_as_data(selection))
        return
    print(f"{counted(selection.variants, 'variant')}; each measure's best on {options.validation.name},")
    print(f"on {options.test.name}: score (Z-score over the {len(selection.measures)} choices)")
    print(f"as {convention.name}: {convention.description}\n")
    rows = [
        [measure, winner, str(tied), *(f"{figure(s)} ({z:+.2f})" for s, z in zip(scores, zs, strict=True))]
        for measure, winner, tied, scores, zs in zip(
            selection.measures,
            selection.winners,
            selection.tied.tolist(),
            selection.scores.tolist(),
            selection.z.tolist(),
            strict=True,
        )
    ]
    print(table(["selected by", "variant", "tied", *selection.test_measures], rows))


def _variants(folder: Path) -> dict[str, Path]:
    """The runs of a folder by name, sorted."""
    if not folder.is_dir():
        raise EvaluationError(f"{folder} is no folder: expected one with a run of each variant")
    variants: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        ending = next((end for end in reversed(_ENDINGS) if path.name.endswith(end)), None)
        if ending is None or not path.is_file():
            continue
        name = path.name.removesuffix(ending)
        if name in variants:
            raise EvaluationError(f"{folder} has two runs named {name!r}: rename one file")
        variants[name] = path
    if not variants:
        raise EvaluationError(f"{folder} has no run: expected files that end in {', '.join(_ENDINGS)}")
    return variants


def _as_data(selection: ModelSelection) -> dict[str, object]:
    return {
        "variants": selection.variants,
        "selected": {
            measure: {
                "variant": selection.winners[m],
                "tied": selection.tied[m],
                "scores": dict(zip(selection.test_measures, selection.scores[m].tolist(), strict=True)),
                "z": dict(zip(selection.test_measures, selection.z[m].tolist(), strict=True)),
            }
            for m, measure in enumerate(selection.measures)
        },
    }


def _draw(folder: Path, selection: ModelSelection) -> None:
    """One panel per family of measures, one line per measure on validation (Figure 8)."""
    panels = [
        Panel(
            f"Selected by {heading}",
            [PlotLine(label, list(enumerate(selection.z[place].tolist()))) for place, label in members],
        )
        for heading, members in by_family(selection.measures).items()
    ]
    drawn = line_panels(
        panels,
        title="Models selected on validation, on test",
        x_label="measure on test",
        y_label="Z-score",
        x_names=selection.test_measures,
        note=f"Z-scores over the {len(selection.measures)} models selected; n = {selection.variants:,} variants",
    )
    write_files(folder, {"model-selection.svg": drawn})
