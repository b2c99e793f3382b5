"""The settings of losses that a study compares: the rows of its tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

from baselines.copy_retrieval.settings import ABLATIONS, RATES
from baselines.losses import HAPSettings

BOTH = HAPSettings()
BASE = replace(BOTH, lambda_v=0.0, lambda_f=0.0)
VIDEO = replace(BOTH, lambda_f=0.0)
FRAME = replace(BOTH, lambda_v=0.0)

MAIN = {
    "L_base": BASE,
    "L_base + QLAP of videos": VIDEO,
    "L_base + QLAP of frames": FRAME,
    "L_base + QLAP of both": BOTH,
}
"""The comparison that the study is for, by the rows' titles."""


def compared(rivals: Iterable[str]) -> dict[str, HAPSettings]:
    """The main comparison, and below it the same with another loss in the place of both of QuadLinear-AP."""
    return MAIN | {f"L_base + {name} of both": replace(BOTH, ranking=name) for name in rivals}


def ablation(parameter: str) -> dict[str, HAPSettings]:
    """The settings of one ablation's table: values as written -> setting, all else as in Table 2."""
    names = RATES if parameter == "rates" else (parameter,)
    return {
        ", ".join(f"{value:g}" for value in values): replace(BOTH, **dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        for values in ABLATIONS[parameter]
    }


def file_name(setting: HAPSettings) -> str:
    """A setting's name in files: what differs from Table 2; ``both`` where nothing does."""
    named = {BASE: "base", VIDEO: "video", FRAME: "frame", BOTH: "both"}
    if setting in named:
        return named[setting]
    usual = asdict(BOTH)
    return "_".join(f"{name}={value}" for name, value in asdict(setting).items() if value != usual[name])
