"""The encoders that a hub offers, from folders with tiny models of drawn weights; and what is said without them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from baselines.copy_retrieval.clips import RegionEncoder
from baselines.errors import BaselineError
from baselines.features.encoders import frame_encoder, shared_texts, word_encoder
from tests.baselines.worlds import run_line

PICTURES = np.random.default_rng(3).integers(0, 256, (3, 32, 32, 3), dtype=np.uint8)


def save_tokenizer(folder: Path) -> None:
    """CLIP's tokenizer over single letters."""
    letters = [*"abcdefghijklmnopqrstuvwxyz", *(f"{letter}</w>" for letter in "abcdefghijklmnopqrstuvwxyz")]
    words = [*letters, "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")


def clip_in(folder: Path) -> None:
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPTokenizer

    save_tokenizer(folder)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = small | {"vocab_size": 54, "max_position_embeddings": 16, "bos_token_id": 52, "eos_token_id": 53}
    config = CLIPConfig(text_config=text, vision_config=small | {"image_size": 32, "patch_size": 16}, projection_dim=6)
    torch.manual_seed(1)
    CLIPModel(config).save_pretrained(folder)
    CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)
    CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt")).save_pretrained(folder)


def siglip_in(folder: Path) -> None:
    from transformers import CLIPTokenizer, SiglipConfig, SiglipImageProcessor, SiglipModel

    save_tokenizer(folder)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = small | {"vocab_size": 54, "max_position_embeddings": 16, "projection_size": 8}
    config = SiglipConfig(text_config=text, vision_config=small | {"image_size": 32, "patch_size": 16})
    torch.manual_seed(1)
    SiglipModel(config).save_pretrained(folder)
    SiglipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt")).save_pretrained(folder)


def siglip2_in(folder: Path) -> None:
    """NaFlex: it takes patches."""
    from transformers import CLIPTokenizer, Siglip2Config, Siglip2ImageProcessor, Siglip2Model

    save_tokenizer(folder)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = small | {"vocab_size": 54, "max_position_embeddings": 16, "projection_size": 8}
    config = Siglip2Config(text_config=text, vision_config=small | {"num_patches": 4, "patch_size": 16})
    torch.manual_seed(1)
    Siglip2Model(config).save_pretrained(folder)
    Siglip2ImageProcessor(patch_size=16, max_num_patches=4).save_pretrained(folder)
    CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt")).save_pretrained(folder)


def aimv2_in(folder: Path) -> None:
    """One of the newer models that are built as CLIP is."""
    from transformers import Aimv2Config, Aimv2Model, CLIPImageProcessor, CLIPTokenizer

    save_tokenizer(folder)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = small | {"vocab_size": 54, "max_position_embeddings": 16, "eos_token_id": 53}
    config = Aimv2Config(text_config=text, vision_config=small | {"image_size": 32, "patch_size": 16}, projection_dim=6)
    torch.manual_seed(1)
    Aimv2Model(config).save_pretrained(folder)
    CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)
    CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt")).save_pretrained(folder)


def resnet_in(folder: Path) -> None:
    from transformers import ConvNextImageProcessor, ResNetConfig, ResNetModel

    folder.mkdir(exist_ok=True)
    torch.manual_seed(1)
    ResNetModel(ResNetConfig(embedding_size=4, hidden_sizes=[4, 6], depths=[1, 1])).save_pretrained(folder)
    ConvNextImageProcessor(size={"shortest_edge": 32}, crop_pct=1.0).save_pretrained(folder)


@pytest.mark.parametrize(
    ("family", "made", "size"),
    [("clip", clip_in, 6), ("siglip", siglip_in, 8), ("siglip2", siglip2_in, 8), ("clip", aimv2_in, 6)],
)
def test_frames_and_texts_share_a_space_by_a_model_from_a_folder(
    family: str, made: object, size: int, tmp_path: Path
) -> None:
    assert callable(made)
    made(tmp_path)
    encoder = frame_encoder(f"{family}:{tmp_path}", "cpu")
    assert encoder.picture_size == (32, 32)
    vectors = encoder.encode(PICTURES)
    assert vectors.shared is None
    assert vectors.visual.shape == (3, encoder.visual_size) == (3, encoder.shared_size) == (3, size)
    texts = shared_texts(f"{family}:{tmp_path}", "cpu")
    said = texts.shared_texts(["a cat", "a dog sits down", "a cat"])
    assert said.shape == (3, size)
    for rows in (vectors.visual, said):
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(said[0], said[2], atol=1e-5)
    assert not np.allclose(vectors.visual[0], vectors.visual[1])
    assert texts.identity == encoder.identity


def test_siglip_2_gets_whole_patches_and_texts_in_lower_case_padded_without_a_mask(tmp_path: Path) -> None:
    from transformers import Siglip2Model

    siglip2_in(tmp_path)
    encoder = frame_encoder(f"siglip2:{tmp_path}", "cpu")
    texts = shared_texts(f"siglip2:{tmp_path}", "cpu")
    loaded = Siglip2Model.from_pretrained(tmp_path).eval()
    cut = PICTURES.reshape(3, 2, 16, 2, 16, 3).transpose(0, 1, 3, 2, 4, 5).reshape(3, 4, -1)
    patches = torch.from_numpy(cut).float() / 127.5 - 1
    ids = [52, 26, 53, *[53] * 13]  # of "a", as a word's end
    with torch.inference_mode():
        frames = loaded.get_image_features(patches, torch.ones(3, 4), torch.tensor([[2, 2]] * 3))
        said = loaded.get_text_features(torch.tensor([ids]))
    unit = torch.nn.functional.normalize
    np.testing.assert_allclose(encoder.encode(PICTURES).visual, unit(frames).numpy(), atol=1e-5)
    np.testing.assert_allclose(texts.shared_texts(["A"]), unit(said).numpy(), atol=1e-5)


def test_a_model_without_texts_is_no_clip(tmp_path: Path) -> None:
    resnet_in(tmp_path)
    with pytest.raises(BaselineError, match="found one of the type resnet, expected one that has pictures and texts"):
        frame_encoder(f"clip:{tmp_path}", "cpu")


def test_resnet_from_a_folder_encodes_frames(tmp_path: Path) -> None:
    resnet_in(tmp_path)
    encoder = frame_encoder(f"resnet:{tmp_path}", "cpu")
    vectors = encoder.encode(PICTURES)
    assert vectors.visual.shape == (3, encoder.visual_size) == (3, 6)
    assert encoder.shared_size is None
    with pytest.raises(BaselineError, match="has no space that frames share with texts"):
        shared_texts(f"resnet:{tmp_path}", "cpu")


def test_resnets_regions_are_all_stages_side_by_side_and_vits_frame_its_first_token(tmp_path: Path) -> None:
    from transformers import ViTConfig, ViTImageProcessor, ViTModel

    resnet_in(tmp_path / "resnet")
    encoder = frame_encoder(f"resnet:{tmp_path / 'resnet'}", "cpu")
    assert isinstance(encoder, RegionEncoder)
    halves = PICTURES.copy()
    halves[1, :, 16:] = 0
    halves[1, :, :16] = halves[0, :, :16]
    regions = encoder.regions(halves, 2)
    assert regions.shape == (3, 4, 4 + 6)
    np.testing.assert_allclose(np.linalg.norm(regions, axis=2), 1, atol=1e-5)
    for stage in (regions[..., :4], regions[..., 4:]):
        np.testing.assert_allclose(np.linalg.norm(stage, axis=2), 0.5**0.5, atol=1e-5)
    # Region by region from the left above: what is left of a picture shows in the left ones.
    near = np.einsum("rd,rd->r", regions[0], regions[1])
    assert near[[0, 2]].min() > near[[1, 3]].max()
    with torch.inference_mode():
        stages = encoder._network(encoder._pixels(halves), output_hidden_states=True).hidden_states  # type: ignore[attr-defined]
    first = stages[1]  # 8 x 8: the largest windows of which two fit by halves are of 5
    found = torch.nn.functional.normalize(first[0, :, 3:, :5].amax((1, 2)), dim=0) * 0.5**0.5
    np.testing.assert_allclose(regions[0, 2, :4], found, atol=1e-5)

    torch.manual_seed(1)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    ViTModel(ViTConfig(**small, image_size=32, patch_size=16)).save_pretrained(tmp_path / "vit")
    ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(tmp_path / "vit")
    vit = frame_encoder(f"vit:{tmp_path / 'vit'}", "cpu")
    vectors = vit.encode(PICTURES).visual
    assert vectors.shape == (3, vit.visual_size) == (3, 8)
    loaded = ViTModel.from_pretrained(tmp_path / "vit").eval()
    pixels = torch.from_numpy(PICTURES).permute(0, 3, 1, 2).float() / 255
    with torch.inference_mode():
        expected = loaded(pixel_values=(pixels - 0.5) / 0.5).last_hidden_state[:, 0]
    np.testing.assert_allclose(vectors, expected.numpy(), atol=1e-5)
    assert not isinstance(vit, RegionEncoder)


def test_words_by_a_folders_bert_are_its_last_layers_tokens(tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "man", "sits", "down", "##s"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    torch.manual_seed(1)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(words), **small)).save_pretrained(tmp_path)
    encoder = word_encoder(str(tmp_path), "cpu")
    long, short = encoder.words(["A man sits downs", "a man"])
    assert (long.shape, short.shape, encoder.size) == ((7, 8), (4, 8), 8)  # with both ends; "downs" is two tokens
    alone = BertModel.from_pretrained(tmp_path).eval()
    with torch.inference_mode():
        expected = alone(torch.tensor([[2, 4, 5, 3]])).last_hidden_state[0]
    np.testing.assert_allclose(short, expected.numpy(), atol=1e-5)
    assert encoder.identity["name"] == str(tmp_path)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--frames", "clip"], "the model 'openai/clip-vit-base-patch32' can't be loaded"),
        (["--frames", "siglip:{empty}"], "give a folder that has it, unset HF_HUB_OFFLINE"),
        (
            ["--frames", "resnet"],
            "take the encoders that need no hub (efficientnet-lite0 for frames, minilm for words)",
        ),
        (["--text", "bert-base-uncased"], "the model 'bert-base-uncased' can't be loaded"),
        (["--frames", "i3d"], "No library here loads I3D: extract it elsewhere and name its file in a JSON file"),
        (["--device", "cuda"], "this machine has no device 'cuda': use --device auto"),
    ],
)
def test_what_is_not_there_is_said_with_what_to_do(
    more: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if "cuda" in more and torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    (tmp_path / "empty").mkdir()
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "film.mp4").write_bytes(b"not opened before the encoders are there")
    line = [part.format(empty=tmp_path / "empty") for part in more]
    assert run_line("features", tmp_path / "videos", tmp_path / "features.h5", *line) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "features.h5").exists()
