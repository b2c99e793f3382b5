"""How many right captions the checks leave to a person, and how many wrong ones they refuse, by encoder and style.

Right captions are what the rules write for TVR's video descriptions (`QREELS_DATA`, or `../shared/data` beside the
checkout; without it for sentences that Qreels makes up), with the cast list of docs/casts. Wrong ones are made
of them on purpose, of each kind of `queries.checks.planted.KINDS`. They are checked with that cast list and without:
then the checks know who is who by the descriptions and first names alone. What the model named by ENCODER_MODEL (or the
packaged one) makes of them is the table that `queries.checks.thresholds.CALIBRATED` is chosen from; the peer is the
paper's threshold of 0.4, which is SimCSE's, with 0.85 of the words kept, names and persons, and without the checks of
what is exchanged. The ratios are its errors: ours through the peer's. docs/rewriting.md has the table.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import parser, report
from benchmarks.worlds.captions import tvr_rows
from foundation.collections.cast import parse_cast
from queries.checks.faithfulness import compare
from queries.checks.planted import KINDS, learn_material, planted
from queries.checks.thresholds import CALIBRATED, UNCALIBRATED, Calibrated, names_pass
from queries.language.first_names import Gender
from queries.language.lexicon import Lexicon, build_lexicon, leftover_names
from queries.language.name_tagger import load_tagger
from queries.language.words import collapse
from queries.retrieval.encoder import load_encoder
from queries.rewriting.rewriters.rules import imprecise
from queries.tagger_training.synthetic_sentences import all_names, made_up_sentence

CAST = Path(__file__).resolve().parents[1] / "docs" / "casts" / "six-series.txt"
PEER = Calibrated(0.4, 0.85)
STYLES = ("faithful", "diverse")
SIMILARITIES = (0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1)
SEED = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """One caption, right or wrong, and what the checks measure of it."""

    kind: str
    similarity: float
    kept: float
    others_passed: bool
    """Whether it names nobody and speaks of as many persons."""
    swaps: frozenset[str]

    def fails(self, limits: Calibrated, *, swaps: bool = True) -> bool:
        if self.similarity < limits.similarity or self.kept < limits.kept or not self.others_passed:
            return True
        return swaps and bool(self.swaps)


def descriptions() -> tuple[list[str], str]:
    """Texts, and where they come from."""
    if rows := tvr_rows():
        return [collapse(row["desc"]) for row in rows if row["type"] == "v"], "tvr"
    chance = random.Random(SEED)
    sentences = [made_up_sentence(all_names(), chance) for _ in range(2000)]
    return [collapse(" ".join(word for word, _ in sentence).replace(" '", "'")) for sentence in sentences], "made up"


def lexicon_of(texts: Sequence[str]) -> Lexicon:
    """Who is who, with the cast list of the six series."""
    cast = parse_cast(CAST.read_text(encoding="utf-8"))
    of: dict[str, Gender] = {"f": "woman", "m": "man"}
    genders = {member.name: of[member.gender] for member in cast if member.gender in of}
    return build_lexicon(texts, [member.name for member in cast], genders=genders)


def measure(texts: Sequence[str], lexicons: Mapping[str, Lexicon], style: str) -> dict[str, list[Measured]]:
    """The captions of a style, right and wrong, as each lexicon has them checked; the first one made them."""
    diverse, told = style == "diverse", next(iter(lexicons.values()))
    tagger = load_tagger()
    spans = dict(zip(texts, tagger.find_names(texts), strict=True))
    right = {text: imprecise(text, spans[text], told, diverse=diverse) for text in texts}
    captions = [(text, "right", caption) for text, caption in right.items()]
    material = learn_material(right.values(), told)
    for text, caption in right.items():
        captions += [(text, wrong.kind, wrong.caption) for wrong in planted(text, caption, spans[text], material, SEED)]
    vectors = load_encoder().encode([text for text, _, _ in captions] + [caption for _, _, caption in captions])
    similarities = (vectors[: len(captions)] * vectors[len(captions) :]).sum(axis=1)
    named = tagger.find_names([caption for _, _, caption in captions])
    measured: dict[str, list[Measured]] = {name: [] for name in lexicons}
    for (text, kind, caption), similarity, found in zip(captions, similarities, named, strict=True):
        for name, lexicon in lexicons.items():
            result = compare(text, caption, spans[text], lexicon, generalises=diverse)
            nobody = names_pass(found) and not leftover_names(caption, lexicon)
            swaps = frozenset(swap.check for swap in result.swaps)
            measured[name].append(
                Measured(kind, float(similarity), result.ratio, result.persons_passed and nobody, swaps)
            )
    return measured


def rates(measured: Sequence[Measured], limits: Calibrated, *, swaps: bool = True) -> dict[str, float]:
    """The share that fails, by kind and of all wrong ones together."""
    kinds = {kind: [caption for caption in measured if caption.kind == kind] for kind in ("right", *KINDS)}
    kinds["wrong"] = [caption for caption in measured if caption.kind != "right"]
    return {
        kind: round(sum(caption.fails(limits, swaps=swaps) for caption in some) / max(len(some), 1), 4)
        for kind, some in kinds.items()
    }


def found_by(measured: Sequence[Measured]) -> dict[str, dict[str, float]]:
    """The share of each kind in which each check of what is exchanged finds something."""
    shares: dict[str, dict[str, float]] = {}
    for kind in ("right", *KINDS):
        some = [caption for caption in measured if caption.kind == kind]
        shares[kind] = {
            check: round(sum(check in caption.swaps for caption in some) / max(len(some), 1), 4)
            for check in ("gender", "roles", "words")
        }
    return shares


def as_table(columns: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Shares that fail as a Markdown table, a row a kind."""
    kinds = list(next(iter(columns.values())))
    rows = [
        f"| {kind} | " + " | ".join(f"{100 * column[kind]:.1f} %" for column in columns.values()) + " |"
        for kind in kinds
    ]
    return [f"| | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|", *rows]


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--captions", metavar="N", type=int, default=2000, help="how many descriptions are drawn")
    options = arguments.parse_args()
    texts, source = descriptions()
    known = texts[:300] if options.small else texts
    lexicons = {"cast list": lexicon_of(known), "no cast list": build_lexicon(known)}
    drawn = list(dict.fromkeys(texts[:300] if options.small else texts))
    drawn = random.Random(SEED).sample(drawn, min(len(drawn), 12 if options.small else options.captions))
    encoder = load_encoder().model_name
    chosen = CALIBRATED.get(encoder.rpartition("/")[2], UNCALIBRATED)
    figures: dict[str, object] = {"source": source, "captions": len(drawn), "encoder": encoder}
    ratios: dict[str, float] = {}
    table: dict[str, dict[str, float]] = {}
    for style in STYLES:
        by_lexicon = measure(drawn, lexicons, style)
        measured = by_lexicon["cast list"]
        ours, peer = rates(measured, chosen[style]), rates(measured, PEER, swaps=False)
        print(f"{style}: share that fails, by similarity threshold ({chosen[style].kept} of the words kept)")
        by_threshold = {}
        for threshold in SIMILARITIES:
            by_threshold[f"{threshold:g}"] = rates(measured, Calibrated(threshold, chosen[style].kept))
            print(
                f"  {threshold:<5g}",
                "  ".join(f"{kind} {rate:.2%}" for kind, rate in by_threshold[f"{threshold:g}"].items()),
            )
        alone = {kind: rate for kind, rate in rates(measured, Calibrated(chosen[style].similarity, 0.0)).items()}
        table[f"{style}, nothing exchanged asked"] = rates(measured, chosen[style], swaps=False)
        for name, some in by_lexicon.items():
            table[f"{style}, {name}"] = rates(some, chosen[style])
        checks = {name: found_by(some) for name, some in by_lexicon.items()}
        figures[style] = {
            "chosen": ours, "0.4 and 0.85": peer, "by similarity": by_threshold, "no words kept": alone, "found": checks
        }  # fmt: skip
        # An error of none at all is told as half a caption's share, so that a ratio can be formed.
        least = 0.5 / len(measured)
        ratios[f"{style}: right captions that wait"] = round(max(ours["right"], least) / max(peer["right"], least), 4)
        passed = max(1 - ours["wrong"], least) / max(1 - peer["wrong"], least)
        ratios[f"{style}: wrong captions that pass"] = round(passed, 4)
    print(*as_table(table), sep="\n")
    report({**figures, "shares": table, "ratios": ratios})


if __name__ == "__main__":
    main()
