"""Adam as the published code has it: without bias correction, weight decay apart, each tensor's gradient clipped."""

from __future__ import annotations

import torch
from torch import Tensor, nn

BETAS = (0.9, 0.999)
EPSILON = 1e-6
DECAY = 0.01
LARGEST_GRADIENT = 1.0


class BertAdam:
    """BERT's Adam: m / (sqrt(v) + 1e-6), decay of 0.01 added to the step, each tensor's gradient of norm 1 at most.

    Biases and layer norms are not decayed.
    Source: Devlin et al. 2019; the published code of XML, ReLoCLNet and the adaptation.
    """

    def __init__(self, model: nn.Module) -> None:
        norms = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, nn.LayerNorm)}
        self._named: dict[str, Tensor] = dict(model.named_parameters())
        self._free = {name for name in self._named if name in norms or name.endswith("bias")}
        self._first = {name: torch.zeros_like(parameter) for name, parameter in self._named.items()}
        self._second = {name: torch.zeros_like(parameter) for name, parameter in self._named.items()}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._named.values():
            parameter.grad = None

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """One step of this learning rate with the gradients that are there."""
        there = {name for name, parameter in self._named.items() if parameter.grad is not None}
        for names, decay in ((there - self._free, DECAY), (there & self._free, 0.0)):
            if names:
                self._step(sorted(names), rate, decay)

    def state_dict(self) -> dict[str, dict[str, Tensor]]:
        """Both moments of every parameter, by its name."""
        return {"first": self._first, "second": self._second}

    def load_state_dict(self, state: dict[str, dict[str, Tensor]]) -> None:
        """Take moments over."""
        for mine, theirs in ((self._first, state["first"]), (self._second, state["second"])):
            for name, moment in mine.items():
                moment.copy_(theirs[name])

    def _step(self, names: list[str], rate: float, decay: float) -> None:
        parameters = [self._named[name] for name in names]
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        norms = torch._foreach_norm(gradients)
        shares = [(LARGEST_GRADIENT / (norm + EPSILON)).clamp(max=1.0) for norm in norms]
        gradients = list(torch._foreach_mul(gradients, shares))
        first, second = [self._first[name] for name in names], [self._second[name] for name in names]
        torch._foreach_lerp_(first, gradients, 1 - BETAS[0])
        torch._foreach_mul_(second, BETAS[1])
        torch._foreach_addcmul_(second, gradients, gradients, 1 - BETAS[1])
        below = list(torch._foreach_sqrt(second))
        torch._foreach_add_(below, EPSILON)
        steps = list(torch._foreach_div(first, below))
        if decay:
            torch._foreach_add_(steps, parameters, alpha=decay)
        torch._foreach_add_(parameters, steps, alpha=-rate)
