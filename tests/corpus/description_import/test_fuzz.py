"""Whatever a file holds, its import ends with rows or with BadFile: no other exception, and nothing unstorable."""

import io
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.description_formats import (
    FORMATS,
    BadFile,
    BadRow,
    DescriptionRow,
    FileChoices,
    FilePiece,
    Unreadable,
    guess_format,
)
from corpus.description_formats.fields import KINDS
from corpus.description_import.import_descriptions import import_stream
from corpus.description_import.rejected_rows import Rejections, as_json
from corpus.models import Description
from foundation.models import Collection
from tests.corpus.conftest import row
from tests.corpus.description_formats.test_formats import BEGINNINGS, EGO4D, MAD, MEDVIDQA

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300)
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
GOOD: dict[str, Any] = {
    "tvr": row(1),
    "activitynet": {"duration": 60, "timestamps": [[0, 5]], "sentences": ["Ada waits."]},
    "didemo": {"annotation_id": 7, "description": "a", "video": "v", "times": [[0, 1]], "num_segments": 6},
    "qvhighlights": {"qid": 9, "query": "a", "vid": "v", "duration": 60, "relevant_windows": [[0, 4]]},
    "tacos": {"timestamps": [[0, 5]], "sentences": ["Ada waits."], "fps": 30, "num_frames": 900},
    "mad": MAD["7"],
    "medvidqa": MEDVIDQA[0],
    "ego4d-nlq": EGO4D["videos"][0]["clips"][0],
    "jsonl": {"video": "v", "start": 1, "end": 2, "text": "a", "id": 1, "kind": "v", "duration": 9, "language": "en"},
}
AROUND = {
    "activitynet": b'{"v_film": %b}',
    "didemo": b"[%b]",
    "tacos": b'{"film.avi": %b}',
    "mad": b'{"7": %b}',
    "medvidqa": b"[%b]",
    "ego4d-nlq": b'{"videos": [{"clips": [%b]}]}',
}
slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)


def read(format_name: str, content: bytes) -> tuple[list[DescriptionRow], int]:
    """The rows and the number of problems, which are written down as an import would."""
    written = io.StringIO()
    rejections = Rejections("file", written)

    def refuse(piece: FilePiece, fault: BadRow) -> None:
        rejections.add(piece.line, piece.entry, fault, as_json(piece.value))

    rows = []
    try:
        for piece, made in FORMATS[format_name].read(io.BytesIO(content), end_slack=1.0, refuse=refuse):
            as_json(piece.value).encode("ascii")
            rows.append(made)
    except Unreadable as end:
        rejections.add(end.line, "", end.fault, None)
    for line in written.getvalue().splitlines():
        facts = json.loads(line)
        assert facts["line"] >= 1
        assert len(facts["found"]) <= 110
    str(rejections.as_error()).encode()
    return rows, rejections.total


def assert_storable(rows: list[DescriptionRow]) -> None:
    for good in rows:
        assert 0 <= good.start < good.end < float("inf")
        assert good.kind is None or good.kind in KINDS
        assert good.duration is None or 0 < good.duration < float("inf")
        assert 1 <= len(good.source_id) <= 64
        assert 1 <= len(good.video_name) <= 200
        for text in (good.text, good.video_name, good.source_id, good.entry, good.language or "en"):
            assert "\x00" not in text
            text.encode()


@pytest.mark.parametrize("name", FORMATS)
@slow
@given(content=st.binary(max_size=300))
def test_whatever_bytes_a_file_holds(name: str, content: bytes) -> None:
    rows, _ = read(name, content)
    assert_storable(rows)


@pytest.mark.parametrize("name", FORMATS)
@slow
@given(data=st.data())
def test_whatever_bytes_of_a_good_file_are_changed(name: str, data: st.DataObject) -> None:
    content = bytearray(BEGINNINGS[name] + b"\n" + BEGINNINGS[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        change = data.draw(st.sampled_from(["put", "cut", "add", "end"]))
        if change == "put":
            content[place] = data.draw(st.integers(0, 255))
        elif change == "cut":
            del content[place : place + data.draw(st.integers(1, 9))]
        elif change == "add":
            content[place:place] = data.draw(st.binary(max_size=9))
        else:
            del content[place:]
        if not content:
            break
    rows, _ = read(name, bytes(content))
    assert_storable(rows)
    try:
        assert guess_format(io.BytesIO(content)) in FORMATS
    except BadRow as fault:
        assert fault.field in ("format", "file")


@pytest.mark.parametrize("name", GOOD)
@slow
@given(data=st.data())
def test_whatever_a_row_s_fields_hold(name: str, data: st.DataObject) -> None:
    changes = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(GOOD[name], JSON_VALUES)))
    left_out = data.draw(st.sets(st.sampled_from(sorted(GOOD[name])), max_size=1))
    made = {field: value for field, value in {**GOOD[name], **changes}.items() if field not in left_out}
    content = AROUND.get(name, b"%b") % json.dumps(made).encode()
    rows, problems = read(name, content)
    assert_storable(rows)
    assert len(rows) + problems == descriptions_of(name, made)


def descriptions_of(name: str, made: dict[str, Any]) -> int:
    """How many descriptions a record is about, so far as it says so."""
    windows, sentences = made.get("relevant_windows"), made.get("sentences")
    if name == "qvhighlights" and set(made) == set(GOOD[name]) and isinstance(windows, list):
        return max(1, len(windows))
    lists = isinstance(made.get("timestamps"), list) and isinstance(sentences, list)
    if name in ("activitynet", "tacos") and set(made) == set(GOOD[name]) and lists:
        return len(sentences or ()) if len(made["timestamps"]) == len(sentences or ()) else 1
    if name == "ego4d-nlq" and set(made) == set(GOOD[name]) and made["annotations"] == GOOD[name]["annotations"]:
        return 2
    return 0 if name == "ego4d-nlq" and set(made) == set(GOOD[name]) and made["annotations"] == [] else 1


@slow
@given(cells=st.lists(st.lists(st.text(st.characters(exclude_categories=()), max_size=5), max_size=6), max_size=4))
def test_whatever_cells_a_table_holds(cells: list[list[str]]) -> None:
    lines = ["video,start,end,text", *(",".join(line) for line in cells)]
    rows, _ = read("csv", "\n".join(lines).encode(errors="surrogatepass"))
    assert_storable(rows)


NESTED = {
    **{"tvr": "vid_name", "activitynet": "sentences", "didemo": "video", "tacos": "sentences", "mad": "movie"},
    **{"medvidqa": "video_id", "ego4d-nlq": "clip_uid", "jsonl": "video"},
}


@pytest.mark.parametrize("name", NESTED)
def test_values_nested_at_any_depth_are_a_problem_and_no_crash(name: str) -> None:
    # Around the interpreter's limit for nesting.
    for depth in range(600, 1000, 7):
        made = json.dumps({**GOOD[name], NESTED[name]: 12321}).encode()
        nested = made.replace(b"12321", b"[" * depth + b"]" * depth, 1)
        rows, problems = read(name, AROUND.get(name, b"%b") % nested)
        assert (rows, problems > 0) == ([], True)


@pytest.mark.parametrize("skip_bad", [False, True], ids=["whole", "leaving out bad rows"])
def test_changed_files_are_stored_or_refused(collection: Collection, skip_bad: bool) -> None:
    """The same on the way into the database, for which hypothesis would take too long."""
    stored = 0
    for seed in range(140):
        dice = random.Random(seed)
        name = dice.choice(list(FORMATS))
        content = bytearray(BEGINNINGS[name] + b"\n" + BEGINNINGS[name])
        for _ in range(dice.randint(1, 3)):
            content[dice.randrange(len(content))] = dice.choice([dice.randrange(256), *b'"[]{},0#\n\\e-.'])
        try:
            report = import_stream(
                collection=collection,
                file=io.BytesIO(content),
                name="file",
                choices=FileChoices(name),
                rejected=io.StringIO() if skip_bad else None,
            )
            stored += report.added
        except BadFile as refusal:
            assert refusal.total >= 1
    assert stored == Description.objects.count() > 0
