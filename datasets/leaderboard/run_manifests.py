"""What made a run: the manifest beside a run of `python -m baselines`, checked when it is uploaded."""

import json
import math
from typing import IO, Any

from django.utils.translation import gettext as _

from evaluation.figures.line_panels import Panel, PlotLine, line_panels
from foundation.refused import FileRefused
from foundation.text import UNSTORABLE

FORMAT = "qreels run 1"
ENDING = ".manifest.json"
MAX_BYTES = 1 << 18
"""The largest manifest: 256 KiB; one with the log of a whole training has a tenth of it."""
LONGEST = 120
"""Characters of a text that is shown."""


def manifest_name(run_file: str) -> str:
    """The name of the manifest that lies beside a run's file.

    >>> manifest_name("XML-top20-test-seed1.jsonl.gz")
    'XML-top20-test-seed1.manifest.json'
    """
    return run_file.removesuffix(".gz").removesuffix(".jsonl") + ENDING


def read_manifest(file: IO[bytes], *, split: str) -> dict[str, Any]:
    """A run's manifest as it is stored.

    Raises: FileRefused if it is too large, no such JSON, or of another split than the board's.
    """
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise FileRefused(
            _("The manifest is larger than %(most)s KiB: expected what `retrieve` wrote.") % {"most": MAX_BYTES >> 10},
            field="manifest",
        )
    try:
        manifest = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        sentence = _("The manifest is no JSON that can be read (%(problem)s).")
        raise FileRefused(sentence % {"problem": error}, field="manifest") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        shown = manifest.get("format") if isinstance(manifest, dict) else manifest
        raise FileRefused(
            _("Found the manifest's format %(found)s, expected %(expected)s.")
            % {"found": repr(str(shown)[:LONGEST]), "expected": repr(FORMAT)},
            field="manifest",
        )
    for key, kinds, expected in (
        ("system", str, "text"),
        ("split", str, "val or test"),
        ("seed", int, "a whole number"),
        ("top", int | None, "a whole number or null"),
        ("loss", str | None, "text or null"),
        ("features", dict | None, "an object or null"),
        ("log", list | None, "a list or null"),
        ("family", str | None, "text or null"),
    ):
        value = manifest.get(key)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise FileRefused(
                _("Found %(key)s %(found)s in the manifest, expected %(expected)s.")
                % {"key": key, "found": repr(str(value)[:LONGEST]), "expected": expected},
                field="manifest",
            )
    if manifest["split"] != split:
        raise FileRefused(
            _("The manifest is of a run on %(found)s, and this is the board of %(split)s.")
            % {"found": repr(manifest["split"][:LONGEST]), "split": split},
            field="manifest",
        )
    stored: dict[str, Any] = _storable(manifest)
    return stored


def family_of(manifest: dict[str, Any]) -> str:
    """What a run shares with machine judges that might favour it: the family that it declares, or else the encoder of
    its frames; "" where neither is known.

    >>> family_of({"family": "CLIP"}), family_of({"features": {"name": "efficientnet-lite0"}}), family_of({})
    ('CLIP', 'efficientnet-lite0', '')
    """
    features = _part(manifest, "features")
    return str(manifest.get("family") or _part(features, "frames").get("name") or features.get("name") or "")[:LONGEST]


def summary_of(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """What a page shows of a manifest: names and values, as far as they are there."""
    features = manifest.get("features") or {}
    frames, text = _part(features, "frames"), _part(features, "text")
    code = _part(manifest, "code")
    rows = [
        (_("System"), manifest.get("system")),
        (_("Family"), manifest.get("family")),
        (_("Moments a training query (N)"), manifest.get("top")),
        (_("Seed"), manifest.get("seed")),
        (_("Loss"), manifest.get("loss")),
        (_("Frames"), frames.get("name") or features.get("name")),
        (_("Words"), text.get("name")),
        (_("Frames a second"), features.get("frames_per_second")),
        (_("Seconds a clip"), features.get("clip_seconds")),
        (_("Release"), _part(manifest, "release").get("name")),
        (_("Code"), " ".join(str(code[key])[:40] for key in ("name", "version", "revision") if code.get(key))),
    ]
    return [(name, str(value)[:LONGEST]) for name, value in rows if value not in (None, "", {})]


def curve_of(manifest: dict[str, Any]) -> str | None:
    """The training's losses and validations over the epochs, as SVG; None where the manifest has no two of them."""
    rows = [row for row in manifest.get("log") or [] if isinstance(row, dict) and _number(row.get("epoch")) is not None]
    if len(rows) < 2:
        return None
    panels = [
        Panel(heading, lines)
        for key, heading in (("validation", "On val"), ("losses", "Training loss, by part"))
        if (lines := _lines(rows, key))
    ]
    if not panels:
        return None
    title = f"Training of {str(manifest['system'])[:40]}, seed {manifest['seed']}"
    return line_panels(
        panels,
        title=title,
        x_label="epoch",
        y_label="",
        note="From the run's manifest.",
        from_zero=True,
        across=1,
        own_heights=True,
    )


def _lines(rows: list[dict[str, Any]], key: str) -> list[PlotLine]:
    names = list(dict.fromkeys(str(name)[:LONGEST] for row in rows for name in _part(row, key)))[:6]
    lines = []
    for name in names:
        points = [(row["epoch"], value) for row in rows if (value := _number(_part(row, key).get(name))) is not None]
        if len(points) > 1:
            lines.append(PlotLine(name, points))
    return lines


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e12:
        return None
    return float(value) if math.isfinite(value) else None


def _part(record: dict[str, Any], key: str) -> dict[str, Any]:
    part = record.get(key)
    return part if isinstance(part, dict) else {}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _storable(value: Any) -> Any:
    """The value without characters that the database can't store."""
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value
