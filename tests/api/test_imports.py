"""Files of descriptions, topics, judgments and runs by a program: sent, named, used once; what is wrong by line."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from annotation.models import Judgment
from corpus.description_import.jobs import run_import
from corpus.description_import.previews import run_preview
from corpus.models import Description, Import, ImportPreview
from datasets.judgment_import.jobs import import_judgments
from datasets.models import JudgmentImport
from foundation.models import AuditEntry, SentFile
from queries.models import PoolRun, PoolRunAddition, Query, TopicImport
from queries.runs.run_jobs import add_pool_run
from queries.topics.jobs import import_asked_topics
from tests.api.callers import Caller
from tests.api.test_pools import run_of
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"
TABLE = "Clip;from;to;What happens\nmoon;1;2;Somebody waves.\nmoon;9;5;Somebody leaves.\n"


@pytest.fixture
def ada(world: World, folder: Path) -> Caller:
    return Caller(world["ada"])


def refusal_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["field"]


def test_a_file_of_descriptions_is_looked_at_corrected_and_imported(ada: Caller) -> None:
    key = ada.send(HERE, "clips.csv", TABLE.encode())
    headers = {"Idempotency-Key": "one"}
    made = ada.post(f"{HERE}/previews", {"file": key}, **headers)
    assert made.status_code == 202 and ada.post(f"{HERE}/previews", {"file": key}, **headers).json() == made.json()
    assert not SentFile.objects.exists() and ImportPreview.objects.count() == 1
    assert refusal_of(ada.post(f"{HERE}/previews", {"file": key})) == (422, "body.file")
    path = f"{HERE}/previews/{made.json()['preview']}"
    busy = ada.post(f"{path}/import", {})
    assert busy.status_code == 409 and "still reading" in busy.json()["detail"]
    run_preview(made.json()["preview"])
    preview = ada.get(path).json()["found"]
    assert preview["problems"][0]["choice"] == "format"
    assert ada.post(f"{path}/read", {"format": "csv", "separator": "semicolon"}).status_code == 200
    run_preview(made.json()["preview"])
    preview = ada.get(path).json()["found"]
    assert preview["problems"][0]["choice"] == "columns" and "What happens" in preview["headers"]
    fields = {"video": "Clip", "start": "from", "end": "to", "text": "What happens"}
    wrong = ada.post(f"{path}/read", {"columns": fields | {"colour": "to"}})
    assert refusal_of(wrong) == (422, "body.columns")
    assert ada.post(f"{path}/read", {"format": "csv", "columns": fields, "skip_bad": True}).status_code == 200
    run_preview(made.json()["preview"])
    told = ada.get(path).json()
    assert (told["found"]["separator"], told["found"]["counts"]["added"], told["found"]["problems"][0]["line"]) == (
        "semicolon",
        1,
        3,
    )
    before = Description.objects.count()
    job = ada.post(f"{path}/import", {"skip_bad": True})
    assert job.status_code == 202 and ada.get(path).status_code == 404
    run_import(import_id=Import.objects.get().pk)
    report = ada.get(f"{HERE}/imports/{Import.objects.get().pk}").json()
    assert (report["state"], report["counts"]["added"], report["problem_count"]) == ("done", 1, 1)
    assert Description.objects.count() == before + 1
    rejected = ada.get(f"{HERE}/imports/{Import.objects.get().pk}/rejected")
    assert b"Somebody leaves." in b"".join(rejected.streaming_content)
    entry = AuditEntry.objects.filter(table="corpus_import", operation="insert").latest("pk")
    assert (entry.via, entry.token) == ("api", ada.made.row.pk)


def test_a_preview_is_discarded_with_its_file(ada: Caller) -> None:
    key = ada.send(HERE, "clips.csv", TABLE.encode())
    preview = ada.post(f"{HERE}/previews", {"file": key}).json()["preview"]
    assert ada.delete(f"{HERE}/previews/{preview}").status_code == 409
    run_preview(preview)
    stored = ImportPreview.objects.get().stored_file
    assert [ada.delete(f"{HERE}/previews/{preview}").status_code for _ in range(2)] == [204, 404]
    assert not ImportPreview.objects.exists() and default_storage.exists(stored)  # the test's transaction is open


def test_a_file_is_imported_unseen_whole_or_not_at_all(ada: Caller) -> None:
    row = {"vid_name": "moon", "duration": 90, "ts": [1, 2], "desc": "Somebody waves.", "type": "v", "desc_id": 70001}
    for content, state in ((json.dumps(row), "done"), (json.dumps(row | {"ts": [9, 5], "desc_id": 2}), "refused")):
        key = ada.send(HERE, "rows.jsonl", content.encode())
        job = ada.post(f"{HERE}/imports", {"file": key, "format": "tvr"}).json()
        run_import(import_id=job["job"])
        assert ada.get(f"{HERE}/imports/{job['job']}").json()["state"] == state
    assert refusal_of(ada.post(f"{HERE}/imports", {"file": "x", "format": "word"})) == (422, "body.format")


def test_files_that_are_not_whole_foreign_or_gone_are_refused(ada: Caller, world: World) -> None:
    half = ada.post(f"{HERE}/files", {"name": "a.csv", "size": 9, "mark": "00000000"}).json()["file"]
    bo = Caller(world["bo"]).send(HERE, "a.csv", b"x")
    for key in (half, bo, "of-nobody"):
        for place, more in (("previews", {}), ("topic-imports", {}), ("judgment-imports", {}), ("imports", {})):
            assert refusal_of(ada.post(f"{HERE}/{place}", {"file": key, **more})) == (422, "body.file")
    assert SentFile.objects.count() == 2


def test_a_file_of_topics_is_imported_and_told_by_line(ada: Caller) -> None:
    key = ada.send(HERE, "topics.tsv", b"301\tSomebody gives a coat away.\n302\t\n")
    job = ada.post(f"{HERE}/topic-imports", {"file": key, "split": "val"})
    assert (job.status_code, job.json()["kind"]) == (202, "topics")
    other = ada.send(HERE, "more.tsv", b"301\tSomebody gives a coat away.\n")
    waits = ada.post(f"{HERE}/topic-imports", {"file": other})
    assert waits.status_code == 409 and ada.get(f"{HERE}/files/{other}").json()["whole"], "its file is kept"
    import_asked_topics(TopicImport.objects.get().pk)
    told = ada.get(f"{HERE}/jobs/topics/{job.json()['job']}").json()
    assert told["state"] == "refused" and "2" in told["progress"]["words"]
    assert ada.post(f"{HERE}/topic-imports", {"file": other}).status_code == 202
    import_asked_topics(TopicImport.objects.latest("pk").pk)
    assert Query.objects.get(topic_id="301").split == "test"


def test_qrels_are_imported_and_refused_by_line(ada: Caller, world: World) -> None:
    key = ada.send(HERE, "qrels.txt", b"nobody 0 nothing 7\n")
    job = ada.post(f"{HERE}/judgment-imports", {"file": key, "format": "trec"}).json()
    import_judgments(JudgmentImport.objects.get().pk)
    told = ada.get(f"{HERE}/judgment-imports/{job['judgment_import']}").json()
    assert (told["state"], told["problem_count"] > 0, told["problems"][0]["line"]) == ("refused", True, 1)
    assert [job["judgment_import"] for job in ada.get(f"{HERE}/judgment-imports").json()["items"]] == [told["job"]]
    assert not Judgment.objects.exists()
    assert refusal_of(ada.post(f"{HERE}/judgment-imports", {"file": key, "split": "train"})) == (422, "body.split")


def test_judgments_come_with_files_of_pairs_and_a_policy(ada: Caller, world: World) -> None:
    content = b"pair_id,worker,relevance\n1,x,3\n1,x,4\n"
    keys = [ada.send(HERE, name, content) for name in ("raw.csv", "pairs.csv")]
    asked = {"file": keys[0], "pairs": keys[1:], "repeated_ids": "as-published"}
    assert refusal_of(ada.post(f"{HERE}/judgment-imports", {**asked, "repeated_ids": "all"})) == (
        422,
        "body.repeated_ids",
    )
    assert ada.post(f"{HERE}/judgment-imports", {**asked, "pairs": ["of-nobody"]}).status_code == 422
    assert SentFile.objects.count() == 2 and not JudgmentImport.objects.exists()
    job = ada.post(f"{HERE}/judgment-imports", asked).json()
    assert job["repeated_ids"] == "as-published" and not SentFile.objects.exists()
    import_judgments(JudgmentImport.objects.get().pk)
    told = ada.get(f"{HERE}/judgment-imports/{job['judgment_import']}").json()
    assert told["state"] == "refused" and told["problems"][0]["entry"] == "pairs.csv"


def test_a_run_of_any_size_comes_as_a_file_to_the_pool(ada: Caller, world: World) -> None:
    ada.post(f"{HERE}/topics", {"id": "301", "text": "Somebody gives a coat away."})
    spans = [[round(number / 100, 2), round(number / 100 + 0.5, 2)] for number in range(20_000)]
    content = run_of(("301", spans)).encode()
    assert len(content) > 1 << 20
    sent = {"team": "Moon lab", "system": "words"}
    assert refusal_of(ada.post(f"{HERE}/pool-runs", sent)) == (422, "body.file")
    key = ada.send(HERE, "run.jsonl", content, 1_000_000)
    assert refusal_of(ada.post(f"{HERE}/pool-runs", {**sent, "file": key, "content": "x"})) == (422, "body.file")
    assert ada.post(f"{HERE}/pool-runs", {**sent, "file": key}).status_code == 202
    add_pool_run(PoolRunAddition.objects.get().pk)
    assert PoolRun.objects.get().predictions == 20_000
    bomb = ada.send(HERE, "run.jsonl.gz", gzip.compress(bytes(1 << 20)) * 513, 1_000_000)
    assert ada.post(f"{HERE}/pool-runs", {**sent, "system": "bomb", "file": bomb}).status_code == 202
    add_pool_run(PoolRunAddition.objects.latest("pk").pk)
    told = ada.get(f"{HERE}/jobs/pool-run/{PoolRunAddition.objects.latest('pk').pk}").json()
    assert told["state"] == "refused" and "larger than 512 MiB unpacked" in told["progress"]["words"]
