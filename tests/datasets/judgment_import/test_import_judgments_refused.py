"""`import_judgments`: a file with a fault is reported by line, and nothing of it is kept."""

import gzip
from pathlib import Path
from unicodedata import normalize

import pytest

from annotation.models import Pair, SamplingDesign
from datasets.formats.tvr_ranking import RAW_COLUMNS
from foundation.collections.members import add_member
from foundation.models import Account, Collection
from tests.datasets.importing import pair, refusal, run
from tests.datasets.judgment_files import JUDGED, row, write_raw

pytestmark = pytest.mark.django_db


FAULTS = {
    "a worker twice on a pair": (
        [row("w1", 3), row("w1", 3)],
        "line 3, worker: found 'w1' a second time, expected one judgment a worker and pair; the first is in line 2",
    ),
    "a worker twice on a pair, in two Unicode forms": (
        [row("José", 3), row(normalize("NFD", "José"), 3)],
        "line 3, worker: found 'José' a second time, expected one judgment a worker and pair; the first is in line 2",
    ),
    "a query that shows nothing": ([row("w1", 3) | {"query": "\u200b"}], "line 2, query: found '\\u200b', expected a"),
    "a grade outside the scale": ([row("w1", 5)], "line 2, relevance: found '5', expected a whole number from 0 to 4"),
    "a grade that is no whole number": ([row("w1", "3.0")], "line 2, relevance: found '3.0', expected a whole"),
    "a third judgment of a decided pair": (
        [row("w1", 3), row("w2", 3), row("w3", 3)],
        "line 4, relevance: found judgment 3 of its pair, expected no third judgment: the first 2 decide it",
    ),
    "more than four": (
        [row(f"w{number}", grade) for number, grade in enumerate((0, 4, 1, 3, 2))],
        "line 6, relevance: found judgment 5 of its pair, expected at most 4 judgments a pair",
    ),
    "a new pair without similarity": (
        [row("w1", 3, similarity="")],
        "line 2, similarity: found nothing, expected a pair that is new to the collection with both",
    ),
    "a similarity that is none": ([row("w1", 3, similarity="nan")], "line 2, similarity: found 'nan', expected"),
    "a similarity outside": (
        [row("w1", 3, similarity=1.5)],
        "line 2, similarity: found 1.5, expected a number from -1",
    ),
    "a timestamp that is no JSON": (
        [row("w1", 3, timestamp="[1, 2")],
        "line 2, timestamp: found '[1, 2', expected a JSON list [start, end] in seconds",
    ),
    "a timestamp that ends too soon": (
        [row("w1", 3, timestamp="[4, 4]")],
        "line 2, timestamp: found [4, 4], expected a start before the end",
    ),
    "a timestamp without end": ([row("w1", 3, timestamp="[1, NaN]")], "line 2, timestamp: found [1, nan], expected"),
    "a moment past its video": (
        [row("w1", 3, duration=2)],
        "line 2, timestamp: found [0.5, 4.25], expected an end within the video's 2 s (slack 1 s)",
    ),
    "a moment past the duration that another row states": (
        [row("w1", 3, duration=5), row("w1", 3, moment=1, duration="")],
        "line 3, timestamp: found [5, 9], expected an end within the video's 5 s (slack 1 s)",
    ),
    "an empty query": ([row("w1", 3, query_id="11") | {"query": " "}], "line 2, query: found ' ', expected a sentence"),
    "a query that is a book": ([row("w1", 3) | {"query": "word " * 900}], "expected a sentence of at most 2,000 bytes"),
    "a caption that is a book": ([row("w1", 3, caption="é" * 1_001)], "expected a sentence of at most 2,000 bytes"),
    "a number past all numbers": ([row("w1", 3, duration="1e999")], "line 2, duration: found inf, expected seconds"),
    "a number with an underscore": ([row("w1", 3, similarity="0_1")], "line 2, similarity: found '0_1', expected a"),
    "a NUL in a text": ([row("w1", 3) | {"caption": "a\x00b"}], "expected"),
    "other texts for one query_id": (
        [row("w1", 3), row("w1", 3, moment=1) | {"query": "Something else."}],
        "line 3, query: found 'Something else.', expected the text that this query_id has in line 2",
    ),
    "other ids for one query": (
        [row("w1", 3), row("w1", 3, moment=1, query_id="99")],
        "line 3, query_id: found '99', expected the query_id that this query has in line 2",
    ),
    "one pair_id for two pairs": (
        [row("w1", 3), row("w1", 3, moment=1, pair_id="110")],
        "line 3, pair_id: found '110', expected the query and moment that this pair_id has in line 2",
    ),
    "two pair_ids for one pair": (
        [row("w1", 3), row("w2", 3, pair_id="7")],
        "line 3, pair_id: found '7', expected the pair_id that this pair has in line 2",
    ),
    "two similarities for one pair": (
        [row("w1", 3), row("w2", 3, similarity=0.5)],
        "line 3, similarity: found '0.5', expected the similarity of this pair in line 2",
    ),
    "two captions for one pair": (
        [row("w1", 3), row("w2", 3, caption="Else.")],
        "line 3, caption: found 'else.', expected the caption of this pair in line 2",
    ),
    "two durations for one video": (
        [row("w1", 3), row("w1", 3, moment=1, duration=70)],
        "line 3, duration: found '70', expected within 0.5 s of what this video has in line 2",
    ),
    "a mail address": ([row("ada@example.org", 3)], "line 2, worker: found 'a mail address', expected a pseudonym"),
    "no worker": ([row("", 3)], "line 2, worker: found '', expected a pseudonym of 1 to 40 characters"),
    "nothing": ([], "line 1, file: found no judgment, expected one or more"),
}


@pytest.mark.parametrize(("rows", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_reported_with_its_line_and_nothing_is_kept(
    tmp_path: Path, rows: list[dict[str, object]], sentence: str
) -> None:
    said = refusal("fresh", write_raw(tmp_path / "a.csv", rows))
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert sentence in said


RAW_BYTES = {
    "a header that lacks a column": (
        b"pair_id,worker,query\n0,4,4\n",
        "line 1, header: found no column relevance in 'pair_id,worker,query', expected pair_id, worker, relevance",
    ),
    "a header that says half of what pairs are about": (
        b"pair_id,worker,relevance,query,video_name\n0,4,4,q,v\n0,5,4,q,v\n",
        "line 1, header: found no column query_id, timestamp, duration, caption, similarity, expected pair_id,query_",
    ),
    "a column twice": (
        b"pair_id,worker,relevance,worker\n0,4,4,4\n",
        "line 1, header: found two columns worker in 'pair_id,worker,relevance,worker', expected",
    ),
    "Latin-1": (None, "line 2, encoding: found b'\\xe9', expected UTF-8 (byte "),
    "an open quotation mark": (b'"open', "CSV: found"),
    "no bytes at all": (b"", "line 1, format: found nothing, expected pair_id,"),
    "a gzip file": (gzip.compress(b"pair_id"), "line 1, file: found a gzip file, expected a text: unpack it"),
    "a cell of more than 131,072 signs": (
        b'"' + b"x" * 200_000 + b'",1,q,v,"[0, 1]",,c,1,w,3\n',
        "line 2, pair_id: found 'xxx",
    ),
    "a header of another file": (
        b"video,start,end\n",
        "format: found 3 columns separated by commas: 'video,start,end', expected pair_id,",
    ),
    "a run": (
        b"101 Q0 beta@2.5-6.75 1 0.5 tag\n",
        "columns: found 6 columns separated by blanks: '101 Q0 beta@2.5-6.75 1 0.5 tag', expected query_id 0",
    ),
    "JSON Lines": (b'{"qid": 1, "vid": "k"}\n', "format: found JSON Lines of qid, vid, expected"),
    "too few columns": (b"short,row\n", "line 2, columns: found 2, expected 10"),
    "a line without end": (b"x" * 1_000_001, "line 2, line: found a longer one, expected lines of at most"),
}


@pytest.mark.parametrize(("content", "sentence"), RAW_BYTES.values(), ids=RAW_BYTES)
def test_a_file_that_can_not_be_read_is_reported(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    header = write_raw(tmp_path / "header.csv", []).read_bytes()
    if content is None:
        whole = write_raw(tmp_path / "a.csv", [row("w1", 3, caption="In a café.")]).read_bytes()
        content = whole.decode().encode("latin-1")
    elif sentence.startswith("line 2") or content.startswith(b'"'):
        content = header + content
    (tmp_path / "bad.csv").write_bytes(content)
    said = refusal("fresh", tmp_path / "bad.csv")
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert sentence in said


def test_a_byte_order_mark_windows_line_ends_other_columns_and_another_order_do_no_harm(tmp_path: Path) -> None:
    columns = ("", *reversed(RAW_COLUMNS), "note")
    path = write_raw(tmp_path / "a.csv", [{**one, "": "7", "note": "x"} for one in JUDGED], columns)
    assert b"\r\n" in path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "11 judgments added" in run("fresh", path)


def test_ten_problems_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    rows = [row(f"w{number}", 9) for number in range(30)] + [row("w1", 3), row("w1", 3)]
    said = refusal("fresh", write_raw(tmp_path / "a.csv", rows))
    assert said.startswith("Nothing was imported: 31 problems.\n")
    assert said.endswith("... and 21 more")
    assert len(said.splitlines()) == 12


def test_another_grade_than_is_stored_is_a_conflict(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w1", 2)]))
    assert "line 2, relevance: found 2, expected 3, which 'w1' has given this pair already" in said


def test_a_new_moment_of_a_query_that_has_its_candidates_is_refused(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w1", 2, moment=2)]))
    assert "line 2, timestamp: found a moment that is no candidate of the query, expected one of the" in said


def test_a_worker_with_an_account_gets_no_judgment_from_a_file(raw: Path) -> None:
    collection = Collection.objects.create(name="fresh", title="Fresh")
    account = Account.objects.create_user("bo")
    add_member(collection=collection, account=account, role="annotator", worker="w3")
    said = refusal("fresh", raw)
    assert said.startswith("Nothing was imported: 2 problems.")
    assert "line 6, worker: found 'w3', who has an account here and hasn't given this judgment, expected" in said


def test_a_withdrawn_pair_takes_no_judgment(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    Pair.objects.filter(pk=pair("12", "beta", 0.0).pk).update(status="withdrawn")
    assert "0 judgments added" in run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w9", 2, query="12", moment=2)]))
    assert "line 2, pair: found a pair that the lead has withdrawn" in said


def test_a_name_that_names_no_collection_and_a_missing_file_are_refused(raw: Path, tmp_path: Path) -> None:
    assert "can't name a collection" in refusal("No Name", raw)
    assert "is not a file." in refusal("fresh", tmp_path / "nowhere.csv")


def test_a_collection_with_a_sampling_design_takes_no_judgments_beside_it(raw: Path) -> None:
    collection = Collection.objects.create(name="sampled", title="Sampled")
    SamplingDesign.objects.create(collection=collection, unit="query", seed=1)
    assert "found judgments for a collection with a sampling design" in refusal("sampled", raw)
