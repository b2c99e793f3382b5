"""A model by another pooling is another encoder: in every cache, at every candidate, in what releases and pages say."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from datasets.releases.manifest import _models
from foundation.models import Collection
from queries.checks.thresholds import UNCALIBRATED, limits_for, ships_calibrated
from queries.models import Attempt, Caption, Embedding, Query, VectorShard
from queries.pooling.candidates import fetch_candidates
from queries.retrieval.embedding_cache import embed
from queries.retrieval.encoder import Encoder, load_encoder
from queries.retrieval.vector_shards import pack
from queries.rewriting.make_captions import rewrite_by_rules
from tests.conftest import build_world
from tests.paths import ROOT
from tests.queries.conftest import make_collection
from tests.queries.retrieval.test_sentence_pooling import TEXTS, tiny_bert

POOLINGS = ("mean", "cls", "pooler")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tiny_bert(tmp_path / "tiny")
    monkeypatch.setenv("ENCODER_MODEL", folder)
    return folder


@pytest.mark.django_db
def test_no_vector_of_one_pooling_is_taken_for_another(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {}
    for pooling in POOLINGS:
        monkeypatch.setenv("ENCODER_POOLING", pooling)
        vectors[pooling] = embed(TEXTS)
        assert np.array_equal(vectors[pooling], embed(TEXTS)), "the second time from the cache"
        pack(encoder=load_encoder().identity)
        assert np.array_equal(vectors[pooling], embed(TEXTS)), "and from a shard"
    encoders = [f"+{pooling}" for pooling in POOLINGS]
    for model in (Embedding, VectorShard):
        kept = set(model._default_manager.values_list("encoder", flat=True))
        assert sorted(name[name.rindex("+") :] for name in kept) == sorted(encoders)
    assert Embedding.objects.count() == len(POOLINGS) * len(TEXTS)
    for first, second in (("mean", "cls"), ("mean", "pooler"), ("cls", "pooler")):
        assert np.abs(vectors[first] - vectors[second]).max() > 0.05


@pytest.mark.django_db
def test_candidates_of_another_pooling_are_ranked_anew_and_say_so(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = build_world(queries=1, candidates=6).collection
    Query.objects.filter(collection=collection).update(ranked_by="")
    names = []
    for pooling in POOLINGS:
        monkeypatch.setenv("ENCODER_POOLING", pooling)
        fetched = fetch_candidates(collection=collection)
        names.append(fetched.encoder)
        assert fetched.encoder == load_encoder().identity and fetched.encoder.endswith(f"+{pooling}")
    assert len(set(names)) == len(POOLINGS)


@pytest.mark.django_db
def test_captions_say_by_which_pooling_they_were_checked(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for pooling in POOLINGS[1:]:
        monkeypatch.setenv("ENCODER_POOLING", pooling)
        collection = make_collection(["Rachel opens the door."], name=pooling)
        rewrite_by_rules(
            collection=collection, description_ids=list(collection.descriptions.values_list("pk", flat=True))
        )
        caption = Caption.objects.get(description__collection=collection)
        assert Attempt.objects.filter(pk=caption.attempt_id).values_list("encoder", flat=True)[0] == f"{tiny}+{pooling}"
        Caption.objects.filter(pk=caption.pk).update(status="accepted")
        assert _models(collection)["encoders"] == [f"tiny+{pooling}"], "and so says a release's manifest"


def saved(folder: Path, plain: str, pooling: str) -> str:
    """A folder of sentence-transformers that says this pooling itself."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules as models

    transformer = models.Transformer(plain)
    pooled = models.Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)
    SentenceTransformer(modules=[transformer, pooled]).save(str(folder))
    return str(folder)


def test_a_folder_that_says_another_pooling_than_before_is_another_encoder(tmp_path: Path) -> None:
    plain = tiny_bert(tmp_path / "plain")
    folder = saved(tmp_path / "own", plain, "mean")
    before = Encoder(folder)
    mean, of_mean = before.identity, before.encode(TEXTS)
    saved(tmp_path / "own", plain, "cls")
    after = Encoder(folder)
    assert np.abs(after.encode(TEXTS) - of_mean).max() > 0.05
    assert after.identity != mean and before.label == after.label == folder


def test_a_label_is_known_without_loading_a_library(tmp_path: Path) -> None:
    plain, simcse = tiny_bert(tmp_path / "plain"), tiny_bert(tmp_path / "unsup-simcse-tiny")
    own = saved(tmp_path / "sup-simcse-own", plain, "cls")
    asked = [
        (plain, "mean"),
        (plain, ""),
        (simcse, ""),
        (f"{simcse}/", ""),
        (own, ""),
        (own, "pooler"),
        ("", ""),
        ("", "cls"),
    ]
    program = (
        "import json, sys; from queries.retrieval.encoder import Encoder;"
        "labels = [Encoder(model, pooling=pooling).label for model, pooling in json.loads(sys.argv[1])];"
        "heavy = {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules);"
        "print(json.dumps([labels, sorted(heavy)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(asked)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [
        [
            *(f"{plain}+mean", plain, f"{simcse}+cls", f"{simcse}+cls", own, f"{own}+pooler"),
            *("all-MiniLM-L6-v2", "all-MiniLM-L6-v2+cls"),
        ],
        [],
    ]


def test_thresholds_belong_to_the_pooling_too() -> None:
    assert ships_calibrated("all-MiniLM-L6-v2", "faithful") and ships_calibrated("/models/all-MiniLM-L6-v2/", "diverse")
    assert not ships_calibrated("all-MiniLM-L6-v2+cls", "faithful")
    limits = limits_for(Collection(), "/models/all-MiniLM-L6-v2+cls")
    assert limits.similarity_threshold == UNCALIBRATED["faithful"].similarity
