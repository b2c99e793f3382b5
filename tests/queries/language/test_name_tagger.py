from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.name_tagger import by_tagger, reference, score
from foundation.refused import Refused
from queries.language.name_tagger import SHIPPED_MODEL, NameTagger, load_tagger
from queries.tagger_training.synthetic_sentences import InventedNames, all_names, swap_names
from tests.paths import NO_DATA, ROOT

pytestmark = pytest.mark.long

TVR = Path(os.environ.get("QREELS_DATA", ROOT.parent / "shared" / "data")) / "tvr" / "tvr_val_part.jsonl"
needs_tvr = pytest.mark.skipif(not TVR.exists(), reason=NO_DATA)


def names(text: str) -> list[str]:
    return [span.text for span in load_tagger({}).find_names([text])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rachel is shoving a tie into Chandler's mouth.", ["Rachel", "Chandler"]),
        ("House walks into the house.", ["House"]),
        ("Dr. Foreman talks to Izzie Stevens.", ["Foreman", "Izzie Stevens"]),
        ("Nguyễn hugs Bartholomäus.", ["Nguyễn", "Bartholomäus"]),
        ("Someone opens the door to the kitchen.", []),
        ("Patients wait in the hallway.", []),
        ("", []),
        ("  \t ", []),
    ],
)
def test_names_are_found_with_their_places(text, expected):
    spans = load_tagger({}).find_names([text])[0]
    assert [span.text for span in spans] == expected
    assert [text[span.start : span.end] for span in spans] == expected
    assert all(span.score > 0.5 for span in spans)


def test_empty_texts_keep_their_places_among_others():
    names = load_tagger({}).find_names(["", "Rachel sits.", "", "Rachel sits."])
    assert [len(spans) for spans in names] == [0, 1, 0, 1]


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=60))
def test_any_text_can_be_tagged(text):
    for span in load_tagger({}).find_names([text])[0]:
        assert text[span.start : span.end] == span.text


def test_the_shipped_model_is_small_and_holds_no_path_of_the_machine_that_trained_it():
    content = SHIPPED_MODEL.read_bytes()
    assert len(content) <= 12_000_000
    assert str(ROOT).encode() not in content


def test_the_model_loads_where_there_is_no_hub_and_no_cache(tmp_path):
    program = (
        "from queries.language.name_tagger import load_tagger\n"
        "print(load_tagger({}).find_names(['Rachel sits.'])[0][0].text)"
    )
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "Rachel\n"
    assert not list(tmp_path.glob("**/*.pickle"))


def test_importing_the_adapters_loads_no_heavy_library():
    program = (
        "import sys, queries.language.name_tagger, queries.retrieval.encoder, queries.rewriting.rewriters.llm;"
        "import queries.rewriting.rewriters.rules, queries.language.lexicon;"
        "print([m for m in ('torch', 'flair', 'openai', 'sentence_transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_tvr
def test_unseen_descriptions_labelled_by_eye_are_tagged_well_also_under_names_never_seen():
    sentences, _ = reference()
    assert len(sentences) >= 300
    strangers, random_ = InventedNames(all_names()), random.Random(3)
    figures = score(by_tagger, sentences)
    renamed = [swap_names(sentence, strangers, random_) for sentence in sentences]
    assert figures["found"] >= 0.99
    assert figures["precision"] >= 0.98
    assert score(by_tagger, renamed)["found"] >= 0.99


def relabelled(path: Path, person: bytes) -> Path:
    """The shipped tagger with another label for persons."""
    import flair
    from flair.models import SequenceTagger

    flair.logger.setLevel("ERROR")
    tagger = SequenceTagger.load(str(SHIPPED_MODEL))
    labels = tagger.label_dictionary
    labels.idx2item = [item.replace(b"PER", person) for item in labels.idx2item]
    labels.item2idx = {item: number for number, item in enumerate(labels.idx2item)}
    path.parent.mkdir(parents=True, exist_ok=True)
    tagger.save(str(path))
    return path


def test_a_folder_is_taken_for_the_model_in_it(tmp_path: Path) -> None:
    shutil.copy(SHIPPED_MODEL, tmp_path / "final-model.pt")
    tagger = load_tagger({"NER_MODEL": str(tmp_path)})
    assert [span.text for span in tagger.find_names(["Rachel waves."])[0]] == ["Rachel"]
    (tmp_path / "final-model.pt").rename(tmp_path / "model.pt")
    with pytest.raises(Refused, match=r"expected final-model\.pt or best-model\.pt or pytorch_model\.bin in it"):
        NameTagger(tmp_path).find_names(["Rachel waves."])


def test_a_tagger_without_a_label_for_persons_is_refused_until_its_label_is_named(tmp_path: Path) -> None:
    model = relabelled(tmp_path / "other.pt", b"pers")
    with pytest.raises(Refused, match=r"found a tagger of pers, expected one with PER or PERSON: NER_PERSON_LABELS"):
        load_tagger({"NER_MODEL": str(model)}).find_names(["Rachel waves."])
    tagger = load_tagger({"NER_MODEL": str(model), "NER_PERSON_LABELS": "Pers, human"})
    assert [span.text for span in tagger.find_names(["Rachel waves."])[0]] == ["Rachel"]
