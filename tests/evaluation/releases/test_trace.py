"""`verify --trace` walks from a query's score to the judgments that it rests on: as text, and as W3C PROV."""

import json
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from annotation.models import Pair
from annotation.review.adjudication import adjudicate_pair
from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from evaluation.releases.trace import trace_query
from evaluation.releases.trace_as_prov import as_prov
from tests.datasets.conftest import World, judged, media, unjudged  # noqa: F401 - fixtures
from tests.datasets.releases.everything_different import different
from tests.datasets.releases.test_further_files import rows
from tests.datasets.releases.test_provenance import with_guideline
from tests.evaluation.releases.test_verify import restate

pytestmark = pytest.mark.django_db(transaction=True)

RELATIONS = {
    "used": ("Activity", "Entity"),
    "wasGeneratedBy": ("Entity", "Activity"),
    "wasAssociatedWith": ("Activity", "Agent"),
    "wasInformedBy": ("Activity", "Activity"),
    "wasDerivedFrom": ("Entity", "Entity"),
    "wasAttributedTo": ("Entity", "Agent"),
    "hadMember": ("Entity", "Entity"),
}
"""PROV-O's: of what to what."""


@pytest.fixture
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """With a guideline, an adjudicated pair (2) and where everything comes from."""
    world: World = request.getfixturevalue("judged")
    with_guideline(world)
    pair = Pair.objects.get(pk=world.pair("102", 2).pk)
    adjudicate_pair(member=world.members["ada"], pair_id=pair.pk, grade=3, reason="Seen again.")
    made = create_release(collection=world.collection, name="v1", provenance=True, adjudicated=True)
    write_release(release=made, folder=tmp_path / "v1")
    return tmp_path / "v1"


def traced(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["verify", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def pairs_of(release: Path, query_id: str) -> list[str]:
    """Ids, by rank."""
    found = rows(release / "raw_annotations.csv")
    return list(dict.fromkeys(row["pair_id"] for row in found if row["query_id"] == query_id))


def linked(node: dict[str, Any], relation: str) -> list[str]:
    found = node.get(relation, [])
    return [found] if isinstance(found, str) else found


def reached(nodes: dict[str, dict[str, Any]], start: str) -> Iterator[str]:
    """Everything that a node goes back to."""
    seen, to_do = set(), [start]
    while to_do:
        node_id = to_do.pop()
        if node_id in seen:
            continue
        seen.add(node_id)
        yield node_id
        to_do += [one for relation in RELATIONS for one in linked(nodes[node_id], relation)]


def test_the_text_goes_from_the_score_to_each_judgment(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = traced(capsys, release, "--trace", "102")
    assert code == 0
    score, query, first, second, *_ = said.split("\n\n")
    assert score.startswith("Score of sample_run on query 102\n  NDCG@20,IoU>=0.5 0.8213\n")
    assert "it rests on the 3 grades of the query in val.json" in score and "release: v1 of tiny, made on 20" in score
    assert "caption: rewritten from a description by the rules rewriter-x, attempt 1, accepted by the checks" in query
    assert first.startswith(f"Pair {pairs_of(release, '102')[0]}: grade 1\n") and "found at rank" in first
    assert "w03 judged 1 in 20" in first and ", by guideline version 1 of 20" in first
    assert (
        second.startswith(f"Pair {pairs_of(release, '102')[1]}: grade 3\n")
        and "w05 judged 3 in 20" in second
        and "guideline version 2 of" in second
    )
    assert "discarded, then graded 3 by the lead w01 on 20" in second
    assert "batch 1 of the query, not closed yet" in second
    code, said, _ = traced(capsys, release, "--trace", "103")
    assert code == 0 and said.startswith("Query 103 of test\n"), "there is no sample run of test"
    assert "batch 1 of the query, closed by a lead" in said and "batch 2 of the query, closed by itself" in said


def test_the_score_is_that_of_score(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, own, measure = tmp_path / "mine.jsonl", tmp_path / "own.csv", "NDCG@5,IoU>=0.5"
    moments = [("alpha", [0, 4.25], 2), ("gamma", [5, 9], 1)]
    predictions = [dict(zip(("video_name", "timestamp", "score"), one, strict=True)) for one in moments]
    run.write_text(json.dumps({"query_id": 103, "predictions": predictions}) + "\n")
    assert main(["score", str(release / "test.json"), str(run), "--measures", measure, "--per-query", str(own)]) == 0
    (scored,) = [row for row in rows(own) if row["query_id"] == "103"]
    code, said, _ = traced(capsys, release, "--trace", "103", "--run", run, "--measure", measure)
    assert code == 0 and said.startswith(f"Score of mine on query 103\n  {measure} {float(scored[measure]):.4f}\n")
    assert 0 < float(scored[measure]) < 1
    assert f"Pair {pairs_of(release, '103')[1]}: grade 2\n  alpha, 0 to 4.25 s\n  found at rank 1, IoU 1.00\n" in said
    assert (
        f"Pair {pairs_of(release, '103')[2]}: grade 1\n  beta, 2.5 to 6.75 s\n  not found by mine at IoU>=0.5\n" in said
    )


def test_every_relation_is_prov_s_and_leads_to_the_people(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = traced(capsys, release, "--trace", "102", "--json")
    document = json.loads(said)
    nodes = {node["@id"]: node for node in document["@graph"]}
    assert code == 0 and len(nodes) == len(document["@graph"])

    def kinds(node_id: str) -> set[str]:
        found = nodes[node_id]["@type"]
        return {kind.removeprefix("prov:") for kind in ([found] if isinstance(found, str) else found)}

    for node_id, node in nodes.items():
        for relation, (of, to) in RELATIONS.items():
            for other in linked(node, relation):
                assert of in kinds(node_id) and to in kinds(other), (node_id, relation, other)
        for qualified in [node["qualifiedAssociation"]] if "qualifiedAssociation" in node else []:
            assert qualified["agent"] in linked(node, "wasAssociatedWith") and "Plan" in kinds(qualified["hadPlan"])
        known = {
            "@id",
            "@type",
            "label",
            "value",
            "endedAtTime",
            "issued",
            "month",
            "identifier",
            "qualifiedAssociation",
        }
        assert set(node) - set(RELATIONS) <= known and node["label"]

    (score,) = [node_id for node_id in nodes if node_id.startswith("r:score.")]
    assert round(nodes[score]["value"], 4) == 0.8213
    behind = set(reached(nodes, score))
    raw = [row for row in rows(release / "raw_annotations.csv") if row["query_id"] == "102"]
    judgments = {node_id for node_id in behind if node_id.startswith("r:judgment.")}
    assert sorted(nodes[one]["value"] for one in judgments) == sorted(int(row["relevance"]) for row in raw)
    workers = {unquote(one.removeprefix("r:worker.")) for one in behind if one.startswith("r:worker.")}
    assert workers == {row["worker"] for row in raw} | {"w01"}
    for start in (
        "r:guideline.1",
        "r:guideline.2",
        "r:query.102",
        "r:caption.",
        "r:rewriter.",
        "r:encoder.",
        "r:run.",
    ):
        assert any(node_id.startswith(start) for node_id in behind), start
    # Two traces of a release are of one graph, and another release's has other names.
    other = json.loads(traced(capsys, release, "--trace", "103", "--json")[1])
    assert other["@context"] == document["@context"]


def test_a_release_without_the_files_is_traced_as_far_as_it_states(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world: World = request.getfixturevalue("judged")
    made = create_release(collection=world.collection, name="v0")
    write_release(release=made, folder=tmp_path / "v0")
    code, said, _ = traced(capsys, tmp_path / "v0", "--trace", "102")
    assert code == 0 and "  w03 judged 1\n" in said and "caption “A man pours coffee, and a dog watches.”\n" in said
    lacking = said.partition("Not stated by this release\n")[2]
    assert "when it was given" in lacking and "judgment_origins.csv" in lacking and "caption_origins.csv" in lacking
    document = json.loads(traced(capsys, tmp_path / "v0", "--trace", "102", "--json")[1])
    assert not [node for node in document["@graph"] if "month" in node or "rewriting" in node["@id"]]


def test_a_release_with_everything_is_traced(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Imported judgments, a pool, topics, another scale: each query has a trace, and each judgment is in one."""
    different(request.getfixturevalue("unjudged"), tmp_path / "whole")
    queries = {row["query_id"] for row in rows(tmp_path / "whole" / "raw_annotations.csv")}
    known = {
        str(query["query_id"])
        for split in ("val", "test")
        for query in json.loads((tmp_path / "whole" / f"{split}.json").read_text())
    }
    found = 0
    for query_id in queries & known:
        trace = trace_query(tmp_path / "whole", query_id)
        document = as_prov(trace)
        found += sum(node["@id"].startswith("r:judgment.") for node in document["@graph"])
    assert found == sum(row["query_id"] in known for row in rows(tmp_path / "whole" / "raw_annotations.csv"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--trace", "999"], "found the query '999', expected the query_id of one in val.json or test.json"),
        (["--trace", "102", "--measure", "nonsense"], "nonsense"),
        (["--trace", "102", "--run", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--measure", "R@1,IoU>0.5"], "without --trace"),
        (["--trace", "102", "--key", "mine.pub"], "it walks and checks none"),
        (["--trace", "102", "--tables"], "it walks and checks none"),
    ],
)
def test_a_bad_request_is_told_with_what_was_expected(
    release: Path, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, error = traced(capsys, release, *arguments)
    assert (code, said) == (2, "") and expected in error


def test_nothing_is_told_of_a_release_that_was_changed(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = release / "judgment_origins.csv"
    changed = path.read_text().replace("here", "hers", 1)
    path.write_text(changed)
    code, said, error = traced(capsys, release, "--trace", "102")
    assert (code, said) == (2, "") and error.startswith("error: judgment_origins.csv: found the SHA-256 ")
    path.write_text(changed + "1,2\n")
    restate(release)
    code, said, error = traced(capsys, release, "--trace", "102")
    assert (code, said) == (2, "") and "judgment_origins.csv, line 44: found 2 columns, expected 8" in error
    manifest = json.loads((release / "manifest.json").read_text())
    (release / "manifest.json").write_text(json.dumps(manifest | {"guideline": {"versions": [7]}}))
    code, said, error = traced(capsys, release, "--trace", "102")
    assert (code, said) == (2, "") and "doesn't state" in error


READ = """
import sys, warnings
warnings.simplefilter("error", UserWarning)
from prov.model import ProvDocument
document = ProvDocument.deserialize(sys.argv[1], format="rdf", rdf_format="json-ld")
print(sorted({type(record).__name__ for record in document.get_records()}))
"""


@pytest.mark.long
def test_prov_s_own_library_reads_it(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`prov` and `rdflib`, in an environment of their own."""
    venv.create(tmp_path / "own", with_pip=False)
    python = str(tmp_path / "own" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--retries", "1"]
    done = subprocess.run([*pip, "install", "-q", "prov[rdf]"], capture_output=True, text=True, check=False)
    if done.returncode and "connection broken" in done.stderr:
        pytest.skip("the package index can't be reached")
    assert done.returncode == 0, done.stderr
    (tmp_path / "trace.jsonld").write_text(traced(capsys, release, "--trace", "102", "--json")[1])
    read = subprocess.run(
        [python, "-c", READ, str(tmp_path / "trace.jsonld")], capture_output=True, text=True, check=False
    )
    assert read.returncode == 0, read.stderr
    for kind in ("ProvEntity", "ProvActivity", "ProvAgent", "ProvUsage", "ProvGeneration", "ProvDerivation"):
        assert kind in read.stdout
    assert "ProvAttribution" in read.stdout and "ProvAssociation" in read.stdout
