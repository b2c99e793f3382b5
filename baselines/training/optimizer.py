"""Adam as the published code has it: without bias correction, weight decay apart, each tensor's gradient clipped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

BETAS = (0.9, 0.999)
EPSILON = 1e-6
DECAY = 0.01
LARGEST_GRADIENT = 1.0


class BertAdam(torch.optim.Optimizer):
    """BERT's Adam: m / (sqrt(v) + 1e-6), decay of 0.01 added to the step, each tensor's gradient of norm 1 at most.

    Biases and layer norms are not decayed. The learning rate is set before each step.
    Source: Devlin et al. 2019; the published code of XML, ReLoCLNet and the adaptation.
    """

    def __init__(self, model: nn.Module) -> None:
        norms = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, nn.LayerNorm)}
        named = list(model.named_parameters())
        free = [one for name, one in named if name in norms or name.endswith("bias")]
        decayed = [one for name, one in named if not (name in norms or name.endswith("bias"))]
        groups = [{"params": decayed, "decay": DECAY}, {"params": free, "decay": 0.0}]
        super().__init__(groups, {"lr": 0.0})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step with the gradients that are there."""
        for group in self.param_groups:
            there = [one for one in group["params"] if one.grad is not None]
            if there:
                self._step(there, rate=group["lr"], decay=group["decay"])

    def set_rate(self, rate: float) -> None:
        """The learning rate of the next step."""
        for group in self.param_groups:
            group["lr"] = rate

    def _step(self, parameters: list[Tensor], *, rate: float, decay: float) -> None:
        gradients = [one.grad for one in parameters if one.grad is not None]
        norms = torch._foreach_norm(gradients)
        shares = [(LARGEST_GRADIENT / (norm + 1e-6)).clamp(max=1.0) for norm in norms]
        gradients = list(torch._foreach_mul(gradients, shares))
        first = self._moments("first", parameters)
        second = self._moments("second", parameters)
        torch._foreach_lerp_(first, gradients, 1 - BETAS[0])
        torch._foreach_mul_(second, BETAS[1])
        torch._foreach_addcmul_(second, gradients, gradients, 1 - BETAS[1])
        below = list(torch._foreach_sqrt(second))
        torch._foreach_add_(below, EPSILON)
        steps = list(torch._foreach_div(first, below))
        if decay:
            torch._foreach_add_(steps, parameters, alpha=decay)
        torch._foreach_add_(parameters, steps, alpha=-rate)

    def _moments(self, name: str, parameters: Iterable[Tensor]) -> list[Tensor]:
        for one in parameters:
            if name not in self.state[one]:
                self.state[one][name] = torch.zeros_like(one)
        return [self.state[one][name] for one in parameters]
