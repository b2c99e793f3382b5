"""Description files as people have them: separators, charsets, times and headers, taken as meant and said aloud."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from corpus.description_formats import DETECTED, BadFile, BadRow, DescriptionRow, FileChoices, Unreadable, understand
from corpus.description_formats.charsets import whole_text
from corpus.description_import.import_descriptions import import_descriptions
from corpus.models import Description
from foundation.models import Collection


def read(content: bytes, choices: FileChoices = DETECTED) -> list[DescriptionRow]:
    def refuse(piece: object, fault: BadRow) -> None:
        raise fault

    understood = understand(io.BytesIO(content), choices)
    return [row for _, row in understood.format.read(understood.file, end_slack=1.0, refuse=refuse)]


def remarks(content: bytes, choices: FileChoices = DETECTED) -> list[str]:
    return [sentence for _, sentence in understand(io.BytesIO(content), choices).remarks]


PLAIN = "video,start,end,text\nfilm,4,62.5,Ada öffnet die Tür.\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(PLAIN.encode(), [], id="commas and UTF-8"),
        pytest.param(PLAIN.encode("utf-8-sig"), [], id="a byte order mark"),
        pytest.param(PLAIN.encode("cp1252"), ["Read as Windows-1252 (Latin-1)"], id="Windows-1252"),
        pytest.param(PLAIN.encode("utf-16"), ["Read as UTF-16"], id="UTF-16 with its mark"),
        pytest.param(PLAIN.encode("utf-16-be"), ["Read as UTF-16"], id="UTF-16 without a mark, the other way round"),
        pytest.param(PLAIN.replace(",", "\t").encode(), ["Cells are separated by tabs"], id="tabs"),
        pytest.param(
            PLAIN.replace(",", ";").replace("62.5", "62,5").encode(),
            ["Cells are separated by semicolons"],
            id="semicolons and a decimal comma",
        ),
        pytest.param(PLAIN.replace("62.5", "1:02.5").replace("4", "0:04").encode(), [], id="minutes and seconds"),
        pytest.param(PLAIN.replace("62.5", "0:01:02.500").encode(), [], id="hours, minutes and seconds"),
        pytest.param(
            PLAIN.replace(",", ";").replace("62.5", "00:01:02,500").encode(),
            ["Cells are separated by semicolons"],
            id="a decimal comma after minutes and seconds",
        ),
        pytest.param(PLAIN.replace("video", "VIDEO").replace("text", " Text ").encode(), [], id="other cases"),
        pytest.param(
            PLAIN.replace("video,start,end,text", "Video_ID,Start Time,end-time,Description").encode(),
            ["Columns: video is Video_ID, start is Start Time, end is end-time, text is Description"],
            id="usual synonyms",
        ),
        pytest.param(
            PLAIN.replace(",", ";").replace("video;", "Vidéo;vid;").replace("film;", "x;film;").encode("cp1252"),
            ["Read as Windows-1252 (Latin-1)", "Cells are separated by semicolons", "Columns: video is vid"],
            id="all at once",
        ),
    ],
)
def test_a_file_is_read_as_meant(content: bytes, said: list[str]) -> None:
    (row,) = read(content)
    assert (row.video_name, row.start, row.end, row.text) == ("film", 4.0, 62.5, "Ada öffnet die Tür.")
    assert remarks(content) == ["Detected format: csv", *said]


def test_other_formats_are_read_from_utf_16_too_but_json_is_never_windows_1252() -> None:
    line = '{"video": "film", "start": 1, "end": 2, "text": "Ada öffnet."}\n'
    assert read(line.encode("utf-16"))[0].text == "Ada öffnet."
    with pytest.raises(BadRow, match="expected UTF-8"):
        read(line.encode("cp1252"))
    assert read(line.encode("cp1252"), FileChoices(charset="windows-1252"))[0].text == "Ada öffnet."
    assert read("3MSZA 1 2##Ada öffnet.".encode("cp1252"))[0].text == "Ada öffnet."


def test_a_single_byte_far_behind_the_beginning_tells_the_charset() -> None:
    content = b"video,start,end,text\n" + b"film,1,2,Ada waits.\n" * 100_000 + "film,1,2,Ada öffnet.\n".encode("cp1252")
    assert "Read as Windows-1252 (Latin-1)" in remarks(content)
    assert read(content)[-1].text == "Ada öffnet."


ZOE = {"UTF-8": "Zoë".encode(), "Windows-1252": "Zoë".encode("cp1252")}
ROWS = {
    "charades-sta": b"film 1 2##%b waits.\n",
    "csv": b"film,1,2,%b waits.\n",
    "jsonl": b'{"video": "film", "start": 1, "end": 2, "text": "%b waits."}\n',
    "tvr": b'{"vid_name": "film", "duration": 9, "ts": [1, 2], "desc": "%b waits.", "type": "v", "desc_id": "k"}\n',
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(["UTF-8", "Windows-1252"], id="as many of each"),
        pytest.param(["Windows-1252", "Windows-1252", "Windows-1252", "UTF-8"], id="UTF-8 in one row alone"),
        pytest.param(["UTF-8", "UTF-8", "Windows-1252"], id="UTF-8 in most"),
    ],
)
def test_rows_of_another_charset_are_refused_and_never_read_as_something_else(name: str, rows: list[str]) -> None:
    content = (b"video,start,end,text\n" if name == "csv" else b"") + b"".join(ROWS[name] % ZOE[row] for row in rows)
    understood = understand(io.BytesIO(content))
    refused: list[tuple[int, str, str]] = []
    read = understood.format.read(
        understood.file, end_slack=1.0, refuse=lambda piece, bad: refused.append((piece.line, bad.found, bad.expected))
    )
    assert {row.text for _, row in read} == {"Zoë waits."}
    first = 2 if name == "csv" else 1
    assert [line for line, _, _ in refused] == [at for at, row in enumerate(rows, first) if row == "Windows-1252"]
    assert {(shown, expected[:5]) for _, shown, expected in refused} == {(repr(b"\xeb"), "UTF-8")}


def test_one_row_of_two_charsets_is_refused() -> None:
    content = b"film 1 2##%b and %b wait.\n" % tuple(ZOE.values())
    with pytest.raises(BadRow, match=r"encoding: found b'\\xeb', expected UTF-8 \(byte 22\)"):
        read(content)


def test_a_charset_that_is_not_told_is_asked_for_with_the_line_that_needs_it() -> None:
    content = b"film 1 2##Ada waits.\n" + "film 2 3##Ада пьет чай.\n".encode("cp1251")
    with pytest.raises(Unreadable) as refusal:
        read(content)
    assert (refusal.value.line, refusal.value.fault.choice) == (2, "charset")


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_text_of_a_small_file_is_read_by_the_same_rule(charset: str) -> None:
    assert whole_text("Zoë, f\r\nBo, m\n".encode(charset)) == "Zoë, f\r\nBo, m\n"
    with pytest.raises(Unreadable) as refusal:
        whole_text(b"Bo, m\nAnd %b, f\n%b, f\n" % tuple(ZOE.values())[::-1])
    assert (refusal.value.line, str(refusal.value)) == (2, r"encoding: found b'\xeb', expected UTF-8 (byte 7)")


def test_what_somebody_chose_holds_and_is_not_said() -> None:
    content = "a;b;c;d\nfilm;1;2;Ада пьет чай.\n".encode("cp1251")
    columns = {"video": "a", "start": "b", "end": "c", "text": "D"}
    chosen = FileChoices("csv", "windows-1251", "semicolon", columns)
    assert read(content, chosen)[0].text == "Ада пьет чай."
    assert remarks(content, chosen) == []


def test_a_file_with_the_four_columns_is_read_by_their_own_names_alone() -> None:
    """Such a file was always read so: its ids would change, and its descriptions come twice."""
    (row,) = read(b"video,start,end,text,desc_id,type,caption\nfilm,1,2,Ada waits.,7,scene,x\n")
    assert row.derived and row.kind is None
    (row,) = read(b"video_id,start,end,text,desc_id,type\nfilm,1,2,Ada waits.,7,vt\n")
    assert (row.source_id, row.kind) == ("7", "vt")
    (row,) = read(
        b"video_id,start,end,text,desc_id,type\nfilm,1,2,Ada waits.,7,scene\n",
        FileChoices(columns={"kind": "-", "id": "-"}),
    )
    assert row.derived and row.kind is None


@pytest.mark.parametrize(
    ("content", "choices", "choice", "told"),
    [
        pytest.param("once upon", FileChoices(), "format", "a format that can be detected", id="no format"),
        pytest.param(
            "a,b,c,d\n", FileChoices("csv"), "columns", "the columns video, start, end, text", id="other headers"
        ),
        pytest.param(
            "vid,start,end,desc,caption\n", FileChoices(), "columns", "one column for text", id="two that may be meant"
        ),
        pytest.param(
            "video,start,end,text\n",
            FileChoices(columns={"text": "words"}),
            "columns",
            "the column words for text",
            id="none",
        ),
        pytest.param(
            "video,start,end,x\n",
            FileChoices("csv", columns={"text": "video"}),
            "columns",
            "one field a column",
            id="one column for two fields",
        ),
    ],
)
def test_what_is_ambiguous_is_asked_for(content: str, choices: FileChoices, choice: str, told: str) -> None:
    with pytest.raises((BadRow, Unreadable)) as refusal:
        understand(io.BytesIO(content.encode()), choices)
    fault = getattr(refusal.value, "fault", refusal.value)
    assert fault.choice == choice and told in fault.expected


@pytest.mark.django_db
class TestCommand:
    def take(self, path: Path, content: bytes, *options: str) -> None:
        path.write_bytes(content)
        call_command("import_descriptions", "paper", str(path), *options)

    def test_says_what_it_took_and_which_option_overrides_it(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.take(tmp_path / "a.csv", "vid;start;end;text\nfilm;0:04;5,5;Ada geht früh.\n".encode("cp1252"))
        assert capsys.readouterr().out.splitlines()[:4] == [
            "Detected format: csv (--format overrides it).",
            "Read as Windows-1252 (Latin-1) (--charset overrides it).",
            "Cells are separated by semicolons (--separator overrides it).",
            "Columns: video is vid (--column overrides it).",
        ]
        assert Description.objects.get().moment.end == 5.5

    @pytest.mark.parametrize(
        ("content", "options", "told"),
        [
            (b"once upon", [], "--format names the format."),
            (b"a,b,c\n", ["--format=csv"], "--column FIELD=HEADER names a column."),
            ("video,start,end,text\nfilm,1,2,Ада пьет чай\n".encode("cp1251"), [], "--charset names the charset."),
            (b"a,b,c\n", ["--column=text"], "--column: found 'text', expected FIELD=HEADER"),
            (b"a,b,c\n", ["--column=words=a"], "--column: found 'words=a', expected FIELD=HEADER"),
        ],
    )
    def test_names_the_option_that_settles_it(
        self, tmp_path: Path, content: bytes, options: list[str], told: str
    ) -> None:
        with pytest.raises(CommandError) as refusal:
            self.take(tmp_path / "a.csv", content, *options)
        assert told in str(refusal.value)

    def test_takes_a_column_by_another_name(self, tmp_path: Path) -> None:
        self.take(
            tmp_path / "a.csv", b"video,start,end,Satz\nfilm,1,2,Ada wartet.\n", "--format=csv", "--column=text=Satz"
        )
        assert Description.objects.get().text == "Ada wartet."


def test_the_same_rows_in_another_dialect_are_the_same_descriptions(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"video,start,end,text\nfilm,64.5,70,Ada waits.\n")
    assert import_descriptions(collection=collection, path=path).added == 1
    path.write_bytes("Video ID\tBegin\tEnd\tCaption\nfilm\t1:04,5\t1:10\tAda waits.\n".encode("utf-16"))
    report = import_descriptions(collection=collection, path=path)
    assert (report.added, report.unchanged) == (0, 1)


def test_a_problem_carries_the_choice_that_settles_it(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"once upon a time")
    with pytest.raises(BadFile) as refusal:
        import_descriptions(collection=collection, path=path)
    assert [problem.choice for problem in refusal.value.problems] == ["format"]
