"""The commands of ``python -m baselines``: each module has NAME, HELP, add_arguments, perform."""

from __future__ import annotations

from baselines.commands import copy, embed_run, features, pair_scores, rerank, retrieve, table, train
from evaluation.commands import Command

COMMANDS: tuple[Command, ...] = (features, train, retrieve, embed_run, rerank, table, pair_scores, copy)
