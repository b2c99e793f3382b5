"""SimCSE's models are pooled as they were trained, and nothing is guessed."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizerFast

from foundation.refused import Refused
from queries.retrieval.encoder import Encoder
from queries.retrieval.sentence_pooling import pooling_of

TEXTS = [
    "A man opens a door.",
    "A woman is laughing",
    "door",
    "A man opens a door and laughs at a woman, then he leaves.",
]


def tiny_bert(folder: Path, *, pooler: bool = True, said: str = "") -> str:
    """A random BERT in a plain folder of transformers, as SimCSE's models are published."""
    folder.mkdir(parents=True)
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] a man opens door woman is laughing and laughs at then leaves . ,".split()
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(7)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(words), initializer_range=0.4, **shape)
    BertModel(config, add_pooling_layer=pooler).save_pretrained(folder)
    if said:
        (folder / "README.md").write_text(said)
    return str(folder)


def by_transformers(folder: str, pooling: str) -> np.ndarray:
    tokens = AutoTokenizer.from_pretrained(folder)(TEXTS, padding=True, return_tensors="pt")
    with torch.inference_mode():
        output = AutoModel.from_pretrained(folder).eval()(**tokens)
    if pooling == "pooler":
        vectors = output.pooler_output
    elif pooling == "cls":
        vectors = output.last_hidden_state[:, 0]
    else:
        mask = tokens["attention_mask"].unsqueeze(-1)
        vectors = (output.last_hidden_state * mask).sum(1) / mask.sum(1)
    unit: np.ndarray = torch.nn.functional.normalize(vectors).numpy()
    return unit


@pytest.mark.parametrize("pooling", ["mean", "cls", "pooler"])
def test_vectors_are_those_of_transformers_itself(pooling: str, tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    vectors = Encoder(folder, pooling=pooling).encode(TEXTS)
    assert np.abs(vectors - by_transformers(folder, pooling)).max() < 1e-6


def test_poolings_differ_and_so_do_their_identities(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    encoders = [Encoder(folder, pooling=pooling) for pooling in ("mean", "cls", "pooler")]
    assert len({encoder.identity for encoder in encoders}) == 3
    mean, cls, pooler = (encoder.encode(TEXTS) for encoder in encoders)
    assert np.abs(mean - cls).max() > 0.1 and np.abs(mean - pooler).max() > 0.1


@pytest.mark.parametrize(
    ("name", "said", "pooling"),
    [
        ("sup-simcse-bert-base-uncased", "", "pooler"),
        ("unsup-simcse-bert-base-uncased", "", "cls"),
        ("mine", "# Model card of princeton-nlp/sup-simcse-roberta-large", "pooler"),
        ("mine", "Trained as Unsup-SimCSE.", "cls"),
    ],
)
def test_simcse_is_known_by_its_name_or_its_card(name: str, said: str, pooling: str, tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / name, said=said)
    assert pooling_of(folder) == pooling
    assert np.abs(Encoder(folder).encode(TEXTS) - by_transformers(folder, pooling)).max() < 1e-6


def test_the_configurations_name_tells_too(tmp_path: Path) -> None:
    folder = Path(tiny_bert(tmp_path / "renamed"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "_name_or_path": "princeton-nlp/unsup-simcse-bert-base"}))
    assert pooling_of(str(folder)) == "cls"


def test_what_says_nothing_is_refused_with_what_to_set(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "plain", said="A model.")
    with pytest.raises(Refused, match="ENCODER_POOLING to mean, cls"):
        Encoder(folder).encode(["a"])
    with pytest.raises(ValueError, match="found 'max', expected mean, cls, pooler, auto"):
        Encoder(folder, pooling="max").encode(["a"])


def test_a_model_of_sentence_transformers_says_it_itself(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules as models

    folder = tiny_bert(tmp_path / "plain")
    transformer = models.Transformer(folder)
    pooled = models.Pooling(transformer.get_embedding_dimension(), pooling_mode="cls")
    SentenceTransformer(modules=[transformer, pooled]).save(str(tmp_path / "sup-simcse-saved"))
    assert pooling_of(str(tmp_path / "sup-simcse-saved")) == "own"
    vectors = Encoder(tmp_path / "sup-simcse-saved").encode(TEXTS)
    assert np.abs(vectors - by_transformers(folder, "cls")).max() < 1e-6


def test_a_pooler_that_was_never_trained_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="has no trained pooler"):
        Encoder(tiny_bert(tmp_path / "tiny", pooler=False), pooling="pooler").encode(["a"])
