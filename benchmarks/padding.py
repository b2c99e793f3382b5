"""What padding changes in XML and CONQUER where it isn't left out, as their published code doesn't everywhere.

    .venv/bin/python benchmarks/padding.py

CONQUER's published code pads every query to 30 words and lets the padding into NetVLAD, so into the weights by which
the streams are fused; XML's lets the similarities of padded clips into the convolutions that find start and end. Ours
leaves padding out of both. Here the same new weights, at the published sizes, are asked for 64 pairs with padding and
without, for three draws of weights, queries and videos: the greatest difference of a fusion weight (of 1), XML's span
loss, and the greatest difference that it has for one pair. The last line is one JSON object of medians; ``ratios`` is
the loss with padding left out / the loss with padding let in.
"""

import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from baselines.models.conquer.blocks import Embedded
from baselines.models.conquer.model import CONQUER, ConquerConfig
from baselines.models.interface import Dimensions, Queries, Videos
from baselines.models.layers import masked, pair_products
from baselines.models.xml.model import XML, XMLConfig
from benchmarks.harness.measuring import figure, parser, report, say


@dataclass(frozen=True, slots=True)
class Size:
    """Of the models, and of what they are asked."""

    conquer: ConquerConfig
    xml: XMLConfig
    pairs: int
    visual: int
    words: int


PUBLISHED = Size(ConquerConfig(), XMLConfig(), 64, 3072, 768)
SMALL = Size(replace(ConquerConfig(), hidden=24), replace(XMLConfig(), hidden=16), 8, 12, 12)


def sequences(lengths: Tensor, width: int, size: int) -> tuple[Tensor, Tensor]:
    """Drawn features of length 1, zeros behind: (N, width, size), and their mask (N, width)."""
    mask = (torch.arange(width) < lengths.unsqueeze(1)).float()
    return F.normalize(torch.randn(len(lengths), width, size), dim=-1) * mask.unsqueeze(2), mask


def fusion_weights(model: CONQUER, queries: Queries) -> float:
    """The greatest difference of a fusion weight with padding let into NetVLAD."""
    assert model.weights is not None
    (words,) = model.query_encoder((queries.words,), (Embedded.TEXT,), queries.mask)
    let_in = model.weights(words, torch.ones_like(queries.mask))
    return float((model.weights(words, queries.mask) - let_in).abs().max())


def span_losses(model: XML, queries: Queries, videos: Videos, span: Tensor) -> tuple[Tensor, Tensor]:
    """XML's weighted span loss of each pair, (N,), with padding left out and let in."""
    asked, seen, own = model.encode_queries(queries), model.encode_videos(videos), torch.arange(len(queries))
    streams = zip(model.each_stream, asked.parts, model.localised(seen), strict=True)
    products = [pair_products(stream.query(query), clips, own, own) for stream, query, clips in streams]
    curve = torch.stack(products).mean(0)

    def loss(starts: Tensor, ends: Tensor) -> Tensor:
        both = F.cross_entropy(starts, span[:, 0], reduction="none") + F.cross_entropy(
            ends, span[:, 1], reduction="none"
        )
        return model.config.weight_span * both

    raw = curve.unsqueeze(1)
    let_in = [masked(edge(raw).squeeze(1), videos.mask) for edge in (model.detector.start, model.detector.end)]
    return loss(*model.detector(curve, videos.mask)), loss(let_in[0], let_in[1])


def measure(size: Size, seed: int) -> dict[str, float]:
    """One draw of weights and data."""
    torch.manual_seed(seed)
    dimensions = Dimensions(size.visual, size.words, size.words)
    conquer, xml = CONQUER(size.conquer, dimensions).eval(), XML(size.xml, dimensions).eval()
    words, word_mask = sequences(torch.randint(5, 25, (size.pairs,)), 30, size.words)
    clips = torch.randint(8, size.xml.max_clips + 1, (size.pairs,))
    visual, mask = sequences(clips, int(clips.max()), size.visual)
    subtitles, _ = sequences(clips, int(clips.max()), size.words)
    first = (torch.rand(size.pairs) * (clips - 4)).long()
    span = torch.stack([first, torch.minimum(first + torch.randint(1, 16, (size.pairs,)), clips - 1)], 1)
    queries, videos = Queries(words, word_mask), Videos(visual, subtitles, mask)
    with torch.inference_mode():
        left_out, let_in = span_losses(xml, queries, videos, span)
        return {
            "fusion_weight": fusion_weights(conquer, queries),
            "span_loss": float(left_out.mean()),
            "span_loss_let_in": float(let_in.mean()),
            "span_loss_of_a_pair": float((left_out - let_in).abs().max()),
        }


def main() -> None:
    """Measure, print."""
    size = SMALL if parser(__doc__).parse_args().small else PUBLISHED
    draws = [measure(size, seed) for seed in (1, 2, 3)]
    for draw in draws:
        say(", ".join(f"{name} {value:.4f}" for name, value in draw.items()))
    middle = {name: statistics.median(draw[name] for draw in draws) for name in draws[0]}
    ratios = {"span_loss": figure(middle["span_loss"] / middle["span_loss_let_in"])}
    report({"ratios": ratios, **{name: figure(value) for name, value in middle.items()}})


if __name__ == "__main__":
    main()
