"""The settings of losses that a study compares: the rows of its tables."""

from __future__ import annotations

from dataclasses import asdict, replace

from baselines.copy_retrieval.settings import ABLATIONS
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


def ablation(parameter: str) -> dict[str, HAPSettings]:
    """The settings of one ablation's table: value as written -> setting, all else as in Table 2."""
    return {f"{value:g}": replace(BOTH, **{parameter: value}) for value in ABLATIONS[parameter]}


def file_name(setting: HAPSettings) -> str:
    """A setting's name in files: what differs from Table 2; ``both`` where nothing does."""
    named = {BASE: "base", VIDEO: "video", FRAME: "frame", BOTH: "both"}
    if setting in named:
        return named[setting]
    usual = asdict(BOTH)
    return "_".join(f"{name}={value:g}" for name, value in asdict(setting).items() if value != usual[name])
