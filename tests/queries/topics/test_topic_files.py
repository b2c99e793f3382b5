"""Files of topics: each format, what is bad in them, and how a file's format is told."""

import gzip
from io import BytesIO
from typing import Any

import pytest

from corpus.description_formats import BadRow, FilePiece, Unreadable
from corpus.description_import.row_files import read_rows
from queries.topics.readers import TOPICS, TopicFileChoices
from queries.topics.topic_rows import SourceTopic, derived_id

TREC = b"""<?xml version="1.0"?>
<top>
<num> Number: 701
<title> U.S.  oil
 industry history

<desc> Description:
Describe the history of the U.S. oil industry.

<narr> Narrative:
Relevant are drilling &amp; pumping.

Not relevant: a tanker alone.
</top>
<top><num>702</num><title>Pearl farming</title></top>
<TOP>
<num> Number: 703
<desc> Description: Somebody
opens a door.
</TOP>
"""


def read(content: bytes, **choices: Any) -> tuple[str, list[SourceTopic], list[str]]:
    """Format, good rows, and the bad ones as "LINE FIELD: FOUND | EXPECTED"."""
    refused: list[str] = []

    def refuse(piece: FilePiece, bad: BadRow) -> None:
        refused.append(f"{piece.line} {bad.field}: {bad.found} | {bad.expected}")

    file = read_rows(BytesIO(content), TopicFileChoices(**choices), TOPICS)
    return file.format, list(file.rows(refuse)), refused


def test_trecs_topics_are_read_with_and_without_closing_tags() -> None:
    name, rows, refused = read(TREC)
    assert (name, refused) == ("trec", [])
    assert [(row.line, row.topic_id, row.text) for row in rows] == [
        (2, "701", "U.S. oil industry history"),
        (15, "702", "Pearl farming"),
        (16, "703", "Somebody opens a door."),
    ]
    assert rows[0].narrative == (
        "Describe the history of the U.S. oil industry.\n\n"
        "Relevant are drilling & pumping.\n\nNot relevant: a tanker alone."
    )
    assert rows[1].narrative is None and rows[2].narrative is None


def test_ids_are_decoded_where_releases_write_them_so() -> None:
    assert [row.topic_id for row in read(b"q%3A1\tA man sings.\nq:2\tB\n100%\tC\n")[1]] == ["q:1", "q:2", "100%"]
    tagged = b"<top>\n<num> Number: a%20b%2Fc\n<title> A man sings.\n</top>\n"
    assert [row.topic_id for row in read(tagged)[1]] == ["a b/c"]
    assert [row.topic_id for row in read(b"id,text\nq%3A1,A man sings.\n")[1]] == ["q%3A1"], "CSV is as it is"


@pytest.mark.parametrize("content", [b"id,text\r1,A man sings.\r2,He waits.\r", b"1\tA man sings.\r2\tHe waits.\r"])
def test_lines_may_end_as_on_old_macs(content: bytes) -> None:
    assert [(row.topic_id, row.text) for row in read(content)[1]] == [("1", "A man sings."), ("2", "He waits.")]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (gzip.compress(b"1\tA man sings.\n", mtime=0), "a gzip file"),
        (b"PK\x03\x04", "a zip archive, as Excel's files are"),
        (b"1 Q0 a:0-10 1 0.9 x\n", "6 columns separated by blanks: '1 Q0 a:0-10 1 0.9 x'"),
        (b"a,b\n1,2\n", "2 columns separated by commas: 'a,b'"),
    ],
)
def test_what_is_no_file_of_topics_is_told_by_what_it_looks_like(content: bytes, found: str) -> None:
    with pytest.raises(BadRow) as refused:
        read(content)
    assert refused.value.found == found


def test_lines_of_id_and_text_are_read() -> None:
    assert read(b"T1\tA man sings.\n\n T2 \tA, b; c\n")[:2] == (
        "tsv",
        [SourceTopic(1, "T1", "A man sings."), SourceTopic(3, "T2", "A, b; c")],
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_has_its_columns_by_usual_names_and_any_separator(separator: str) -> None:
    text = "Topic,Query,Narr,Lang,Author,Split\n7,Ein Hund läuft.,Nur von vorn.,de,NIST,VAL\n8,A cat.,,,,\n"
    name, rows, refused = read(text.replace(",", separator).encode("cp1252"))
    assert (name, refused) == ("csv", [])
    assert rows == [
        SourceTopic(2, "7", "Ein Hund läuft.", "Nur von vorn.", "de", "NIST", "val"),
        SourceTopic(3, "8", "A cat."),
    ]


def test_a_list_of_texts_alone_gets_ids_of_its_texts() -> None:
    name, rows, _ = read("query\nA man sings, and waves.\n".encode("utf-16"))
    assert (name, [row.topic_id for row in rows]) == ("csv", [derived_id("a man sings,  and WAVES.")])


@pytest.mark.parametrize(
    ("first", "row"),
    [("", "T%d\tZoë waits."), ("text\n", "Zoë waits %d."), ("", "<top><num>%d<title>Zoë waits.</top>")],
    ids=["tsv", "csv", "trec"],
)
def test_a_topic_of_another_charset_than_the_others_is_refused(first: str, row: str) -> None:
    lines = [(row % 1).encode(), (row % 2).encode("cp1252"), (row % 3).encode("cp1252")]
    _, rows, refused = read(first.encode() + b"\n".join(lines))
    assert len(rows) == 1 and "Zoë" in rows[0].text
    begin = 2 if first else 1
    assert [(problem.split()[0], "b'\\xeb' | UTF-8" in problem) for problem in refused if "encoding" in problem] == [
        (str(begin + 1), True),
        (str(begin + 2), True),
    ]


def test_json_lines_are_read() -> None:
    content = b'{"id": 7, "text": "A man sings.", "narrative": null}\n{"query_id": "b", "query": "A dog.", "x": 1}\n'
    assert read(content)[:2] == ("jsonl", [SourceTopic(1, "7", "A man sings."), SourceTopic(2, "b", "A dog.")])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<top>\n<num> 1\n<title> A\n<top><num>2<title>B</top>\n", "1 topic: a <top> without its end"),
        (b"<top><title>A</top>\n", "1 num: nothing | the topic's number in <num>"),
        (b"<top><num>1</top>\n", "1 text: nothing | a sentence"),
        (b"<top><num>1<title>A</top>\nstray\n", "2 topic: 'stray' | <top>"),
        (b"<top><num>1<title>" + b"a" * 3000 + b"</top>", "1 text: 3,000 characters | at most 2,000"),
        ("1\t" + "你" * 700, "1 text: 2,100 bytes | at most 2,000"),
        (b"1\tA\n2 B\n", "2 line: '2 B' | id, tab, text"),
        (b"\tA\n", "1 line: '\\tA' | id, tab, text"),
        (b"id,text,split\n1,A,train\n", "2 split: 'train' | val or test"),
        (b"id,text,language\n1,A,german!\n", "2 language: 'german!' | a language tag such as en or pt-BR"),
        (b"id,text\n1,A,B\n", "2 CSV: 3 cells | 2, as the header has"),
        (b"id,text\n" + b"x" * 70 + b",A\n", "2 id: 'xxxxxxx"),
        (b'{"text": ["A"]}\n', "1 text: ['A'] | a sentence"),
        (b'{"id": 1}\n', "1 text: nothing | the field text"),
        (b'{"text": "A", "qid": 1, "topic_id": 2}\n', "1 id: the fields topic_id and qid | one field for id"),
        (b'{"text": "A"}\n{"text": \n', "2 JSON: "),
        (b"1\tA\n2\tB\xff\n3\tC \xc3\xa9\xc3\xa9\n", "2 encoding: "),
    ],
)
def test_a_bad_row_is_told_by_line_found_and_expected(content: bytes | str, told: str) -> None:
    _, _, refused = read(content if isinstance(content, bytes) else content.encode())
    assert refused[0].startswith(told), refused


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "found nothing, expected topics"),
        (b"just words\nand more\n", "expected a format that can be detected: csv, jsonl, trec, tsv"),
        (b"id,text,TEXT\n1,A,B\n", "the column text once"),
        (b"text,qid,topic_id\nA,1,2\n", "one column for id"),
    ],
)
def test_a_file_that_cant_be_told_is_refused(content: bytes, told: str) -> None:
    with pytest.raises((BadRow, Unreadable), match=told):
        read(content)
